"""The screen of Attention: all rows of a head, unscaled beside scaled."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.timer import Timer

from attn_tui.compute.attention.answer import Answer, answer
from attn_tui.compute.attention.head import is_drawn
from attn_tui.compute.experiment import Experiment
from attn_tui.files.history import Asked
from attn_tui.old.tui.attention import drawing, explanations, panes
from attn_tui.old.tui.attention.actions import ACTIONS
from attn_tui.old.tui.attention.head import HeadPart, LookingAtHead
from attn_tui.old.tui.attention.scene import Scene
from attn_tui.old.tui.attention.settings import GROUPS
from attn_tui.old.tui.attention.view import TABS, View
from attn_tui.old.tui.bars import Status
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from attn_tui.old.tui.parts import Part
from attn_tui.old.tui.scale import ScalePane, ScalePart
from attn_tui.old.tui.widgets.bar import Item
from attn_tui.report.attention import csv, json, text
from attn_tui.report.headline import wrapped
from attn_tui.report.rows import Row

LONG = 0.3
"""Seconds after which what is shown fades, if it is about something else."""


class AttentionScreen(InstrumentScreen):
    """d_k above; the head; what it means."""

    NAME = "attention"
    SECTIONS = (panes.HeadPane.SECTION,)
    ACTIONS = ACTIONS
    GROUPS = GROUPS
    TABS = TABS
    WRITERS: ClassVar = {".txt": text.render, ".json": json.render, ".csv": csv.render}
    KEPT = 4
    explanation = explanations.HEAD
    answer: Answer | None = None
    view: View = View()

    def __init__(self) -> None:
        super().__init__()
        self._late = False
        self._timer: Timer | None = None

    def make_parts(self) -> Iterable[Part[Any]]:
        """Return what can be done here."""
        return ScalePart(self), HeadPart(self), LookingAtHead(self)

    def compose_panes(self) -> ComposeResult:
        """Lay out the panes."""
        yield ScalePane(id="scale")
        yield panes.HeadPane(id="charts")

    # What is asked and found

    @property
    def n_attended(self) -> int:
        """The keys of the head."""
        return self.answer.n_keys if self.answer else super().n_attended

    @property
    def is_old(self) -> bool:
        """Whether what is shown is not about what is asked."""
        return self.answer is None or (
            self.asked is not None and self.answer.experiment != self.asked.experiment
        )

    def seek(self, experiment: Experiment) -> None:
        """Find out what is asked."""
        self.computing.ask(experiment, lambda stop: answer(experiment, stop))
        self.answer = self.job.result(experiment) or self.answer
        if not self.is_old:
            self._late = False
        elif self._timer is None:
            self._timer = self.set_timer(LONG, self._be_late)

    def _be_late(self) -> None:
        """Say that what is shown is about something else."""
        self._timer = None
        if self.is_old and not self._late:
            self._late = True
            self.draw()

    # What is shown

    def status(self, asked: Asked) -> Status:
        """Return the model or the rule, and where the rows come from."""
        return drawing.status(asked.experiment, self.answer)

    def scene(self, asked: Asked) -> Scene:
        """Return what panes are to show."""
        return Scene(asked, self.answer, self.job, self.problem, *self.room, self.view, self._late)

    @property
    def problem(self) -> Sequence[Row]:
        """What failed, or why the vectors that are asked cannot be read."""
        asked = self.asked
        if asked is None or asked.error is None or is_drawn(asked.experiment):
            return super().problem
        width = max(self.room.width - 2, 10)
        return [((f" {line}", "error"),) for line in wrapped(str(asked.error), width)]

    def tab_items(self, asked: Asked, focused: bool) -> Sequence[Item]:
        """Return the line of tabs."""
        return drawing.tabs(self.scene(asked), focused)
