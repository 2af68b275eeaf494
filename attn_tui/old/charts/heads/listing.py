"""Heads as a list: a line each, with every statistic there is room for."""

from collections.abc import Iterable, Sequence

import numpy as np

from attn_tui.captures.capture import HeadId
from attn_tui.charts.glyphs import POINTER
from attn_tui.compute.counted import counted
from attn_tui.compute.heads.statistic import STATISTICS, TAU
from attn_tui.engine.condition import parse_condition
from attn_tui.engine.table import HeadTable
from attn_tui.old.charts.heads.shading import SCALES
from attn_tui.old.charts.heat import signed_fill, signed_role
from attn_tui.report.heads.values import UNCOUNTED, brief, number
from attn_tui.report.rows import Row, filled, message

_GAP, _LEAST = 2, 7
"""Columns between two statistics, and of one at least."""


def listed(
    table: HeadTable, name: str, tau: float = TAU, sort: str = "worst", only: str = ""
) -> list[HeadId]:
    """Return the heads that are listed, in their order.

    Args:
        table: What is known.
        name: The statistic they are sorted by.
        tau: The largest logit that QK-clip leaves alone.
        sort: ``worst`` for those to look at first, ``place`` for layer and head.
        only: A condition, as `parse_condition` reads it, or words of their names.

    Raises:
        InputError: With field ``"only"``, if it is neither.
    """
    keep = np.array([head in table.partials for head in table.heads], bool)
    if any(sign in only for sign in "<>"):
        condition = parse_condition("only", only)
        values = table.values(condition.statistic, tau)
        with np.errstate(invalid="ignore"):
            keep &= np.array([condition.holds(float(each)) for each in values], bool)
    elif words := only.lower().split():
        keep &= np.array([_is(head, words) for head in table.heads], bool)
    values = table.values(name, tau)
    order = np.arange(len(values))
    if sort == "worst":
        sign = 1.0 if STATISTICS[name].worst == "small" else -1.0
        # Of equals, such as heads that put nothing on one key, the sharper comes first.
        keys = (table.values("entropy"), np.where(np.isnan(values), np.inf, sign * values))
        order = np.lexsort(keys)
    return [table.heads[at] for at in order if keep[at]]


def _is(head: HeadId, words: Sequence[str]) -> bool:
    """Return whether words are of a head: ``layer 3 head 5``, or numbers alone."""
    text = f"layer {head.layer} head {head.head} sequence {head.batch}"
    return f" {' '.join(words)} " in f" {text} "


def top_row(place: int, count: int, height: int) -> int:
    """Return the first line that is in sight, so that that of the cursor is."""
    return min(max(place - height // 2, 0), max(count - height, 0))


def head_list(
    table: HeadTable,
    heads: Sequence[HeadId],
    cursor: HeadId,
    name: str,
    width: int,
    height: int,
    tau: float = TAU,
) -> Sequence[Row]:
    """Draw the list about the cursor, under the names of the columns and what they are over.

    Args:
        table: What is known.
        heads: Those that are listed, in their order.
        cursor: The head with the cursor.
        name: The statistic that stands first.
        width: Cells of every row returned.
        height: Number of rows returned.
        tau: The largest logit that QK-clip leaves alone.
    """
    if not heads:
        return message(f" {_why_none(table)}", width, height)
    batches = table.n_batches > 1
    start = (" sequence" if batches else "") + " layer  head"
    names = [*_fitting(name, width - len(start) - 1)]
    title: Row = ((start, "label"), *((_above(each), "label") for each in names))
    under = "".join(f"{STATISTICS[each].column:>{_width(each)}}" for each in names)
    rows: list[Row] = [title, ((f"{'':{len(start)}}{under}", "muted"),)]
    lines = max(height - len(rows), 1)
    top = top_row(heads.index(cursor) if cursor in heads else 0, len(heads), lines)
    values = {each: table.values(each, tau) for each in names}
    # A number that does not count has no shade.
    uncounted = {each: table.uncounted(each) for each in names}
    for head in heads[top : top + lines]:
        role, own = ("focus", "strong") if head == cursor else ("text", "text")
        sequence = f"{head.batch:>8} " if batches else ""
        row: list[tuple[str, str]] = [
            (POINTER if head == cursor else " ", "cursor"),
            (f"{sequence}{head.layer:>5}{head.head:>6}", role),
        ]
        for each in names:
            value = float(values[each][table.places[head]])
            shade = SCALES[each].shade(value)
            fill = signed_fill(value, shade) if shade else " "
            if head in uncounted[each]:
                fill = UNCOUNTED
            room = _width(each) - _GAP - 1
            text = number(each, value)
            text = text if len(text) <= room else brief(each, value)
            row += [
                (" " * _GAP, "text"),
                (fill, signed_role(value, shade)),
                (f"{text:>{room}}", own),
            ]
        rows.append(tuple(row))
    return filled(rows, width, height)


def _why_none(table: HeadTable) -> str:
    """Return why no head is listed."""
    known, total = len(table.partials), len(table.heads)
    if not known:
        return f"{counted(total, 'head')}, none looked at yet"
    again = "the settings (tab) list all again"
    if known < total:
        return f"Of {counted(known, 'head')} looked at so far none is like that: {again}"
    return f"No head is like that: {again}"


def _width(name: str) -> int:
    return max(len(STATISTICS[name].title), len(STATISTICS[name].column), _LEAST) + _GAP


def _above(name: str) -> str:
    return f"{STATISTICS[name].title:>{_width(name)}}"


def _fitting(name: str, width: int) -> Iterable[str]:
    """Yield the statistic that is looked at, and as many others as there is room for."""
    for each in dict.fromkeys((name, *STATISTICS)):
        if (width := width - _width(each)) < 0:
            return
        yield each
