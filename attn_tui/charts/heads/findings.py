"""What the doctor says: the verdict, and a line for each head."""

from collections.abc import Sequence
from textwrap import wrap

from attn_tui.charts.glyphs import POINTER
from attn_tui.charts.rows import Row, fitted

_GAP = 2
_ROLES = {"differs": "error", "cannot tell": "strong"}


def finding_rows(
    verdict: str,
    titles: Sequence[str],
    lines: Sequence[Sequence[str]],
    widths: Sequence[int],
    place: int,
    width: int,
    height: int,
) -> Sequence[Row]:
    """Draw the verdict, and below it heads about one of them.

    Args:
        verdict: The line to paste.
        titles: The names of the columns.
        lines: A text for each column, of each head; the third is its verdict.
        widths: Cells of each column.
        place: The line with the cursor.
        width: Cells of every row returned.
        height: Number of rows returned.
    """
    kind = verdict.partition(":")[0]
    role = _ROLES.get(kind, "strong")
    said = wrap(verdict, max(width - 2, 10), break_on_hyphens=False) or ["…"]
    rows: list[Row] = [fitted(((f" {line}", role),), width) for line in said[: max(height - 3, 1)]]
    rows.append(fitted((), width))
    columns = _fitting(titles, widths, width - 1)
    rows.append(fitted(((" ", "label"), *_cells(titles, widths, columns, "label")), width))
    room = height - len(rows)
    top = min(max(place - room // 2, 0), max(len(lines) - room, 0))
    for at in range(top, min(top + max(room, 0), len(lines))):
        here, own = at == place, _ROLES.get(lines[at][2], "text")
        cells = _cells(lines[at], widths, columns, "focus" if here else own)
        rows.append(fitted(((POINTER if here else " ", "cursor"), *cells), width))
    rows = rows[:height]
    return [*rows, *[fitted((), width)] * (height - len(rows))]


def _fitting(titles: Sequence[str], widths: Sequence[int], width: int) -> list[int]:
    """Return the columns there is room for: what is least needed is left out first."""
    kept = [*range(len(titles))]
    for least in (8, 7, 5, 4, 6, 3):
        if sum(widths[at] + _GAP for at in kept) <= width:
            break
        kept.remove(least)
    return kept


def _cells(
    texts: Sequence[str], widths: Sequence[int], columns: Sequence[int], role: str
) -> list[tuple[str, str]]:
    left = {2, 3, 4, 5, 6, 8}
    return [
        ((f"{texts[at]:<{widths[at]}}" if at in left else f"{texts[at]:>{widths[at]}}"), role)
        if index == len(columns) - 1
        else (
            (f"{texts[at]:<{widths[at]}}" if at in left else f"{texts[at]:>{widths[at]}}")
            + " " * _GAP,
            role,
        )
        for index, at in enumerate(columns)
    ]
