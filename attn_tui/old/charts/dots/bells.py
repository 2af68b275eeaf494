"""The picture of Dot products: how q·k and m·q·k are spread, one above the other on one axis."""

import re
from collections.abc import Sequence

import numpy as np

from attn_tui.charts.glyphs import SCALED, UNSCALED
from attn_tui.compute.dots.answer import Answer
from attn_tui.compute.dots.histogram import REACH
from attn_tui.old.charts.axis import Floats
from attn_tui.old.charts.curves import Curve, draw_curves
from attn_tui.old.charts.dots.values import GUTTER, ValueAxis, labelled
from attn_tui.old.charts.grid import Grid
from attn_tui.old.charts.rows import first_text
from attn_tui.report.headline import DIVISORS, setting
from attn_tui.report.numbers import general
from attn_tui.report.rows import Row, fitted, message

LEAST, WITH_SIZES = 4, 6
"""Fewer rows hold no picture, or no brackets that say how wide a bell is."""

FAR = 1e140
"""Multipliers as far from 1 have no picture: the slopes of densities, as 1/m², leave float64."""

_EACH = 4
"""So many bins make a standard deviation."""

_PARTS = 8
"""Into so many parts a bin is cut to draw what goes evenly from one to the next."""

_CURVE = "label"

_RUN = re.compile("[^ ]+")

_BLOCKS = {"unscaled": UNSCALED, "scaled": SCALED}
"""Equal parts of a cell of a bar of each side, rising."""


def bells(answer: Answer, width: int, height: int, linear: bool = False) -> tuple[Row, ...]:
    """Draw the densities of q·k and m·q·k, each to its own height, on one axis of values.

    Bars are of the sample, in bins of a quarter of a standard deviation, joined from middle to
    middle; the line is exact. The axis is the same at every d_k.

    Args:
        answer: What was drawn so far.
        width: Cells of every row returned.
        height: Number of rows returned.
        linear: Whether the axis is linear, and that of the present d_k.
    """
    law, m = answer.law, answer.multiplier
    if law.standard_deviation == 0.0:
        texts = ("q·k is always the same number: there is no spread to show", "no spread to show")
        return message(first_text(texts, width), width, height)
    if not 1.0 / FAR < m < FAR:
        return message(f"m = {general(m)}: too far from 1 for a picture", width, height)
    width -= GUTTER
    if height < LEAST or width < GUTTER:
        return message("too small for a picture", width + GUTTER, height)
    axis = ValueAxis.of(answer.settings, m, law.d_k, linear)
    with_sizes = height >= WITH_SIZES
    lines = (height - 2) // 2 - with_sizes
    rows: list[Row] = []
    for role, times, more in (("unscaled", 1.0, height % 2), ("scaled", m, 0)):
        grid = Grid(width, lines + more)
        _bars(grid, answer, times, axis, role)
        first, *others = grid.rows()
        rows.append(labelled(named(answer, role), role, first))
        others += [_bracket(answer, times, axis, width, role)] * with_sizes
        rows += [labelled("", role, other) for other in others]
    rows += axis_rows(axis, width)
    return tuple(fitted(row, width + GUTTER) for row in rows)


def named(answer: Answer, role: str) -> str:
    """Return what a side is drawn with, and what it is called."""
    divisor = DIVISORS.get(answer.experiment.setup.scale.rule)
    scaled = f"÷{divisor}" if divisor else f"× {general(answer.multiplier, 3)}"
    return f"{_BLOCKS[role][-1]} {scaled if role == 'scaled' else 'q·k'}"


def _bars(grid: Grid, answer: Answer, m: float, axis: ValueAxis, role: str) -> None:
    """Draw the sample's bars, and the exact curve in front of them."""
    histogram, curves = answer.histogram.scaled(m), answer.curves.scaled(m)
    edges = _edges(answer, m)
    columns = axis.values(np.linspace(0.0, 1.0, grid.width + 1))
    sampled = _means(histogram.edges, histogram.density, edges)
    exact = sampled
    if curves.exact is not None:
        known = np.isfinite(curves.exact)
        exact = np.interp(_middles(edges), curves.x[known], curves.exact[known])
    top = float(_means(edges, exact, columns).max(initial=0.0))
    if not curves.discrete:
        # Bins have steps that would stand out of a line that falls within one.
        fine = np.linspace(edges[0], edges[-1], _PARTS * sampled.size + 1)
        edges, sampled = fine, np.interp(_middles(fine), _middles(edges), sampled)
    seen = _means(edges, sampled, columns)
    top = top or float(seen.max(initial=0.0)) or 1.0
    levels = np.clip(seen / top, 0.0, 1.0) * grid.height
    blocks = f" {_BLOCKS[role]}"
    for row in range(grid.height):
        parts = np.rint((len(blocks) - 1) * np.clip(levels - row, 0.0, 1.0)).astype(int).tolist()
        text = "".join(blocks[part] for part in parts)
        for run in _RUN.finditer(text):
            grid.put(run.start(), grid.height - 1 - row, run[0], role)
    if curves.exact is None or not curves.lined:
        return
    dots = axis.values((np.arange(2 * grid.width) + 0.5) / (2 * grid.width))
    good = np.isfinite(curves.exact)
    line = np.interp(dots, curves.x[good], curves.exact[good], left=np.nan, right=np.nan)
    heights = np.minimum(line / top, 1.0) * (4 * grid.height - 1)
    # What is lower than half a dot is on the axis itself, where bars end too.
    heights[heights < 0.5] = np.nan
    curve = Curve(np.arange(2 * grid.width), np.round(heights), (2, 4), "braille", _CURVE, True)
    draw_curves(grid, [curve])


def _edges(answer: Answer, m: float) -> Floats:
    """Return the edges of the bins that are shown."""
    if answer.curves.discrete:
        return answer.histogram.edges * m
    mean, spread = answer.law.mean * m, answer.law.standard_deviation * m
    return mean + spread * np.linspace(-REACH, REACH, round(2 * REACH * _EACH) + 1)


def _middles(edges: Floats) -> Floats:
    middles: Floats = (edges[1:] + edges[:-1]) / 2.0
    return middles


def _means(edges: Floats, density: Floats, places: Floats) -> Floats:
    """Return the mean density between neighbours of rising places, shape (len(places) − 1,)."""
    areas = np.concatenate([[0.0], np.cumsum(density * np.diff(edges))])
    means: Floats = np.diff(np.interp(places, edges, areas)) / np.diff(places)
    return means


def _bracket(answer: Answer, m: float, axis: ValueAxis, width: int, role: str) -> Row:
    """Return a bracket one standard deviation to either side of the exact mean, with its size.

    Beyond the ends of the axis an arrow says where the mean is.
    """
    mean, spread = answer.law.mean * m, answer.law.standard_deviation * m
    place, *ends = axis.fractions(np.array([mean, mean - spread, mean + spread]))
    left, right = (min(max(int(end * width), 0), width - 1) for end in ends)
    text = f" σ = {setting(spread)} "
    grid = Grid(width, 1)
    if not 0.0 <= place <= 1.0:
        far = f"mean {setting(mean)}, σ = {setting(spread)}"
        grid.put_if_free(
            width if place > 1.0 else 0, 0, f"{far} →" if place > 1.0 else f"← {far}", role
        )
        return grid.rows()[0]
    inside = text if right - left > len(text) else ""
    bracket = f"├{inside.center(right - left - 1, '─')}┤" if right > left else "┴"
    grid.put(left, 0, bracket, role)
    if not inside:
        # Beside it on its right, or else on its left.
        room = right + 2 + len(text) <= width
        grid.put_if_free(right + 2 if room else left - len(text), 0, text.strip(), role)
    return grid.rows()[0]


def axis_rows(axis: ValueAxis, width: int) -> Sequence[Row]:
    """Return the axis of values and its ticks, two rows."""
    line, texts = Grid(width, 1), Grid(width, 1)
    line.put(0, 0, "─" * width, "axis")
    for value, text in axis.ticks:
        column = min(int(axis.fractions(np.array([value]))[0] * width), width - 1)
        if texts.put_if_free(column - len(text) // 2, 0, text, "axis"):
            line.put(column, 0, "┴", "axis")
    return [labelled("", "axis", row) for row in (*line.rows(), *texts.rows())]
