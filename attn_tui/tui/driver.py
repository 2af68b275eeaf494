"""The way to the terminal: reads bytes that are not UTF-8 too, and sends only what changes."""

from codecs import IncrementalDecoder, getincrementaldecoder
from collections.abc import Callable
from functools import partial
from os import get_terminal_size
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


def accept_any_bytes() -> None:
    """Make Textual read keys leniently; its own decoder ends the program on the first such byte."""
    try:
        from textual.drivers import linux_driver
    except ImportError:  # Windows has a driver of its own, which reads characters.
        return
    vars(linux_driver)["getincrementaldecoder"] = lenient


def _raise(error: Exception) -> None:
    raise error


def thrifty(driver: type[Driver]) -> type[Driver]:
    """Return a driver that sends only the cells that change."""

    class Thrifty(driver):  # type: ignore[misc, valid-type]
        """Knows what the terminal shows: over a slow line a dialogue is there at once."""

        def __init__(self, *arguments: Any, **given: Any) -> None:
            super().__init__(*arguments, **given)
            self._cells = Cells()
            self._terminal: object = None

        def write(self, data: str) -> None:
            """Send what changes."""
            try:
                size = get_terminal_size(1)
            except OSError:
                size = None
            if size != self._terminal:
                # What a terminal does with its cells then is its own affair.
                self._terminal = size
                self._cells.forget()
            if changes := self._cells.changes(data):
                super().write(changes)

        def run_input_thread(self) -> None:
            """Read what comes, until the end; what goes wrong is for the application."""
            try:
                super().run_input_thread()
            except OSError:
                # The terminal is gone, and so will be the program.
                pass
            except Exception as error:
                self._app.call_later(_raise, error)

        def process_message(self, message: Message) -> None:
            """Pass on what a person does."""
            if isinstance(message, Key) and message.key == REDRAW:
                self._cells.forget()
            super().process_message(message)

    return Thrifty
