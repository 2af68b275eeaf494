"""The axis of values of q·k: it does not move with d_k, so that a law that widens is seen to."""

from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np

from attn_tui.compute.dots.answer import law_of
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.log_scale import D_K
from attn_tui.old.charts.axis import Floats
from attn_tui.report.numbers import MINUS, general
from attn_tui.report.rows import Row

REACH = {False: 3.0, True: 4.0}
"""The axis goes at least so many standard deviations beyond the means; if linear, just so many."""

BAND = 2.0
"""So many of them to either side of the mean are a law's band."""

GUTTER = 9
"""Columns left of the axis, for what a row is of."""


def labelled(text: str, role: str, row: Row = ()) -> Row:
    """Return a row with what it is of to the left of the axis."""
    return ((text.ljust(GUTTER), role), *row)


@dataclass(frozen=True)
class ValueAxis:
    """Values of q·k from left to right: signed and logarithmic, linear within ±1; or all linear.

    Attributes:
        low: Its left end.
        high: Its right end.
        linear: Whether it is linear throughout.
    """

    low: float
    high: float
    linear: bool = False

    @classmethod
    def of(cls, settings: Settings, multiplier: float, d_k: int, linear: bool) -> "ValueAxis":
        """Return the axis of a question, for every d_k; or, linear, of q·k at the present one.

        A linear one holds m·q·k as well where both have the mean 0.
        """
        if linear:
            law = law_of(settings, d_k)
            spread = REACH[True] * (law.standard_deviation or abs(law.mean) or 1.0)
            spread *= 1.0 if law.mean else max(multiplier, 1.0)
            return cls(law.mean - spread, law.mean + spread, True)
        laws = [law_of(settings, each) for each in (D_K.minimum, D_K.maximum)]
        lows, highs = zip(*(reach(law, REACH[False]) for law in laws), strict=True)
        return cls(-_power_of_ten(-min(lows)), _power_of_ten(max(highs)))

    @property
    def name(self) -> str:
        """What kind of axis it is, in a word or two."""
        return "linear" if self.linear else "signed log" if self.low < 0.0 < self.high else "log"

    def bent(self, values: Floats) -> Floats:
        """Return values as lengths along the axis."""
        bent: Floats = values if self.linear else np.arcsinh(values)
        return bent

    def fractions(self, values: Floats) -> Floats:
        """Return places from 0 at the left end to 1 at the right one; beyond, where outside."""
        low, high = self.bent(np.array([self.low, self.high]))
        places: Floats = (self.bent(values) - low) / (high - low)
        return places

    def values(self, fractions: Floats) -> Floats:
        """Return the values at places."""
        low, high = self.bent(np.array([self.low, self.high]))
        lengths = low + fractions * (high - low)
        found: Floats = lengths if self.linear else np.sinh(lengths)
        return found

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Values that may be labelled, the most important first, with their texts."""
        if self.linear:
            step = 10.0 ** floor(log10((self.high - self.low) / 2.0))
            places = range(ceil(self.low / step), floor(self.high / step) + 1)
            found = sorted((place * step for place in places), key=abs)
        else:
            sizes = [10.0**power for power in range(round(log10(max(self.high, -self.low))) + 1)]
            found = [0.0, *(sign * size for size in (*sizes[::-2], *sizes[-2::-2], 1.0)
                            for sign in (1.0, -1.0))]  # fmt: skip
        inside = [value for value in found if self.low <= value <= self.high]
        return [(value, _text(value)) for value in dict.fromkeys(inside)]


def _text(value: float) -> str:
    text = f"{abs(value):,.0f}" if 1.0 <= abs(value) < 1e7 else general(abs(value), 3)
    return MINUS * (value < 0) + text


def _power_of_ten(value: float) -> float:
    """Return the least power of ten that is not below a value, from 10 on; 0 for one up to 0."""
    return 10.0 ** max(ceil(log10(value) - 1e-9), 1) if value > 0.0 else 0.0


def reach(law: DotLaw, times: float) -> tuple[float, float]:
    """Return what is so many standard deviations below and above a law's mean, if it goes there."""
    least, most = (law.d_k * end for end in law.pair.ends)
    spread = times * law.standard_deviation
    return max(law.mean - spread, least), min(law.mean + spread, most)
