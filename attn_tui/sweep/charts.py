"""The pictures of Sweep: a map of what dividing does, one place in numbers, and medians."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log, nan

import numpy as np

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Palette
from attn_tui.charts.figure import Axis, Band, Curve, Figure
from attn_tui.charts.glyphs import LINES
from attn_tui.charts.heat_map import Border, ColourBar, HeatMapDrawing
from attn_tui.compute.arrays import Floats
from attn_tui.compute.numbers import LN10, power_of_ten, quantity, whole
from attn_tui.compute.scale import NONE
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.crossover import GRADIENTS, crossing_of
from attn_tui.compute.sweep.points import Place, Point
from attn_tui.compute.sweep.settings import SweepStatistic
from attn_tui.sweep.change import LogFactor
from attn_tui.sweep.names import name_of, quarters

MOST, BEND = 5.0, 0.6
"""The power of ten at which the ramp of colours ends, and the exponent of the logarithm with which
colours rise to it."""

DEPTH = 5
"""How many powers of ten the axis goes on below the least value of the highest curve."""

BEING_DRAWN = "being drawn…"
"""Stands in place of numbers that there are not yet."""

SIGNS = {"larger": "▲", "smaller": "▼"}
"""The sign before a factor, by its way."""


def level(factor: LogFactor) -> float:
    """Return the place of a factor on the ramp, from −1 to 1: 0 if it is the same or untold."""
    if factor.way not in SIGNS:
        return nan if factor.way == "unknown" else 0.0
    size = min(abs(factor.log) / LN10 / MOST, 1.0) ** BEND
    return float(np.copysign(size, factor.log))


def tick(ten: int) -> str:
    """Return the label of a power of ten on the colour bar: ``▲10³``, ``same``."""
    if not ten:
        return "same"
    return f"{'▲' if ten > 0 else '▼'}{power_of_ten(abs(ten))}"


TICKS = [(level(LogFactor(ten * LN10)), tick(ten)) for ten in (5, 3, 2, 1, 0, -1, -2, -3, -5)]
"""The powers of ten labelled on the colour bar, each with its place on the ramp."""


class Grid:
    """The places of a map, with the change that the rule makes to the statistic at each.

    Args:
        answer: The draws.

    Attributes:
        ns: The numbers of keys, the largest at the top.
        d_ks: The d_k, rising to the right.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer, (ns, self.d_ks) = answer, answer.axes
        self.ns = ns[::-1]
        points, statistic = answer.points, answer.settings.statistic
        ratios = [
            [points.ratio(n, d_k, answer.rule, statistic) for d_k in self.d_ks] for n in self.ns
        ]
        drawn = [[*filter(None, row)] for row in ratios]
        is_told = [statistic in GRADIENTS and len(row) == len(self.d_ks) for row in drawn]
        self._estimates = [
            crossing_of(self.d_ks, row) if is_known else None
            for row, is_known in zip(drawn, is_told, strict=True)
        ]
        """Where the rule stops making a gradient smaller, in each row that is drawn."""
        changes = [[LogFactor.of(ratio) for ratio in row] for row in ratios]
        levels = np.array([[level(factor) for factor in row] for row in changes])
        short, medium, longest = (
            [[factor.cell(*size) for factor in row] for row in changes]
            for size in ((2, 0), (3, 0), (5, 1))
        )
        signs = [[SIGNS.get(factor.way, "") for factor in row] for row in changes]
        signed = [[*map(str.__add__, *pair)] for pair in zip(signs, longest, strict=True)]
        self._map = HeatMapDrawing(
            levels, "both signs", [f"{n:,}" for n in self.ns], [str(d_k) for d_k in self.d_ks],
            short, longer=(signed, longest, medium), corner="n\\d_k", place=self.place,
        )  # fmt: skip
        """The map without a cursor."""

    def border(self, answer: Answer) -> Border | None:
        """Return the border between smaller and larger, or None if the map has none.

        An interval that is open ends with the map.

        Args:
            answer: The answer whose crossings replace the estimate from the points, in rows that
                have one.
        """
        ends = np.full((3, len(self.ns)), nan)
        for row, (n, estimate) in enumerate(zip(self.ns, self._estimates, strict=True)):
            if estimate is not None:
                searched = answer.crossovers.get((n, answer.settings.statistic, answer.rule))
                crossing = searched if searched and searched.at else estimate
                low, high = crossing.low or self.d_ks[0], crossing.high or self.d_ks[-1]
                ends[:, row] = crossing.at, low, high
        if np.isnan(ends).all() or len(self.d_ks) < 2:
            return None
        middles = np.arange(len(self.d_ks)) + 0.5
        places = np.interp(np.log(ends), np.log(self.d_ks), middles)
        return Border(*np.where(np.isnan(ends), nan, places))

    def is_of(self, answer: Answer) -> bool:
        """Return whether an answer has the same points, statistic and rule."""
        mine, other = ((one.settings.statistic, one.rule) for one in (self._answer, answer))
        return mine == other and self._answer.points is answer.points

    def place(self, row: int, column: int) -> Place:
        """Return the n and the d_k of an entry of the map."""
        return self.ns[row], self.d_ks[column]

    def heat_map(self, answer: Answer) -> HeatMapDrawing:
        """Return the map with the cursor on the nearest of its places.

        Args:
            answer: An answer with the same points: its place, and the crossovers known so far.
        """
        n, d_k = answer.nearest
        row, column = self.ns.index(n), self.d_ks.index(d_k)
        bar = ColourBar("both signs", TICKS, float(self._map.levels[row, column]))
        return self._map.marked((row, column), bar, self.border(answer))


@dataclass(frozen=True, eq=False)
class PlaceNumbers:
    """The draws at one place: the median without the rule and with it, and the middle half.

    Attributes:
        points: The point under each rule, the unscaled one first.
        statistic: The statistic.
    """

    points: Sequence[Point]
    statistic: SweepStatistic

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw a line for each side, or only the medians if there is one line.

        Without points it says that they are being drawn.
        """
        if lines == 1:
            return self._drawn_line(columns, colours)
        cells = Cells(columns, lines)
        heads = [name_of(point.scale) for point in self.points]
        start = max(map(len, heads), default=0) + 13
        if not self.points:
            cells.write(0, 0, BEING_DRAWN, colours["muted"])
        for line, (point, head) in enumerate(zip(self.points, heads, strict=True)):
            summary = point.statistics[self.statistic]
            side = side_of(point)
            number = quantity(summary.median, summary.log_median)
            cells.write(0, line, f"{dot_of(side, colours)} {head}", colours[side])
            cells.write(start - len(number), line, number, colours["text"])
            half = f"half of the draws: {quarters(summary)}"
            mean = f"mean {quantity(summary.mean, summary.log_mean)}"
            for extra in (f"{half}   {mean}", half, mean):
                if start + 3 + len(extra) <= columns:
                    cells.write(start + 3, line, extra, colours["muted"])
                    break
        return cells

    def _drawn_line(self, columns: int, colours: Palette) -> Cells:
        """Return the medians in one line, closer to each other where it has no room for all."""
        medians = [(BEING_DRAWN, "muted")] if not self.points else []
        for point in self.points:
            summary, side = point.statistics[self.statistic], side_of(point)
            number = quantity(summary.median, summary.log_median)
            text = f"{dot_of(side, colours)} {name_of(point.scale)} {number}"
            medians.append((text, side))
        labelled = [("median", "muted"), *medians]
        for parts, gap in ((labelled, 3), (labelled, 1), (medians, 2)):
            if sum(len(text) + gap for text, _ in parts) - gap <= columns:
                break
        cells, start = Cells(columns, 1), 0
        for text, kind in parts:
            if start + len(text) > columns:
                break
            cells.write(start, 0, text, colours[kind])
            start += len(text) + gap
        return cells


def side_of(point: Point) -> str:
    """Return the kind of data of a point: unscaled, or under a rule."""
    return "unscaled" if point.scale == NONE else "scaled"


def dot_of(side: str, colours: Palette) -> str:
    """Return the mark before a side: that of its curve where colours cannot tell."""
    return LINES[side] if colours.textured else "●"


def medians(answer: Answer, over_n: bool = False, has_names: bool = True) -> Figure:
    """Return the medians of the statistic under every rule as curves, the middle halves as bands.

    They run through the current place, with a dot there, or else through the nearest one.

    Args:
        answer: The draws.
        over_n: Whether the curves run over n, at one d_k, and not over d_k, at one n.
        has_names: Whether the curves are named.
    """
    statistic, here = answer.settings.statistic, answer.place
    fixed = 1 if over_n else 0
    at, value = answer.nearest[fixed], here[1 - fixed]
    curves, bands, dots = [], [], []
    logs: list[Floats] = []
    for rule in answer.rules:
        points = [point for point in answer.points.under(rule) if point.place[fixed] == at]
        if not points:
            continue
        kind = "unscaled" if rule == NONE else "scaled"
        x = np.array([point.place[1 - fixed] for point in points], dtype=np.float64)
        summaries = [point.statistics[statistic] for point in points]
        middle, low, high = (
            np.array([getattr(summary, part) / LN10 for summary in summaries])
            for part in ("log_median", "log_quarter", "log_three_quarters")
        )
        logs.append(middle)
        curves.append(Curve(x, middle, kind, name_of(rule) if has_names else ""))
        bands.append(Band(x, low, high, kind))
        if at == here[fixed] and x[0] <= value <= x[-1]:
            dots.append((float(np.interp(log(value), np.log(x), middle)), kind))
        if statistic == "lead_weight" and points[0].lead and rule != NONE:
            equal = np.log10([point.equal_others for point in points])
            curves.append(Curve(x, equal, "muted", "of equals" if has_names else ""))
    ns, d_ks = answer.axes
    x_axis = place_axis(*((ns[0], ns[-1]) if over_n else (d_ks[0], d_ks[-1])))
    return Figure(curves, x_axis, log_axis(logs), (value, whole(value)), dots, bands)


def place_axis(low: float, high: float) -> Axis:
    """Return the axis of d_k or n from low to high, and at least up to twice the low end."""
    high = max(high, low * 2.0)
    inner = [low * 2.0**step for step in range(3, 20, 3)]
    ticks = [low, high, *(tick for tick in inner if tick < high / 3.0)]
    return Axis(low, high, tuple((tick, whole(tick)) for tick in ticks), logarithmic=True)


def log_axis(logs: Sequence[Floats]) -> Axis:
    """Return an axis of powers of ten for curves given as logarithms to base ten.

    It goes at most `DEPTH` powers below the least value of the curve that falls least.
    """
    finite = [values[np.isfinite(values)] for values in logs]
    finite = [values for values in finite if values.size]
    if not finite:
        return Axis(-1.0, 0.0, ((-1.0, "0.1"), (0.0, "1")))
    top = max(float(values.max()) for values in finite)
    floor_of_all = min(float(values.min()) for values in finite)
    least = max(float(values.min()) for values in finite) - DEPTH
    low, high = floor(max(floor_of_all, least)), ceil(top + 0.05)
    low = min(low, high - 1)
    step = max(1, round((high - low) / 4))
    tens = [*range(high, low - 1, -step)]
    return Axis(low, high, tuple((float(ten), power_of_ten(ten)) for ten in tens))
