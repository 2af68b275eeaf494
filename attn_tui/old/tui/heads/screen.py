"""The screen of Heads: what a model computed, head by head, and what the doctor says of it."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual.app import ComposeResult

from attn_tui.captures.suffixes import SUFFIXES
from attn_tui.compute.experiment import Experiment
from attn_tui.engine.answer import Answer, answer
from attn_tui.engine.settings import Settings
from attn_tui.files.history import Asked
from attn_tui.old.tui.bars import Status
from attn_tui.old.tui.computing import Computing
from attn_tui.old.tui.filing import Filing
from attn_tui.old.tui.heads import drawing, explanations, panes
from attn_tui.old.tui.heads.actions import ACTIONS
from attn_tui.old.tui.heads.disk import Disk
from attn_tui.old.tui.heads.examining import Examined, examined
from attn_tui.old.tui.heads.examining import key_of as asked_of_doctor
from attn_tui.old.tui.heads.heads import Heads, LookingAtHeads
from attn_tui.old.tui.heads.results import key_of
from attn_tui.old.tui.heads.rule import HeadsScale
from attn_tui.old.tui.heads.scene import Scene
from attn_tui.old.tui.heads.settings import ABSENT, GROUPS
from attn_tui.old.tui.heads.view import TABS, View
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from attn_tui.old.tui.job import Job
from attn_tui.old.tui.parts import Part
from attn_tui.old.tui.stopping import Stopping
from attn_tui.old.tui.widgets.bar import Item
from attn_tui.old.tui.widgets.entry import Entry
from attn_tui.report.heads import answers


class HeadsScreen(InstrumentScreen):
    """What is looked at in a line; the map of heads, their list, or what the doctor says."""

    NAME = "heads"
    SECTIONS = (panes.HeadsChart.SECTION,)
    LEADS: ClassVar = {"attention": "heads.follow"}
    ACTIONS = ACTIONS
    GROUPS, ABSENT = GROUPS, ABSENT
    TABS = TABS
    WRITERS: ClassVar = {
        ".txt": answers.render_text, ".json": answers.render_json, ".csv": answers.render_csv,
    }  # fmt: skip
    KEPT = 4
    PERSISTS = True
    explanation = explanations.WORDS
    answer: Answer | None = None
    view: View = View()

    def __init__(self) -> None:
        super().__init__()
        self.examining: Computing[Examined] = Computing(
            self, lambda found: found.report.progress, most=4
        )
        self.computings = (self.computing, self.examining)

    def on_mount(self) -> None:
        """Look at the disk now and then."""
        super().on_mount()
        self.disk.watch()

    def make_parts(self) -> Iterable[Part[Any]]:
        """Return what can be done here."""
        self.heads, self.disk = Heads(self), Disk(self)
        yield from (self.heads, self.disk, LookingAtHeads(self), HeadsScale(self))
        yield from (StoppingHeads(self), Filing(self, SUFFIXES))

    def compose_panes(self) -> ComposeResult:
        """Lay out the panes."""
        yield panes.CapturePane(id="capture")
        yield panes.HeadsChart(id="charts")
        yield Entry(id="entry")

    # What is asked and found

    @property
    def n_attended(self) -> int:
        """The keys of the head with the cursor."""
        here = self.scene(self.asked).head if self.asked and self.answer else None
        return self.answer.table.capture.shape(here).n_keys if here and self.answer else 1

    @property
    def settings(self) -> Settings:
        """What is asked of this instrument."""
        return self.fields.setup.get(Settings)

    def seek(self, experiment: Experiment) -> None:
        """Find out about the heads that are asked."""
        if not self.settings.capture:
            self.answer = None
            self._leave()
            return
        key = key_of(experiment)
        self.computing.ask(key, partial(answer, experiment))
        self.answer = self.computing.job.result(key)
        if self.view.chart == "doctor":
            asked = self.settings
            self.examining.ask(asked_of_doctor(asked), partial(examined, asked))

    # What is shown

    @property
    def job(self) -> Job[Any]:
        """How what is looked at stands: the doctor has a job of his own."""
        return (self.examining if self.view.chart == "doctor" else self.computing).job

    def said(self) -> str:
        """Return all there is to say of what is looked at."""
        if not self.settings.capture:
            return drawing.EMPTY_TEXT
        if self.asked is None or self.view.chart != "doctor":
            return super().said()
        from attn_tui.report.doctor.text import render

        # While he has nothing to say, his command prints nothing either.
        found = self.scene(self.asked).said
        return "".join(render(found.report)) if found else ""

    def status(self, asked: Asked) -> Status:
        """Return the statistic that is shown."""
        return drawing.status(self.settings)

    def scene(self, asked: Asked) -> Scene:
        """Return what panes are to show."""
        return Scene(
            asked, self.answer, self.computing.job, self.problem, *self.room, self.view,
            self.examining.job, self.disk.changed,
        )  # fmt: skip

    def tab_items(self, asked: Asked, focused: bool) -> Sequence[Item]:
        """Return the line of tabs."""
        return drawing.tabs(self.scene(asked), focused)


class StoppingHeads(Stopping[Any]):
    """Stops what is looked at, or goes on with it: the doctor has a job of his own."""

    @property
    def computing(self) -> Computing[Any]:
        """What looks at heads, or the doctor where he is looked at."""
        is_doctor = self._screen.view.chart == "doctor"
        return self._screen.examining if is_doctor else super().computing

    def stop(self, done: str) -> None:
        """Stop, or go on; where all is known say so."""
        screen = self._screen
        if screen.disk.changed:
            screen.disk.read_again()
        else:
            every = "The doctor has looked at every head"
            super().stop(every if screen.view.chart == "doctor" else done)
