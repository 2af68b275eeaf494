"""Rows of text with roles: what every chart and table is made of before it has colours."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from unicodedata import category, east_asian_width

from attn_tui.compute.visible import clusters, is_widened

Span = tuple[str, str]
"""Text and its role; a role is a name such as ``"scaled"`` that the interface gives a colour."""

Row = tuple[Span, ...]
"""One line of the screen, from left to right."""


def plain(rows: Iterable[Row]) -> str:
    """Return the text of rows without their roles, trailing blanks cut."""
    return "\n".join("".join(text for text, _ in row).rstrip() for row in rows)


def cells(text: str) -> int:
    """Return how many cells of the screen a text takes."""
    return len(text) if text.isascii() else _measured(text)


@lru_cache(maxsize=4096)
def _measured(text: str) -> int:
    return sum(map(_cells_of, clusters(text)))


def length(row: Iterable[Span]) -> int:
    """Return how many cells a row takes."""
    return sum(cells(text) for text, _ in row)


def fitted(row: Iterable[Span], width: int) -> Row:
    """Return a row of exactly ``width`` cells: cut, with an ellipsis, or filled with blanks."""
    spans = [span for span in row if span[0]]
    room = width - length(spans)
    if room > 0:
        return (*spans, (" " * room, "text"))
    return tuple(spans) if room == 0 else _cut(spans, width)


def first_fit(rows: Sequence[Row], width: int) -> Row:
    """Return the first row that fits into ``width`` cells, or the last one."""
    return next((row for row in rows if length(row) <= width), rows[-1])


def first_text(texts: Sequence[str], width: int) -> str:
    """Return the first text that fits into ``width`` cells, or the last one."""
    return next((text for text in texts if cells(text) <= width), texts[-1])


def packed(
    choices: Sequence[tuple[Row, Sequence[Row]]], width: int, height: int, gap: int = 2
) -> list[Row]:
    """Return the first choice that fits, or as much of the last as does and how much more it has.

    Args:
        choices: What a block begins with, and the parts that follow, one after another.
        width: Cells of a row; a part that is longer has a row of its own, and is not cut.
        height: Number of rows at most.
        gap: Cells between two parts.
    """
    for start, parts in choices:
        rows = _laid(start, parts, width, gap)
        if len(rows) <= height:
            return rows
    for left in range(1, len(parts) + 1):
        rows = _laid(start, [*parts[:-left], ((f"… {left} more", "muted"),)], width, gap)
        if len(rows) <= height:
            break
    return rows[: max(height, 1)]


def _laid(start: Row, parts: Sequence[Row], width: int, gap: int) -> list[Row]:
    """Return rows of whole parts, one after another."""
    rows = [start]
    for part in parts:
        if rows[-1] and length(rows[-1]) + gap + length(part) > width:
            rows.append(())
        space: Row = ((" " * gap, "text"),) if rows[-1] else ()
        rows[-1] = (*rows[-1], *space, *part)
    return rows


def beside(left: Sequence[Row], right: Sequence[Row], gap: int = 1) -> tuple[Row, ...]:
    """Return two blocks of equal height side by side."""
    between: Row = ((" " * gap, "text"),) if gap else ()
    return tuple((*a, *between, *b) for a, b in zip(left, right, strict=True))


def message(text: str, width: int, height: int, role: str = "muted") -> tuple[Row, ...]:
    """Return a block of exactly ``width`` × ``height`` cells that holds one line of text."""
    return tuple(fitted(((text, role),) if row == 0 else (), width) for row in range(height))


def _cells_of(cluster: str) -> int:
    """Return how many cells a character takes, or several that are one emoji."""
    first = cluster[0]
    if category(first) in ("Mn", "Me", "Cf") or "🏻" <= first <= "🏿":
        return 0
    return 2 if east_asian_width(first) in "WF" or is_widened(cluster) else 1


def _cut(spans: Sequence[Span], width: int) -> Row:
    """Return what fits of spans that are too long, the last cell an ellipsis."""
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
