"""Keeps the terminal of Linux and macOS: whatever stops or ends the program, it is given back.

Textual's driver takes the terminal over, once. It is given back, and taken over again, in one place
each, by what `Modes` has counted. One thread reads keys from the start to the end, whether or not
the program is stopped meanwhile.
"""

import asyncio
import errno
import os
import signal
import sys
import termios
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from select import select
from threading import Event
from time import monotonic
from types import FrameType
from typing import Any

from textual.drivers.linux_driver import LinuxDriver
from textual.events import MouseMove, Resize
from textual.geometry import Size
from textual.message import Message

from attn_tui.ui.leaving import BRIEFLY, WRITERS
from attn_tui.ui.terminal.input import Parser, decoder
from attn_tui.ui.terminal.modes import Modes
from attn_tui.ui.terminal.output import Output

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)
"""Signals that end the program."""

LAST = 5.0
"""Seconds after the end of input in which a busy program may still end by itself."""

EMPTY = 10
"""Reads without a byte in a row that end the input of a terminal that still answers."""


class Unix(LinuxDriver):
    """Takes a terminal over and gives it back, and heeds the signals of job control."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        # Who starts a program with the signal ignored would not resume it.
        self._may_stop = signal.getsignal(signal.SIGTSTP) != signal.SIG_IGN and os.getpid() != 1
        super().__init__(*arguments, **options)
        self._modes = Modes()
        self._output: Output | None = None
        self._is_away = False
        self._waits = True
        self._raw: list[Any] | None = None
        self._has_ended = Event()
        self._due = 0.0
        self._wakes, self._wake = os.pipe()

    # Hooks

    def parting(self) -> str:
        """Return the text to leave on the terminal when a signal ends the program."""
        return ""

    def begin(self) -> None:
        """Do what has to be done first on a terminal that was taken over."""

    def settle(self, write_last: Callable[[], None]) -> None:
        """Write the last data, and wait until the terminal has done it, if it can tell.

        What was drawn before and is held back must not follow the last data.
        """
        write_last()

    # Taking the terminal over, and giving it back

    def start_application_mode(self) -> None:
        """Take over the terminal, once, and handle signals."""
        wait_for_foreground(self.fileno)
        encoding = "utf-8" if sys.__stderr__ is None else sys.__stderr__.encoding
        self._output = Output(2, encoding)
        loop = asyncio.get_running_loop()
        self._hang_up = partial(quietly, loop, partial(self.leave, signal.SIGHUP))
        # Textual leaves out that it returns nothing.
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._raw = attributes(self.fileno)
        self.begin()

        def in_turn(handle: Callable[[], None]) -> Callable[[int, FrameType | None], None]:
            # In the midst of whatever runs when a signal arrives, little can be done.
            return lambda number, frame: quietly(loop, handle)

        signal.signal(signal.SIGTSTP, in_turn(self.stop))
        signal.signal(signal.SIGCONT, in_turn(self.go_on))
        for number in ENDING:
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self.leave)

    def stop_application_mode(self) -> None:
        """Give the terminal back for good."""
        self._give_back()
        self.disable_input()
        with suppress(termios.error):
            termios.tcflush(self.fileno, termios.TCIFLUSH)

    def _give_back(self) -> None:
        """Turn off all modes that were turned on, within `BRIEFLY`."""
        self._due = monotonic() + BRIEFLY
        if self._is_away or self._output is None:
            return
        # A terminal that takes nothing must not keep a program from leaving.
        self._waits = False
        self.settle(partial(self._output.put, self._modes.undone, waits=False))
        self._is_away = True
        self._output.drain(self._left)
        # In the background, the modes of the terminal are another program's.
        if self.attrs_before is not None and is_in_foreground(self.fileno):
            apply(self.fileno, self.attrs_before)

    @property
    def _left(self) -> float:
        """The seconds that giving the terminal back may still take."""
        return max(self._due - monotonic(), 0.0)

    def _take_over(self, data: str) -> None:
        """Turn on all modes by some data, and have everything drawn."""
        if self._output is None or self.exit_event.is_set():
            return
        if self._raw is not None:
            apply(self.fileno, self._raw)
        self._is_away, self._waits = False, True
        self._output.put(data)
        self.begin()
        # The terminal may have become another size, of which nobody tells a stopped program.
        # Textual has no public method for its size.
        size = Size(*self._get_terminal_size())
        self.process_message(Resize(size, size))

    # Job control

    def stop(self) -> None:
        """Stop the process group, as ctrl+z does; go on once it is resumed.

        The kernel stops no group of which nobody outside would resume it ("orphaned"): then the
        program goes on at once.
        """
        if self.exit_event.is_set():
            return
        if not self._may_stop:
            self._take_over(self._modes.repeated)
            return
        self._give_back()
        with by_default(signal.SIGTSTP, signal.SIGCONT):
            os.kill(0, signal.SIGTSTP)
            wait_for_foreground(self.fileno)
        self.attrs_before = attributes(self.fileno) or self.attrs_before
        self._take_over(self._modes.done)

    def go_on(self) -> None:
        """Set the terminal again: the program was stopped, or may have been."""
        if self.exit_event.is_set():
            return
        wait_for_foreground(self.fileno)
        self._take_over(self._modes.repeated)

    def leave(self, number: int, frame: FrameType | None = None) -> None:
        """Give the terminal back, then let a signal end the program, whatever it is computing.

        Files are saved first; a second signal does not wait for them.
        """
        for other in (*ENDING, signal.SIGTTOU):
            signal.signal(other, signal.SIG_IGN)
        try:
            self.stop_application_mode()
            if self._output is not None:
                tell = partial(self._output.put, waits=False)
                for other in ENDING:
                    signal.signal(other, signal.SIG_DFL)
                WRITERS.wait(tell)
                tell(self.parting())
                self._output.drain(BRIEFLY)
        finally:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            # Process 1 is not ended by it.
            os._exit(128 + number)

    # Output

    def write(self, data: str) -> None:
        """Write data, unless the terminal is given back."""
        if self._output is not None and not self._is_away:
            self._modes.note(data)
            self._output.put(data, self._waits)

    def close(self) -> None:
        """Write what is left; from now on signals end the program by themselves."""
        if self._output is not None:
            self._output.drain(self._left)
            self._output.close()
        for number in ENDING:
            if signal.getsignal(number) == self.leave:
                signal.signal(number, signal.SIG_DFL)
        super().close()

    # Input

    def disable_input(self) -> None:
        """Read no more keys."""
        if self.exit_event.is_set():
            return
        for number in (signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT):
            signal.signal(number, signal.SIG_DFL)
        self.exit_event.set()
        os.write(self._wake, b"\0")
        # It may wait for what this thread holds, where a signal has interrupted it.
        self._has_ended.wait(BRIEFLY)

    def run_input_thread(self) -> None:
        """Read keys until the program leaves; the end of input ends the program."""
        try:
            is_over = self._read()
        finally:
            self._has_ended.set()
        if is_over:
            self._hang_up()
            if not self.exit_event.wait(LAST):
                os._exit(128 + signal.SIGHUP)

    def _read(self) -> bool:
        """Pass on what is read; return whether there is nothing more to read."""
        parser, decode = Parser(), decoder("utf-8")
        empty = 0
        while not self.exit_event.is_set():
            try:
                ready, _, _ = select([self.fileno, self._wakes], [], [], parser.patience)
                data = os.read(self.fileno, 4096) if self.fileno in ready else None
            except BlockingIOError:
                continue
            except (OSError, ValueError):
                return True
            if data is not None:
                empty = 0 if data else empty + 1
                # ctrl+d ends no input: a terminal that somebody else has set may tell of it so.
                if empty > EMPTY or (empty and attributes(self.fileno) is None):
                    return True
                messages = parser.feed(decode(data))
            else:
                messages = parser.tick()
            for message in newest(messages):
                self.process_message(message)
        return False


def newest(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield messages; of several mouse moves in a row, only the last."""
    before: Message | None = None
    for message in messages:
        if before is not None and not (
            isinstance(before, MouseMove) and isinstance(message, MouseMove)
        ):
            yield before
        before = message
    if before is not None:
        yield before


def quietly(loop: asyncio.AbstractEventLoop, handle: Callable[[], None]) -> None:
    """Have something done by a loop, unless it has ended."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(handle)


def attributes(terminal: int) -> list[Any] | None:
    """Return how a terminal is set; None if it is none, or gone."""
    try:
        return termios.tcgetattr(terminal)
    except termios.error:
        return None


def apply(terminal: int, wanted: list[Any]) -> None:
    """Set a terminal, if it is still there."""
    with suppress(termios.error):
        termios.tcsetattr(terminal, termios.TCSANOW, wanted)


def is_in_foreground(terminal: int) -> bool:
    """Return whether the terminal is that of our process group now."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False


def wait_for_foreground(terminal: int) -> None:
    """Wait until the terminal is ours: until then, to ask it for something stops the program.

    It is asked to go on after a stop of its output, which nobody asked it for.
    """
    if os.getpid() == 1:
        # Nothing stops process 1, and it would ask without end.
        return
    with by_default(signal.SIGTTOU):
        while True:
            try:
                termios.tcflow(terminal, termios.TCOON)
            except termios.error as error:
                if error.args[0] == errno.EINTR:
                    continue
            return


@contextmanager
def by_default(*numbers: signal.Signals) -> Iterator[None]:
    """Let signals do what they do where no program handles them."""
    before = [signal.signal(number, signal.SIG_DFL) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
