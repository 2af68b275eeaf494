"""Ends the program on a signal or with its terminal, in order if it can, else without delay.

A handler in the event loop is not enough: the loop may be computing, or waiting for a terminal
that takes no more text. So a thread of its own listens. It asks the program to leave, and if that
is not done in time puts the terminal right by itself and ends the process.
"""

import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

try:
    import termios
except ImportError:  # Windows
    termios = None  # type: ignore[assignment]

GRACE = 1.0
"""Seconds in which the program may leave in order."""

_KEPT = {
    # What cannot be caught, what does not end a program, what has a meaning on a terminal,
    *("SIGKILL", "SIGSTOP", "SIGCHLD", "SIGCLD", "SIGURG", "SIGINFO", "SIGPIPE", "SIGXFSZ"),
    *("SIGTSTP", "SIGCONT", "SIGTTIN", "SIGTTOU", "SIGWINCH"),
    # and what says that the program is broken beyond doing anything.
    *("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS", "SIGEMT"),
}
_RESTORE = (
    b"\x18\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[?2048l"
    b"\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"
    b"\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l"
)
"""Takes back, wherever it stands in another sequence, all that a screen sets."""


class Lifeline:
    """What has ended the program.

    Attributes:
        number: The signal, SIGHUP if the terminal is gone; 0 while there is none.
    """

    number = 0

    def __init__(self) -> None:
        self._ended = threading.Event()

    def die(self) -> None:
        """End the process as the signal does that has ended the program; else do nothing."""
        if self.number:
            if signal.getsignal(self.number) is not signal.SIG_IGN:
                signal.signal(self.number, signal.SIG_DFL)
                os.kill(os.getpid(), self.number)
            os._exit(128 + self.number)

    def _listen(self, pipe: int, numbers: set[int], leave: Callable[[], object]) -> None:
        """Wait for a signal, or for the terminal to be gone, and see that the program ends."""
        terminal = _Terminal()
        self.number = _next(pipe, numbers, terminal.descriptors)
        if self.number:
            leave()
            if not self._ended.wait(GRACE):
                # The terminal may take no text: it is not waited for long.
                restoring = threading.Thread(target=terminal.restore, daemon=True)
                restoring.start()
                restoring.join(GRACE / 2)
                os._exit(128 + self.number)


@contextmanager
def lifeline(leave: Callable[[], object]) -> Iterator[Lifeline]:
    """Listen while in the ``with`` block; signals that are ignored stay so.

    Args:
        leave: Asks the program to end, from any thread.
    """
    line = Lifeline()
    if not hasattr(select, "poll"):
        yield line
        return
    defaults = (signal.SIG_DFL, signal.default_int_handler)
    ending = [number for number in signal.valid_signals() if _name(number) not in _KEPT]
    handlers = {number: signal.getsignal(number) for number in ending}
    taken = {number: handler for number, handler in handlers.items() if handler in defaults}
    read, write = os.pipe()
    os.set_blocking(write, False)
    for number in taken:
        signal.signal(number, _note)
    before = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    listener = threading.Thread(
        target=line._listen, args=(read, {*map(int, taken)}, leave), daemon=True
    )
    listener.start()
    try:
        yield line
    finally:
        line._ended.set()
        signal.set_wakeup_fd(before)
        for number, kept in taken.items():
            signal.signal(number, kept)
        os.close(write)
        listener.join()
        os.close(read)


def _name(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return ""


def _note(number: int, frame: FrameType | None) -> None:
    """Do nothing: that there is a handler is what sends the number to the listener."""


def _next(pipe: int, numbers: set[int], descriptors: list[int]) -> int:
    """Return the signal that comes next, SIGHUP if a terminal is gone, or 0 if all is over."""
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    for descriptor in descriptors:
        poll.register(descriptor, 0)
    while True:
        for descriptor, event in poll.poll():
            if descriptor != pipe:
                if event & (select.POLLHUP | select.POLLERR):
                    return int(signal.SIGHUP)
                poll.unregister(descriptor)
            elif not (data := os.read(pipe, 64)):
                return 0
            elif found := [number for number in data if number in numbers]:
                return found[0]


class _Terminal:
    """The terminal as it is before the program changes it."""

    def __init__(self) -> None:
        streams = [stream for stream in (sys.__stdin__, sys.__stderr__) if stream is not None]
        self.descriptors = [stream.fileno() for stream in streams if stream.isatty()]
        self._modes = {}
        for descriptor in self.descriptors:
            with suppress(termios.error):
                self._modes[descriptor] = termios.tcgetattr(descriptor)

    def restore(self) -> None:
        """Put it right again."""
        for descriptor, modes in self._modes.items():
            with suppress(termios.error):
                termios.tcsetattr(descriptor, termios.TCSANOW, modes)
        with suppress(OSError):
            os.write(self.descriptors[-1], _RESTORE)
