"""What Claims draws: curves over one axis, or each number beside what it is held against."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log2, log10

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Palette
from attn_tui.charts.figure import Axis, Curve, Figure
from attn_tui.claims.claim import Case, Evidence, Picture
from attn_tui.report.numbers import general
from attn_tui.report.text import shortened
from attn_tui.report.words import amount

Numbers = NDArray[np.float64]

VERDICT_GLYPHS = {
    "holds": "✓", "conditional": "◐", "false": "✗", "wording": "¶", "undecided": "?",
    "inapplicable": "–",
}  # fmt: skip
"""What stands for a verdict."""

FOUND, STATED, EXACT = "●", "▲", "◆"
"""Where the number is that was worked out, that which the claim states, and the exact one."""

SPAN = 0.01
"""An axis spans so much of its largest number at least: equal numbers stand together."""

ERRORS = 2.0
"""So many standard errors are drawn to either side of a number, and its axis is twice as long."""

NAME = 55
"""Percent of a picture that names of numbers take at most."""

MOST_POWERS = 6
"""Ticks of a logarithmic axis."""

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

OTHERS = ("text", "muted", "larger", "smaller")
"""Colours of curves that are of neither side."""


@dataclass(frozen=True, eq=False)
class Curves:
    """The curves of a claim.

    Attributes:
        picture: What is drawn.
    """

    picture: Picture

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw them between their axes; names take a third of the columns at most."""
        return curves_figure(self.picture, columns // 3).draw(columns, lines, colours)


def curves_figure(picture: Picture, longest: int) -> Figure:
    """Return the curves of a claim between their axes, with what is marked.

    Args:
        picture: What is drawn.
        longest: Cells of a name at most.
    """
    x = np.array([*picture.places], float)
    kinds = iter(OTHERS)
    curves = [
        Curve(x, np.array([*y], float), side_of(name) or next(kinds), shortened(name, longest))
        for name, y in picture.curves.items()
    ]
    mark = None if picture.mark is None else (picture.mark, amount(picture.mark))
    values = np.concatenate([curve.y for curve in curves])
    return Figure(curves, axis(x, "x" in picture.log), axis(values, "y" in picture.log), mark)


def side_of(name: str) -> str:
    """Return the side that a curve is of, by its name, or nothing."""
    return next((side for side in ("unscaled", "scaled") if side in name), "")


def marked_text(picture: Picture) -> str:
    """Return what is marked with its interval, or nothing."""
    if picture.mark is None or not picture.marked:
        return ""
    text = f"{picture.marked}: {amount(picture.mark)}"
    if picture.ends is None:
        return text
    low, high = map(amount, picture.ends)
    return f"{text} (95 %: {low} to {high})"


def axis(values: Numbers, logarithmic: bool) -> Axis:
    """Return an axis that holds all finite values, with a few round ticks."""
    kept = values[np.isfinite(values) & ((values > 0.0) | (not logarithmic))]
    low, high = (float(kept.min()), float(kept.max())) if kept.size else (1.0, 2.0)
    low, high = widened(low, high, SPAN * max(abs(low), abs(high)))
    ticks = _powers(low, high) if logarithmic else _multiples(low, high)
    return Axis(low, high, tuple((tick, tick_text(tick)) for tick in ticks), logarithmic)


def widened(low: float, high: float, least: float) -> tuple[float, float]:
    """Return two ends, further apart about the same middle where they are nearer than so much."""
    least = least or 1.0
    if high - low >= least:
        return low, high
    middle = (low + high) / 2.0
    return middle - least / 2.0, middle + least / 2.0


def tick_text(value: float) -> str:
    """Return a tick as text: ``0.01``, ``1,000``, ``10⁶``."""
    if value and not 1e-3 <= abs(value) < 1e6:
        power = floor(log10(abs(value)) + 1e-9)
        factor = value / 10.0**power
        short = f"10{str(power).translate(RAISED)}"
        return short if abs(factor - 1.0) < 1e-6 else f"{general(factor, 2)}·{short}"
    return f"{value:,.0f}" if abs(value) >= 1000.0 else general(value, 4)


def _powers(low: float, high: float) -> Sequence[float]:
    """Return powers of ten between two numbers; of less than two of these, powers of two."""
    first, last = ceil(log10(low)), floor(log10(high))
    if last <= first:
        twos = range(ceil(log2(low)), floor(log2(high)) + 1)
        return [2.0**power for power in twos] or [low, high]
    step = -(-(last - first + 1) // MOST_POWERS)
    return [10.0**power for power in range(first, last + 1) if power % step == 0]


def _multiples(low: float, high: float) -> Sequence[float]:
    """Return multiples of a round number between two numbers, six at most."""
    rough = (high - low) / 5.0
    power = 10.0 ** floor(log10(rough))
    step = next(factor * power for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if factor * power >= rough)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [times * step for times in range(first, last + 1)]


@dataclass(frozen=True, eq=False)
class Tracks:
    """Each number on an axis of its own, between what it is held against; the table has its digits.

    Attributes:
        cases: The situations with their numbers.
    """

    cases: Sequence[Case]

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw a line a number, as many as there is room for, and what the glyphs mean."""
        cells = Cells(columns, lines)
        compared = self._compared()[: lines - 2]
        if not compared:
            cells.write(0, 0, "These numbers are held against no other.", colours["muted"])
            return cells
        longest = max(len(evidence.name) for evidence in compared)
        start = min(longest, columns * NAME // 100) + 2
        step = 2 if 2 * len(compared) + 1 <= lines else 1
        for place, evidence in enumerate(compared):
            cells.write(0, step * place, shortened(evidence.name, start - 2), colours["text"])
            _write_track(cells, start, step * place, evidence, colours)
        key = f"{FOUND} found ━ two standard errors  {STATED} stated  {EXACT} exact"
        cells.write(max(columns - len(key), 0), step * len(compared), key, colours["muted"])
        return cells

    def _compared(self) -> list[Evidence]:
        """Return the numbers that are held against another, the deciding ones first."""
        first = [case.evidence[0] for case in self.cases]
        rest = [evidence for case in self.cases for evidence in case.evidence[1:]]
        return [evidence for evidence in (*first, *rest) if _others(evidence)]


def _write_track(cells: Cells, start: int, line: int, evidence: Evidence, colours: Palette) -> None:
    low, high = ends_of(evidence)
    width = cells.columns - start - 1

    def column(value: float) -> int:
        return start + min(max(round((value - low) / (high - low) * width), 0), width)

    cells.write(start, line, "┈" * (width + 1), colours["frame"])
    error = ERRORS * evidence.number.standard_error
    first, last = (column(evidence.value + sign * error) for sign in (-1.0, 1.0))
    if error:
        cells.write(first, line, "━" * (last - first + 1), colours["muted"])
    marks = {STATED: evidence.stated, EXACT: evidence.exact, FOUND: evidence.value}
    for glyph, value in marks.items():
        if value is not None:
            cells.write(column(value), line, glyph, colours["text"])


def _others(evidence: Evidence) -> list[float]:
    """Return what a number is held against, if all of it can be drawn."""
    others = [value for value in (evidence.stated, evidence.exact) if value is not None]
    return others if all(map(isfinite, (evidence.value, *others))) else []


def ends_of(evidence: Evidence) -> tuple[float, float]:
    """Return the ends of the axis of a number: equal numbers stand together in its middle."""
    error = ERRORS * evidence.number.standard_error
    places = [evidence.value - error, evidence.value + error, *_others(evidence)]
    least = max(4.0 * error, SPAN * max(map(abs, places)))
    return widened(min(places), max(places), least)
