"""Counts the modes that a program turns on in its terminal, so that all of them go off again."""

import re

_MODE = re.compile(r"\x1b\[\?(?P<numbers>[\d;]+)(?P<way>[hl])|\x1b\[(?P<keyboard>>\d*|<\d*)u")

AT_FIRST = frozenset({"7", "25"})
"""What a terminal has on by itself: lines wrap, and the cursor is shown."""


class Modes:
    """The modes that differ from those of a terminal that no program uses.

    They are the private modes of DEC and xterm (``ESC [ ? N h`` and ``l``) and what was pushed on
    the stack of the kitty keyboard protocol.
    """

    def __init__(self) -> None:
        self._changed: dict[str, str] = {}
        self._pushed: list[str] = []

    def note(self, data: str) -> None:
        """Note what data for the terminal turns on and off."""
        for match in _MODE.finditer(data):
            keyboard = match["keyboard"]
            if keyboard is None:
                for number in match["numbers"].split(";"):
                    self._set(number, match["way"])
            elif keyboard.startswith(">"):
                self._pushed.append(match[0])
            elif self._pushed:
                self._pushed.pop()

    def _set(self, number: str, way: str) -> None:
        if (way == "h") == (number in AT_FIRST):
            self._changed.pop(number, None)
        else:
            self._changed.setdefault(number, way)

    @property
    def undone(self) -> str:
        """The data that gives the terminal back, what came last first."""
        ways = reversed(self._changed.items())
        modes = [f"\x1b[?{number}{'l' if way == 'h' else 'h'}" for number, way in ways]
        # The alternate screen has a keyboard stack of its own, so that it is left last.
        return self._popped + "".join(modes)

    @property
    def done(self) -> str:
        """The data that takes the terminal over again after `undone`."""
        modes = [f"\x1b[?{number}{way}" for number, way in self._changed.items()]
        return "".join([*modes, *self._pushed])

    @property
    def repeated(self) -> str:
        """The data that turns everything on which may still be on, without a second push."""
        modes = [f"\x1b[?{number}{way}" for number, way in self._changed.items()]
        return "".join([*modes, self._popped, *self._pushed])

    @property
    def _popped(self) -> str:
        return "\x1b[<u" * len(self._pushed)
