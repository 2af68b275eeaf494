"""Long computations on the command line: how far they are, and Ctrl+C keeps what there is."""

import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

from attn_tui.charts.glyphs import in_ascii
from attn_tui.report.progress import bar, left

if TYPE_CHECKING:
    from attn_tui.compute.experiment import Stop

T = TypeVar("T")

_WIDTH = 30
_PAUSE = 0.1
"""Seconds between two pictures of the bar."""


class Progress:
    """Shows how much of some work is done while in its ``with`` block, and leaves nothing behind.

    It writes to standard error, if that is a terminal.

    Args:
        what: What is done, in a word.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._is_shown = sys.stderr is not None and sys.stderr.isatty()
        self._start = self._due = time.monotonic()
        self._length = 0

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Take the bar away, for a line of what is printed meanwhile."""
        if self._length:
            sys.stderr.write("\r" + " " * self._length + "\r")
            sys.stderr.flush()
        self._length = 0
        self._due = self._start

    def show(self, share: float) -> None:
        """Show that a share of the work is done, 0 to 1."""
        now = time.monotonic()
        if not self._is_shown or now < self._due:
            return
        self._due = now + _PAUSE
        seconds = now - self._start
        rest = left(seconds * (1.0 - share) / share) if share > 0.0 and seconds > 0.5 else ""
        line = f"{self._what} {in_ascii(bar(share, _WIDTH))} {share:4.0%}  {rest}".rstrip()
        sys.stderr.write("\r" + line.ljust(self._length))
        sys.stderr.flush()
        self._length = len(line)


@contextmanager
def until_interrupted() -> Iterator["Stop"]:
    """Give a stop that Ctrl+C makes true; a second Ctrl+C ends the program as usual.

    Where Ctrl+C is ignored, as in the background of a script, it stays so.
    """
    pressed: list[int] = []

    def press(number: int, frame: FrameType | None) -> None:
        pressed.append(number)
        signal.signal(signal.SIGINT, before)

    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, press)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)


def worked(
    what: str,
    answers: "Callable[[Stop], Iterable[T]]",
    share: Callable[[Any], float] = lambda found: found.progress,
) -> tuple[T | None, bool]:
    """Return the last answer, if there is one, and whether Ctrl+C ended it; show how far it is.

    Args:
        what: What is counted.
        answers: From what says whether to stop, to answers that grow.
        share: How much of the work an answer holds, from 0 to 1.
    """
    found = None
    with until_interrupted() as stop, Progress(what) as progress:
        for found in answers(stop):
            progress.show(share(found))
        return found, stop()
