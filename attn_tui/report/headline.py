"""A headline of two lengths: what the doctor and a comparison of captures say first."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import wrap

from attn_tui.report.rows import cells

FULL, SHORT = 78, 38
"""Columns of each of the two lines of a headline, at full length and where there is little room."""

_TOGETHER = re.compile(r"(?<=[\d)]) (?=%|times\b)|(?<=[=±÷×]) | (?=[=±÷×])|(?<=[Kk]ey) (?=\d)")
"""Blanks at which no line ends."""


@dataclass(frozen=True)
class Headline:
    """One or two sentences in plain words, each length in two lines.

    Attributes:
        full: At most two lines of `FULL` columns.
        short: At most two lines of `SHORT` columns.
    """

    full: str
    short: str

    @classmethod
    def fitting(cls, fulls: Iterable[str], shorts: Iterable[str]) -> "Headline":
        """Return the first of each that fits; the last of each must."""
        return cls(_first(fulls, FULL), _first(shorts, SHORT))

    def text(self, width: int) -> str:
        """Return the lines as text that ends with a line break."""
        return "\n".join(self.lines(width)) + "\n"

    def lines(self, width: int) -> list[str]:
        """Return the longer one in lines of a width if it takes two at most, or else the shorter.

        Where even that takes more, it is cut with an ellipsis.
        """
        for text in (self.full, self.short):
            if len(lines := wrapped(text, width)) <= 2:
                first, stop, rest = text.partition(". ")
                apart = [first + stop.rstrip(), rest]
                # A sentence a line, where each has room.
                return apart if rest and max(map(cells, apart)) <= width else lines
        return wrapped(self.short, width, most=2)


def _first(texts: Iterable[str], width: int) -> str:
    last = ""
    for last in texts:
        if len(wrapped(last, width)) <= 2:
            return last
    return " ".join(wrapped(last, width, most=2))


def wrapped(text: str, width: int, most: int | None = None) -> list[str]:
    """Return text in lines, numbers with their units; of too many the rest is an ellipsis."""
    held = _TOGETHER.sub("\N{NO-BREAK SPACE}", text)
    lines = wrap(held, max(width, 10), max_lines=most, placeholder=" …", break_on_hyphens=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]
