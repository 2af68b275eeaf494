"""The way to the terminal: sends only what changes, and leaves it as it was when a signal comes."""

import os
import shutil
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from textual.driver import Driver

from attn_tui.ui.terminal.cells import Cells
from attn_tui.ui.terminal.clipboard import is_for_clipboard, through
from attn_tui.ui.terminal.flow import Flow
from attn_tui.ui.terminal.input import Parser

ENDING = ("SIGINT", "SIGTERM", "SIGQUIT")
"""Signals that end the program while its terminal is still there."""


def thrifty(driver: type[Driver], cells: Cells, parting: Callable[[], str]) -> type[Driver]:
    """Return a driver that sends only the cells that change.

    Args:
        driver: The one it is made from.
        cells: What the terminal shows.
        parting: Says what is left on the terminal when a signal ends the program.
    """

    class Thrifty(driver):  # type: ignore[misc, valid-type]
        """Knows what the terminal shows: over a slow line a dialogue is there at once."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self._flow = Flow(self._send)
            Parser.answered = self._flow.answered

        def start_application_mode(self) -> None:
            """Take over the terminal, and heed the signals that end the program."""
            super().start_application_mode()
            self._flow.begin()
            for name in ENDING:
                number = getattr(signal, name, None)
                if number and signal.getsignal(number) != signal.SIG_IGN:
                    signal.signal(number, self._leave)

        def _leave(self, number: int, frame: FrameType | None) -> None:
            """Give the terminal back, and end as the signal does, whatever the program is doing."""
            signal.signal(number, signal.SIG_DFL)
            self.stop_application_mode()
            self.close()
            if sys.__stderr__ is not None:
                sys.__stderr__.write(parting())
                sys.__stderr__.flush()
            os.kill(os.getpid(), number)

        def write(self, data: str) -> None:
            """Send what changes, once the terminal has taken what was sent before."""
            if is_for_clipboard(data):
                data = through(data, os.environ)
            self._flow.write(data)

        def _send(self, data: str, request: str) -> bool:
            """Send what data changes and a request; return whether it changes anything."""
            cells.fit(*shutil.get_terminal_size())
            changes = cells.changes(data)
            if changes:
                super().write(changes + request)
            return bool(changes)

        def disable_input(self) -> None:
            """Hold nothing back any more, and read the answers still to come first."""
            self._flow.end()
            super().disable_input()

    return Thrifty
