"""The Dot products screen: how q·k and q·k/√d_k are distributed, and why."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.containers import Container, Vertical, VerticalScroll
from textual.reactive import var

from attn_tui.charts.table import Page, TableDrawing
from attn_tui.compute.dots.answer import Answer, SampleRun
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.errors import Stop
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.field import fields_of
from attn_tui.dots import charts
from attn_tui.dots.derivation import derivation
from attn_tui.dots.headline import headline
from attn_tui.dots.report import other_d_k, report
from attn_tui.dots.views import VIEW_TITLES
from attn_tui.files.history import Question
from attn_tui.report.report import Report
from attn_tui.report.rows import WIDTH
from attn_tui.ui.action import ANOTHER, Action
from attn_tui.ui.d_k import DkPane
from attn_tui.ui.instrument_screen import InstrumentScreen
from attn_tui.ui.pane import Pane
from attn_tui.ui.picture import PicturePane, Sheet
from attn_tui.ui.setting import RULE, SPREAD, of_field

FIELDS = {name: of_field(field) for name, field in fields_of(Settings).items()}

# Nothing is normalised here, whatever the scale says, so that a spread does not cancel.
_SPREAD = tuple(replace(setting, no_effect=lambda question: "") for setting in SPREAD)

KEPT = 16
"""How many samples are kept, so that going back to a d_k redraws nothing."""

QUICK = 1_000_000
"""Up to this many draws appear only once complete; a larger sample is shown as it grows."""

ROLES = {"label": "muted", "strong": "text", "unscaled": "unscaled", "scaled": "scaled"}


def _quiet_at_first(run: SampleRun, experiment: Experiment, stop: Stop) -> Iterator[Answer]:
    """Yield the answers worth showing: of a small sample, which is drawn quickly, only the last."""
    if experiment.setup.get(Settings).samples > QUICK:
        yield from run.answers(experiment, stop)
        return
    for _ in run.drawing(stop):
        pass
    if run.complete:
        yield run.answer(experiment)


class DotsScreen(InstrumentScreen):
    """Where the variance d_k comes from, and what dividing does to it."""

    CSS_PATH = "dots.tcss"
    NAME = "dots"
    VIEWS: ClassVar = ("bells-pane", "over-pane", "why-pane", "table-pane")
    VIEW_TITLES = VIEW_TITLES
    GROUPS: ClassVar = (("Drawn", (*FIELDS.values(), *_SPREAD)), ("Scale", (RULE,)))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "open_setting('entries')", "Entries", show=False, id="entries",
                tooltip="Choose the entries of q and k"),
        Action("a", "again", "Another draw", show=False, id="again", synonyms=ANOTHER),
        Action("v", "axis", "Axis", id="axis", synonyms=("linear axis", "logarithmic axis")),
    ]  # fmt: skip

    answer: var[Answer | None] = var(None, init=False)
    stretched: var[bool] = var(True, init=False)
    """Whether the axis is linear to ±1 and logarithmic beyond, and the same for every d_k."""
    stopped: var[bool] = var(False, init=False)

    NO_N = "Dot products have no number of keys: 1 has one, and 3"

    def __init__(self) -> None:
        super().__init__()
        self._runs: LRUCache[object, SampleRun] = LRUCache(KEPT)

    def compose_body(self) -> ComposeResult:
        """Lay out the panes."""
        with Vertical():
            yield DkPane()
            with Container(id="panes"):
                yield PicturePane("", key="e", binding="entries", id="bells-pane")
                yield PicturePane("σ over d_k, both axes logarithmic", id="over-pane")
                why = VerticalScroll(Sheet(id="why"))
                yield Pane("Why the variance of q·k is d_k", why, id="why-pane")
                yield Pane("Draws at other d_k", VerticalScroll(Sheet(id="table")), id="table-pane")
                yield PicturePane("Moments, ± standard error", id="moments-pane")
                yield PicturePane("σ over d_k", id="spread-pane")

    # The question

    def action_again(self) -> None:
        """Draw with the next seed."""
        seed = self.present.draft.setup.get(Settings).seed
        self.ask(FIELDS["seed"].edit(seed + 1))

    def action_axis(self) -> None:
        """Make the axis linear, or stretch it again."""
        self.stretched = not self.stretched

    def stop_or_go_on(self) -> None:
        """Stop drawing, or resume it."""
        self.stopped = not self.stopped
        if self.stopped:
            self.workers.cancel_group(self, "answer")
        else:
            self._draw_samples(self.present.experiment)

    # The answer

    def watch_question(self, question: Question) -> None:
        """Show the headline, which follows from the law, at once, and draw in a thread."""
        self.headline = headline(question.experiment)
        self.set_reactive(DotsScreen.stopped, False)
        self._draw_samples(question.experiment)

    def _draw_samples(self, experiment: Experiment) -> None:
        """Show a sample that is complete at once; otherwise draw the rest in a thread."""
        self.workers.cancel_group(self, "answer")
        settings = experiment.setup.get(Settings)
        key = (settings, experiment.setup.d_k, experiment.setup.sigmas)
        run = self._runs.get(key) or SampleRun(*key)
        self._runs[key] = run
        if run.complete:
            self.answer = run.answer(experiment)
        else:
            self.answer_in_thread(partial(_quiet_at_first, run, experiment))

    # Files and reports

    def report(self, answer: Answer, width: int | None = None) -> Report:
        """Return the report on the draws so far."""
        return report(answer, width or WIDTH)

    # Drawing

    @property
    def names(self) -> tuple[str, str]:
        """The names of the two sides."""
        return charts.names_of(self.present.experiment.setup.scale)

    def watch_view(self) -> None:
        """Show the pane of the new view in the place of the picture."""
        for name in self.VIEWS:
            self.pane(name).set_class(name == self.view, "-shown")
        self.query_one("#panes").set_class(self.view == "over-pane", "-over")
        self._draw_view()

    def watch_stretched(self) -> None:
        """Draw on the other axis."""
        self._draw_view()

    def watch_stopped(self) -> None:
        """Say whether drawing is stopped."""
        if self.answer is not None:
            self._describe(self.answer)

    def watch_answer(self, answer: Answer) -> None:
        """Show the draws so far."""
        self._draw_view()
        self.draw("moments-pane", charts.Moments(answer, self.names))

    def _draw_view(self) -> None:
        """Draw the current view and the curves over d_k."""
        answer = self.answer
        if answer is None:
            return
        # The curves over d_k appear once: large in a view of their own, or small beside another.
        self.draw(
            "over-pane" if self.view == "over-pane" else "spread-pane",
            charts.spread_figure(answer, answer.law.d_k, self.names),
        )
        if self.view == "why-pane":
            self.draw("why", Page(partial(derivation, answer), ROLES))
        elif self.view == "table-pane":
            self.draw("table", TableDrawing.of(other_d_k(answer)))
        elif self.view == "bells-pane":
            self._describe(answer)
            self.draw("bells-pane", charts.Bells(answer, self.names, self.stretched))

    def _describe(self, answer: Answer) -> None:
        """State in the subtitle how much of the sample is drawn."""
        axis = "axis linear to ±1, logarithmic beyond" if self.stretched else "linear axis"
        count = f"{answer.drawn:,} drawn, heights to fit"
        if not answer.complete:
            progress = "stopped: space goes on" if self.stopped else "space stops"
            count = f"{answer.drawn:,} drawn of {answer.settings.samples:,}, {progress}"
        self.pane("bells-pane").describe("Bars drawn, lines exact", axis, count)
