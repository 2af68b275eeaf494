"""Asks the terminal for the colour of its background, while modules are imported.

This module imports little, since the question is asked before the interface is imported. The answer
to OSC 11 may come at any time or never: what is read meanwhile is kept for the program, and an
answer that comes later is found among the keys (`attn_tui.ui.terminal.input`).
"""

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from select import select
from types import FrameType
from typing import Any

QUESTION = "\x1b]11;?\x1b\\"

ANSWER = re.compile("\x1b\\]11;(?P<colour>[^\x07\x1b]{0,60})(?:\x07|\x1b\\\\)")

PATIENCE = 0.1
"""The longest wait for the answer, in seconds from the question on."""

_COLOUR = re.compile(r"rgba?:([0-9a-f]{1,4})/([0-9a-f]{1,4})/([0-9a-f]{1,4})", re.IGNORECASE)
_WITHOUT_COLOURS = ("linux", "dumb", "unknown", "vt", "cons25")
"""The beginnings of names of terminals that might print the question."""


class Background:
    """A question that the terminal has been asked, or that nobody asks.

    Args:
        keyboard: The descriptor to read from; None if nothing is asked.

    Attributes:
        typed: What was read besides the answer.
    """

    def __init__(self, keyboard: int | None = None) -> None:
        self.typed = ""
        self._keyboard = keyboard
        self._asked = time.monotonic()
        self._modes = None if keyboard is None else _quieted(keyboard)

    def shade(self) -> str:
        """Return ``"light"`` or ``"dark"``; nothing if no answer is there in time."""
        data = b""
        while self._keyboard is not None and self._is_more(self._keyboard):
            piece = os.read(self._keyboard, 4096)
            data += piece
            if not piece or ANSWER.search(data.decode(errors="replace")):
                break
        text = data.decode(errors="replace")
        answer = ANSWER.search(text)
        self.typed = ANSWER.sub("", text)
        return shade_of(answer["colour"]) if answer else ""

    def _is_more(self, keyboard: int) -> bool:
        """Wait for input until it is too late; return whether there is any."""
        left = self._asked + PATIENCE - time.monotonic()
        return bool(select([keyboard], [], [], max(left, 0.0))[0])

    def restore_on_signals(self) -> None:
        """Give the terminal its modes even if a signal ends the program before it is taken over."""
        if self._modes is None:
            return

        def leave(number: int, frame: FrameType | None) -> None:
            self.restore()
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            if signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, leave)

    def restore(self) -> None:
        """Give the terminal the modes it had before, once."""
        if self._modes is not None and self._keyboard is not None:
            import termios

            modes, self._modes = self._modes, None
            with suppress(termios.error):
                termios.tcsetattr(self._keyboard, termios.TCSANOW, modes)


def _quieted(keyboard: int) -> list[Any]:
    """Keep the terminal from showing the answer, and return its modes before."""
    import termios

    before = termios.tcgetattr(keyboard)
    modes = termios.tcgetattr(keyboard)
    modes[3] &= ~(termios.ECHO | termios.ICANON)
    modes[6][termios.VMIN] = 1
    termios.tcsetattr(keyboard, termios.TCSANOW, modes)
    return before


@contextmanager
def asked(theme: str | None = None) -> Iterator[Background]:
    """Ask the terminal for its background, unless something else decides on the theme.

    At the end, the terminal has the modes it had before.

    Args:
        theme: The theme named on the command line, if any.
    """
    from attn_tui.ui.memory import remembered_theme

    named = theme or os.environ.get("TEXTUAL_THEME") or os.environ.get("NO_COLOR")
    keyboard = None if named or remembered_theme() else _keyboard()
    background = Background(keyboard)
    background.restore_on_signals()
    try:
        if keyboard is not None and sys.__stderr__ is not None:
            os.write(sys.__stderr__.fileno(), QUESTION.encode())
        yield background
    finally:
        background.restore()


def _keyboard() -> int | None:
    """Return the descriptor of the terminal, if it can be asked."""
    kind = os.environ.get("TERM", "")
    if not kind or kind.startswith(_WITHOUT_COLOURS):
        return None
    try:
        import termios
    except ImportError:  # Windows has none.
        return None
    try:
        termios.tcgetattr(0)
        # In the background, changing modes would stop the program.
        return 0 if os.tcgetpgrp(0) == os.getpgrp() else None
    except (OSError, termios.error):
        return None


def shade_of(colour: str) -> str:
    """Return whether a colour such as ``rgb:ffff/ffff/ffff`` is ``"light"`` or ``"dark"``.

    It is an empty text for what is no colour.
    """
    match = _COLOUR.match(colour)
    if not match:
        return ""
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in match.groups())
    return "light" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "dark"
