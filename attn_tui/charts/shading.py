"""How the sizes of the Jacobian's entries become four shades, the same on both sides."""

from dataclasses import dataclass
from math import floor, log, log10

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.axis import Floats, power_text, round_step
from attn_tui.charts.grid import Glyphs
from attn_tui.charts.rows import Row
from attn_tui.compute.explore import Evaluation, VectorAnswer
from attn_tui.report.numbers import LN10, MINUS

LINEAR_STEPS = (1 / 16, 1 / 4, 1 / 2, 3 / 4)
"""From which part of the largest possible size on an entry gets each shade."""


@dataclass(frozen=True)
class Shading:
    """A scale of shades.

    Attributes:
        log: Whether the steps are decades.
        bound: No entry is larger, on either side.
        steps: From which size on an entry gets each shade, rising, as decimal logarithms.
        hidden: The sides all of whose entries are too small for a shade.
    """

    log: bool
    bound: float
    steps: tuple[float, ...]
    hidden: tuple[str, ...] = ()

    @property
    def ends(self) -> str:
        """The ends of the scale in words."""
        return (
            f"log {power_text(self.steps[0])} to {self.bound:.3g}"
            if self.log
            else f"linear ±{self.bound:.3g}"
        )

    @property
    def short_ends(self) -> str:
        """The ends of the scale in as few characters as possible."""
        return "log" if self.log else f"±{self.bound:.3g}"

    def shades(self, log_sizes: Floats) -> NDArray[np.intp]:
        """Return 0, too small for a shade, to 4 for natural logarithms of sizes, in any shape."""
        return np.searchsorted(self.steps, log_sizes / LN10 + 1e-9, side="right")

    def legend(self, glyph: Glyphs) -> list[Row]:
        """Return what the shades mean, at decreasing length."""
        sizes = [power_text(step) if self.log else f"{10**step:.3g}" for step in self.steps]
        falling = list(enumerate(sizes, 1))[::-1]
        shades: list[Row] = []
        for text in (" ≥{}  ", "≥{} "):
            spans = [
                ((glyph.shades[shade], f"positive{shade}"), (text.format(size), "label"))
                for shade, size in falling
            ]
            shades.append(tuple(span for pair in spans for span in pair))
        first: Row = ()
        rest: Row = ((glyph.shades[0], "zero"), (" 0  ", "label"))
        if self.hidden:
            which = "" if len(self.hidden) == 2 else f"{self.hidden[0]} "
            first = ((f"{which}all below {sizes[0]}: see log", "strong"), ("  ", "text"))
        elif not self.log:
            rest = (*rest, (f"sign alone: below {sizes[0]}", "label"))
        sign: Row = (("+ positive  ", "positive4"), (f"{MINUS} negative  ", "negative4"))
        last = first if len(self.hidden) == 2 else shades[1]
        rows = [(*sign, *shades[0], *rest), (*shades[0], *rest), (*shades[1], *rest), rest]
        return [*((*first, *row) for row in rows), last]


def linear_shading(answer: VectorAnswer) -> Shading:
    """Return shades that are parts of the largest size an entry can have."""
    bound = _bound(answer)
    sides = {"unscaled": answer.unscaled, "scaled": answer.scaled}
    least = LINEAR_STEPS[0] * bound
    hidden = tuple(name for name, side in sides.items() if _largest(answer, side) < least)
    return Shading(False, bound, tuple(log10(part * bound) for part in LINEAR_STEPS), hidden)


def log_shading(answer: VectorAnswer) -> Shading:
    """Return shades of equally many decades, down to the smallest entry of either side."""
    bound = _bound(answer)
    top = floor(log10(bound))
    lowest = min(_smallest(answer, side) / LN10 for side in (answer.unscaled, answer.scaled))
    step = round_step(top - floor(min(lowest, top)), 4)
    return Shading(True, bound, tuple(float(top - count * step) for count in (4, 3, 2, 1)))


def _bound(answer: VectorAnswer) -> float:
    """Return the largest size an entry can have: p(1 − p) is at most 1/4."""
    if answer.wrt == "logits":
        return 0.25
    return max(answer.unscaled.multiplier, answer.scaled.multiplier) / 4


def _largest(answer: VectorAnswer, side: Evaluation) -> float:
    """Return the largest entry: one of the diagonal, since rows sum to 0. NaN if one is."""
    factor = side.multiplier if answer.wrt == "scores" else 1.0
    return factor * float(np.max(side.weights() * side.complements()))


def _smallest(answer: VectorAnswer, side: Evaluation) -> float:
    """Return a lower bound of ln|entry| over the entries that are not 0, in O(n)."""
    logs = side.log_weights().astype(np.float64)
    logs = logs[np.isfinite(logs)]
    if logs.size < 2:
        return 0.0
    with np.errstate(over="ignore"):
        smallest = float(np.partition(logs, 1)[:2].sum())
    smallest = max(smallest, -float(np.finfo(np.float64).max))
    return smallest + (log(side.multiplier) if answer.wrt == "scores" else 0.0)
