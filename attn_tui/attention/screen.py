"""The Attention screen: the weights of a head as two maps with one cursor, and its row below."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.reactive import var
from textual.widget import Widget

from attn_tui.attention import charts
from attn_tui.attention.charts import Labels, Maps
from attn_tui.attention.headline import done_to, headline
from attn_tui.attention.report import report, rows_table
from attn_tui.attention.views import VIEW_TITLES
from attn_tui.captures.source import Captured
from attn_tui.charts.glyphs import FILLS
from attn_tui.charts.table import TableDrawing
from attn_tui.compute.attention.answer import Answer, compare, is_drawn, tokens_of
from attn_tui.compute.attention.answer import answer as answer_rows
from attn_tui.compute.attention.settings import N_SCALE, Settings
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.field import fields_of
from attn_tui.compute.numbers import quantity, whole
from attn_tui.compute.source import Drawn
from attn_tui.compute.text import counted
from attn_tui.files import edits
from attn_tui.files.draft import Draft
from attn_tui.files.history import Question
from attn_tui.report.origin import missed_text
from attn_tui.report.report import SIDES, Report
from attn_tui.ui.action import ANOTHER, Action, moves
from attn_tui.ui.d_k import DkPane, NumberPane, why_idle
from attn_tui.ui.heat_map import HeatMap, HeatMapPane
from attn_tui.ui.markup import plain
from attn_tui.ui.pane import Pane
from attn_tui.ui.picture import Picture, PicturePane, Sheet
from attn_tui.ui.pinning_screen import PinningScreen
from attn_tui.ui.setting import CAUSAL, MASK, PRECISION, SCALE, drawn_where, of_field
from attn_tui.ui.slider import Slider

FIELDS = {name: of_field(field) for name, field in fields_of(Settings).items()}


def _drawn_instead(question: Question) -> str:
    is_here = is_drawn(question.experiment)
    return "The keys are drawn here: what a query sees is set by sees" if is_here else ""


def _why_not_drawn(question: Question) -> str:
    experiment = question.experiment
    is_of_draw = is_drawn(experiment) or isinstance(experiment.source, Drawn)
    return "" if is_of_draw else "The rows are asked: nothing is drawn"


_SCALE = tuple(
    replace(setting, no_effect=_drawn_instead) if setting in (MASK, CAUSAL) else setting
    for setting in SCALE
)

QUICK = 600
"""A head of up to this many scores takes less than a frame; a larger one runs in a thread."""

ROWS_ASKED = "The rows are the vectors that are asked: with rows drawn a head is drawn here"


class AttentionScreen(PinningScreen):
    """Every row of a head, unscaled beside scaled: who looks at whom."""

    CSS_PATH = "attention.tcss"
    NAME = "attention"
    AUTO_FOCUS = "#unscaled-pane"
    VIEWS: ClassVar = ("unscaled-pane", "scaled-pane", "rows-pane")
    VIEW_TITLES = VIEW_TITLES
    NO_N = ROWS_ASKED
    GROUPS: ClassVar = (
        ("Head", (*FIELDS.values(), *drawn_where(_why_not_drawn))),
        ("Scale", _SCALE), ("Precision", PRECISION),
    )  # fmt: skip
    BINDINGS: ClassVar[list[BindingType]] = [
        Action(
            "e",
            "rows",
            "Where rows come from",
            show=False,
            id="edit",
            synonyms=("choose the rows",),
        ),
        Action("a", "again", "Another draw", show=False, id="again", synonyms=ANOTHER),
        Action(
            "p",
            "pin",
            "Pin",
            tooltip="Pin to compare",
            id="pin",
            synonyms=("compare", "compare with", "keep beside"),
        ),
        Action(
            "p",
            "unpin",
            "Unpin",
            id="pin",
            synonyms=("stop comparing", "let go"),
        ),
        *moves(up=("go(-1)", "Query above"), down=("go(1)", "Query below")),
        Binding("enter", "explore", "Open the row in Explore", show=False, id="explore_row"),
    ]

    answer: var[Answer | None] = var(None, init=False)
    row: var[int | None] = var(None, init=False)
    """The query chosen by the user; None for the last one, which sees the most keys."""
    key: var[int | None] = var(None, init=False)
    """The key chosen by the user; None for the one with the row's largest weight."""
    hovered: var[charts.Cursor | None] = var(None, init=False)
    """The query and the key under the mouse; None while it is off the maps."""
    stopped: var[bool] = var(False, init=False)

    def __init__(self) -> None:
        super().__init__()
        self._answering: Experiment | None = None
        """The experiment last answered, without its tokens."""
        self._maps: Maps | None = None

    def compose_body(self) -> ComposeResult:
        """Lay out the panes."""
        with Vertical():
            with Horizontal(id="sliders"):
                yield DkPane(is_line=True)
                yield NumberPane("n", N_SCALE, (), is_line=True)
            with Container(id="panes"):
                yield HeatMapPane("", key="e", binding="edit", id="unscaled-pane")
                yield Picture(id="bars")
                yield HeatMapPane("", id="scaled-pane")
                yield PicturePane("", id="row-pane")
                yield PicturePane("Its weights, key by key", id="bars-pane")
                yield Pane("Every row", VerticalScroll(Sheet(id="rows")), id="rows-pane")

    # The question

    @property
    def head(self) -> Settings:
        """The settings of Attention."""
        return self.present.experiment.setup.get(Settings)

    @property
    def labels(self) -> Labels:
        """The labels of queries and keys."""
        return Labels(tokens_of(self.present.experiment))

    @property
    def cursor(self) -> charts.Cursor:
        """The query and the key that are marked."""
        assert self.answer
        last = self.answer.n_queries - 1
        query = last if self.row is None else min(self.row, last)
        if self.key is None:
            return query, int(self.answer.row(query)[0].weights().argmax())
        return query, min(self.key, self.answer.n_keys_of(query) - 1)

    @property
    def home(self) -> Widget:
        """The widget with the focus by default: the map shown."""
        return self.query_one("#scaled-pane" if self.view == "scaled-pane" else "#unscaled-pane")

    def action_go(self, down: int) -> None:
        """Move the cursor to another query, wherever the focus is."""
        self.query_one("#unscaled-pane", HeatMap).action_move(down, 0)

    def action_step_n(self, steps: int) -> None:
        """Draw more queries and keys, or fewer if ``steps`` is negative."""
        if is_drawn(self.present.experiment):
            self.query_one("#n-pane", NumberPane).step(steps)
        else:
            super().action_step_n(steps)

    async def action_type_n(self) -> None:
        """Type how many queries and keys are drawn."""
        if is_drawn(self.present.experiment):
            await self.type_into(self.query_one("#n-pane", NumberPane))
        else:
            await super().action_type_n()

    async def action_rows(self) -> None:
        """Choose where the rows come from."""
        await self.open_setting("rows")

    def action_again(self) -> None:
        """Draw with the next seed."""
        if is_drawn(self.present.experiment):
            self.ask(FIELDS["seed"].edit(self.head.seed + 1))
        elif self.present.experiment.source.redraws:
            self.ask(edits.redraw)
        else:
            self.notify(ROWS_ASKED, timeout=4)

    @on(Slider.Moved, "#n")
    def _move_n(self, event: Slider.Moved) -> None:
        event.stop()
        self.ask(FIELDS["n"].edit(event.value), event.gesture)
        if not event.gesture:
            # A typed number left the focus in its field; give the arrow keys back to the map.
            self.set_focus(self.home)

    @on(HeatMap.Moved)
    def _move(self, event: HeatMap.Moved) -> None:
        self.point(*event.place)

    @on(HeatMap.Hovered)
    def _hover(self, event: HeatMap.Hovered) -> None:
        self.hovered = event.place

    def point(self, query: int, key: int) -> None:
        """Put the cursor on a query and a key."""
        self.set_reactive(AttentionScreen.row, query)
        self.set_reactive(AttentionScreen.key, key)
        self._draw_cursor()

    @on(HeatMap.Chosen)
    async def _choose(self) -> None:
        await self.run_action("screen.explore")

    def action_explore(self) -> None:
        """Open the cursor's row in Explore."""
        answer = self.answer
        if answer is None:
            return
        query = self.cursor[0]
        if answer.odd[query]:
            self.notify(f"Query {query:,} meets NaN or infinity: there is nothing to open")
            return

        def edit(draft: Draft) -> Draft:
            there = draft.asking(answer.head.source) if answer.is_drawn else draft
            return replace(there, setup=answer.head.setup)

        self.ask(edit)
        self.post_message(self.Go("explore", answer.head.vectors.name(query)))
        self.notify("4 goes back to Attention, u to what you had asked", timeout=5)

    def stop_or_go_on(self) -> None:
        """Stop computing a large head, or resume it."""
        if self.answer is not None and self.answer.progress < 1.0:
            self.stopped = not self.stopped
            if self.stopped:
                self.workers.cancel_group(self, "answer")
            else:
                self._answer(self.answer.experiment)

    # The answer

    def show_numbers(self, question: Question) -> None:
        """Show d_k and n on their sliders."""
        super().show_numbers(question)
        pane = self.query_one("#n-pane", NumberPane)
        pane.value = question.experiment.setup.get(Settings).n
        pane.set_class(not is_drawn(question.experiment), "-given")

    def watch_question(self, question: Question) -> None:
        """Answer the question, or only redraw if nothing but the names of rows has changed."""
        wanted = unnamed(question.experiment)
        if wanted == self._answering:
            if self.answer is not None:
                self.watch_answer(self.answer)
            return
        self.set_reactive(AttentionScreen.stopped, False)
        self._answering = wanted
        self._answer(wanted)

    def why_idle(self, question: Question) -> str:
        """Return why another d_k would change nothing; empty if it would."""
        return "" if is_drawn(question.experiment) else why_idle(question.experiment)

    def _answer(self, experiment: Experiment) -> None:
        """Answer at once if that takes less than a frame, otherwise in a thread."""
        self.workers.cancel_group(self, "answer")
        if is_drawn(experiment) and self.head.n**2 <= QUICK:
            (self.answer,) = answer_rows(experiment)
        else:
            self.answer_in_thread(partial(answer_rows, experiment))

    def answers_to(self, experiment: Experiment) -> Iterator[Answer]:
        """Yield growing answers to a question."""
        return answer_rows(unnamed(experiment))

    def set_answer(self, answer: Answer) -> None:
        """Show an answer, unless it is a restarted one with fewer rows than are shown already."""
        before = self.answer
        is_behind = before and before.experiment is answer.experiment and before.done > answer.done
        if not is_behind:
            self.answer = answer

    # Files and reports

    def report(self, answer: Answer, width: int | None = None) -> Report:
        """Return the report on the rows known so far, with their present names."""
        return report(self._named(answer))

    def _named(self, answer: Answer) -> Answer:
        """Return an answer with the present names of rows."""
        return replace(answer, experiment=self.present.experiment)

    # Drawing

    @property
    def views(self) -> Sequence[str]:
        """The names of the views; both maps are one view where there is room for them."""
        return self.VIEWS if self.has_class("-tiny") else (self.VIEWS[0], self.VIEWS[2])

    def watch_view(self) -> None:
        """Show the pane of the new view."""
        for name in self.VIEWS:
            self.pane(name).set_class(name == self.view, "-shown")
        self.query_one("#panes").set_class(self.view == "rows-pane", "-rows")
        if self.answer is not None:
            self._draw_cursor()

    @on(HeatMap.Sized)
    def _fit(self) -> None:
        """Update what the titles say is hidden, which depends on the size of the maps."""
        if self.answer is not None:
            self._draw_cursor()

    def watch_hovered(self) -> None:
        """Show the row under the mouse, or the cursor's once it has left the maps."""
        if self.answer is not None:
            self._draw_row(*(self._place_under_mouse or self.cursor))

    @property
    def _place_under_mouse(self) -> charts.Cursor | None:
        """The query and the key under the mouse, unless the present head has none such."""
        if self.hovered is None:
            return None
        query, key = self.hovered
        is_there = query < self.shown.n_queries and key < self.shown.n_keys_of(query)
        return self.hovered if is_there else None

    def watch_stopped(self) -> None:
        """Say whether computing is stopped."""
        if self.answer is not None:
            self._draw_cursor()

    @property
    def shown(self) -> Answer:
        """The answer, beside the pinned one if they have the same size."""
        assert self.answer
        return (self.pinned and compare(self.pinned, self.answer)) or self.answer

    def watch_answer(self, answer: Answer) -> None:
        """Show the rows known so far."""
        compared = self.shown
        self._maps = Maps(compared, self.labels)
        self.set_reactive(AttentionScreen.hovered, None)
        self.headline = headline(compared)
        self._draw_cursor()

    def _draw_cursor(self) -> None:
        """Draw the current view and the cursor's row."""
        maps = self._maps
        if maps is None:
            return
        if self.view == "rows-pane":
            rows = maps.answer.rows.tolist()
            cursor = rows.index(self.cursor[0]) if self.cursor[0] in rows else None
            table = rows_table(self._named(maps.answer))
            self.draw("rows", TableDrawing.of(table, cursor))
            return
        is_alone = not self.query_one("#bars").display
        is_textured = self.app.has_class("-textures")
        answer, names, progress = maps.answer, self.names, ""
        if answer.progress < 1.0:
            state = "stopped: space goes on" if self.stopped else "space stops"
            progress = f"{answer.done:,} of {answer.n_queries:,} rows, {state}"
        for side, kind in enumerate(SIDES):
            drawing = maps.heat_map(side, self.cursor, is_alone)
            picture = self.query_one(f"#{kind}-pane", HeatMapPane)
            picture.drawing = drawing
            hidden = maps.hidden(drawing, *picture.content_size, is_textured)
            drawn = "drawn" if answer.is_drawn else ""
            picture.describe(
                names[side], drawn, "queries ↓ keys →", hidden, progress,
                short=hidden.removeprefix("each the ") or "queries ↓",
            )  # fmt: skip
        self.draw("bars", charts.Bars(float(drawing.levels[drawing.cursor])))
        self._draw_row(*self.cursor)

    @property
    def names(self) -> tuple[str, str]:
        """The titles of the two maps."""
        if self.shown.pinned is not None:
            return "Pinned", "Now"
        text, threshold = done_to(self.shown), self.shown.head.setup.scale.threshold
        if threshold is not None and self.shown.n_keys < threshold:
            text += f", factor 1 below {whole(threshold)} keys"
        return "Unscaled", text

    @property
    def _warning(self) -> str:
        """A warning about the numbers of a captured head; empty if there is none."""
        experiment = self.present.experiment
        source = experiment.source
        if not isinstance(source, Captured):
            return ""
        if source.odd:
            return ", ".join(map(str, source.odd))
        return missed_text(source, experiment.setup.scale)

    def _draw_row(self, query: int, key: int) -> None:
        """Show one row in numbers, and its weights."""
        sides = self.shown.row(query)
        labels = self.labels
        seen = int(self.shown.attended[query])
        name = labels.long("query", query)
        title = f"{name[0].upper()}{name[1:]} sees {counted(seen, 'key')}"
        if self.shown.head.setup.scale.uses_n:
            title += f", m = {quantity(float(self.shown.scaled.multiplier[query]))}"
        where = " under the mouse" if self._place_under_mouse else ""
        self.pane("row-pane").describe(plain(title + where), plain(self._warning))
        self.draw(
            "row-pane", charts.RowNumbers(sides, key, labels.long("key", key), f"Query {query:,}")
        )
        bars = charts.KeyBars(sides, key, labels)
        width = self.query_one("#bars-pane").content_size.width
        how = "each the largest of several" if bars.reduced(max(width, 1)) else ""
        marks = zip(FILLS.items(), self.names, strict=True)
        legend = "  ".join(f"[${kind}]{fill} {name}[/]" for (kind, fill), name in marks)
        # Where colours tell the sides apart, they do so in the titles of the maps.
        legend = legend if self.app.has_class("-textures") else ""
        self.pane("bars-pane").describe("Its weights, key by key", how, legend)
        self.draw("bars-pane", bars)


def unnamed(experiment: Experiment) -> Experiment:
    """Return an experiment without the names of its rows, which change no number."""
    settings = experiment.setup.get(Settings)
    bare = experiment.setup.put(replace(settings, tokens=()))
    return experiment if not settings.tokens else replace(experiment, setup=bare)
