"""Long computations on the command line: how far they are, and Ctrl+C keeps what there is."""

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from attn_tui.compute.experiment import Stop
from attn_tui.report.progress import Pace


@contextmanager
def until_interrupted() -> Iterator[Stop]:
    """Give a stop that Ctrl+C makes true; a second Ctrl+C ends the program as usual."""
    pressed = []

    def press(number: int, frame: FrameType | None) -> None:
        pressed.append(number)
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, press)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)


class Progress:
    """A line on standard error that says how far something is, if that is a terminal.

    Args:
        total: How many there will be.
        clock: Seconds, from any moment on.
    """

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pace = Pace(total, 0, clock())
        self._shown = sys.stderr is not None and sys.stderr.isatty()

    def show(self, done: int) -> None:
        """Say how far it is."""
        if self._shown:
            self._write(self._pace.text(done, self._clock()))

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._write("")

    @staticmethod
    def _write(text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
