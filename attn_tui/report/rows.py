"""Rows of text with roles: charts and tables before they get colours."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from textwrap import wrap

from attn_tui.compute.text import clusters

Piece = tuple[str, str]
"""Text and its role, a name such as ``"scaled"`` to which the interface gives a colour."""

Row = tuple[Piece, ...]
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


_NARROW = re.compile("[ -~−×±∞–∂·√…‖Δσρμ₀-₉⁰¹²³⁴-⁹─-▟▸▲▼●◆■÷≈≥≤≫→←↑↓↕⠀-⣿]*")
"""Matches text that has one character a cell, and so need not be measured."""


def is_narrow(text: str) -> bool:
    """Return whether a text is known to have one character a cell."""
    return _NARROW.fullmatch(text) is not None


def cells(text: str) -> int:
    """Return the width of a text, in cells."""
    return len(text) if is_narrow(text) else _measured(text)


@lru_cache(maxsize=1024)
def _measured(text: str) -> int:
    # As Textual counts, which lays these texts out. Imported here because few texts are wide.
    from rich.cells import cell_len

    return cell_len(text)


def in_cells(text: str) -> list[str]:
    """Return a text cell by cell.

    The second cell of a wide character is empty; what takes no cell of its own belongs to the cell
    before it. A text of no width has no cells. Joiners outside an emoji are left out, since they
    would join whatever is written behind them.

    >>> in_cells("a猫")
    ['a', '猫', '']
    """
    if is_narrow(text):
        return [*text]
    parts: list[str] = []
    seen = [cluster for cluster in clusters(text) if len(cluster) > 1 or cluster.isprintable()]
    text = "".join(seen)
    for cluster in seen:
        width = cells(cluster)
        if width:
            parts += [cluster, *[""] * (width - 1)]
        elif parts:
            last = next(place for place in reversed(range(len(parts))) if parts[place])
            parts[last] += cluster
    total = cells(text)
    # Some letters take fewer cells together than one by one: they stay in one piece.
    return parts if len(parts) == total else [text, *[""] * (total - 1)][:total]


def between(parts: Sequence[str], start: int, stop: int) -> list[str]:
    """Return some of the cells of a text, with blanks for what is left of a character that is cut.

    Args:
        parts: All cells of the text, as `in_cells` returns them.
        start: The first cell to return.
        stop: The cell after the last.
    """
    kept = [*parts[start:stop]]
    place = 0
    while place < len(kept) and not kept[place]:
        kept[place] = " "
        place += 1
    is_cut = bool(kept) and stop < len(parts) and not parts[stop]
    place = len(kept) - 1
    while is_cut:
        is_cut = not kept[place]
        kept[place] = " "
        place -= 1
    return kept


def length(row: Iterable[Piece]) -> int:
    """Return the width of a row, in cells."""
    return sum(cells(text) for text, _ in row)


def fitted(row: Iterable[Piece], width: int) -> Row:
    """Return a row of exactly ``width`` cells: cut, with an ellipsis, or filled with blanks."""
    spans = [span for span in row if span[0]]
    room = width - length(spans)
    if room > 0:
        return (*spans, (" " * room, "text"))
    return tuple(spans) if room == 0 else _cut(spans, width)


def _cut(spans: Sequence[Piece], width: int) -> Row:
    """Return as much of spans as fits a width, with an ellipsis in the last cell."""
    kept: list[Piece] = []
    room = width - 1
    for text, role in spans:
        part = ""
        for cluster in clusters(text):
            room -= cells(cluster)
            if room < 0:
                break
            part += cluster
        kept.append((part, role))
        if room < 0:
            break
    if width > 0:
        end = "…" + " " * (width - 1 - length(kept))
        kept.append((end, "muted"))
    return tuple(span for span in kept if span[0])
