"""Long work beside the screen: how far it is, how long it takes, and a way to stop it."""

import time
from math import inf
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.events import Event

from attn_tui.old.tui.actions import Action, Section, bindings
from attn_tui.old.tui.computing import Task
from attn_tui.old.tui.dialogs import Dialog
from attn_tui.old.tui.job import Job
from attn_tui.old.tui.widgets.canvas import Canvas
from attn_tui.report.progress import bar, left

T = TypeVar("T")

WAIT = (
    Action("stop", ("escape", "q", "x", "space"), "esc", "Stop", "Stop what is going on",
           palette=False),
)  # fmt: skip

_PAUSE = 0.1
_WIDTH = 40
"""Cells of the bar at most."""


def told(job: Job[T], width: int) -> str:
    """Return in a width how far a job is, and how long it has taken or will still take."""
    seconds = time.monotonic() - job.since
    if job.share <= 0.0:
        return f"{seconds:.0f} s"
    rest = left(seconds * (1.0 - job.share) / job.share)
    said = f" {job.share:4.0%}  {rest}"
    return bar(job.share, min(max(width - len(said), 0), _WIDTH)) + said


class WorkDialog(Dialog[None]):
    """Says how far some work is; closes when it is done, or stopped."""

    BINDINGS = bindings(WAIT)
    SECTION = Section("While something goes on", WAIT)
    KEYS: ClassVar = {"esc stops": "stop"}

    shown_at = inf
    """Since when it is seen: keys from before, which wait, were meant for the screen behind it."""

    def __init__(self, title: str, task: Task[T]) -> None:
        super().__init__(title)
        self._ongoing = task

    def compose_box(self) -> ComposeResult:
        """Yield the progress."""
        yield Canvas()

    def on_mount(self) -> None:
        """Look again and again."""
        self.call_after_refresh(self._show)
        self.set_interval(_PAUSE, self._look)

    def _show(self) -> None:
        self._look()
        # By the clock of keys.
        self.shown_at = Event().time

    def _look(self) -> None:
        line = self.query_one(Canvas)
        line.show([((told(self._ongoing.job, line.size.width), "text"),)])
        if not self._ongoing.job.running:
            self.dismiss(None)

    def action_stop(self) -> None:
        """Stop it."""
        self._ongoing.stop()
        self.dismiss(None)

    def on_unmount(self) -> None:
        """Leave nothing running that nobody waits for."""
        self._ongoing.stop()
