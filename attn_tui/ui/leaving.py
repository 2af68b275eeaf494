"""The end of the process: it waits for files that are being written, and for nothing else.

At its end, Python joins its threads, and so does asyncio: whoever quits would wait for what is
being computed, which nobody will see. `leave` ends the process without that.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from typing import NoReturn

from attn_tui.ui.terminal.output import Output

BRIEFLY = 0.5
"""The longest wait for the terminal and for what nobody saves by name, in seconds."""

SAVING = "attn-tui: saving {files}; ctrl+c ends at once\n"
"""What is said while the end of the program waits for a file."""


class Writers:
    """What is being written at present, by threads."""

    def __init__(self) -> None:
        # Its lock may be taken twice by one thread, such as one that a signal interrupts.
        self._changed = Condition()
        self._files: Counter[str] = Counter()
        self._others = 0

    @contextmanager
    def file(self, name: str) -> Iterator[None]:
        """Have the end of the program wait for a file that a person saves."""
        with self._changed:
            self._files[name] += 1
        try:
            yield
        finally:
            with self._changed:
                self._files[name] -= 1
                self._changed.notify_all()

    @contextmanager
    def other(self) -> Iterator[None]:
        """Have the end of the program wait for something else, `BRIEFLY` at most."""
        with self._changed:
            self._others += 1
        try:
            yield
        finally:
            with self._changed:
                self._others -= 1
                self._changed.notify_all()

    def wait(self, tell: Callable[[str], None]) -> None:
        """Wait until all files are saved.

        Args:
            tell: Is given a line that names the files, if there are any.
        """
        with self._changed:
            files = [name for name, count in self._files.items() if count]
            if files:
                tell(SAVING.format(files=", ".join(files)))
                self._changed.wait_for(lambda: not self._files.total())
            self._changed.wait_for(lambda: not self._others, BRIEFLY)


WRITERS = Writers()
"""What this process writes."""


def leave(status: int, parting: str) -> NoReturn:
    """End the process, whatever its threads compute, once all files are saved.

    Args:
        status: The exit status.
        parting: What to leave on the terminal, which has been given back.
    """
    # Not by its stream: a terminal that takes nothing would be waited for.
    terminal = Output(2, "utf-8")
    WRITERS.wait(terminal.put)
    terminal.put(parting)
    terminal.drain(BRIEFLY)
    os._exit(status)
