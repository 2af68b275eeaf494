"""Series of points and where they stand on a grid: what is drawn, and what is left out."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.glyphs import ABOVE, BAND, BELOW, NAN
from attn_tui.old.charts.axis import Axis, Floats, cell
from attn_tui.old.charts.grid import Grid


@dataclass(frozen=True, eq=False)
class Series:
    """Points to draw, all in one role.

    Attributes:
        name: Its name in the legend; empty for none.
        x: Shape (n,).
        y: Shape (n,). What is NaN or lies off the axis is marked and counted, never drawn.
        role: The role of everything drawn.
        kind: A line through the points, the points alone, bars from the bottom of the axis that
            begin at x, or only the upper ends of such bars.
        glyph: What points are drawn with, empty for the dots of braille; of bars, equal
            parts of a cell, rising, the whole one last.
        span: How wide bars are, in units of x.
        texts: What is written above each bar where it fits, or nothing.
        tag: What is written on the line, where it is farthest from the others; empty for none.
        cut: Whether what leaves the axes is cut off, and neither marked nor counted.
    """

    name: str
    x: Floats
    y: Floats
    role: str
    kind: Literal["line", "points", "bars", "caps"] = "line"
    glyph: str = ""
    span: float = 1.0
    texts: tuple[str, ...] = ()
    tag: str = ""
    cut: bool = False

    @property
    def curved(self) -> bool:
        """Whether it is drawn by plotext: a line or points."""
        return self.kind in ("line", "points")


@dataclass(frozen=True, eq=False)
class Band:
    """What lies between two curves, shaded.

    Attributes:
        x: Shape (n,), rising.
        low: Shape (n,).
        high: Shape (n,).
        role: Its role.
    """

    x: Floats
    low: Floats
    high: Floats
    role: str

    def draw(self, grid: Grid, x: Axis, y: Axis) -> None:
        """Shade the cells of which the middle lies between, at least one in each column."""
        middles = (np.arange(grid.width) + 0.5) / grid.width
        at = x.fraction(self.x)
        # Somewhere beyond the axis is as good as anywhere.
        ends = (np.clip(y.fraction(each), -1.0, 2.0) for each in (self.low, self.high))
        low, high = (np.interp(middles, at, each) for each in ends)
        rows = (np.arange(grid.height)[::-1, None] + 0.5) / grid.height
        inside = (rows >= low) & (rows <= high)
        low, high = np.maximum(low, 0.0), np.minimum(high, 1.0)
        inside |= (low <= high) & (np.abs(rows - (low + high) / 2) <= 0.5 / grid.height)
        inside &= (middles >= at[0]) & (middles <= at[-1])
        for row, line in enumerate(inside):
            edges = np.flatnonzero(np.diff(line, prepend=False, append=False))
            for start, stop in edges.reshape(-1, 2).tolist():
                grid.put(start, row, BAND * (stop - start), f"{self.role}_band")


@dataclass(frozen=True)
class Interval:
    """A value with an interval, which stands on the horizontal axis.

    Attributes:
        low: Its lower end.
        at: The value.
        high: Its upper end.
        texts: What it is, at decreasing length.
    """

    low: float
    at: float
    high: float
    texts: Sequence[str]

    def draw(self, grid: Grid, x: Axis) -> set[tuple[int, int]]:
        """Draw it in the last row, and say what it is where there is room beside it.

        Returns the column and row of each cell that is drawn on.
        """
        ends = np.clip(x.fraction([self.low, self.at, self.high]), 0.0, 1.0)
        first, at, last = (int(each) for each in cell(ends, grid.width))
        # Its ends are seen beside it, however near they are.
        first, last = min(first, at - 1), max(last, at + 1)
        bar = ["─"] * (last - first + 1)
        bar[0], bar[-1] = "├┤"
        bar[at - first] = "◆"
        row = grid.height - 1
        grid.put(first, row, "".join(bar), "strong")
        for text in self.texts:
            for start in (last + 1, first - 2 - len(text)):
                if 0 <= start <= grid.width - len(text) - 2:
                    grid.put(start, row, f" {text} ", "strong")
                    spread = min(start, first), max(start + len(text) + 2, last + 1)
                    return {(column, row) for column in range(*spread)}
        return {(column, row) for column in range(first, last + 1)}


class Placed:
    """A series as fractions of two axes, sorted into what can be drawn and what cannot."""

    def __init__(self, series: Series, x: Axis, y: Axis) -> None:
        self.series = series
        self.x = x.fraction(series.x)
        self.y = y.fraction(series.y)
        self.spans = x.fraction(series.x + series.span) - self.x
        inside = (self.x >= 0) & (self.x <= 1)
        self.left_out = {
            "nan": inside & np.isnan(self.y),
            "above": inside & (self.y > 1),
            "below": inside & (self.y < 0),
            "aside": ~inside,
        }
        self.good = inside & (self.y >= 0) & (self.y <= 1)
        self.inside = inside

    def counts(self) -> Counter[str]:
        """Return how many points cannot be drawn, by reason."""
        if self.series.cut:
            return Counter()
        return Counter({reason: int(which.sum()) for reason, which in self.left_out.items()})

    def dots(self, grid: Grid, across: int, up: int) -> tuple[NDArray[np.intp], Floats]:
        """Return the columns and rows of dots to draw: at most two points a column of cells.

        Args:
            grid: What they are to be drawn on.
            across: Dots of a cell from left to right.
            up: Dots of a cell from bottom to top; rows count upwards, NaN where a line breaks.
        """
        columns = cell(self.x[self.inside], grid.width * across)
        rows = np.full(columns.size, np.nan)
        rows[self.good[self.inside]] = cell(self.y[self.good], grid.height * up)
        if columns.size <= 2 * grid.width:
            return columns, rows
        low, high = np.full(grid.width, np.inf), np.full(grid.width, -np.inf)
        np.fmin.at(low, columns // across, rows)
        np.fmax.at(high, columns // across, rows)
        seen, first = np.unique(columns // across, return_index=True)
        last = np.append(first[1:], columns.size) - 1
        ends = np.stack([low[seen], high[seen]], axis=1)
        # The end that comes first, first: a line that falls would go up and down in each column.
        ends = np.where((rows[first] > rows[last])[:, None], ends[:, ::-1], ends)
        ends[~np.isfinite(ends)] = np.nan
        return np.repeat(seen * across, 2), ends.ravel()

    def row_at(self, place: float, grid: Grid) -> int | None:
        """Return the row of a line at a fraction of the x axis; None where there is none."""
        y = np.where(self.good, self.y, np.nan)
        height = float(np.interp(place, self.x, y)) if y.size else np.nan
        if np.isnan(height):
            return None
        return grid.height - 1 - int(cell(np.array([height]), grid.height)[0])

    def mark_left_out(self, grid: Grid) -> None:
        """Mark at the edge of the grid what could not be drawn."""
        if self.series.cut:
            return
        middles = self.x if self.series.curved else np.minimum(self.x + self.spans / 2, 1.0)
        bottom = grid.height - 1
        for reason, row, mark in (
            ("above", 0, ABOVE),
            ("below", bottom, BELOW),
            ("nan", bottom, NAN),
        ):
            for column in set(cell(middles[self.left_out[reason]], grid.width).tolist()):
                grid.put(column, row, mark, "error")

    def draw_bars(self, grid: Grid) -> dict[tuple[int, int], float]:
        """Draw bars to the nearest part of a cell; of bars that begin together, the highest.

        Returns the column and row of each cell that is drawn on, and which part of it a bar fills.
        """
        filled: dict[tuple[int, int], float] = {}
        parts = self.series.glyph
        starts = cell(self.x[self.good], grid.width)
        heights = np.rint(self.y[self.good] * grid.height * len(parts)).astype(np.intp)
        widths = np.maximum(np.rint(self.spans[self.good] * grid.width), 1).astype(np.intp)
        highest_first = np.argsort(-heights, kind="stable").tolist()
        # NumPy's own way to find the first of each brings in its masked arrays, which takes long.
        highest = {int(starts[index]): index for index in reversed(highest_first)}
        texts = np.array(self.series.texts or [""] * self.good.size)[self.good]
        for _, index in sorted(highest.items()):
            full, part = divmod(int(heights[index]), len(parts))
            start, width = int(starts[index]), int(widths[index])
            layers = [parts[-1]] * full + [parts[part - 1]] * bool(part)
            lowest = max(len(layers) - 1, 0) if self.series.kind == "caps" else 0
            for level in range(lowest, len(layers)):
                row = grid.height - 1 - level
                grid.put(start, row, layers[level] * width, self.series.role)
                share = 1.0 if level < full else part / len(parts)
                filled |= {(column, row): share for column in range(start, start + width)}
            text = str(texts[index])
            above = max(grid.height - 1 - len(layers), 0)
            if len(text) <= width:
                grid.put(start + (width - len(text)) // 2, above, text, "text")
        return filled
