"""Long work beside the screen: how far it is, how long it takes, and a way to stop it."""

import time
from collections.abc import Callable
from threading import Event
from typing import Generic, TypeVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.markup import escape
from textual.widgets import Static

from attn_tui.files.watch import Stopped, Watch
from attn_tui.report.progress import bar, left
from attn_tui.tui.actions import Action, Section, bindings
from attn_tui.tui.dialogs import Dialog

T = TypeVar("T")

WAIT = (
    Action("stop", ("escape", "q", "x", "space"), "esc", "Stop", "Stop what is going on",
           palette=False),
)  # fmt: skip

PATIENCE = 0.3
"""Seconds after which it is said that something goes on."""

_PAUSE = 0.1
_WIDTH = 40
"""Cells of the bar at most."""


class Work(Generic[T]):
    """Something that takes long, done in a thread.

    Attributes:
        share: How much of it is done, 0 to 1; 0 while that is not known.
        ended: Whether it is over: done, stopped or failed.
        error: What it failed with; `Stopped` if it was stopped.
    """

    def __init__(self, work: Callable[[Watch], T]) -> None:
        self._work = work
        self._stop = Event()
        self._since = time.monotonic()
        self._outcome: list[T] = []
        self.share = 0.0
        self.ended = False
        self.error: Exception | None = None

    def run(self) -> None:
        """Do it; to be called in a thread."""
        try:
            self._outcome.append(self._work(self._watch))
        except Exception as error:
            self.error = error
        self.ended = True

    def _watch(self, share: float) -> None:
        self.share = share
        if self._stop.is_set():
            raise Stopped

    def stop(self) -> None:
        """Let it end, without an outcome that matters; what is over stays what it is."""
        if not self.ended:
            self._stop.set()

    @property
    def stopped(self) -> bool:
        """Whether it was stopped before it was over."""
        return self._stop.is_set()

    def outcome(self) -> T:
        """Return what it came to, or raise what it failed with."""
        if self.error:
            raise self.error
        return self._outcome[0]

    def told(self, width: int, ascii: bool) -> str:
        """Return in a width how far it is, and how long it has taken or will still take."""
        seconds = time.monotonic() - self._since
        if self.share <= 0.0:
            return f"{seconds:.0f} s"
        rest = left(seconds * (1.0 - self.share) / self.share)
        said = f" {self.share:4.0%}  {rest}"
        return bar(self.share, min(max(width - len(said), 0), _WIDTH), ascii) + said


class WorkDialog(Dialog[None]):
    """Says how far some work is; closes when it is done, or stopped."""

    BINDINGS = bindings(WAIT)
    SECTION = Section("While something goes on", WAIT)

    def __init__(self, title: str, work: Work[T], ascii: bool) -> None:
        super().__init__()
        self._title = title
        self._ongoing = work
        self._ascii = ascii

    def compose(self) -> ComposeResult:
        """Lay out the progress in a box."""
        with Vertical(classes="dialog") as box:
            box.border_title = escape(self._title)
            box.border_subtitle = "esc stops"
            yield Static(markup=False)

    def on_mount(self) -> None:
        """Look again and again."""
        self.call_after_refresh(self._look)
        self.set_interval(_PAUSE, self._look)

    def _look(self) -> None:
        line = self.query_one(Static)
        line.update(self._ongoing.told(line.size.width, self._ascii))
        if self._ongoing.ended:
            self.dismiss(None)

    def action_stop(self) -> None:
        """Stop it."""
        self._ongoing.stop()
        self.dismiss(None)

    def on_unmount(self) -> None:
        """Leave nothing running that nobody waits for."""
        self._ongoing.stop()
