"""Long computations on the command line: a progress bar, and Ctrl+C keeps the result so far."""

import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

from attn_tui.charts.glyphs import in_ascii

if TYPE_CHECKING:
    from attn_tui.compute.errors import Stop

T = TypeVar("T")

_WIDTH = 30
_PAUSE = 0.1
"""Seconds between two updates of the bar."""


class ProgressLine:
    """A progress bar on standard error, if that is a terminal; gone after its ``with`` block.

    Args:
        what: A word for the work.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._is_shown = sys.stderr is not None and sys.stderr.isatty()
        self._start = self._due = time.monotonic()
        self._length = 0

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Remove the bar, so that something else can be printed."""
        if self._length:
            sys.stderr.write("\r" + " " * self._length + "\r")
            sys.stderr.flush()
        self._length = 0
        self._due = self._start

    def show(self, share: float) -> None:
        """Show the share of the work that is done, from 0 to 1."""
        now = time.monotonic()
        if not self._is_shown or now < self._due:
            return
        self._due = now + _PAUSE
        seconds = now - self._start
        rest = left(seconds * (1.0 - share) / share) if share > 0.0 and seconds > 0.5 else ""
        filled = round(min(max(share, 0.0), 1.0) * _WIDTH)
        bar = in_ascii("━" * filled + "─" * (_WIDTH - filled))
        line = f"{self._what} {bar} {share:4.0%}  {rest}".rstrip()
        sys.stderr.write("\r" + line.ljust(self._length))
        sys.stderr.flush()
        self._length = len(line)


def left(seconds: float) -> str:
    """Return how long something still takes, in words.

    >>> left(0.2), left(41.3), left(200.0), left(9000.0)
    ('less than 1 s left', '42 s left', '4 min left', '2.5 h left')
    """
    if seconds < 1.0:
        return "less than 1 s left"
    if seconds < 100.0:
        return f"{-int(-seconds // 1)} s left"
    if seconds < 6000.0:
        return f"{-int(-seconds // 60)} min left"
    return f"{seconds / 3600:.3g} h left"


@contextmanager
def until_interrupted() -> Iterator["Stop"]:
    """Provide a stop that Ctrl+C makes true; a second Ctrl+C ends the program as usual.

    If Ctrl+C is ignored, as in a background job, it stays ignored.
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
    share: Callable[[Any], float] = lambda answer: answer.progress,
) -> tuple[T | None, bool]:
    """Show progress, and return the last answer, if any, and whether Ctrl+C was pressed.

    Args:
        what: A word for the work.
        answers: A function from a stop to better and better answers.
        share: The share of the work that an answer holds, from 0 to 1.
    """
    answer = None
    with until_interrupted() as stop, ProgressLine(what) as progress:
        for answer in answers(stop):
            progress.show(share(answer))
        return answer, stop()
