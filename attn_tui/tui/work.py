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

PATIENCE = 0.15
"""Seconds after which it is said that something goes on."""

_PAUSE = 0.1
_WIDTH = 40


class Work(Generic[T]):
    """Something that takes long, done in a thread.

    Attributes:
        share: How much of it is done, 0 to 1.
        outcome: What it came to; an exception it ended with, `Stopped` among them; None before.
        since: When it began, in seconds.
    """

    def __init__(self, work: Callable[[Watch], T]) -> None:
        self._work = work
        self._stop = Event()
        self.share = 0.0
        self.outcome: T | Exception | None = None
        self.since = time.monotonic()

    def run(self) -> None:
        """Do it; to be called in a thread."""
        try:
            self.outcome = self._work(self._watch)
        except Exception as error:
            self.outcome = error

    def _watch(self, share: float) -> None:
        self.share = share
        if self._stop.is_set():
            raise Stopped

    def stop(self) -> None:
        """Let it end, without an outcome that matters."""
        self._stop.set()

    @property
    def stopped(self) -> bool:
        """Whether somebody stopped it."""
        return self._stop.is_set()

    def told(self, ascii: bool) -> str:
        """Return how far it is, and how long it will still take."""
        seconds = time.monotonic() - self.since
        rest = left(seconds * (1.0 - self.share) / self.share) if self.share > 0.02 else ""
        return f"{bar(self.share, _WIDTH, ascii)} {self.share:4.0%}  {rest}".rstrip()


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
            yield Static(self._ongoing.told(self._ascii), markup=False)

    def on_mount(self) -> None:
        """Look again and again."""
        self.set_interval(_PAUSE, self._look)

    def _look(self) -> None:
        self.query_one(Static).update(self._ongoing.told(self._ascii))
        if self._ongoing.outcome is not None:
            self.dismiss(None)

    def action_stop(self) -> None:
        """Stop it."""
        self._ongoing.stop()
        self.dismiss(None)

    def on_unmount(self) -> None:
        """Leave nothing running that nobody waits for."""
        self._ongoing.stop()
