"""The pictures of Dot products: two densities on one axis, moments, and the spread over d_k."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import asinh, ceil, floor, log10

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Palette, mix
from attn_tui.charts.figure import BLANK, Axis, Curve, Figure, braille, d_k_axis
from attn_tui.charts.glyphs import FILLS
from attn_tui.charts.table import TableDrawing
from attn_tui.compute.arrays import Floats
from attn_tui.compute.dots.answer import Answer
from attn_tui.compute.numbers import exact, term, tick, with_error
from attn_tui.compute.sample import Number
from attn_tui.compute.scale import Scale
from attn_tui.dots.report import bound
from attn_tui.report.report import SIDES
from attn_tui.report.text import TextColumn
from attn_tui.report.words import DIVISORS

HEIGHTS = " ▁▂▃▄▅▆▇"
"""Cells filled from below by no to seven eighths."""

REACH = 4.0
"""How many standard deviations the axis shows on either side of the mean."""

NEEDLE = 4
"""A density line of at most this many columns is a needle."""

MOST, LEAST = 22, 13
"""The most and the fewest characters of a moment with its error."""


@dataclass(frozen=True)
class Line:
    """The axis that both densities stand on.

    Attributes:
        low: Its left end.
        high: Its right end.
        stretched: Whether places are asinh of the values; such an axis is the same for every d_k.
    """

    low: float
    high: float
    stretched: bool = False

    def share(self, x: Floats) -> Floats:
        """Return the places of values, from 0 at the left end to 1 at the right end."""
        if self.stretched:
            low, high = asinh(self.low), asinh(self.high)
            return (np.arcsinh(x) - low) / (high - low)
        return (x - self.low) / (self.high - self.low)

    def edges(self, columns: int) -> Floats:
        """Return the values at the edges of the columns, shape (columns + 1,)."""
        if self.stretched:
            return np.sinh(np.linspace(asinh(self.low), asinh(self.high), columns + 1))
        return np.linspace(self.low, self.high, columns + 1)

    def ticks(self) -> list[float]:
        """Return the values of possible ticks, the most important first."""
        if self.stretched:
            most = max(-self.low, self.high)
            powers = [10.0**power for power in range(floor(log10(most)) + 1)]
            both = [sign * power for power in reversed(powers) for sign in (-1.0, 1.0)]
            return [tick for tick in (0.0, *both) if self.low <= tick <= self.high]
        size = (self.high - self.low) / 7.0
        power = 10.0 ** floor(log10(size))
        step = power * next(digit for digit in (1.0, 2.0, 5.0, 10.0) if digit * power >= size)
        places = range(ceil(self.low / step), floor(self.high / step) + 1)
        return [place * step for place in sorted(places, key=abs)]


def line_of(answer: Answer, stretched: bool) -> Line:
    """Return the axis that holds both densities, with 0 on it.

    The linear axis reaches four standard deviations to either side of the mean. The stretched one
    does so for every d_k, so that it stands still while d_k moves.
    """
    law, scale = answer.law, answer.experiment.setup.scale
    n_keys = max(answer.experiment.vectors[0].n_attended, 1)
    means, deviations = np.array([law.mean]), np.array([law.standard_deviation or 1.0])
    multipliers = np.array([answer.multiplier])
    if stretched:
        growth = next(line for line in answer.growth if line.rule == "none")
        means = law.mean / law.d_k * growth.d_k
        deviations = np.where(growth.standard_deviation > 0.0, growth.standard_deviation, 1.0)
        multipliers = np.array([scale.multiplier(d_k, n_keys) for d_k in growth.d_k.tolist()])
    largest = np.maximum(multipliers, 1.0)
    ends = [(means + sign * REACH * deviations) * largest for sign in (-1.0, 1.0)]
    return Line(min(float(ends[0].min()), 0.0), max(float(ends[1].max()), 0.0), stretched)


def names_of(scale: Scale) -> tuple[str, str]:
    """Return the names of q·k before and after a scale."""
    divisor = DIVISORS.get(scale.rule)
    return "q·k", f"q·k/{divisor}" if divisor else "m·q·k"


@dataclass(frozen=True, eq=False)
class Bells:
    """The densities of q·k and of m·q·k, one above the other, each scaled to its own height.

    Attributes:
        answer: The draws and the law.
        names: The names of the two.
        stretched: Whether the axis is asinh.
    """

    answer: Answer
    names: tuple[str, str]
    stretched: bool = True

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw both with a bracket for σ below each, and the axis in the last two lines.

        The brackets are left out if there are fewer than eight lines.
        """
        cells = Cells(columns, lines)
        if columns < 20 or lines < 4:
            return cells
        axis = line_of(self.answer, self.stretched)
        has_brackets = lines >= 8
        height = (lines - 2) // 2 - has_brackets
        for place, kind in enumerate(SIDES):
            top = place * (height + has_brackets)
            m = self.answer.multiplier if place else 1.0
            self._draw_bell(cells, top, height, kind, m, axis, colours)
            if has_brackets:
                self._draw_bracket(cells, top + height, kind, m, axis, colours)
            name = f"{FILLS[kind]} {self.names[place]}" if colours.textured else self.names[place]
            cells.write(1, top, name, colours[kind])
        self._draw_axis(cells, axis, colours)
        return cells

    def _draw_bell(
        self, cells: Cells, top: int, height: int, kind: str, m: float, axis: Line,
        colours: Palette,
    ) -> None:  # fmt: skip
        shares, dots = self.density(cells.columns, height, m, axis)
        steps, background = colours.ramp(kind), colours["background"]
        eighths = np.round(shares * height * 8).astype(int)
        if colours.textured:
            eighths = (eighths + 4) // 8 * 8
        glyphs = np.array([*HEIGHTS], dtype=object)
        for row in range(height):
            line = top + height - 1 - row
            colour = steps[round((0.3 + 0.5 * row / height) * (len(steps) - 1))]
            filled = np.clip(eighths - 8 * row, 0, 8)
            is_full = filled == 8
            is_part = (filled > 0) & ~is_full
            if colours.textured:
                cells.characters[line, is_full] = FILLS[kind]
                cells.colours[line, is_full] = colours[kind]
            else:
                cells.backgrounds[line, is_full] = colour
                if height > 1:
                    # The line takes the glyph, so a shade says how much of the cell is filled.
                    has_line = is_part & (dots[height - 1 - row] > 0)
                    shades = [mix(background, colour, part / 8) for part in filled[has_line]]
                    cells.backgrounds[line, has_line] = shades
                    is_part &= ~has_line
            cells.characters[line, is_part] = glyphs[filled[is_part]]
            cells.colours[line, is_part] = colour
        if height > 1:
            self._draw_line(cells, top, dots, kind, colours)

    def _draw_line(
        self, cells: Cells, top: int, dots: NDArray[np.uint8], kind: str, colours: Palette
    ) -> None:
        """Draw the braille dots of the exact density, shape (lines, columns), over the bars."""
        inside = slice(top, top + len(dots))
        is_drawn = dots > 0
        if colours.textured and np.count_nonzero(is_drawn.any(axis=0)) <= NEEDLE:
            # The line would cover the bars completely.
            is_drawn &= cells.characters[inside] != FILLS[kind]
        codes = (BLANK + dots[is_drawn].astype(int)).tolist()
        cells.characters[inside][is_drawn] = [*map(chr, codes)]
        cells.colours[inside][is_drawn] = colours["text"]

    def density(
        self, columns: int, lines: int, m: float, axis: Line
    ) -> tuple[Floats, NDArray[np.uint8]]:
        """Return the density of the draws by column, from 0 to 1, and the dots of the exact one.

        Both are means over the same columns, or over the same bins where bins are wider.
        """
        histogram = self.answer.histogram.scaled(m)
        edges = axis.edges(columns)
        drawn = _by_column(histogram.density, histogram.edges, edges)
        line = _by_column(self._exact(m), histogram.edges, edges)
        most = max(float(drawn.max()), float(line.max()))
        if not most > 0.0:
            return np.zeros(columns), np.zeros((lines, columns), dtype=np.uint8)
        x = (np.arange(columns) + 0.5) / columns
        y = np.where(line > 0.004 * most, line / (1.05 * most), np.nan)
        return drawn / (1.05 * most), braille(columns, lines, x, y)

    def _exact(self, m: float) -> Floats:
        """Return the exact density of m·q·k in each bin; 0 where it is not known."""
        curves, bins = self.answer.curves.scaled(m), self.answer.histogram.counts.size
        if curves.exact is None:
            return np.zeros(bins)
        places = curves.exact.reshape(bins, -1)
        is_finite = np.isfinite(places)
        return np.asarray(np.where(is_finite, places, 0.0).sum(axis=1) / is_finite.sum(axis=1))

    def _draw_bracket(
        self, cells: Cells, line: int, kind: str, m: float, axis: Line, colours: Palette
    ) -> None:
        """Draw a bracket from one standard deviation below the mean to one above, with ±σ."""
        law = self.answer.law
        sigma = law.standard_deviation * m
        ends = np.array([law.mean * m - sigma, law.mean * m + sigma])
        left, right = np.clip(
            np.round(axis.share(ends) * (cells.columns - 1)).astype(int), 0, cells.columns - 1
        ).tolist()
        text = f" ±σ = ±{term(sigma, 3)} "
        if right - left >= len(text) + 3:
            body = text.center(right - left - 1, "─")
            cells.write(left, line, f"├{body}┤", colours[kind])
            return
        bracket = f"├{'─' * (right - left - 1)}┤" if right > left else "┴"
        cells.write(left, line, bracket, colours[kind])
        starts = (right + 1, left - len(text))
        fitting = [start for start in starts if 0 <= start <= cells.columns - len(text)]
        if fitting:
            cells.write(fitting[0], line, text, colours[kind])

    def _draw_axis(self, cells: Cells, axis: Line, colours: Palette) -> None:
        line = cells.lines - 2
        cells.write(0, line, "─" * cells.columns, colours["muted"])
        for place in axis.ticks():
            share = float(axis.share(np.array([place]))[0])
            column = min(max(round(share * (cells.columns - 1)), 0), cells.columns - 1)
            text = tick(place)
            start = min(max(column - len(text) // 2, 0), cells.columns - len(text))
            cells.write(column, line, "┬", colours["muted"])
            if cells.has_room(start, line + 1, len(text)):
                cells.write(start, line + 1, text, colours["muted"])


def _by_column(density: Floats, bins: Floats, columns: Floats) -> Floats:
    """Return the mean of a density over columns, shape (C,).

    Args:
        density: The density in each bin, shape (B,); it is 0 outside of the bins.
        bins: The edges of the bins, shape (B + 1,), rising.
        columns: The edges of the columns, shape (C + 1,), rising.
    """
    below = np.concatenate([[0.0], np.cumsum(density * np.diff(bins))])
    return np.asarray(np.diff(np.interp(columns, bins, below)) / np.diff(columns))


@dataclass(frozen=True, eq=False)
class Moments:
    """The moments of the sample with their standard errors, and the exact values.

    Attributes:
        answer: The draws and the law.
        names: The names of the two sides.
    """

    answer: Answer
    names: tuple[str, str]

    def rows(self) -> list[tuple[str, Number, Number]]:
        """Return the moments: a label and the numbers of both sides."""
        first, second = self.answer.unscaled, self.answer.scaled
        return [
            ("variance", first.variance, second.variance),
            ("σ", first.standard_deviation, second.standard_deviation),
            ("mean", first.mean, second.mean),
            ("mean |x|", first.mean_size, second.mean_size),
            ("kurtosis", first.kurtosis, second.kurtosis),
            (f"in ±{bound(self.answer)}", first.coverage, second.coverage),
        ]

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw a line for each moment."""
        return self.table(columns).draw(columns, lines, colours)

    def table(self, columns: int) -> TableDrawing:
        """Return the table of moments with as many digits as fit a width.

        If even the fewest digits do not fit, exact values are left out, then the scaled side.
        """
        rows = self.rows()
        names = TextColumn("", [name for name, _, _ in rows], left=True)
        sizes = (MOST, 18, 15, LEAST)
        for n_sides, has_exact, most in product((2, 1), (True, False), sizes):
            table_columns = [names]
            for place in range(n_sides):
                numbers = [both[place] for _, *both in rows]
                texts = [with_error(number, most) for number in numbers]
                table_columns.append(TextColumn(self.names[place], texts, SIDES[place]))
                if has_exact:
                    truths = [exact(number, most - 4) for number in numbers]
                    table_columns.append(TextColumn("exact", truths, "muted"))
            table = TableDrawing(table_columns)
            is_complete = not any("…" in column.texts for column in table_columns)
            if is_complete and len(table.fitting(columns - 2)) == len(table_columns):
                return table
        return TableDrawing([names])


def spread_figure(answer: Answer, d_k: int, names: Sequence[str]) -> Figure:
    """Return the standard deviation of q·k and of m·q·k over d_k, both axes logarithmic."""
    scale, law = answer.experiment.setup.scale, answer.law
    n_keys = max(answer.experiment.vectors[0].n_attended, 1)
    growth = next(line for line in answer.growth if line.rule == "none")
    multipliers = np.array([scale.multiplier(width, n_keys) for width in growth.d_k.tolist()])
    x, spread = growth.d_k.astype(np.float64), growth.standard_deviation
    lines = [("unscaled", spread, law.standard_deviation, names[0])]
    if scale.rule != "none":
        after = answer.multiplier * law.standard_deviation
        lines.append(("scaled", multipliers * spread, after, names[1]))
    values = np.concatenate([line for _, line, _, _ in lines])
    values = values[(values > 0.0) & np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.1, 10.0)
    low, high = low / 1.5, max(high, 2.0) * 1.2
    powers = [10.0**power for power in range(ceil(log10(low)), floor(log10(high)) + 1)]
    y = Axis(low, high, tuple((power, tick(power)) for power in powers), logarithmic=True)
    curves = [
        Curve(x, line, kind, name, filled=kind == "unscaled") for kind, line, _, name in lines
    ]
    dots = [(present, kind) for kind, _, present, _ in lines]
    return Figure(curves, d_k_axis(), y, (float(d_k), f"{d_k:,}"), dots)
