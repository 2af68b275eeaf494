"""The charts of Claims: curves over one axis."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log2, log10

import numpy as np

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Palette
from attn_tui.charts.figure import Axis, Curve, Figure
from attn_tui.claims.claim import ClaimCurves
from attn_tui.compute.arrays import Floats
from attn_tui.compute.numbers import amount, interval, tick
from attn_tui.report.text import shortened

VERDICT_GLYPHS = {
    "holds": "✓", "conditional": "◐", "false": "✗", "wording": "¶", "undecided": "?",
    "inapplicable": "–",
}  # fmt: skip
"""The glyphs of verdicts."""

SPAN = 0.01
"""The least span of an axis, as a share of its largest number: equal numbers stay together."""

MOST_POWERS = 6
"""The most ticks of a logarithmic axis."""

OTHERS = ("text", "muted", "larger", "smaller")
"""The colours of curves that belong to neither side."""


@dataclass(frozen=True, eq=False)
class CurvesDrawing:
    """The curves of a claim, as a drawing.

    Attributes:
        picture: The picture to draw.
    """

    picture: ClaimCurves

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw the curves between their axes; names take at most a third of the columns."""
        return curves_figure(self.picture, columns // 3).draw(columns, lines, colours)


def curves_figure(picture: ClaimCurves, longest: int) -> Figure:
    """Return the figure of a claim's curves, with the mark.

    Args:
        picture: The picture to draw.
        longest: The most cells that a name may take.
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
    """Return the side that a curve belongs to, judged by its name, or nothing."""
    return next((side for side in ("unscaled", "scaled") if side in name), "")


def marked_text(picture: ClaimCurves) -> str:
    """Return the name and value of the mark with its interval, or nothing."""
    if picture.mark is None or not picture.marked:
        return ""
    text = f"{picture.marked}: {amount(picture.mark)}"
    if picture.ends is None:
        return text
    return f"{text} (95 %: {interval(*picture.ends, amount)})"


def axis(values: Floats, logarithmic: bool) -> Axis:
    """Return an axis that holds all finite values, with a few round ticks."""
    kept = values[np.isfinite(values) & ((values > 0.0) | (not logarithmic))]
    low, high = (float(kept.min()), float(kept.max())) if kept.size else (1.0, 2.0)
    least = SPAN * max(abs(low), abs(high)) or 1.0
    if high - low < least:
        middle = (low + high) / 2.0
        low, high = middle - least / 2.0, middle + least / 2.0
    ticks = _powers(low, high) if logarithmic else _multiples(low, high)
    return Axis(low, high, tuple((place, tick(place)) for place in ticks), logarithmic)


def _powers(low: float, high: float) -> Sequence[float]:
    """Return powers of ten between two numbers; if there are fewer than two, powers of two."""
    first, last = ceil(log10(low)), floor(log10(high))
    if last <= first:
        twos = range(ceil(log2(low)), floor(log2(high)) + 1)
        return [2.0**power for power in twos] or [low, high]
    step = -(-(last - first + 1) // MOST_POWERS)
    return [10.0**power for power in range(first, last + 1) if power % step == 0]


def _multiples(low: float, high: float) -> Sequence[float]:
    """Return multiples of a round number between two numbers, at most six."""
    rough = (high - low) / 5.0
    power = 10.0 ** floor(log10(rough))
    step = next(factor * power for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if factor * power >= rough)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [times * step for times in range(first, last + 1)]
