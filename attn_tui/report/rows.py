"""Rows of text with roles: charts and tables before they get colours."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from textwrap import wrap
from unicodedata import category, east_asian_width

from attn_tui.compute.text import clusters, is_widened

Span = tuple[str, str]
"""Text and its role, a name such as ``"scaled"`` to which the interface gives a colour."""

Row = tuple[Span, ...]
"""One line of the screen, from left to right."""


WIDTH = 80
"""Width of a text report, in columns."""


def plain(rows: Iterable[Row]) -> str:
    """Return the text of rows without roles and trailing blanks."""
    return "\n".join("".join(text for text, _ in row).rstrip() for row in rows)


def labelled(label: str, text: str, size: int, width: int = WIDTH) -> str:
    """Return text, in lines of a report, after a label that is ``size`` columns wide."""
    lines = wrap(text, width - size, break_on_hyphens=False) or [""]
    return "".join(f"{label * (index == 0):<{size}}{line}\n" for index, line in enumerate(lines))


_NARROW = re.compile("[ -~−×±∞–∂·√…‖Δσρμ₀-₉⁰¹²³⁴-⁹─-▟▸▲▼●◆■÷≈≥≤≫→←↑↓⠀-⣿]*")
"""Matches text that has one character a cell, and so need not be measured."""


def is_narrow(text: str) -> bool:
    """Return whether a text is known to have one character a cell."""
    return _NARROW.fullmatch(text) is not None


def cells(text: str) -> int:
    """Return the width of a text, in cells."""
    return len(text) if is_narrow(text) else _measured(text)


@lru_cache(maxsize=1024)
def _measured(text: str) -> int:
    return sum(map(_cells_of, clusters(text)))


def length(row: Iterable[Span]) -> int:
    """Return the width of a row, in cells."""
    return sum(cells(text) for text, _ in row)


def fitted(row: Iterable[Span], width: int) -> Row:
    """Return a row of exactly ``width`` cells: cut, with an ellipsis, or filled with blanks."""
    spans = [span for span in row if span[0]]
    room = width - length(spans)
    if room > 0:
        return (*spans, (" " * room, "text"))
    return tuple(spans) if room == 0 else _cut(spans, width)


def _cells_of(cluster: str) -> int:
    """Return the width in cells of a character, or of several that form one emoji."""
    first = cluster[0]
    if category(first) in ("Mn", "Me", "Cf") or "🏻" <= first <= "🏿":
        return 0
    return 2 if east_asian_width(first) in "WF" or is_widened(cluster) else 1


def _cut(spans: Sequence[Span], width: int) -> Row:
    """Return as much of spans as fits a width, with an ellipsis in the last cell."""
    kept: list[Span] = []
    room = width - 1
    for text, role in spans:
        part = ""
        for cluster in clusters(text):
            if (room := room - _cells_of(cluster)) < 0:
                break
            part += cluster
        kept.append((part, role))
        if room < 0:
            break
    if width > 0:
        end = "…" + " " * (width - 1 - length(kept))
        kept.append((end, "muted"))
    return tuple(span for span in kept if span[0])
