"""Textual's way to the terminal, which sends only what changes and reads whatever comes."""

from codecs import IncrementalDecoder, getincrementaldecoder
from collections.abc import Callable
from functools import partial
from os import get_terminal_size, terminal_size
from typing import Any

from textual.driver import Driver
from textual.events import Key
from textual.message import Message

from attn_tui.tui.cells import Cells

REDRAW = "ctrl+l"
"""The key behind which everything is sent again, for something else may have written there."""


def lenient(encoding: str) -> Callable[[], IncrementalDecoder]:
    """Return a decoder that reads a byte it does not understand as U+FFFD."""
    return partial(getincrementaldecoder(encoding), errors="replace")


def thrifty_driver() -> type[Driver] | None:
    """Return a driver for terminals of this system, or None where Textual's own must do."""
    try:
        from textual.drivers import linux_driver
    except ImportError:  # Windows
        return None
    # Its own decoder ends the program on the first byte that is not UTF-8.
    vars(linux_driver)["getincrementaldecoder"] = lenient

    class ThriftyDriver(linux_driver.LinuxDriver):
        """Sends only the cells that change: a dialogue over a slow line is then there at once."""

        def __init__(self, *arguments: Any, **given: Any) -> None:
            super().__init__(*arguments, **given)
            self._cells = Cells()
            self._size: terminal_size | None = None

        def write(self, data: str) -> None:
            """Send what changes."""
            try:
                size = get_terminal_size(self.fileno)
            except OSError:
                size = None
            if size != self._size:
                # What a terminal does with its cells then is its own affair.
                self._size = size
                self._cells.forget()
            if changes := self._cells.changes(data):
                super().write(changes)

        def process_message(self, message: Message) -> None:
            """Pass on what a person does."""
            if isinstance(message, Key) and message.key == REDRAW:
                self._cells.forget()
            super().process_message(message)

    return ThriftyDriver
