"""The terminal driver: sends only changes, as fast as the terminal takes them."""

import os
import shutil
from collections.abc import Callable
from typing import Any

from textual.driver import Driver

from attn_tui.ui.terminal.cells import TerminalCells
from attn_tui.ui.terminal.clipboard import is_for_clipboard, through
from attn_tui.ui.terminal.flow import Flow
from attn_tui.ui.terminal.input import Parser


def thrifty(
    driver: type[Driver],
    cells: TerminalCells,
    parting: Callable[[], str],
    taking_over: Callable[[], None],
) -> type[Driver]:
    """Return a driver that sends only the cells that change.

    Args:
        driver: The base class, as Textual chooses it; `Unix` takes the place of its `LinuxDriver`.
        cells: What the terminal shows.
        parting: Returns the text to leave on the terminal when a signal ends the program.
        taking_over: Called right before the terminal is taken over.
    """

    # The base class is not known before the program runs.
    class Thrifty(careful(driver)):  # type: ignore[misc]
        """Sends only cells that change, so that a dialogue opens at once even over a slow line."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self._flow = Flow(self._send)
            Parser.answered = self._flow.answered

        def start_application_mode(self) -> None:
            """Take over the terminal."""
            taking_over()
            super().start_application_mode()

        def begin(self) -> None:
            """Ask the terminal whether it answers."""
            self._flow.begin()

        def settle(self, write_last: Callable[[], None]) -> None:
            """Drop what is held back, write the last data, and read pending answers."""
            self._flow.end(write_last)

        def parting(self) -> str:
            """Return the text to leave on the terminal when a signal ends the program."""
            return parting()

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

    return Thrifty


def careful(driver: type[Driver]) -> type[Driver]:
    """Return a driver that gives the terminal back whatever happens, where it is a `LinuxDriver`.

    Others are for Windows, for tests and for browsers.
    """
    try:
        from textual.drivers.linux_driver import LinuxDriver
    except ImportError:  # Windows has no such terminals.
        return driver
    if driver is not LinuxDriver:
        return driver
    from attn_tui.ui.terminal.unix import Unix

    return Unix
