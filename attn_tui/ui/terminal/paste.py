"""A paste that has begun, in whatever pieces it comes, and whether or not its end does."""

from typing import NamedTuple

BEGIN, END = "\x1b[200~", "\x1b[201~"
"""The brackets around what is pasted."""

MOST = 1_000_000
"""Bytes of a paste that is taken."""

SILENCE = 5.0
"""Seconds without input that end a paste."""

LATE = 30.0
"""Seconds after which nothing more belongs to a paste that was ended so, or by ctrl+c."""


class Paste:
    """What has come of a paste."""

    def __init__(self) -> None:
        self._size = 0
        self._parts: list[str] = []
        self._end = ""

    def take(self, data: str) -> str | None:
        """Add what is read; return what follows the end of the paste, or None before it."""
        text, end, rest = (self._end + data).partition(END)
        if end:
            self._end = ""
            self._add(text)
            return rest
        # The end may come in pieces.
        place = max(len(text) - len(END) + 1, 0)
        self._end = text[place:]
        self._add(text[:place])
        return None

    def _add(self, text: str) -> None:
        self._size += len(text.encode(errors="replace"))
        if self.is_too_large:
            self._parts.clear()
        else:
            self._parts.append(text)

    @property
    def size(self) -> int:
        """Bytes so far."""
        return self._size + len(self._end.encode(errors="replace"))

    @property
    def is_too_large(self) -> bool:
        """Whether it is not taken."""
        return self.size > MOST

    @property
    def text(self) -> str:
        """All that has come, without the character that no widget takes."""
        return ("".join(self._parts) + self._end).replace("\0", "")


class Late(NamedTuple):
    """A paste that was ended before its end came.

    Attributes:
        until: The moment after which nothing belongs to it any more.
        is_taken: Whether what comes of it is inserted.
        text: What has come of it.
    """

    until: float
    is_taken: bool
    text: str


def belongs(text: str) -> bool:
    """Return whether characters that were read at once are of a paste, and no keys."""
    return len(text) > 1 and all(one.isprintable() or one in "\r\n\t" for one in text)
