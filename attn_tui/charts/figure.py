"""Curves between two axes: plotext draws each curve, and this module overlays them.

plotext 5 keeps one figure for the whole process, so curves are drawn on one thread only. It fails
on infinities, and a later curve replaces whole cells of an earlier one. So each curve is drawn by
itself, from finite numbers between 0 and 1, and the braille dots of all curves are merged.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import product
from math import floor, log, nan

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Palette, mix
from attn_tui.charts.glyphs import LINES
from attn_tui.compute.arrays import Floats
from attn_tui.compute.log_scale import D_K

BLANK = 0x2800
"""The braille character without dots; the last eight bits of the code are the dots."""

UPPER = np.uint8(0x01 | 0x08 | 0x02 | 0x10)
"""The dots in the upper half of a cell."""

GRID = "┈"
"""The line across at a tick of y."""

KEPT = 32
"""How many drawings of curves are cached: a step of d_k moves the mark and few curves."""

LEAST_COLUMNS = 8
"""The fewest columns of curves that leave others for ticks and names."""

EDGE = 0.001
"""A value outside an axis by at most this share of its length counts as on its edge."""

_STYLE = re.compile(r"\x1b\[[\d;]*m")


@dataclass(frozen=True)
class Axis:
    """An axis of a chart.

    Attributes:
        low: The value at the left or at the bottom.
        high: The value at the right or at the top.
        ticks: Values with their labels, the most important first.
        logarithmic: Whether the scale is logarithmic.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...] = ()
    logarithmic: bool = False

    def share(self, values: Floats) -> Floats:
        """Return the positions of values: 0 at the low end, 1 at the high; NaN where undefined."""
        with np.errstate(all="ignore"):
            if self.logarithmic:
                return np.log(values / self.low) / log(self.high / self.low)
            return (values - self.low) / (self.high - self.low)


def d_k_axis() -> Axis:
    """Return the axis of d_k that all charts share."""
    ticks = tuple((float(end), f"{end:,}") for end in (D_K.minimum, D_K.maximum))
    return Axis(D_K.minimum, D_K.maximum, ticks, logarithmic=True)


class ByValue:
    """Equals another one of its class with the same values, those of arrays among them."""

    @cached_property
    def _values(self) -> tuple[object, ...]:
        values = [getattr(self, one.name) for one in fields(self)]  # type: ignore[arg-type]
        return tuple(one.tobytes() if isinstance(one, np.ndarray) else one for one in values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._values == other._values

    def __hash__(self) -> int:
        return hash(self._values)


@dataclass(frozen=True, eq=False)
class Curve(ByValue):
    """A line through points.

    Attributes:
        x: Shape (n,), rising.
        y: Shape (n,); not finite where there is no point.
        kind: The name of its colour, one of `charts.colour.HUES` or of the theme.
        name: Its label, drawn beside its end.
        filled: Whether the area below it is tinted.
    """

    x: Floats
    y: Floats
    kind: str
    name: str = ""
    filled: bool = False


@dataclass(frozen=True, eq=False)
class Band(ByValue):
    """The area between two lines, drawn as a tint.

    Attributes:
        x: Shape (n,), rising.
        low: Shape (n,), the lower line.
        high: Shape (n,), the upper line.
        kind: The name of its colour.
    """

    x: Floats
    low: Floats
    high: Floats
    kind: str


@dataclass(frozen=True, eq=False)
class Figure:
    """Curves between two axes, which can be drawn at any size.

    Attributes:
        curves: Later ones lie over earlier ones.
        x: The horizontal axis.
        y: The vertical axis.
        mark: The x of a vertical line, with the text below it.
        dots: Values of y at the mark, each with the kind of its curve.
        bands: Tints below all curves.
        has_legend: Whether it says which mark is which side where colours do not tell.
    """

    curves: Sequence[Curve]
    x: Axis
    y: Axis
    mark: tuple[float, str] | None = None
    dots: Sequence[tuple[float, str]] = ()
    bands: Sequence[Band] = ()
    has_legend: bool = True

    def edges(self, columns: int) -> tuple[int, int]:
        """Return the columns on the left for the ticks of y, and on the right for names of curves.

        Where they would leave curves fewer than `LEAST_COLUMNS`, names are left out, then ticks.
        """
        ticks, names = self._texts
        if columns - ticks - names >= LEAST_COLUMNS:
            return ticks, names
        return (ticks, 0) if columns - ticks >= LEAST_COLUMNS else (0, 0)

    @cached_property
    def _texts(self) -> tuple[int, int]:
        """The columns that the ticks of y and the names of curves take, with a blank."""
        ticks = max((len(text) for _, text in self.y.ticks), default=0) + 1
        names = max((len(curve.name) + 1 for curve in self.curves if curve.name), default=0)
        return ticks, names

    def room(self, columns: int, lines: int) -> tuple[int, int]:
        """Return how many columns and lines the curves have in a block of a given size."""
        return columns - sum(self.edges(columns)), lines - 1

    def column(self, value: float, columns: int) -> int | None:
        """Return the column of the block that holds a value of x, or None if it is outside."""
        width, _ = self.room(columns, 2)
        share = float(self.x.share(np.array([value]))[0])
        if not -EDGE <= share <= 1.0 + EDGE:
            return None
        return self.edges(columns)[0] + _dot(share, 2 * width) // 2

    def line(self, value: float, lines: int) -> int | None:
        """Return the line of the block that holds a value of y, or None if it is outside."""
        share = float(self.y.share(np.array([value]))[0])
        if not -EDGE <= share <= 1.0 + EDGE:
            return None
        return lines - 2 - _dot(share, 4 * (lines - 1)) // 4

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw everything into a block of cells; the last line holds the ticks of x.

        Args:
            columns: Width of the block.
            lines: Height of the block.
            colours: The colour of each kind of curve, ``muted`` and ``background``; where colours
                do not tell the two sides apart, each side has a glyph of its own.
        """
        width, height = self.room(columns, lines)
        if width < 1 or height < 1:
            return Cells(columns, lines)
        still = tuple(self.curves), tuple(self.bands), self.x, self.y
        cells = _curves(*still, columns, lines, colours).copy()
        column = None if self.mark is None else self.column(self.mark[0], columns)
        span = self._mark_text(column, columns)
        self._write_ticks(cells, span, colours)
        self._draw_mark(cells, column, span, colours)
        if colours.textured and self.has_legend:
            self._write_legend(cells, colours)
        return cells

    def draw_curves(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw everything that does not move with the mark, in a block that has room for it."""
        cells = Cells(columns, lines)
        width, height = self.room(columns, lines)
        left, _ = self.edges(columns)
        self._draw_grid(cells, colours)
        joined = np.zeros((height, width), dtype=np.uint8)
        inside = slice(0, height), slice(left, left + width)
        for band in self.bands if not colours.textured else ():
            self._tint(cells.backgrounds[inside], band, colours)
        for curve in self.curves:
            x, y = self.x.share(curve.x), self.y.share(curve.y)
            dots = braille(width, height, x, y)
            if curve.filled and not colours.textured:
                _fill(cells.backgrounds[inside], dots, curve.kind, colours)
            if colours.textured and curve.kind == "unscaled":
                drawn = _thin(dots)
                cells.characters[inside][drawn] = LINES["unscaled"]
            else:
                drawn = dots > 0
                joined |= dots
                cells.characters[inside][drawn] = [chr(BLANK + int(code)) for code in joined[drawn]]
            cells.colours[inside][drawn] = colours[curve.kind]
        self._name_curves(cells, colours)
        return cells

    def _write_legend(self, cells: Cells, colours: Palette) -> None:
        """Write which glyph is which side, if both are drawn and there is a free place."""
        drawn = {curve.kind for curve in self.curves}
        kinds = [kind for kind in LINES if kind in drawn]
        if len(kinds) < 2:
            return
        width, height = self.room(cells.columns, cells.lines)
        left, _ = self.edges(cells.columns)
        length = max(map(len, kinds)) + 4
        places = product(range(height - len(kinds) + 1), range(left + width - length, left - 1, -1))
        for top, column in places:
            if all(cells.is_free(column, top + line, length) for line in range(len(kinds))):
                for line, kind in enumerate(kinds, top):
                    cells.write(column + 1, line, f"{LINES[kind]} {kind}", colours[kind])
                return

    def _draw_mark(self, cells: Cells, column: int | None, span: range, colours: Palette) -> None:
        """Draw the vertical line behind the curves, and the dots on them: nothing is wide there."""
        if column is None or self.mark is None:
            return
        bottom = cells.lines - 1
        is_free = (cells.characters[:bottom, column] == " ") | (
            cells.characters[:bottom, column] == GRID
        )
        cells.characters[:bottom, column][is_free] = "│"
        cells.colours[:bottom, column][is_free] = colours["muted"]
        for value, kind in self.dots:
            line_of_dot = self.line(value, cells.lines)
            if line_of_dot is not None:
                cells.characters[line_of_dot, column] = "●"
                cells.colours[line_of_dot, column] = colours[kind]
        if span.stop <= cells.columns:
            cells.write(span.start, bottom, self.mark[1], colours["text"])

    def _mark_text(self, column: int | None, columns: int) -> range:
        """Return the columns of the text below a mark in a column."""
        if column is None or self.mark is None:
            return range(-1, -1)
        length = len(self.mark[1])
        last = columns - self.edges(columns)[1] - length
        start = max(min(column - length // 2, last), 0)
        return range(start, start + length)

    def _draw_grid(self, cells: Cells, colours: Palette) -> None:
        """Write the ticks of the vertical axis, with a faint line from each."""
        faint = mix(colours["background"], colours["muted"], 0.35)
        width, _ = self.room(cells.columns, cells.lines)
        left, _ = self.edges(cells.columns)
        for value, text in self.y.ticks:
            line = self.line(value, cells.lines)
            if line is None or not cells.is_free(0, line, left):
                continue
            if left:
                cells.write(left - 1 - len(text), line, text, colours["muted"])
            cells.write(left, line, GRID * width, faint)

    def _write_ticks(self, cells: Cells, span: range, colours: Palette) -> None:
        """Write the ticks of x that do not touch the text below the mark."""
        width, height = self.room(cells.columns, cells.lines)
        left, _ = self.edges(cells.columns)
        for value, text in self.x.ticks:
            column = self.column(value, cells.columns)
            if column is None:
                continue
            place = column - (len(text) - 1) // 2
            place = min(max(place, left), left + width - len(text))
            apart = place + len(text) < span.start or place > span.stop
            if apart and cells.has_room(place, height, len(text)):
                cells.write(place, height, text, colours["muted"])

    def _tint(self, backgrounds: NDArray[np.object_], band: Band, colours: Palette) -> None:
        """Tint the cells that lie between two lines, at least in part."""
        height, width = backgrounds.shape
        places = (np.arange(width) + 0.5) / width
        x = self.x.share(band.x)
        low, high = (
            np.interp(places, x, self.y.share(line), left=nan, right=nan)
            for line in (band.low, band.high)
        )
        levels = (np.arange(height)[::-1, None] + 0.5) / height
        with np.errstate(invalid="ignore"):
            inside = (low < levels + 0.5 / height) & (high > levels - 0.5 / height)
        backgrounds[inside] = colours.tint(band.kind, 0.5)

    def _name_curves(self, cells: Cells, colours: Palette) -> None:
        """Write the names of curves near their ends, at most one a line."""
        width, height = self.room(cells.columns, cells.lines)
        left, right = self.edges(cells.columns)
        ends = []
        for curve in self.curves:
            finite = curve.y[np.isfinite(curve.y)]
            line = self.line(float(finite[-1]), cells.lines) if curve.name and finite.size else None
            if line is not None:
                ends.append((line, -float(finite[-1]), curve))
        free = 0
        ends.sort(key=lambda end: end[:2])
        for place, (line, _, curve) in enumerate(ends[:height] if right else ()):
            below = min(len(ends), height) - 1 - place
            line = max(free, min(line, height - 1 - below))
            cells.write(left + width + 1, line, curve.name, colours[curve.kind])
            free = line + 1


def _dot(share: float, count: int) -> int:
    """Return the dot nearest to a share of an axis of some dots: the one that plotext sets."""
    return min(max(floor(share * (count - 1) + 0.5), 0), count - 1)


def _fill(
    backgrounds: NDArray[np.object_], dots: NDArray[np.uint8], kind: str, colours: Palette
) -> None:
    """Tint the cells below a curve, the higher the stronger.

    Args:
        backgrounds: Shape (lines, columns).
        dots: The braille dots of the curve, of the same shape.
        kind: The kind of the curve.
        colours: The palette.
    """
    height = len(dots)
    lowest = np.where(dots.any(axis=0), height - 1 - (dots[::-1] > 0).argmax(axis=0), height)
    for line in range(height):
        # A curve is two dots thick: if its lowest dot is in the upper half of a cell, it has none
        # above it there, and the tint ends below the curve.
        is_in_upper_half = (line == lowest) & (dots[line] & ~UPPER == 0)
        is_below = (line > lowest) | is_in_upper_half
        backgrounds[line, is_below] = colours.tint(kind, (height - 1 - line) / height)


@lru_cache(maxsize=KEPT)
def _curves(
    curves: tuple[Curve, ...], bands: tuple[Band, ...], x: Axis, y: Axis, columns: int, lines: int,
    colours: Palette,
) -> Cells:  # fmt: skip
    """Draw curves once for each size and theme, independently of the marked d_k."""
    return Figure(curves, x, y, bands=bands).draw_curves(columns, lines, colours)


def _thin(dots: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which cells a line passes through: one a column, unless it is steep."""
    counts = np.bitwise_count(dots)
    is_fullest = np.arange(len(dots))[:, None] == counts.argmax(axis=0)
    return np.asarray((counts > 0) & (is_fullest | (counts >= 4)))


def braille(width: int, height: int, x: Floats, y: Floats) -> NDArray[np.uint8]:
    """Return the braille dots of a line two dots thick, drawn by plotext, shape (height, width).

    Args:
        width: Width in cells.
        height: Height in cells.
        x: Shares of the width, rising, shape (n,).
        y: Shares of the height, shape (n,); the line is broken where a share is not finite or
            outside the range from 0 to 1.
    """
    return _braille(width, height, x.tobytes(), y.tobytes())


@lru_cache(maxsize=KEPT)
def _braille(width: int, height: int, x: bytes, y: bytes) -> NDArray[np.uint8]:
    """Draw the dots for `braille`, cached by bytes because NaN is not equal to itself."""
    dots = np.zeros((height, width), dtype=np.uint8)
    dot = 1.0 / (4 * height - 1)
    for across, up in _stretches(*_cut(np.frombuffer(x), np.frombuffer(y))):
        down = np.where(up >= dot, up - dot, up + dot)
        lines = _plotted(width, height, [*across, *across[::-1]], [*up, *down[::-1]])
        for line, text in enumerate(lines[:height]):
            codes = np.array([ord(character) for character in text[:width]])
            is_dot = (codes >= BLANK) & (codes < BLANK + 256)
            dots[line, : codes.size] |= np.where(is_dot, codes - BLANK, 0).astype(np.uint8)
    dots.setflags(write=False)
    return dots


def _cut(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return a line cut where it crosses 0 or 1, with NaN wherever it is outside."""
    with np.errstate(invalid="ignore"):
        visible = np.isfinite(x) & np.isfinite(y) & (np.abs(x - 0.5) <= 0.5 + EDGE)
        inside = visible & (np.abs(y - 0.5) <= 0.5 + EDGE)
    x = np.where(visible, np.clip(x, 0.0, 1.0), nan)
    if inside[visible].all():
        return x, np.where(inside, np.clip(y, 0.0, 1.0), nan)
    points = [(float(x[0]), float(y[0]) if inside[0] else nan)]
    for place in range(1, x.size):
        start, end = float(y[place - 1]), float(y[place])
        for edge in (0.0, 1.0):
            if min(start, end) < edge < max(start, end):
                share = (edge - start) / (end - start)
                points.append((float(x[place - 1] + share * (x[place] - x[place - 1])), edge))
        points.append((float(x[place]), min(max(end, 0.0), 1.0) if inside[place] else nan))
    across, up = np.array(points).T
    return across, up


def _stretches(x: Floats, y: Floats) -> list[tuple[Floats, Floats]]:
    """Return the contiguous stretches of a line in which it is finite."""
    finite = np.concatenate([[False], np.isfinite(x) & np.isfinite(y), [False]])
    ends = np.flatnonzero(finite[1:] != finite[:-1]).reshape(-1, 2)
    return [(x[start:stop], y[start:stop]) for start, stop in ends]


def _plotted(width: int, height: int, x: Sequence[float], y: Sequence[float]) -> list[str]:
    """Return the lines of text that plotext draws for a curve, without colours."""
    # Imported here because it is slow to import and a report does not need it.
    import plotext

    plotext.main()
    plotext.clear_figure()
    plotext.limit_size(False, False)
    plotext.theme("clear")
    plotext.frame(False)
    plotext.xfrequency(0)
    plotext.yfrequency(0)
    plotext.xlim(0, 1)
    plotext.ylim(0, 1)
    plotext.plot_size(width, height)
    plotext.plot(x, y, marker="braille")
    built = plotext.build()
    plotext.clear_figure()
    return _STYLE.sub("", built).splitlines()
