"""The way to the terminal: sends only what changes."""

import asyncio
import os
import shutil
import signal
from functools import partial
from typing import Any

from textual.driver import Driver

from attn_tui.ui.terminal.cells import Cells
from attn_tui.ui.terminal.clipboard import is_for_clipboard, through
from attn_tui.ui.terminal.flow import Flow
from attn_tui.ui.terminal.input import Parser
from attn_tui.ui.terminal.turns import raised


def thrifty(driver: type[Driver], cells: Cells) -> type[Driver]:
    """Return a driver that sends only the cells that change.

    Args:
        driver: The one it is made from.
        cells: What the terminal shows.
    """

    class Thrifty(driver):  # type: ignore[misc, valid-type]
        """Knows what the terminal shows: over a slow line a dialogue is there at once."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self._flow = Flow(self._send)
            Parser.answered = self._flow.answered

        def start_application_mode(self) -> None:
            """Hear of every size in its turn.

            Where one signal interrupts what is done on the one before it, the older size would be
            told last, and be taken for the present one.
            """
            super().start_application_mode()
            self._flow.begin()
            number = getattr(signal, "SIGWINCH", None)
            tell = signal.getsignal(number) if number else None
            if number and callable(tell):
                later = asyncio.get_running_loop().call_soon_threadsafe
                signal.signal(number, lambda *told: later(partial(tell, *told)))

        def write(self, data: str) -> None:
            """Send what changes, once the terminal has taken what was sent before."""
            if is_for_clipboard(data):
                data = through(data, os.environ)
            self._flow.write(data)

        def _send(self, data: str, request: str) -> bool:
            """Send what data changes with a request behind it; return whether there was any."""
            cells.fit(*shutil.get_terminal_size())
            changes = cells.changes(data)
            if changes:
                super().write(changes + request)
            return bool(changes)

        def disable_input(self) -> None:
            """Hold nothing back any more; what the terminal still answers is read before."""
            self._flow.end()
            super().disable_input()

        def run_input_thread(self) -> None:
            """Read what comes, until the end; what goes wrong is for the application."""
            try:
                super().run_input_thread()
            except OSError:
                # The terminal is gone, and so will be the program.
                pass
            except Exception as error:
                self._app.call_later(raised, error)

    return Thrifty
