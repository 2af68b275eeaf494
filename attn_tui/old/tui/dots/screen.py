"""The screen of Dot products: what is drawn, what the draws say, and what the law says."""

from collections.abc import Iterable, Sequence
from time import monotonic
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.timer import Timer

from attn_tui.compute.dots.answer import Answer, law_of
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.experiment import Experiment
from attn_tui.dots.report import report
from attn_tui.files.history import Asked
from attn_tui.old.tui.bars import Status
from attn_tui.old.tui.dots import drawing, explanations, panes, sampling
from attn_tui.old.tui.dots.actions import ACTIONS
from attn_tui.old.tui.dots.draws import Draws, StoppingDraws
from attn_tui.old.tui.dots.sampling import Sampling
from attn_tui.old.tui.dots.scene import Scene
from attn_tui.old.tui.dots.settings import ABSENT, GROUPS
from attn_tui.old.tui.dots.view import TABS, View
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from attn_tui.old.tui.parts import Part
from attn_tui.old.tui.scale import ScalePane, ScalePart
from attn_tui.old.tui.widgets.bar import Item, TabBar
from attn_tui.report.forms import csv, json
from attn_tui.report.progress import Pace
from attn_tui.report.text import text

BETWEEN = 0.2
"""Seconds between two pictures of a sample that grows."""


class DotsScreen(InstrumentScreen):
    """What is drawn and d_k above; readouts; a chart; what it means."""

    NAME = "dots"
    KEPT = sampling.KEPT
    SECTIONS = (panes.DotsChart.SECTION,)
    ACTIONS = ACTIONS
    GROUPS, ABSENT = GROUPS, ABSENT
    TABS = TABS
    WRITERS: ClassVar = {
        ".txt": lambda answer: text(report(answer)),
        ".json": lambda answer: json(report(answer)),
        ".csv": lambda answer: csv(report(answer)),
    }
    explanation = explanations.PICTURE
    answer: Answer | None = None
    view: View = View()

    def __init__(self) -> None:
        super().__init__()
        self.sampling = Sampling()
        self._shown: object = None
        self._found_timer: Timer | None = None
        self._pace = Pace(0)

    def make_parts(self) -> Iterable[Part[Any]]:
        """Return what can be done here."""
        return ScalePart(self), Draws(self), StoppingDraws(self)

    def compose_panes(self) -> ComposeResult:
        """Lay out the panes."""
        yield ScalePane(id="scale")
        yield panes.PictureTitle(id="progress")
        yield TabBar(id="narrow-tabs")
        yield panes.PicturePane(id="picture")
        yield panes.DotsChart(id="charts")

    # What is asked and found

    @property
    def settings(self) -> Settings:
        """What is asked of the draws."""
        return self.asked.experiment.setup.get(Settings) if self.asked else Settings()

    @property
    def wanted(self) -> tuple[object, ...]:
        """What draws depend on."""
        assert self.asked
        settings, d_k = self.settings, self.asked.experiment.setup.d_k
        return law_of(settings, d_k), settings.seed, settings.samples

    def seek(self, experiment: Experiment) -> None:
        """Draw what is not drawn yet, unless the user stopped that."""
        if self.job.question != experiment or not self.job.running:
            self._shown = None
        self.computing.ask(experiment, self.sampling.work(self.wanted, experiment))
        self.answer = self.job.result(experiment) or self.answer

    def show_job(self) -> None:
        """Show what is drawn so far: the first and the last at once, others now and then."""
        job, answer = self.job, self.job.result(self.job.question)
        first = self._shown is not job.question
        if answer is not None:
            self.answer = answer
            if first:
                # What was drawn before says nothing of how long the rest takes.
                self._pace = Pace(self.settings.samples, answer.drawn, monotonic())
        if first or not job.running:
            self._shown = job.question
            self._show_found()
        elif self._found_timer is None:
            self._found_timer = self.set_timer(BETWEEN, self._show_found)

    def _show_found(self) -> None:
        if self._found_timer:
            self._found_timer.stop()
            self._found_timer = None
        self.draw(later=False)

    @property
    def settled(self) -> bool:
        """Whether all that will be drawn is, and is shown."""
        return self._found_timer is None and super().settled

    # What is shown

    def status(self, asked: Asked) -> Status:
        """Return the model or the rule, and the seed."""
        return drawing.status(asked.experiment)

    def scene(self, asked: Asked) -> Scene:
        """Return what panes are to show."""
        return Scene(
            asked, self.answer, self.job, self.problem, *self.room, self.view, self.n_attended,
            self._pace,
        )  # fmt: skip

    def tab_items(self, asked: Asked, focused: bool) -> Sequence[Item]:
        """Return the line of tabs."""
        picture = self.narrow and isinstance(self.focused, panes.PicturePane)
        return drawing.tabs(self.scene(asked), focused or picture)
