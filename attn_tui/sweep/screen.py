"""The Sweep screen: a map of what dividing does, and the medians along the cursor's row."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import floor
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.geometry import Size
from textual.reactive import var
from textual.widgets import Label
from textual.worker import get_current_worker

from attn_tui.charts.table import TableDrawing
from attn_tui.compute.errors import InputError, Stop
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.field import fields_of
from attn_tui.compute.log_scale import N_KEYS
from attn_tui.compute.scale import NONE
from attn_tui.compute.setup import FIELDS as SETUP
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.points import Place, along, check_vectors
from attn_tui.compute.sweep.settings import Settings, Swept, first_draws
from attn_tui.files import edits
from attn_tui.files.draft import Draft
from attn_tui.files.history import Edit, Question
from attn_tui.report.head import not_applied
from attn_tui.report.report import Report
from attn_tui.sweep import charts
from attn_tui.sweep.headline import headline, noun
from attn_tui.sweep.legend import legend, marked_names
from attn_tui.sweep.names import doing, name_of
from attn_tui.sweep.report import report, row_places, row_table, unapplied_scale
from attn_tui.sweep.runs import (
    CursorPlace,
    CursorRow,
    SweepRun,
    drawn_by,
    is_between,
    place_of,
    row_of,
)
from attn_tui.sweep.views import VIEW_TITLES
from attn_tui.ui.action import ANOTHER, Action, moves
from attn_tui.ui.d_k import DkPane, NumberPane
from attn_tui.ui.heat_map import HeatMap
from attn_tui.ui.instrument_screen import InstrumentScreen
from attn_tui.ui.pane import Pane
from attn_tui.ui.picture import PicturePane, Sheet
from attn_tui.ui.setting import LEAD, RULE, SPREAD, of_field
from attn_tui.ui.slider import Slider

FIELDS = {name: of_field(field) for name, field in fields_of(Settings).items()}

ONLY_KEY_0 = "A sink takes part in the weight of key 0 alone here"


def _no_sink(question: Question) -> str:
    statistic = question.experiment.setup.get(Settings).statistic
    return "" if statistic == "lead_weight" else ONLY_KEY_0


SINK = replace(of_field(SETUP["sink"]), no_effect=_no_sink)

KEPT = 4
"""How many complete sweeps are kept, so that going back to one redraws nothing. One that is not
complete has its draws, which take up to 58 MB; it is forgotten once another one is asked for."""

LOOKS_KEPT = 64
"""How many rows keep their crossovers, and how many places between those of a sweep their draws."""

CloserLook = Callable[[Experiment, Stop], Iterator[None]]
"""A closer look at the cursor: a method of its `CursorPlace` or `CursorRow`."""

VIEWS: Mapping[str, Swept] = {"map-pane": "map", "over-pane": "d_k", "keys-pane": "n"}
"""What is swept in each view."""


class SweepMap(HeatMap, inherit_bindings=False):
    """The map; the screen's own arrow keys move the cursor from the place that is asked for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *moves(first=("end(0)", "First column"), last=("end(-1)", "Last column")),
        Binding("enter", "choose", "Open it", show=False, id="choose"),
    ]


class SweepScreen(InstrumentScreen):
    """What dividing does to drawn vectors, over d_k and over the number of keys."""

    CSS_PATH = "sweep.tcss"
    NAME = "sweep"
    AUTO_FOCUS = "#map"
    VIEWS: ClassVar = (*VIEWS, "numbers-pane")
    VIEW_TITLES = VIEW_TITLES
    GROUPS: ClassVar = (
        ("Shown", (FIELDS["statistic"],)),
        ("Drawn", (FIELDS["draws"], FIELDS["seed"], *SPREAD, LEAD)),
        ("Places", tuple(FIELDS[name] for name in ("n", "n_range", "d_k_range", "map_points",
                                                   "points"))),
        ("Compared", (RULE, FIELDS["rules"], of_field(SETUP["qk_norm"]), SINK,
                      FIELDS["crossovers"])),
    )  # fmt: skip
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "open_setting('statistic')", "Statistic", show=False, id="entries",
                tooltip="Choose the statistic"),
        Action("a", "again", "Another draw", show=False, id="again", synonyms=ANOTHER),
        *moves(
            left=("go(0, -1)", "Smaller d_k"),
            right=("go(0, 1)", "Larger d_k"),
            up=("go(-1, 0)", "More keys"),
            down=("go(1, 0)", "Fewer keys"),
        ),
        Binding("enter", "explore", "Open a draw in Explore", show=False, id="explore_draw"),
    ]  # fmt: skip

    answer: var[Answer | None] = var(None, init=False)
    stopped: var[bool] = var(False, init=False)
    hovered: var[Place | None] = var(None, init=False)
    """The n and the d_k under the mouse; None while it is off the map."""

    def __init__(self) -> None:
        super().__init__()
        self._complete: LRUCache[Experiment, SweepRun] = LRUCache(KEPT)
        self._run: SweepRun | None = None
        """The run of the question."""
        self._place = lru_cache(maxsize=LOOKS_KEPT)(lambda _: CursorPlace())
        self._row = lru_cache(maxsize=LOOKS_KEPT)(lambda _: CursorRow())
        self._drawing: SweepRun | None = None
        """The run being drawn, or the last one once it is complete."""
        self._looking: CloserLook | None = None
        """What the cursor is being looked at for, or was last."""
        self._is_numbers = False
        self._grid: charts.Grid | None = None

    def compose_body(self) -> ComposeResult:
        """Lay out the panes."""
        with Vertical():
            with Horizontal(id="sliders"):
                yield DkPane(is_line=True)
                yield NumberPane("n", N_KEYS, (), is_line=True)
            with Container(id="panes"):
                yield Pane(
                    "", SweepMap(id="map"), Label("", id="legend"),
                    key="e", binding="entries", id="map-pane",
                )  # fmt: skip
                yield PicturePane("", id="row-pane")
                yield PicturePane("", id="over-pane", classes="wide")
                yield PicturePane("", id="keys-pane", classes="wide")
                yield Pane("", VerticalScroll(Sheet(id="table")), id="numbers-pane", classes="wide")
                yield PicturePane("", id="place-pane")

    # The question

    @property
    def sweep(self) -> Settings:
        """The settings of Sweep."""
        return self.present.experiment.setup.get(Settings)

    @property
    def place(self) -> Place:
        """The n and the d_k of the question."""
        return self.sweep.n, self.present.experiment.setup.d_k

    def action_again(self) -> None:
        """Draw with the next seed."""
        self.ask(FIELDS["seed"].edit(self.sweep.seed + 1))

    def action_step_n(self, steps: int) -> None:
        """Move to more keys, or to fewer if ``steps`` is negative."""
        self.query_one("#n-pane", NumberPane).step(steps)

    async def action_type_n(self) -> None:
        """Type the number of keys."""
        await self.type_into(self.query_one("#n-pane", NumberPane))

    def action_view(self, steps: int) -> None:
        """Switch to a following view, or to an earlier one if ``steps`` is negative."""
        views = [*self.VIEWS]
        view = views[(views.index(self.view) + steps) % len(views)]
        self._is_numbers = view not in VIEWS
        if self._is_numbers:
            self.view = view
            return
        swept = VIEWS[view]
        if swept == self.sweep.swept:
            self.view = view
            return
        if swept == "map":
            settings = replace(self.sweep, view="map")
        else:
            settings = replace(self.sweep, view="curves", over=swept)
        self.ask(edits.setup(lambda setup: setup.put(settings)), "view")

    @on(Slider.Moved, "#n")
    def _move_n(self, event: Slider.Moved) -> None:
        event.stop()
        self.ask(FIELDS["n"].edit(event.value), event.gesture)

    @on(HeatMap.Moved)
    def _move(self, event: HeatMap.Moved) -> None:
        self.ask(self._going_to(*event.place), event.gesture)

    @on(HeatMap.Hovered)
    def _hover(self, event: HeatMap.Hovered) -> None:
        self.hovered = event.place

    def action_go(self, down: int, right: int) -> None:
        """Move the cursor by some steps on the map, or along the curves shown."""
        settings, (n, d_k) = self.sweep, self.place
        ns, d_ks = along(settings, d_k)
        if settings.swept == "map":
            place = moved(ns, n, -down), moved(d_ks, d_k, right)
        elif settings.swept == "d_k":
            # Curves have one axis, so both pairs of arrow keys move along it.
            place = n, moved(d_ks, d_k, right or down)
        else:
            place = moved(ns, n, right or down), d_k
        if place != (n, d_k):
            self.ask(self._going_to(*place), "map move")

    @on(HeatMap.Chosen)
    async def _choose(self) -> None:
        await self.run_action("screen.explore")

    def action_explore(self) -> None:
        """Open Explore on one of the vectors drawn at the cursor."""
        n, d_k = self.place
        vector = Drawn(n, self.sweep.seed)

        def edit(draft: Draft) -> Draft:
            there = draft.asking(vector)
            return replace(there, setup=replace(there.setup, d_k=d_k))

        self.ask(edit)
        self.post_message(self.Go("explore"))
        self.notify("3 goes back to Sweep, u to what you had asked", timeout=5)

    @staticmethod
    def _going_to(n: int, d_k: int) -> Edit:
        return edits.setup(
            lambda setup: replace(setup.put(replace(setup.get(Settings), n=n)), d_k=d_k)
        )

    def stop_or_go_on(self) -> None:
        """Stop drawing, or resume it."""
        self.stopped = not self.stopped
        if self.stopped:
            self._stop_drawing()
        else:
            self._draw_more()

    def _stop_drawing(self) -> None:
        self.workers.cancel_group(self, "draw")
        self.workers.cancel_group(self, "look")
        self._drawing = self._looking = None

    @property
    def is_resting(self) -> bool:
        """Whether nothing is to be drawn: it was stopped, or another instrument is shown."""
        return self.stopped or self not in self.app.screen_stack[:1]

    def on_screen_suspend(self) -> None:
        """Leave the processor to the instrument that is shown instead; a dialogue needs little."""
        if self.is_resting:
            self._stop_drawing()

    def on_screen_resume(self) -> None:
        """Resume drawing, unless it was stopped by hand."""
        if self.answer is not None and not self.is_resting:
            self._show_latest()
            self._draw_more()

    # The answer

    def show_numbers(self, question: Question) -> None:
        """Show d_k and n on their sliders."""
        super().show_numbers(question)
        self.query_one("#n-pane", NumberPane).value = question.experiment.setup.get(Settings).n

    def watch_question(self, question: Question) -> None:
        """Show at once what is already drawn for a question, and draw the rest."""
        try:
            check_vectors(self.sweep)
        except InputError as error:
            self.notify(str(error), severity="warning", markup=False)
            return
        views = {swept: view for view, swept in VIEWS.items()}
        self.view = "numbers-pane" if self._is_numbers else views[self.sweep.swept]
        self.set_reactive(SweepScreen.stopped, False)
        self.set_reactive(SweepScreen.hovered, None)
        self._show_latest()
        self._draw_more()

    def _run_of(self, experiment: Experiment) -> SweepRun:
        """Return the run that draws for an experiment: the present, a kept or a new one."""
        asked = drawn_by(experiment)
        if self._run is None or self._run.experiment != asked:
            if self._run is not None and self._run.is_complete:
                self._complete[self._run.experiment] = self._run
            self._run = self._complete.get(asked) or SweepRun(asked)
        return self._run

    def _draw_more(self) -> None:
        """Start drawing for the question, unless that is running or complete."""
        run = self._run_of(self.present.experiment)
        if run is not self._drawing:
            self._drawing = run
            self._draw_sweep()

    @work(thread=True, exclusive=True, group="draw", exit_on_error=False)
    def _draw_sweep(self) -> None:
        # An argument would live as long as any widget that is mounted meanwhile.
        worker, run = get_current_worker(), self._drawing
        if run is None:
            return

        def stop() -> bool:
            # The first draws answer the question; the others refine it.
            if run.latest is None:
                return worker.is_cancelled
            return self.typing.stand_aside(lambda: worker.is_cancelled)

        for _ in run.go_on(stop):
            if not worker.is_cancelled:
                self.app.call_from_thread(self._show_latest)

    # Without a description, Textual writes down all numbers of the arguments.
    @work(thread=True, exclusive=True, group="look", exit_on_error=False, description="")
    def _look_closer(self, experiment: Experiment, look: CloserLook, refines: bool) -> None:
        worker = get_current_worker()

        def stop() -> bool:
            if refines:
                return self.typing.stand_aside(lambda: worker.is_cancelled)
            return worker.is_cancelled

        for _ in look(experiment, stop):
            if not worker.is_cancelled:
                self.app.call_from_thread(self._show_latest)

    def _show_latest(self) -> None:
        """Show everything drawn so far for the question, and look closer at the cursor."""
        experiment = self.present.experiment
        latest = self._run_of(experiment).latest
        if latest is None:
            return
        row = self._row(row_of(experiment))
        place = self._place(place_of(experiment))
        self._look(experiment, place, row, latest)
        here = None if self.place in latest.points.places else place.here
        self.answer = replace(
            latest, experiment=experiment, settings=self.sweep, crossovers=row.crossovers, here=here
        )

    def _look(
        self, experiment: Experiment, place: CursorPlace, row: CursorRow, latest: Answer
    ) -> None:
        """Draw at the cursor if the sweep does not, then find the crossovers of its row.

        Crossovers wait until every place of the sweep has its first draws.
        """
        ns, d_ks = along(self.sweep, experiment.setup.d_k)
        is_everywhere = len(latest.points.places) == len(ns) * len(d_ks)
        look = row.search if is_everywhere and not row.is_searched else None
        answers = is_between(experiment) and not place.is_drawn
        if answers:
            look = place.draw
        if look is not None and self._looking != look and not self.is_resting:
            self._looking = look
            self._look_closer(experiment, look, not answers)

    # Files and reports

    def report(self, answer: Answer, width: int | None = None) -> Report:
        """Return the report on the draws so far."""
        return report(answer)

    # Drawing

    def watch_view(self) -> None:
        """Show the panes of the new view."""
        for name in (*self.VIEWS, "row-pane"):
            shown = "map-pane" if name == "row-pane" else name
            self.pane(name).set_class(shown == self.view, "-shown")
        self.query_one("#panes").set_class(self.view != "map-pane", "-one")
        self._draw_view()

    def watch_stopped(self) -> None:
        """Say whether drawing is stopped."""
        self._draw_view()

    def watch_hovered(self) -> None:
        """Show the medians under the mouse, or those at the cursor once it has left the map."""
        self._draw_place()

    @on(HeatMap.Sized)
    def _fit(self) -> None:
        """Update what the title says the map hides, which depends on its size."""
        self._draw_view()

    def watch_answer(self, answer: Answer) -> None:
        """Show the draws so far."""
        self.headline = headline(answer)
        self._draw_view()
        self._draw_place()

    def _draw_view(self) -> None:
        """Draw only the current view."""
        answer = self.answer
        if answer is None:
            return
        n, d_k = answer.nearest
        statistic = noun(answer.settings.statistic).capitalize()
        titles = {
            "numbers-pane": f"{statistic}, number by number",
            "keys-pane": f"{statistic} over n, d_k {d_k:,}",
            "over-pane": f"{statistic} over d_k, {n:,} keys",
        }
        if self.view == "map-pane":
            self._draw_map(answer)
            self._draw_row(
                answer, f"{statistic if n == answer.settings.n else 'Nearest row'}, {n:,} keys"
            )
            return
        self.pane(self.view).describe(titles[self.view], *self._how(answer))
        if self.view == "numbers-pane":
            places = row_places(answer)
            cursor = places.index(answer.points.nearest(answer.place))
            self.draw("table", TableDrawing.of(row_table(answer, places), cursor))
        else:
            over_n = VIEWS[self.view] == "n"
            self.draw(self.view, charts.medians(answer, over_n))

    def _draw_row(self, answer: Answer, title: str) -> None:
        """Draw the medians of the cursor's row; the border has the legend, the names of rules."""
        names = [name_of(rule) for rule in answer.rules if answer.points.under(rule)]
        marked = marked_names(names, self.app.has_class("-textures"))
        self.pane("row-pane").describe(
            title,
            "  ".join(f"[${kind}]{mark} {name}[/]" for kind, mark, name in marked),
            short=" ".join(f"[${kind}]{mark}{name}[/]" for kind, mark, name in marked),
        )
        row = charts.medians(answer, has_names=False)
        self.draw("row-pane", replace(row, has_legend=False))

    def _draw_map(self, answer: Answer) -> None:
        rule, statistic, grid = answer.rule, answer.settings.statistic, self._grid
        if grid is None or not grid.is_of(answer):
            grid = self._grid = charts.Grid(answer)
        what = noun(statistic)
        pane = self.pane("map-pane")
        title = f"What {doing(rule)} does to the {what}"
        if not pane.has_room_for(title):
            title = f"{what.capitalize()}: {doing(rule)}"
        heat_map = grid.heat_map(answer)
        widget = self.query_one("#map", HeatMap)
        widget.drawing = heat_map
        hidden = "each the largest of several" if widget.hides else ""
        pane.describe(title, *self._how(answer), hidden)
        label = self.query_one("#legend", Label)
        both = widget.content_size + Size(0, label.size.height)
        lines = legend(heat_map, both, self.app.has_class("-textures"))
        text = "\n".join(lines)
        if label.content != text:
            label.update(text, layout=len(lines) != label.size.height)

    def _how(self, answer: Answer) -> tuple[str, str]:
        """Return what is left out of the scale, if anything, and how many draws there are."""
        # QK-norm is applied, and stands at its rule.
        scale = replace(unapplied_scale(answer), qk_norm=False)
        return not_applied(scale, but_qk_norm=True), self._count(answer)

    def _count(self, answer: Answer) -> str:
        """Return how many draws there are, and whether more are coming."""
        counts = {point.draws for point in answer.points}
        few, many = f"{min(counts):,}", f"{max(counts):,}"
        text = f"median of {few} draws"
        if min(counts) < max(counts) and min(counts) >= first_draws(answer.settings):
            most = max(point.n for point in answer.points if point.draws > min(counts))
            text = f"medians of {few} draws, {many} up to {most:,} keys"
        if answer.progress < 1.0:
            share = floor(100.0 * answer.progress)
            text += (
                f", stopped at {share} %: space goes on" if self.stopped else f", {share} % done"
            )
        return text

    def _draw_place(self) -> None:
        """Show the medians under the mouse, or at the cursor if it is off the map."""
        answer = self.answer
        if answer is None:
            return
        points = answer.points if self.hovered else answer.nearby
        place = self.hovered or answer.place
        if answer.here is None or self.hovered:
            place = points.nearest(place)
        drawn = [points.at(*place, rule) for rule in dict.fromkeys((NONE, answer.rule))]
        where = " under the mouse" if place == self.hovered else ""
        self.pane("place-pane").describe(f"Median at {place[0]:,} keys, d_k {place[1]:,}{where}")
        self.draw(
            "place-pane",
            charts.PlaceNumbers([*filter(None, drawn)], answer.settings.statistic),
        )


def moved(places: Sequence[int], here: int, by: int) -> int:
    """Return the place ``by`` steps from ``here``, which may lie between two; clamped to the ends.

    Args:
        places: The places, rising.
        here: Where to start; a place, or a number between two.
        by: How many places up, or down if negative; 0 returns ``here``.
    """
    if not by:
        return here
    index = bisect_right(places, here) - 1 + by if by > 0 else bisect_left(places, here) + by
    return places[min(max(index, 0), len(places) - 1)]
