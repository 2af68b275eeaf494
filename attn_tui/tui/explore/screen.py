"""The Explore screen: turns keys and messages into questions, and answers into what panes show."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal

from attn_tui.charts.rows import Row
from attn_tui.files.draft import Draft
from attn_tui.files.kinds import KINDS
from attn_tui.report.export import Forms
from attn_tui.tui import edits, scaling
from attn_tui.tui.actions import Section
from attn_tui.tui.bars import NARROW
from attn_tui.tui.computing import Computing
from attn_tui.tui.explore import choices, contents, drawing, explanations, panes
from attn_tui.tui.explore.actions import ACTIONS
from attn_tui.tui.explore.asking import AskingActions
from attn_tui.tui.explore.chart_data import Needed
from attn_tui.tui.explore.charts import CHARTS, Drawn
from attn_tui.tui.explore.drawing import ROOMY
from attn_tui.tui.explore.found import Found, Question, find
from attn_tui.tui.explore.key_table import KeyTable
from attn_tui.tui.explore.looking import LookingActions
from attn_tui.tui.explore.view import TABLES, View
from attn_tui.tui.filing import Filing
from attn_tui.tui.instrument_screen import Command
from attn_tui.tui.parts import Part
from attn_tui.tui.state import Asked, Gesture
from attn_tui.tui.widgets.bar import Bar
from attn_tui.tui.widgets.canvas import Canvas
from attn_tui.tui.widgets.chart import ChartCanvas, ChartPane
from attn_tui.tui.widgets.score_editor import ScoreEditor
from attn_tui.tui.widgets.slider import Slider

LONG = 0.3
"""Seconds after which a computation is said to go on."""


class ExploreScreen(AskingActions, LookingActions):
    """Scores, d_k and the scale above; weights and gradient; a chart; what it means."""

    NAME = "explore"
    ACTIONS = ACTIONS
    SECTIONS = (
        Section("In Explore", ACTIONS),
        ScoreEditor.SECTION,
        Slider.SECTION,
        KeyTable.SECTION,
        panes.ExploreChart.SECTION,
    )
    explanation = explanations.WORDS

    def __init__(self) -> None:
        super().__init__()
        self.answering: Computing[Found] = Computing(self)
        self._data: tuple[object, Any] = (None, None)
        self._busy = False

    def compose_panes(self) -> ComposeResult:
        """Lay out the panes."""
        with Horizontal(id="top"):
            yield panes.ScoresPane(id="scores")
            yield panes.ExploreScale(id="scale")
        yield Bar(id="narrow-tabs")
        yield panes.ExploreTable(id="table")
        yield panes.ExploreChart(id="charts")
        yield Canvas(id="words")

    def on_mount(self) -> None:
        """Give the slider the keys."""
        self.query_one(Slider).focus()

    def make_computing(self) -> Computing[Any]:
        """Return what has charts computed that take long: over d_k, and the precision lab."""
        return Computing(self, most=2)

    @property
    def computings(self) -> tuple[Computing[Any], ...]:
        """What computes charts, and what answers where there are many keys."""
        return (self.computing, self.answering)

    def make_parts(self) -> Iterable[Part]:
        """Return the part that deals with files."""
        return (Filing(self),)

    def forms(self) -> Forms:
        """Return what can be written."""
        return contents.forms(self.asked, self.view.pinned) if self.asked else {}

    def said(self) -> str:
        """Return all there is to say of the vector."""
        return contents.said(self.found) if self.found else ""

    # What is shown

    @property
    def status(self) -> list[tuple[str, str]]:
        """The rule, the precision and the source of the scores."""
        return drawing.status(self.asked.experiment) if self.asked else []

    def show(self, asked: Asked) -> None:
        """Answer what is asked and show it."""
        self.asked = asked
        self.view = self._following(asked)
        self._go_on()
        self._draw()

    def look(self, view: View) -> None:
        """Look another way."""
        self.view = view
        if self.asked:
            self._go_on()
        self._draw()

    def _go_on(self) -> None:
        """Answer the newest question; where that takes long beside the screen, one at a time."""
        if (question := self._question) is None:
            return
        before = self.found
        if before and before.question == question:
            self.answering.forget()
        elif not question.is_long:
            self.answering.forget()
            self._take(find(question, before))
        elif not self.answering.job.running:
            self.answering.ask(question, lambda stop: find(question, before))
            self.set_timer(LONG, self._draw_busy)

    @property
    def _question(self) -> Question | None:
        """What is to be shown."""
        if self.asked is None:
            return None
        experiment, view = self.asked.experiment, self.view
        index = min(view.vector, len(experiment.vectors) - 1)
        return Question(experiment, index, view.sort, view.pinned)

    def _take(self, found: Found) -> None:
        """Show what was found; where keys are listed by something else, from the first on."""
        sort = self.found and self.found.question.sort
        self.found, question = found, found.question
        view = self.view.held(len(question.experiment.vectors), found.answer.vector.n_keys)
        if sort not in (None, question.sort) and question.sort != "position":
            view = replace(view, key=found.order.key(0))
        self.view = view

    def on_resize(self) -> None:
        """Draw everything in the new size."""
        self.call_after_refresh(self._draw)

    @property
    def _stale(self) -> bool:
        """Whether what is shown is an older answer, and will be for a while."""
        older = self.found is not None and self.found.question != self._question
        return self._unread or (self._busy and older)

    @property
    def _unread(self) -> bool:
        """Whether what is shown is the last readable answer, and not one to the text."""
        return self.asked is not None and self.asked.error is not None

    def _fade(self) -> None:
        for canvas in self.query("KeyTable Canvas, ChartCanvas, #words").results(Canvas):
            canvas.fade(self._stale)

    def _draw(self) -> None:
        """Show everything but the chart at once, and the chart soon."""
        asked, found = self.asked, self.found
        if asked is None or not self.size:
            return
        self._fade()
        self.query_one(panes.ScoresPane).show_title(drawing.source_title(asked.draft.source))
        self.query_one(ScoreEditor).show_text(asked.draft.text)
        held = asked.experiment.source.d_k is not None
        self.query_one(Slider).show_value(asked.experiment.setup.d_k, held)
        if found:
            experiment, index = found.question.experiment, found.question.vector
            rule = self.query_one("#rule", Canvas)
            rule.show(drawing.rule_rows(found.answer, experiment, index, *rule.size))
            self._draw_message(replace(asked, experiment=experiment), found)
            self._draw_words(asked.draft, found)
            self._draw_table(found)
            self._draw_tabs()
        self.frame()
        self.draw_chart_soon()

    def _draw_tabs(self) -> None:
        if self.answer:
            focused = self.query_one(panes.ExploreChart).has_focus
            width = self.size.width
            tabs = drawing.tab_items(
                self.view, self.answer, self.narrow, focused, self._unread, self._busy, width
            )
            bar = self.query_one("#narrow-tabs" if self.narrow else "#tabs", Bar)
            bar.show_items(drawing.ruled(tabs, self.size.width))

    def _draw_words(self, draft: Draft, found: Found) -> None:
        said = drawing.words(draft, found.shown, found.question.experiment.setup)
        height = 2 if self.size.width < NARROW or self.size.width >= ROOMY else 3
        self.show_words(drawing.words_rows(said, self.size.width, height), height)

    @property
    def problem_rows(self) -> Sequence[Row]:
        """What failed: the answer, or the chart that is looked at."""
        answering = self.answering.job
        if answering.problem and answering.question == self._question:
            return answering.problem_rows(self.size.width)
        needed = self._needed
        failed = needed and needed.key == self.job.question
        return super().problem_rows if failed else ()

    @property
    def _looked(self) -> View:
        """The view of the vector whose answer is there."""
        return replace(self.view, vector=self.found.question.vector if self.found else 0)

    @property
    def _needed(self) -> Needed | None:
        """What the chart in view needs besides the answer, if anything."""
        if self.found is None:
            return None
        return CHARTS[self.view.chart].needed(self.found.question.experiment, self._looked)

    def _draw_message(self, asked: Asked, found: Found) -> None:
        message = self.query_one("#message", Canvas)
        width = self.size.width if self.narrow else self.size.width // 2 - 2
        rows = drawing.message_rows(
            asked, found.answer, self._looked, width, 2 if self.narrow else 3
        )
        several = len(asked.experiment.vectors) > 1 or bool(self.view.pinned)
        message.display = not self.narrow or asked.error is not None or several
        message.styles.height = len(rows)
        message.show(rows)

    def _draw_table(self, found: Found) -> None:
        view, width, shown, order = self._looked, self.size.width, found.shown, found.order
        narrow = view.table if self.narrow else ""
        self.query_one("#narrow-tabs").display = bool(narrow)
        self.query_one("#tabs").display = not narrow
        widget = self.query_one(KeyTable)
        charts = self.query_one(panes.ExploreChart)
        widget.display = not narrow or not view.shows_chart
        charts.display = not narrow or view.shows_chart
        n_keys = shown.vector.n_keys
        around = len(drawing.statistics_rows(shown, width, narrow)) + (1 if narrow else 2)
        room = self._room - around
        lines = min(n_keys, max(room if narrow else room // 2, 1))
        widget.styles.height = "1fr" if narrow else lines + around
        view = view.scrolled(order.place(view.key), lines, n_keys)
        self.view = replace(self.view, top=view.top)
        view = replace(view, sort=found.question.sort)
        keys = order.between(view.top, view.top + lines)
        experiment = found.question.experiment
        page = drawing.page(shown, experiment, view, keys, width, narrow, self._unread)
        widget.show_page(page)

    @property
    def _room(self) -> int:
        """Lines between the top panes and the words, less those of the tabs."""
        taken = ("#title", "#top", "#key-bar")
        heights = sum(self.query_one(name).outer_size.height for name in taken)
        words = self.query_one("#words").styles.height
        return self.size.height - heights - int(words.value if words else 0) - 1

    # The chart

    def draw_chart(self) -> None:
        """Draw the chart; what it shows that takes long is computed first."""
        chart = self.query_one(ChartCanvas)
        if not (self.found and chart.size):
            return
        if needed := self._needed:
            self.computing.ask(needed.key, needed.work)
            data = self.job.result(needed.key)
            if data is None:
                failed = self.job.state == "failed"
                if failed or type(self._data[0]) is not type(needed.key):
                    chart.show(drawing.waiting(failed, *chart.size))
                self.set_timer(LONG, self._draw_busy)
                return
            self._data = (needed.key, data)
        chart.show(CHARTS[self.view.chart].draw(self._drawn(self.found, self._looked)))

    def _drawn(self, found: Found, view: View) -> Drawn:
        """Return what the chart is drawn from; what was computed for another one is not for it."""
        needed, (key, data) = self._needed, self._data
        data = data if needed and type(key) is type(needed.key) else None
        n_keys, experiment = found.answer.vector.n_keys, found.question.experiment
        return Drawn(found.shown, n_keys, experiment, view, data, *self.query_one(ChartCanvas).size)

    def show_job(self) -> None:
        """Show the answer, or the chart of what was computed, or say why there is none."""
        found, answering = self.found, self.answering.job
        if answering.state == "done" and (newest := answering.result(answering.question)):
            self._take(newest)
            self._go_on()
        self._draw_busy()
        if self.found is not found or self.job.problem or answering.problem:
            self._draw()
        self.draw_chart()

    def _draw_busy(self) -> None:
        """Say beside the tabs that the chart is not yet that of the present answer."""
        if self._busy != any(each.job.running for each in self.computings):
            self._busy = not self._busy
            self._fade()
            self._draw_tabs()

    # What panes say

    @on(ScoreEditor.Edited)
    def _on_edited(self, event: ScoreEditor.Edited) -> None:
        self.ask(edits.text(event.text), Gesture("typing"))

    @on(ScoreEditor.CursorMoved)
    def _on_cursor(self) -> None:
        if self.asked and (view := self._following(self.asked)) is not self.view:
            self.look(view)

    def _following(self, asked: Asked) -> View:
        """Return the view of the vector on whose line the editor's cursor is, while it edits."""
        editor = self.query_one(ScoreEditor)
        if asked.error or not editor.has_focus or asked.draft.text != editor.text:
            return self.view
        draft, line = asked.draft, editor.cursor_location[0]
        index = KINDS[draft.source].index_at(draft.text, line, draft.attachments)
        return self.view if index in (None, self.view.vector) else self.view.at(index)

    @on(KeyTable.Resized)
    def _on_table_resized(self) -> None:
        if self.found:
            self._draw_table(self.found)

    @on(KeyTable.Moved)
    def _on_key_moved(self, event: KeyTable.Moved) -> None:
        if self.found:
            order = self.found.order
            self.point(order.key(order.place(self.view.key) + event.keys))

    @on(KeyTable.Pointed)
    def _on_key_pointed(self, event: KeyTable.Pointed) -> None:
        self.point(event.key)

    @on(KeyTable.Anchored)
    def _on_anchored(self) -> None:
        anchor = self.view.key if self.view.anchor is None else None
        self.look(replace(self.view, anchor=anchor))

    @on(KeyTable.Chosen)
    def _on_key_chosen(self) -> None:
        self.action_gradient_of()

    @on(ChartPane.Moved)
    def _on_chart_moved(self, event: ChartPane.Moved) -> None:
        if self.found:
            drawn = self._drawn(self.found, self.view)
            self.look(CHARTS[self.view.chart].moved(drawn, event.dx, event.dy))

    @on(ChartCanvas.Pointed)
    def _on_chart_pointed(self, event: ChartCanvas.Pointed) -> None:
        if self.found:
            drawn = self._drawn(self.found, self.view)
            if view := CHARTS[self.view.chart].pointed(drawn, event.x, event.y):
                self.look(view)

    def on_descendant_focus(self) -> None:
        """Show where the keys go."""
        self._draw_tabs()

    def commands(self) -> Iterable[Command]:
        """Yield what is chosen by name: each rule, model, source, example and tab."""
        yield from scaling.commands()
        yield from choices.commands()
        charts = {name: chart.title for name, chart in CHARTS.items()}
        for name, title in (TABLES | charts).items():
            yield Command(f"Tab {title}", "Show this tab", f"screen.tab('{name}')")
