"""The terminal driver: sends only changes, and restores the terminal on a signal."""

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
"""Signals that end the program while its terminal still exists."""


def thrifty(
    driver: type[Driver],
    cells: Cells,
    parting: Callable[[], str],
    taking_over: Callable[[], None],
) -> type[Driver]:
    """Return a driver that sends only the cells that change.

    Args:
        driver: The base class.
        cells: What the terminal shows.
        parting: Returns the text to leave on the terminal when a signal ends the program.
        taking_over: Called right before the terminal is taken over.
    """

    class Thrifty(driver):  # type: ignore[misc, valid-type]
        """Sends only cells that change, so that a dialogue opens at once even over a slow line."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self._flow = Flow(self._send)
            Parser.answered = self._flow.answered

        def start_application_mode(self) -> None:
            """Take over the terminal, and handle the signals that end the program."""
            taking_over()
            super().start_application_mode()
            self._flow.begin()
            for name in ENDING:
                number = getattr(signal, name, None)
                if number and signal.getsignal(number) != signal.SIG_IGN:
                    signal.signal(number, self._leave)

        def _leave(self, number: int, frame: FrameType | None) -> None:
            """Restore the terminal, then let the signal end the program, whatever it is doing."""
            signal.signal(number, signal.SIG_DFL)
            self.stop_application_mode()
            self.close()
            if sys.__stderr__ is not None:
                sys.__stderr__.write(parting())
                sys.__stderr__.flush()
            os.kill(os.getpid(), number)

        def write(self, data: str) -> None:
            """Send the changes, once the terminal has taken the last picture."""
            if is_for_clipboard(data):
                data = through(data, os.environ)
            self._flow.write(data)

        def _send(self, data: str, request: str) -> bool:
            """Send the changes that data makes and a request; return whether there are any."""
            cells.fit(*shutil.get_terminal_size())
            changes = cells.changes(data)
            if changes:
                super().write(changes + request)
            return bool(changes)

        def disable_input(self) -> None:
            """Read pending answers before input is disabled, and hold nothing back any more."""
            self._flow.end()
            super().disable_input()

    return Thrifty
