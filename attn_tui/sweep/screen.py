"""The Sweep screen: a map of what dividing does, and the medians of the row of its cursor."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.reactive import var
from textual.widgets import Label
from textual.worker import get_current_worker

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.field import fields_of
from attn_tui.compute.log_scale import N_KEYS
from attn_tui.compute.scale import parse_scale
from attn_tui.compute.setup import FIELDS as SETUP
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.answer import (
    Answer,
    answer,
    at_place,
    crossovers_wanted,
    restated,
    row_crossovers,
)
from attn_tui.compute.sweep.crossover import Crossover
from attn_tui.compute.sweep.places import along, check_vectors
from attn_tui.compute.sweep.points import Place, Points
from attn_tui.compute.sweep.rules import rule_text
from attn_tui.compute.sweep.settings import Settings, compared, first_draws
from attn_tui.files import edits
from attn_tui.files.draft import Draft
from attn_tui.files.history import Asked, Edit
from attn_tui.report.export import Forms
from attn_tui.report.forms import forms
from attn_tui.report.report import Report
from attn_tui.report.text import text
from attn_tui.sweep import charts
from attn_tui.sweep.change import Change
from attn_tui.sweep.headline import headline, noun
from attn_tui.sweep.names import doing, is_none, name_of, others
from attn_tui.sweep.report import report
from attn_tui.ui.d_k import DkPane, NPane
from attn_tui.ui.dialogs import columns_of_text
from attn_tui.ui.heat_map import HeatMap
from attn_tui.ui.instrument_screen import InstrumentScreen
from attn_tui.ui.markup import plain
from attn_tui.ui.pane import Pane
from attn_tui.ui.picture import Picture, Sheet
from attn_tui.ui.setting import RULE, of_field

FIELDS = {name: of_field(field) for name, field in fields_of(Settings).items()}

KEPT = 12
"""Sweeps that are kept, so that going back to one draws nothing anew."""

ROWS_KEPT = 64
"""Places and rows of which what was found is kept."""

VIEWS = {"map-pane": ("map", None), "over-pane": ("curves", "d_k"), "keys-pane": ("curves", "n")}
"""What each view asks for: `view` and `over` of the settings."""


@dataclass(frozen=True)
class Found:
    """What is known beside the points of a sweep.

    Attributes:
        crossovers: Of the row of the cursor.
        here: What was drawn at the cursor alone.
    """

    crossovers: tuple[Crossover, ...] = ()
    here: Points | None = None


def key_of(experiment: Experiment) -> object:
    """Return what the points of a sweep depend on: not the statistic, nor where the cursor is."""
    setup = experiment.setup
    settings = setup.get(Settings)
    held: tuple[object, ...] = (settings.n_range, settings.d_k_range, settings.map_points)
    if settings.view == "curves":
        ends = (settings.n_range, setup.d_k) if settings.over == "n" else settings.d_k_range
        held = (settings.over, ends, settings.points)
        if settings.over == "d_k":
            held += (settings.n,)
    return (
        settings.view, held, compared(settings, setup.scale), settings.draws, settings.seed,
        setup.scale.qk_norm,
    )  # fmt: skip


class SweepScreen(InstrumentScreen):
    """What dividing does to drawn vectors, over d_k and over the number of keys."""

    CSS_PATH = "sweep.tcss"
    NAME = "sweep"
    AUTO_FOCUS = "#map"
    VIEWS: ClassVar = (*VIEWS, "numbers-pane")
    GROUPS: ClassVar = (
        ("Shown", (FIELDS["statistic"],)),
        ("Drawn", (FIELDS["draws"], FIELDS["seed"])),
        ("Places", tuple(FIELDS[name] for name in ("n", "n_range", "d_k_range", "map_points",
                                                   "points"))),
        ("Compared", (RULE, FIELDS["rules"], of_field(SETUP["qk_norm"]), FIELDS["crossovers"])),
    )  # fmt: skip
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "again", "Another draw", show=False, id="again"),
    ]

    answer: var[Answer | None] = var(None, init=False)
    hovered: var[Place | None] = var(None, init=False)
    """The place under the mouse, if it is over one."""
    stopped: var[bool] = var(False, init=False)

    def __init__(self) -> None:
        super().__init__()
        self._sweeps: OrderedDict[object, Answer] = OrderedDict()
        self._found: OrderedDict[object, Found] = OrderedDict()
        self._drawing: object = None
        self._is_numbers = False

    def compose_body(self) -> ComposeResult:
        """Lay out the panes."""
        with Vertical():
            with Horizontal(id="sliders"):
                yield DkPane(is_line=True)
                yield NPane(is_line=True)
            with Container(id="panes"):
                yield Pane("", HeatMap("map"), Label("", id="legend"), id="map-pane")
                yield Pane("", Picture("row"), id="row-pane")
                yield Pane("", Picture("over"), id="over-pane", classes="wide")
                yield Pane("", Picture("keys"), id="keys-pane", classes="wide")
                yield Pane("", VerticalScroll(Sheet("table")), id="numbers-pane", classes="wide")
                yield Pane("", Picture("words"), id="words-pane")

    # What is asked

    @property
    def sweep(self) -> Settings:
        """The settings of the instrument."""
        return self.present.experiment.setup.get(Settings)

    @property
    def place(self) -> Place:
        """The n and the d_k that are asked for."""
        return self.sweep.n, self.present.experiment.setup.d_k

    def action_again(self) -> None:
        """Draw with the next seed."""
        self.ask(FIELDS["seed"].edit(self.sweep.seed + 1))

    def action_step_n(self, steps: int) -> None:
        """Go to more keys, or fewer."""
        self.query_one(NPane).step(steps)

    async def action_type_n(self) -> None:
        """Type the number of keys."""
        self.query_one(NPane).edit()

    def action_view(self, steps: int) -> None:
        """Ask for the next view or the one before."""
        views = [*self.VIEWS]
        view = views[(views.index(self.view) + steps) % len(views)]
        self._is_numbers = view not in VIEWS
        if self._is_numbers:
            self.view = view
            return
        kind, over = VIEWS[view]
        settings = replace(self.sweep, view=kind, over=over or self.sweep.over)  # type: ignore[arg-type]
        if settings == self.sweep:
            self.view = view
        else:
            self.ask(edits.setup(lambda setup: setup.put(settings)), "view")

    @on(NPane.Changed, "#n-pane")
    def _move_n(self, event: NPane.Changed) -> None:
        self.ask(FIELDS["n"].edit(event.value), event.gesture)

    @on(HeatMap.Moved)
    def _move(self, event: HeatMap.Moved) -> None:
        self.ask(self._going_to(*self._place_of(event.row, event.column)), event.gesture)

    @on(HeatMap.Hovered)
    def _hover(self, event: HeatMap.Hovered) -> None:
        self.hovered = self._place_of(*event.entry) if event.entry else None

    @on(HeatMap.Chosen)
    def _explore(self) -> None:
        """Open Explore on one vector of those drawn at the cursor."""
        n, d_k = self.place
        vector = Drawn(n, self.sweep.seed)

        def edit(draft: Draft) -> Draft:
            there = draft.asking(vector)
            return replace(there, setup=replace(there.setup, d_k=d_k))

        self.ask(edit)
        self.post_message(self.Go("explore"))
        self.notify("3 goes back to Sweep, u to what you had asked", timeout=5)

    def _place_of(self, row: int, column: int) -> Place:
        """Return the n and the d_k of an entry of the map."""
        ns, d_ks = along(self.sweep, 1)
        return ns[::-1][row], d_ks[column]

    @staticmethod
    def _going_to(n: int, d_k: int) -> Edit:
        return edits.setup(
            lambda setup: replace(setup.put(replace(setup.get(Settings), n=n)), d_k=d_k)
        )

    def stop_or_go_on(self) -> None:
        """Stop drawing, or go on."""
        self.stopped = not self.stopped
        if self.stopped:
            self.workers.cancel_group(self, "draw")
            self.workers.cancel_group(self, "look")
        else:
            self._ask_for_more()

    # What is computed

    def watch_asked(self, asked: Asked) -> None:
        """Show what is known of a question at once, and draw what is missing."""
        self.query_one(DkPane).value = asked.experiment.setup.d_k
        self.query_one(NPane).value = self.sweep.n
        try:
            check_vectors(self.sweep)
        except InputError as error:
            self.notify(str(error), severity="warning", markup=False)
            return
        self.view = self._view_of(self.sweep)
        self.set_reactive(SweepScreen.stopped, False)
        self._show_known()
        self._ask_for_more()

    def _view_of(self, settings: Settings) -> str:
        if self._is_numbers:
            return "numbers-pane"
        if settings.view == "map":
            return "map-pane"
        return "keys-pane" if settings.over == "n" else "over-pane"

    def _ask_for_more(self) -> None:
        """Draw the sweep, unless that is done or going on, and look closer where the cursor is."""
        experiment = self.present.experiment
        key = key_of(experiment)
        known = self._sweeps.get(key)
        if (known is None or known.progress < 1.0) and self._drawing != key:
            self._drawing = key
            self._draw_sweep(experiment, key)
        found = self._found.get(self._row_key(experiment))
        wanted = len(crossovers_wanted(experiment)) * 4
        is_known = found and sum(each.finished for each in found.crossovers) == wanted
        if not is_known or (found and found.here is None and not self._is_drawn):
            self._look_closer(experiment, found or Found(), bool(is_known))

    @property
    def _is_drawn(self) -> bool:
        """Whether the place that is asked for is one of the sweep's own."""
        ns, d_ks = along(self.sweep, self.place[1])
        return self.place[0] in ns and self.place[1] in d_ks

    @staticmethod
    def _row_key(experiment: Experiment) -> object:
        settings = experiment.setup.get(Settings)
        wanted = tuple(crossovers_wanted(experiment))
        rules = compared(settings, experiment.setup.scale)
        place = settings.n, experiment.setup.d_k, experiment.setup.scale.qk_norm
        return wanted, rules, place, settings.draws, settings.seed

    @work(thread=True, exclusive=True, group="draw", exit_on_error=False)
    def _draw_sweep(self, experiment: Experiment, key: object) -> None:
        worker = get_current_worker()
        setup = experiment.setup
        # The cursor goes from row to row, and each has crossovers of its own.
        bare = replace(setup.get(Settings), crossovers=False)
        question = Experiment(experiment.source, setup.put(bare))
        for found in answer(question, lambda: worker.is_cancelled):
            if not worker.is_cancelled:
                self.app.call_from_thread(self._take_sweep, key, found)

    def _take_sweep(self, key: object, found: Answer) -> None:
        _keep(self._sweeps, key, found, KEPT)
        if found.progress == 1.0:
            self._drawing = None
        self._show_known()

    @work(thread=True, exclusive=True, group="look", exit_on_error=False)
    def _look_closer(self, experiment: Experiment, found: Found, is_known: bool) -> None:
        """Draw what the map has not: the place between its own, and where the row turns."""
        worker = get_current_worker()
        key = self._row_key(experiment)

        def stop() -> bool:
            return worker.is_cancelled

        place = at_place(experiment, experiment.setup.get(Settings).n, experiment.setup.d_k)
        if place is not None and found.here is None and not self._is_drawn:
            for drawn in answer(place, stop):
                if drawn.progress == 1.0:
                    found = replace(found, here=drawn.points)
                    self.app.call_from_thread(self._take_closer, key, found)
        for _, known in () if is_known else row_crossovers(experiment, stop):
            if known != found.crossovers and not worker.is_cancelled:
                found = replace(found, crossovers=known)
                self.app.call_from_thread(self._take_closer, key, found)

    def _take_closer(self, key: object, found: Found) -> None:
        _keep(self._found, key, found, ROWS_KEPT)
        self._show_known()

    def _show_known(self) -> None:
        """Show all that is known of what is asked."""
        experiment = self.present.experiment
        sweep = self._sweeps.get(key_of(experiment))
        if sweep is None:
            return
        found = self._found.get(self._row_key(experiment), Found())
        self.answer = replace(
            restated(sweep, experiment), crossovers=found.crossovers, here=found.here
        )

    # Files and texts

    def forms(self) -> Forms:
        """Return what can be saved of what was drawn so far."""
        found = self.answer
        return {} if found is None else forms(lambda: self._report_of(found))

    def report(self) -> str:
        """Return what was drawn so far as text."""
        width = columns_of_text(self.size.width)
        return "" if self.answer is None else "".join(text(self._report_of(self.answer), width))

    def _report_of(self, found: Answer) -> Report:
        return report(restated(found, found.experiment, with_curves=True))

    # What is shown

    @property
    def rule(self) -> str:
        """The rule that the map shows: the one that all instruments share, or the first there is."""
        assert self.answer
        rules = others(self.answer.rules)
        own = parse_scale(rule_text(self.present.experiment.setup.scale))
        return next((rule for rule in rules if parse_scale(rule) == own), [*rules, "none"][0])

    def watch_view(self) -> None:
        """Show another view."""
        for name in (*self.VIEWS, "row-pane"):
            own = "map-pane" if name == "row-pane" else name
            self.pane(name).set_class(own == self.view, "-shown")
        self.query_one("#panes").set_class(self.view != "map-pane", "-one")
        if self.answer is not None:
            self._draw_view(self.answer)

    def watch_hovered(self) -> None:
        """Say what is under the mouse, or where the cursor is."""
        if self.answer is not None:
            self._draw_words(self.answer)

    def watch_answer(self, found: Answer) -> None:
        """Show what was drawn so far."""
        self.headline = headline(found)
        self._draw_view(found)
        self._draw_words(found)

    def _draw_view(self, found: Answer) -> None:
        """Draw the view that is shown, and no other."""
        rules = [rule for rule in found.rules if found.points.under(rule)]
        names = [name_of(rule) for rule in rules]
        n, d_k = found.points.nearest(self.place) if found.points else self.place
        statistic = noun(found.settings.statistic)
        if self.view == "map-pane":
            self._draw_map(found)
            row = charts.medians(found, rules, "d_k", n, self.place[1], [""] * len(rules))
            self.pane("row-pane").describe(f"{statistic.capitalize()}, {n:,} keys", sides(names))
            self.draw("row", row)
        elif self.view == "numbers-pane":
            self.pane("numbers-pane").describe(f"{statistic.capitalize()}, number by number")
            self.draw("table", charts.row_table(found, rules, names, self.place))
        elif self.view == "keys-pane":
            self.pane("keys-pane").describe(f"{statistic.capitalize()} over n, d_k {d_k:,}", "")
            self.draw("keys", charts.medians(found, rules, "n", d_k, self.place[0], names))
        else:
            self.pane("over-pane").describe(f"{statistic.capitalize()} over d_k, {n:,} keys", "")
            self.draw("over", charts.medians(found, rules, "d_k", n, self.place[1], names))

    def _draw_map(self, found: Answer) -> None:
        grid = charts.Grid(found, self.rule, self.place)
        title = f"What {doing(self.rule)} does to the {noun(found.settings.statistic)}"
        self.pane("map-pane").describe(title, self._count(found))
        self.draw("map", grid.heat_map())
        self.query_one("#legend", Label).update(legend(grid), layout=False)

    def _count(self, found: Answer) -> str:
        """Return how many draws there are, and whether more come."""
        counts = {point.draws for point in found.points}
        few, many = f"{min(counts):,}", f"{max(counts):,}"
        text = f"median of {few} draws"
        if min(counts) < max(counts) and min(counts) >= first_draws(found.settings):
            most = max(point.n for point in found.points if point.draws > min(counts))
            text = f"medians of {few} draws, {many} up to {most:,} keys"
        if found.progress < 1.0:
            text += ", stopped: space goes on" if self.stopped else ", drawing"
        return text

    def _draw_words(self, found: Answer) -> None:
        """Say in words what is at the place under the mouse, or under the cursor."""
        points, asked = found.nearby, self.place
        if self.hovered is not None and self.view == "map-pane":
            points, asked = found.points, self.hovered
        if not points:
            return
        place = points.nearest(asked)
        rule = self.rule
        known = [points.at(*place, each) for each in ("none", rule)]
        shown = [point for point in known if point]
        if is_none(rule):
            shown = shown[:1]
        names = [name_of(point.rule) for point in shown]
        where = " under the mouse" if asked is self.hovered else ""
        self.pane("words-pane").describe(f"{place[0]:,} keys, d_k {place[1]:,}{where}")
        statistic = found.settings.statistic
        change = charts.change(points, place, rule, statistic) if shown else Change(float("nan"))
        self.draw("words", charts.Words(change, shown, statistic, names))


def legend(grid: charts.Grid) -> str:
    """Return what signs on the map mean, as markup."""
    parts = ["[$smaller]▼[/] smaller", "[$larger]▲[/] larger"]
    if not grid.is_told:
        parts.append("? these draws do not tell")
    if grid.border is not None:
        parts.append("⡇ where it turns")
    return "   ".join(parts)


def sides(names: Sequence[str]) -> str:
    """Return what the curves are called in their colours, as markup."""
    kinds = ("unscaled", "scaled")
    parts = [f"[${kind}]● {plain(name)}[/]" for kind, name in zip(kinds, names, strict=False)]
    return "  ".join(parts)


def _keep(kept: "OrderedDict[object, Answer] | OrderedDict[object, Found]", key: object, value: object, most: int) -> None:
    """Keep a value, and forget those that were not asked for longest."""
    kept.pop(key, None)
    kept[key] = value  # type: ignore[assignment]
    while len(kept) > most:
        kept.popitem(last=False)
