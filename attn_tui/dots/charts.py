"""What Dot products draws: two densities on one axis, moments, and the spread over d_k."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import asinh, sinh

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import ramp
from attn_tui.charts.figure import BLANK, Axis, Curve, Figure, braille
from attn_tui.charts.table import Column, Table
from attn_tui.compute.dots.answer import Answer
from attn_tui.compute.number import Number
from attn_tui.explore.charts import d_k_axis
from attn_tui.report.measured import exact, with_error
from attn_tui.report.numbers import general

Numbers = NDArray[np.float64]

HEIGHTS = " ▁▂▃▄▅▆▇"
"""A cell filled from below by so many eighths."""

REACH = 4.0
"""Standard deviations of the unscaled that the axis shows on either side of its mean."""

SIDES = ("unscaled", "scaled")


@dataclass(frozen=True)
class Line:
    """The axis that both densities stand on.

    Attributes:
        low: Its left end.
        high: Its right end.
        stretched: Whether places are asinh of the values, so that it stands still while d_k moves.
    """

    low: float
    high: float
    stretched: bool = False

    def share(self, x: Numbers) -> Numbers:
        """Return where values lie, from 0 at the left end to 1 at the right one."""
        if self.stretched:
            low, high = asinh(self.low), asinh(self.high)
            return (np.arcsinh(x) - low) / (high - low)
        return (x - self.low) / (self.high - self.low)

    def edges(self, columns: int) -> Numbers:
        """Return the values at the edges of so many columns, shape (columns + 1,)."""
        if self.stretched:
            return np.sinh(np.linspace(asinh(self.low), asinh(self.high), columns + 1))
        return np.linspace(self.low, self.high, columns + 1)

    def ticks(self) -> list[float]:
        """Return values that are worth a tick."""
        if self.stretched:
            ends = [each for each in (1.0, 10.0, 100.0, 1000.0, 10_000.0) if each <= self.high]
            return [*(-each for each in reversed(ends)), 0.0, *ends]
        return [float(tick) for tick in np.linspace(self.low, self.high, 5)]


def line_of(answer: Answer, stretched: bool) -> Line:
    """Return the axis that holds both densities.

    The linear one reaches four standard deviations of q·k to either side of its mean and holds 0;
    the stretched one is the same for every d_k.
    """
    if stretched:
        return Line(-sinh(11.0) / 10, sinh(11.0) / 10, stretched=True)
    law = answer.law
    reach = REACH * (law.standard_deviation or 1.0)
    ends = [law.mean - reach, law.mean + reach, 0.0]
    if answer.multiplier > 1.0:
        ends += [answer.multiplier * end for end in ends]
    return Line(min(ends), max(ends))


@dataclass(frozen=True, eq=False)
class Bells:
    """The densities of q·k and of m·q·k, one above the other, each to its own height.

    Attributes:
        answer: What was drawn, and the law.
        names: What the two are called.
        stretched: Whether the axis is asinh.
    """

    answer: Answer
    names: tuple[str, str]
    stretched: bool = False

    def draw(self, columns: int, lines: int, colours: Mapping[str, str]) -> Cells:
        """Draw both with a bracket for σ below each, and the axis in the last two lines."""
        cells = Cells(columns, lines)
        if columns < 20 or lines < 8:
            return cells
        axis = line_of(self.answer, self.stretched)
        height = (lines - 2) // 2 - 1
        for place, kind in enumerate(SIDES):
            top = place * (height + 1)
            m = self.answer.multiplier if place else 1.0
            self._draw_bell(cells, top, height, kind, m, axis, colours)
            self._draw_bracket(cells, top + height, kind, m, axis, colours)
            cells.write(1, top, self.names[place], colours[kind])
        self._draw_axis(cells, axis, colours)
        return cells

    def _draw_bell(
        self, cells: Cells, top: int, height: int, kind: str, m: float, axis: Line,
        colours: Mapping[str, str],
    ) -> None:  # fmt: skip
        shares, dots = self.density(cells.columns, height, m, axis)
        steps = ramp(kind, colours["background"])
        eighths = np.round(shares * height * 8).astype(int)
        for row in range(height):
            line = top + height - 1 - row
            colour = steps[round((0.25 + 0.5 * row / height) * (len(steps) - 1))]
            for column, filled in enumerate(np.clip(eighths - 8 * row, 0, 8).tolist()):
                if filled == 8:
                    cells.backgrounds[line, column] = colour
                elif filled:
                    cells.write(column, line, HEIGHTS[filled], colour)
        for row, column in np.argwhere(dots > 0).tolist():
            line = top + row
            is_half_filled = eighths[column] - 8 * (height - 1 - row) >= 4
            if is_half_filled and not cells.backgrounds[line, column]:
                cells.backgrounds[line, column] = cells.colours[line, column]
            cells.write(column, line, chr(BLANK + int(dots[row, column])), colours["text"])

    def density(
        self, columns: int, lines: int, m: float, axis: Line
    ) -> tuple[Numbers, NDArray[np.uint8]]:
        """Return the drawn density of each column, from 0 to 1, and the dots of the exact one."""
        histogram = self.answer.histogram.scaled(m)
        edges = axis.edges(columns)
        total = max(histogram.count, 1)
        below = np.concatenate([[0], np.cumsum(histogram.counts)]) / total
        drawn = np.diff(np.interp(edges, histogram.edges, below)) / np.diff(edges)
        line = self._exact(axis.edges(2 * columns), m)
        most = max(float(drawn.max()), float(line.max()))
        if not most > 0.0:
            return np.zeros(columns), np.zeros((lines, columns), dtype=np.uint8)
        x = (np.arange(line.size) + 0.5) / line.size
        y = np.where(line > 0.004 * most, line / (1.05 * most), np.nan)
        dots = braille(columns, lines, tuple(x.tolist()), tuple(y.tolist()))
        return drawn / (1.05 * most), dots

    def _exact(self, edges: Numbers, m: float) -> Numbers:
        """Return the mean of the exact density between edges, 0 where it is not known."""
        curves = self.answer.curves.scaled(m)
        if curves.exact is None or curves.discrete:
            return np.zeros(edges.size - 1)
        known = np.isfinite(curves.exact)
        x, y = curves.x[known], curves.exact[known]
        below = np.concatenate([[0.0], np.cumsum((y[1:] + y[:-1]) / 2.0 * np.diff(x))])
        return np.asarray(np.diff(np.interp(edges, x, below)) / np.diff(edges))

    def _draw_bracket(
        self, cells: Cells, line: int, kind: str, m: float, axis: Line, colours: Mapping[str, str]
    ) -> None:
        """Draw from one standard deviation below the mean to one above, with what it is."""
        law = self.answer.law
        sigma = law.standard_deviation * m
        ends = np.array([law.mean * m - sigma, law.mean * m + sigma])
        left, right = np.clip(
            np.round(axis.share(ends) * (cells.columns - 1)).astype(int), 0, cells.columns - 1
        ).tolist()
        text = f" σ = {general(sigma, 3)} "
        if right - left >= len(text) + 3:
            body = text.center(right - left - 1, "─")
            cells.write(left, line, f"├{body}┤", colours[kind])
            return
        cells.write(left, line, "┴" * max(right - left + 1, 1), colours[kind])
        cells.write(right + 1, line, text, colours[kind])

    def _draw_axis(self, cells: Cells, axis: Line, colours: Mapping[str, str]) -> None:
        line = cells.lines - 2
        cells.write(0, line, "─" * cells.columns, colours["muted"])
        for tick in axis.ticks():
            share = float(axis.share(np.array([tick]))[0])
            column = min(max(round(share * (cells.columns - 1)), 0), cells.columns - 1)
            text = f"{tick:,.4g}".replace("-", "−")
            start = min(max(column - len(text) // 2, 0), cells.columns - len(text))
            cells.write(column, line, "┬", colours["muted"])
            if cells.is_free(max(start - 1, 0), line + 1, len(text)):
                cells.write(start, line + 1, text, colours["muted"])


@dataclass(frozen=True, eq=False)
class Moments:
    """What the sample says of each moment with its standard error, and the exact value.

    Attributes:
        answer: What was drawn, and the law.
        names: What the two sides are called.
    """

    answer: Answer
    names: tuple[str, str]

    def rows(self) -> list[tuple[str, Number, Number]]:
        """Return the moments with what is known of them on both sides."""
        first, second = self.answer.unscaled, self.answer.scaled
        return [
            ("variance", first.variance, second.variance),
            ("σ", first.standard_deviation, second.standard_deviation),
            ("mean", first.mean, second.mean),
            ("mean |x|", first.mean_size, second.mean_size),
            ("kurtosis", first.kurtosis, second.kurtosis),
            ("|x| ≤ 2σ", first.coverage, second.coverage),
        ]

    def draw(self, columns: int, lines: int, colours: Mapping[str, str]) -> Cells:
        """Draw a line a moment."""
        cells = Cells(columns, lines)
        side = (columns - 9) // 2
        known = min(10, side // 3)
        drawn = side - known - 1
        for place, kind in enumerate(SIDES):
            start = 9 + place * side
            cells.write(start + drawn - len(self.names[place]), 0, self.names[place], colours[kind])
            cells.write(start + side - len("exact"), 0, "exact", colours["muted"])
        for line, (name, *numbers) in enumerate(self.rows(), 1):
            cells.write(0, line, name, colours["text"])
            for place, number in enumerate(numbers):
                start = 9 + place * side
                text, truth = with_error(number, drawn - 1), exact(number, known)
                cells.write(start + drawn - len(text), line, text, colours[SIDES[place]])
                cells.write(start + side - len(truth), line, truth, colours["muted"])
        return cells


def spread_figure(answer: Answer, d_k: int, names: Sequence[str]) -> Figure:
    """Return the standard deviation of q·k and of m·q·k over d_k, both axes logarithmic."""
    growth = {each.rule: each for each in answer.growth}
    rule = answer.experiment.setup.scale.rule
    lines = [("unscaled", growth["none"], names[0])]
    if rule in growth and rule != "none":
        lines.append(("scaled", growth[rule], names[1]))
    values = np.concatenate([each.standard_deviation for _, each, _ in lines])
    values = values[values > 0.0]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.1, 10.0)
    low, high = low / 1.5, max(high, 2.0) * 1.2
    decades = [10.0**power for power in range(-8, 9)]
    ticks = tuple((tick, f"{tick:,g}") for tick in decades if low <= tick <= high)
    y = Axis(low, high, ticks, logarithmic=True)
    curves, dots = [], []
    for kind, each, name in lines:
        x = each.d_k.astype(np.float64)
        curves.append(Curve(x, each.standard_deviation, kind, name, filled=kind == "unscaled"))
        at = int(np.argmin(np.abs(np.log(x / d_k))))
        dots.append((float(each.standard_deviation[at]), kind))
    return Figure(curves, d_k_axis(), y, (float(d_k), f"{d_k:,}"), dots)


def rows_table(answer: Answer) -> Table:
    """Return the rows at other d_k: ±2√d_k, the variance, and how much lies inside."""
    rows = answer.table
    return Table(
        [
            Column("d_k", [f"{row.d_k:,}" for row in rows]),
            Column("±2√d_k", [f"±{general(row.bound, 4)}" for row in rows], "muted"),
            Column("variance", [with_error(row.variance, 22) for row in rows], "unscaled"),
            Column("exact", [exact(row.variance, 10) for row in rows], "muted", rank=1),
            Column("inside", [with_error(row.coverage, 22) for row in rows], "unscaled"),
            Column("exact", [exact(row.coverage, 10) for row in rows], "muted", rank=1),
        ]
    )
