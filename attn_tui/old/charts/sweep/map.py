"""A statistic of drawn vectors over n and d_k as a heat map, or its ratio unscaled to scaled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.points import Place, held
from attn_tui.compute.sweep.settings import first_draws
from attn_tui.old.charts.heat import Cell, HeatMap
from attn_tui.old.charts.heat import Place as Cells
from attn_tui.old.charts.rows import first_fit, first_text
from attn_tui.old.charts.sweep.shading import (
    FACTORS,
    LEAST_FACTOR,
    FactorShading,
    SizeShading,
    size_shading,
)
from attn_tui.old.charts.sweep.signs import DEFAULT_LOOK, Look
from attn_tui.old.report.sweep.headline import Of, change
from attn_tui.report.rows import Row, filled, message
from attn_tui.sweep.names import NAMES, doing, interval_text, mean_text, name_of

LEAST_BODY, LARGEST, LARGEST_FACTOR = 1, (12, 3), (10, 4)
"""Columns of a cell at least; columns and rows of one at most, and of one with a factor."""


UNKNOWN = Cell(0, "_", "muted")
"""The cell of a place where nothing is drawn yet."""


@dataclass(frozen=True)
class Layout:
    """Which places of a map are drawn, and where.

    Attributes:
        ns: The n of its rows, the largest on top.
        d_ks: The d_k of its columns.
        cells: Where their cells stand.
        readout: Whether there is a row for the number under the cursor; it stands in the first row
            where that makes room for every n.
        legend: Whether there is a row that explains the shades.
    """

    ns: tuple[int, ...]
    d_ks: tuple[int, ...]
    cells: Cells
    readout: bool
    legend: bool


def layout(answer: Answer, cursor: Place, width: int, height: int) -> Layout | None:
    """Return where places are drawn, not all of them if there is no room; None if for none."""
    ns, d_ks = answer.points.ns[::-1], answer.points.d_ks
    factors = answer.settings.ratio
    # What a factor's number would say stands in its cell.
    readout, legend = height >= 5 and not factors, height >= 7
    rows = height - 2 - readout - legend
    if readout and len(ns) == rows + 1:
        readout, rows = False, rows + 1
    gutter = max((len(str(n)) for n in ns), default=0) + 2
    columns = (width - gutter) // ((LEAST_FACTOR if factors else LEAST_BODY) + 1)
    if not ns or rows < 1 or columns < 2:
        return None
    shown_ns = _some(ns, rows, held(ns, cursor[0]))
    shown_d_ks = _some(d_ks, columns, held(d_ks, cursor[1]))
    shape = len(shown_ns), len(shown_d_ks)
    cells = Cells.fit(shape, (width, rows), gutter, LARGEST_FACTOR if factors else LARGEST)
    return Layout(shown_ns, shown_d_ks, cells, readout, legend)


def _some(places: Sequence[int], most: int, kept: int) -> tuple[int, ...]:
    """Return at most so many places about one of them, all equally far apart."""
    step = max(round(len(places) / most), 1)
    spread = places[places.index(kept) % step :: step]
    first = min(max(spread.index(kept) - most // 2, 0), max(len(spread) - most, 0))
    return tuple(spread[first : first + most])


def place_on_map(
    answer: Answer, x: int, y: int, cursor: Place, width: int, height: int
) -> Place | None:
    """Return the n and d_k of the cell at a column and a row of the map, or None beside it."""
    seen = layout(answer, cursor, width, height)
    if seen is None:
        return None
    found = seen.cells.at(x, y - 1)
    return (seen.ns[found[0]], seen.d_ks[found[1]]) if found else None


def sweep_map(
    answer: Answer,
    rule: str,
    of: Of,
    cursor: Place,
    width: int,
    height: int,
    look: Look = DEFAULT_LOOK,
) -> tuple[Row, ...]:
    """Draw the statistic of the settings at every n and d_k, or its ratio.

    Args:
        answer: The points so far.
        rule: Under which rule; of a ratio, the one that is removed.
        of: Mean or median over draws.
        cursor: The place whose number is written out; the nearest there is.
        width: Cells of every row returned.
        height: Number of rows returned.
        look: How it is looked at.
    """
    seen = layout(answer, cursor, width, height)
    if seen is None:
        text = "Map: too small" if answer.points else "Nothing is drawn yet"
        return message(text, width, height)
    at = (held(seen.ns, cursor[0]), held(seen.d_ks, cursor[1]))
    shading, known = _cells(answer, rule, of, look, seen.cells.body)
    readouts = _readouts(answer, rule, of, at)
    titles = _titles(answer, rule, of, shading.ends)
    heads: list[Row] = [((title, "strong"),) for title in titles]
    if not seen.readout and not answer.settings.ratio:
        heads = [(*heads[1], (f"  {text}", "cursor")) for text in readouts] + heads[1:]
    rows = [first_fit(heads, width)]
    cells = [[known.get((n, d_k), UNKNOWN) for d_k in seen.d_ks] for n in seen.ns]
    here = seen.ns.index(at[0]), seen.d_ks.index(at[1])
    ns, d_ks = ([str(place) for place in places] for places in (seen.ns, seen.d_ks))
    crossings = () if answer.settings.ratio else _crossings(answer, rule, seen)
    drawn = HeatMap(cells, ns, d_ks, "n\\d_k", here, below=True, line=crossings)
    rows += drawn.drawn(seen.cells, width)
    room = height - len(rows) - seen.readout
    mark = _marked(answer, rule, cursor)
    legend = shading.legend(mark, width, max(room - 1, 1)) if seen.legend else []
    if seen.cells.tall > 1 and len(legend) < room - 1:
        legend += shading.scale
    rows += [()] * (room > len(legend))
    if seen.readout:
        rows.append(((first_text(readouts, width), "cursor"),))
    return filled([*rows, *legend], width, height)


def _cells(
    answer: Answer, rule: str, of: Of, look: Look, body: int
) -> tuple[FactorShading | SizeShading, Mapping[Place, Cell]]:
    """Return the shades there are, and the cell of each place of which something is known."""
    points, statistic = answer.points, answer.settings.statistic
    there = {(point.n, point.d_k): point for point in points if point.rule == rule}
    if answer.settings.ratio:
        factors = {place: change(points, place, rule, statistic, of) for place in there}
        known = {place: each for place, each in factors.items() if points.unscaled(*place)}
        return FACTORS, {place: FACTORS.cell(each, body) for place, each in known.items()}
    ones = {place: point.statistics[statistic] for place, point in there.items()}
    values = {at: one.log_median if of == "median" else one.log_mean for at, one in ones.items()}
    shading = size_shading(answer, values, look.log)
    return shading, {place: shading.cell(value, body) for place, value in values.items()}


def _crossings(answer: Answer, rule: str, seen: Layout) -> list[float | None]:
    """Return where logits condense in each row, in columns from the first; None beside the map."""
    marks = (each for each in answer.condensation if each.rule == rule)
    d_k_of = {int(each.n): each.d_k for each in marks if each.n is not None}
    first, last = seen.d_ks[0], seen.d_ks[-1]
    places, logs = range(len(seen.d_ks)), np.log(seen.d_ks)
    return [
        float(np.interp(log(d_k), logs, places)) if d_k and first <= d_k <= last else None
        for d_k in map(d_k_of.get, seen.ns)
    ]


def _marked(answer: Answer, rule: str, cursor: Place) -> str:
    """Return what is marked: of factors the cell, else the line; nothing if there is none."""
    if answer.settings.ratio:
        return "you are here" if answer.points.nearest(cursor) == cursor else "nearest to you"
    known = any(each.rule == rule and each.d_k is not None for each in answer.condensation)
    return "σ_c: logits condense" if known else ""


def _titles(answer: Answer, rule: str, of: Of, ends: str) -> list[str]:
    """Return what is shown in words, at decreasing length, the first with the scale."""
    named = NAMES[answer.settings.statistic]
    what = f"{of} {named.symbol}"
    if answer.settings.ratio:
        does = f"what {doing(rule)} does to the {of} of {first_draws(answer.settings):,} draws"
        return [f"{named.short}, {named.symbol}: {does}", f"{named.symbol}: {does}", what]
    title = f"{what}, {name_of(rule)}"
    return [f"{title}, {ends}", title, what]


def _readouts(answer: Answer, rule: str, of: Of, at: Place) -> list[str]:
    """Return the number under the cursor in words, at decreasing length."""
    n, d_k = at
    place = f"n = {n:,}, d_k = {d_k:,}"
    statistic = answer.settings.statistic
    point = answer.points.at(n, d_k, rule)
    if point is None:
        return [f"{place}: not drawn yet"]
    summary = point.statistics[statistic]
    number = interval_text(summary) if of == "median" else mean_text(summary)
    alone = f"{of} {NAMES[statistic].symbol} {name_of(rule)} {number}"
    return [f"{place}: {alone}", f"{place}: {number}", number]
