"""How rows share the room there is: the first choice that fits, and blocks beside others."""

from collections.abc import Sequence

from attn_tui.report.rows import Row, cells, length


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
