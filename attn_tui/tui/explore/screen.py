"""The Explore screen: turns keys and messages into questions, and answers into what panes show."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.timer import Timer

from attn_tui.charts.jacobian import cell_at
from attn_tui.compute.explore import Settings, VectorAnswer, Wrt, answer_vector
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.precision import FORMATS
from attn_tui.compute.scale import RULES, Scale, parse_scale
from attn_tui.files.grammar import vector_at
from attn_tui.report import sentences
from attn_tui.tui import edits
from attn_tui.tui.actions import Section
from attn_tui.tui.dialogs import ChoiceDialog
from attn_tui.tui.explore import drawing, explanations, panes, rules
from attn_tui.tui.explore.actions import ACTIONS
from attn_tui.tui.explore.drawing import ROOMY
from attn_tui.tui.explore.key_table import KeyTable
from attn_tui.tui.explore.view import CHARTS, TABLES, View, ordered
from attn_tui.tui.instrument_screen import Command, InstrumentScreen
from attn_tui.tui.state import Asked, Gesture
from attn_tui.tui.widgets.bar import Bar, Item
from attn_tui.tui.widgets.canvas import Canvas
from attn_tui.tui.widgets.entry import Entry
from attn_tui.tui.widgets.score_editor import ScoreEditor
from attn_tui.tui.widgets.slider import SLIDE, Slider

CHART_DELAY = 0.04
"""Seconds of rest before a chart is drawn, so that a held key is not slowed by it."""

NARROW, LOW, SHORT = 72, 20, 30
"""Fewer columns or lines show one pane at a time; fewer lines than the last, lower panes."""


class ExploreScreen(InstrumentScreen):
    """Score vectors, d_k and the rule above; weights and gradient; a chart; what it means."""

    NAME = "explore"
    CSS_PATH = "explore.tcss"
    ACTIONS = ACTIONS
    SECTIONS = (
        Section("In Explore", ACTIONS),
        ScoreEditor.SECTION,
        Slider.SECTION,
        KeyTable.SECTION,
        panes.ChartPane.SECTION,
    )
    explanation = explanations.WORDS

    def __init__(self) -> None:
        super().__init__()
        self.view = View()
        self._asked: Asked | None = None
        self._answer: VectorAnswer | None = None
        self._order: NDArray[np.intp] = np.arange(0)
        self._chart_timer: Timer | None = None

    def compose_panes(self) -> ComposeResult:
        """Lay out the panes."""
        with Horizontal(id="top"):
            yield panes.ScoresPane(id="scores")
            yield panes.ScalePane(id="scale")
        yield Bar(id="narrow-tabs")
        yield panes.ExploreTable(id="table")
        yield panes.ChartPane(id="charts")
        yield Canvas(id="words")

    def on_mount(self) -> None:
        """Give the slider the keys."""
        self.query_one(Slider).focus()

    # What is shown

    @property
    def narrow(self) -> bool:
        """Whether there is room for one pane at a time only."""
        return self.size.width < NARROW or self.size.height < LOW

    @property
    def status(self) -> list[Item]:
        """The rule, the precision and the source of the scores."""
        return drawing.status(self._asked.experiment.setup, self.size.width) if self._asked else []

    @property
    def settled(self) -> bool:
        """Whether the chart shows the present answer."""
        return self._answer is not None and self._chart_timer is None

    def show(self, asked: Asked) -> None:
        """Answer what is asked and show it."""
        experiment = asked.experiment
        self.view = self._following(asked)
        index = min(self.view.vector, len(experiment.vectors) - 1)
        vector = experiment.vectors[index]
        self.view = self.view.held(len(experiment.vectors), vector.n_keys)
        self._asked = asked
        self._answer = answer_vector(experiment, index)
        self._draw()

    def _look(self, view: View) -> None:
        """Look another way."""
        moved = view.vector != self.view.vector
        self.view = view
        if self._asked and moved:
            self.show(self._asked)
        else:
            self._draw()

    def on_resize(self) -> None:
        """Draw everything in the new size."""
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        """Show everything but the chart at once, and the chart soon."""
        asked, answer = self._asked, self._answer
        if asked is None or answer is None or not self.size:
            return
        setup = asked.experiment.setup
        self.set_class(asked.error is not None, "-stale")
        self.set_class(self.narrow, "-narrow")
        self.set_class(self.size.height < SHORT, "-short")
        self.query_one("#words").styles.height = self._words_height
        self.query_one(ScoreEditor).show_text(asked.draft.text)
        self.query_one(Slider).show_value(setup.d_k, self.view.ascii)
        self.query_one("#rule", Canvas).show(drawing.rule_rows(answer, setup))
        self._draw_message(asked, answer)
        words = self.query_one("#words", Canvas)
        sentence = sentences.explore(answer, setup.d_k, setup.scale)
        words.show(drawing.words_rows(sentence, self.size.width, self._words_height))
        self._draw_table(answer, asked.error is not None)
        self._draw_tabs()
        self.frame()
        self._draw_chart_soon()

    def _draw_tabs(self) -> None:
        if self._answer:
            focused = self.query_one(panes.ChartPane).has_focus
            stale = self.has_class("-stale")
            tabs = drawing.tab_items(self.view, self._answer, self.narrow, focused, stale)
            bar = self.query_one("#narrow-tabs" if self.narrow else "#tabs", Bar)
            bar.show_items(drawing.ruled(tabs, self.size.width))

    def _draw_message(self, asked: Asked, answer: VectorAnswer) -> None:
        message = self.query_one("#message", Canvas)
        width = self.size.width if self.narrow else self.size.width // 2 - 2
        rows = drawing.message_rows(asked, answer, width, 2 if self.narrow else 3)
        message.display = (
            not self.narrow or asked.error is not None or len(asked.experiment.vectors) > 1
        )
        message.styles.height = len(rows)
        message.show(rows)

    @property
    def _words_height(self) -> int:
        return 2 if self.size.width < NARROW or self.size.width >= ROOMY else 3

    def _draw_table(self, answer: VectorAnswer, stale: bool) -> None:
        view, width = self.view, self.size.width
        narrow = view.table if self.narrow else ""
        self.query_one("#narrow-tabs").display = bool(narrow)
        self.query_one("#tabs").display = not narrow
        widget = self.query_one(KeyTable)
        charts = self.query_one(panes.ChartPane)
        widget.display = not narrow or not view.shows_chart
        charts.display = not narrow or view.shows_chart
        n_keys = answer.vector.n_keys
        around = len(drawing.statistics_rows(answer, width, narrow)) + (1 if narrow else 2)
        room = self._room - around
        lines = min(n_keys, max(room if narrow else room // 2, 1))
        widget.styles.height = "1fr" if narrow else lines + around
        self._order = ordered(answer.vector.scores, view.by_score)
        place = int(np.flatnonzero(self._order == view.key)[0])
        self.view = view = view.scrolled(place, lines, n_keys)
        keys = self._order[view.top : view.top + lines]
        widget.show_page(drawing.page(answer, view, keys, width, narrow, stale))

    @property
    def _room(self) -> int:
        """Lines between the top panes and the words, less those of the tabs."""
        taken = ("#title", "#top", "#key-bar")
        heights = sum(self.query_one(name).outer_size.height for name in taken)
        return self.size.height - heights - self._words_height - 1

    def _draw_chart_soon(self) -> None:
        if self._chart_timer:
            self._chart_timer.stop()
        self._chart_timer = self.set_timer(CHART_DELAY, self._draw_chart)

    @on(panes.ChartMosaic.Resized)
    def _on_chart_resized(self) -> None:
        self._draw_chart_soon()

    def _draw_chart(self) -> None:
        self._chart_timer = None
        chart = self.query_one(panes.ChartMosaic)
        if self._asked and self._answer and chart.size:
            experiment = self._asked.experiment
            chart.show(drawing.chart_rows(self._answer, experiment, self.view, *chart.size))

    # What panes say

    @on(ScoreEditor.Edited)
    def _on_edited(self, event: ScoreEditor.Edited) -> None:
        self.ask(edits.text(event.text), Gesture("typing"))

    @on(ScoreEditor.CursorMoved)
    def _on_cursor(self) -> None:
        if self._asked and (view := self._following(self._asked)) is not self.view:
            self._look(view)

    def _following(self, asked: Asked) -> View:
        """Return the view of the vector on whose line the editor's cursor is, while it edits."""
        editor = self.query_one(ScoreEditor)
        if asked.error or not editor.has_focus or asked.draft.text != editor.text:
            return self.view
        index = vector_at(asked.draft.text, editor.cursor_location[0])
        return self.view if index == self.view.vector else self.view.at(index)

    @on(Slider.Moved)
    def _on_moved(self, event: Slider.Moved) -> None:
        self.ask(edits.d_k(event.change), event.gesture)

    @on(Slider.Typing)
    def _on_typing(self) -> None:
        self.action_type_d_k()

    @on(Entry.Entered)
    def _on_entered(self, event: Entry.Entered) -> None:
        if event.purpose == "d_k":
            value = D_K.parse(event.text)
            self.ask(edits.d_k(lambda _: value))
        else:
            self.ask(edits.scale(parse_scale(f"{event.purpose}:{event.text}")))

    @on(Entry.Opened)
    @on(Entry.Closed)
    def _on_entry(self, event: Entry.Opened | Entry.Closed) -> None:
        slider = self.query_one(Slider)
        slider.display = isinstance(event, Entry.Closed)
        if slider.display and self.focused in (None, self.query_one(Entry).field):
            slider.focus()

    @on(KeyTable.Moved)
    def _on_key_moved(self, event: KeyTable.Moved) -> None:
        place = int(np.flatnonzero(self._order == self.view.key)[0]) + event.keys
        self._point(int(self._order[min(max(place, 0), len(self._order) - 1)]))

    @on(KeyTable.Pointed)
    def _on_key_pointed(self, event: KeyTable.Pointed) -> None:
        self._point(event.key)

    @on(KeyTable.Chosen)
    def _on_key_chosen(self) -> None:
        self.action_gradient_of()

    @on(panes.ChartPane.Moved)
    def _on_chart_moved(self, event: panes.ChartPane.Moved) -> None:
        if self.view.chart == "over_d_k":
            self._look(self.view.next_quantity(event.dx + event.dy))
        elif self._answer:
            last = self._answer.vector.n_keys - 1
            other = min(max(self.view.other + event.dx, 0), last)
            key = min(max(self.view.key + event.dy, 0), last)
            self._look(replace(self.view, key=key, other=other))

    @on(panes.ChartMosaic.Pointed)
    def _on_chart_pointed(self, event: panes.ChartMosaic.Pointed) -> None:
        chart = self.query_one(panes.ChartMosaic)
        if self._answer and self.view.chart == "jacobian":
            n_keys = self._answer.vector.n_keys
            cursor = (self.view.key, self.view.other)
            if cell := cell_at(event.x, event.y, n_keys, *chart.size, cursor):
                self._look(replace(self.view, key=cell[0], other=cell[1]))

    def on_descendant_focus(self) -> None:
        """Show where the keys go."""
        self._draw_tabs()

    def _point(self, key: int) -> None:
        self._look(replace(self.view, key=key))

    # What keys and the palette do

    def action_edit(self) -> None:
        """Give the keys to the editor."""
        self.query_one(ScoreEditor).focus()

    def action_step(self, steps: int) -> None:
        """Move d_k by stops."""
        self.ask(edits.d_k(lambda value: D_K.step(value, steps)), SLIDE)

    def action_nudge(self, by: int) -> None:
        """Move d_k by ones."""
        self.ask(edits.d_k(lambda value: D_K.clamp(value + by)), SLIDE)

    def action_type_d_k(self) -> None:
        """Ask for a d_k in place of the slider."""
        value = str(self.query_one(Slider).value)
        self.query_one(Entry).open("d_k", "d_k", value, D_K.parse)

    def action_choose_rule(self) -> None:
        """Offer the rules; one with parameters asks for them."""
        if self._asked is None or self._answer is None:
            return
        setup = self._asked.experiment.setup
        choices = rules.choices(setup, self._answer.vector.n_keys)
        dialog = ChoiceDialog("Scale rule: z = m·s", choices, setup.scale.rule)
        self.app.push_screen(dialog, self._take_rule)

    def _take_rule(self, name: str | None) -> None:
        if name is not None:
            self.action_rule(name)

    def action_rule(self, name: str) -> None:
        """Use a rule by its name."""
        if RULES[name].parameters:
            present = self._asked.experiment.setup.scale if self._asked else Scale()
            text = rules.parameters_text(name, present)

            def check(text: str) -> Scale:
                return parse_scale(f"{name}:{text}")

            self.query_one(Entry).open(name, f"{name}:", text, check)
        else:
            self.ask(edits.scale(Scale(name)))

    def action_precision(self) -> None:
        """Compute in the next number format."""
        following = dict(zip(FORMATS, (*FORMATS[1:], FORMATS[0]), strict=True))
        self.ask(edits.precision(lambda each: replace(each, format=following[each.format])))

    def action_naive(self) -> None:
        """Subtract the largest score before the exponential, or do not."""
        self.ask(edits.precision(lambda each: replace(each, stable=not each.stable)))

    def action_wrt(self) -> None:
        """Take the gradient with respect to the other of scores and logits."""
        other: dict[Wrt, Wrt] = {"scores": "logits", "logits": "scores"}
        self.ask(edits.settings(Settings, lambda each: replace(each, wrt=other[each.wrt])))

    def action_gradient_of(self) -> None:
        """Show the gradient of the weight of the cursor's key."""
        key = self.view.key
        self.ask(edits.settings(Settings, lambda each: replace(each, of=key)))

    def action_example(self) -> None:
        """Go back to the worked example."""
        self.ask(edits.example)

    def action_next_vector(self) -> None:
        """Show the next vector."""
        if self._asked:
            following = (self.view.vector + 1) % len(self._asked.experiment.vectors)
            self._look(self.view.at(following))

    def action_next_tab(self) -> None:
        """Show the next tab."""
        self._look(self.view.next_tab(self.narrow))

    def action_tab(self, name: str) -> None:
        """Show a tab by its name."""
        self._look(self.view.tab(name))

    def action_log(self) -> None:
        """Switch charts between linear and logarithmic."""
        self._look(replace(self.view, log=not self.view.log))

    def action_other_side(self) -> None:
        """Show the other Jacobian where there is room for one."""
        self._look(self.view.other_side())

    def action_sort(self) -> None:
        """List keys by position, or the largest score first."""
        if self._answer:
            by_score = not self.view.by_score
            first = int(ordered(self._answer.vector.scores, by_score)[0])
            self._look(replace(self.view, by_score=by_score, key=first))

    def action_ascii(self) -> None:
        """Draw in ASCII, or in blocks."""
        self._look(replace(self.view, ascii=not self.view.ascii))

    def commands(self) -> Iterable[Command]:
        """Yield each rule and each tab by its name."""
        yield from rules.commands()
        for name, title in (TABLES | CHARTS).items():
            yield Command(f"Tab {title}", "Show this tab", f"screen.tab('{name}')")
