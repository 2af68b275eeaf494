"""What a terminal shows of what a program writes: pyte's screen, made quicker."""

from functools import cache

import pyte
from pyte.screens import Char, wcwidth

TAIL = 2**17
"""Bytes that are kept of what nobody looks at, so that a traceback can be read."""


@cache
def _cell(character: str) -> Char:
    return Char(character)


class _Screen(pyte.Screen):
    """Writes what takes a cell a character, in no style, at once."""

    narrow: frozenset[str] = frozenset()

    def draw(self, data: str) -> None:
        """Write a text where the cursor is."""
        column, line = self.cursor.x, self.cursor.y
        if not self.narrow.issuperset(data):
            type(self).narrow |= {each for each in data if wcwidth(each) == 1}
        end = column + len(data)
        is_plain = self.cursor.attrs == self.default_char and self.narrow.issuperset(data)
        if end > self.columns or not is_plain:
            super().draw(data)
            return
        self.buffer[line].update(zip(range(column, end), map(_cell, data), strict=True))
        self.cursor.x = end
        self.dirty.add(line)


class Shown:
    """A terminal's screen, and all that it was sent.

    Attributes:
        sent: Bytes so far.
        raw: They, unless somebody forgets some.
        is_watched: Whether anybody looks; of what nobody looks at, only the end is kept.
    """

    def __init__(self, columns: int, lines: int) -> None:
        self.screen = _Screen(columns, lines)
        self.sent = 0
        self.raw = b""
        self.is_watched = True
        self._stream = pyte.ByteStream(self.screen)
        self._lines: dict[int, str] = {}

    @property
    def display(self) -> tuple[str, ...]:
        """The lines of the screen."""
        columns, buffer = range(self.screen.columns), self.screen.buffer
        lines = range(self.screen.lines)
        for line in {*self.screen.dirty, *range(len(self._lines), len(lines))}:
            # The second cell of a wide character is empty; pyte's own text cannot have one alone.
            row = buffer[line]
            self._lines[line] = "".join(row[column].data for column in columns).rstrip()
        self.screen.dirty.clear()
        return tuple(self._lines[line] for line in lines)

    def take(self, data: bytes) -> None:
        """Show what a program writes."""
        self.sent += len(data)
        if not self.is_watched:
            self.raw = (self.raw + data)[-TAIL:]
            return
        self.raw += data
        # pyte shows the end of the kitty keyboard protocol as text.
        self._stream.feed(data.replace(b"\x1b[<u", b""))
