"""What a rule does to a number that was drawn: by which factor, and how well that is known."""

from dataclasses import dataclass
from math import exp, isnan, log, log10
from typing import Literal

from attn_tui.compute.sweep.points import SPAN, Place, Points
from attn_tui.compute.sweep.settings import Statistic
from attn_tui.report import words

Way = Literal["larger", "smaller", "same", "untold", "unknown"]

SAME = log(1.15)
"""What changes by less, as far as is known, is said to stay the same."""

NARROW, WIDE = log(1.05), log(1.2)
"""Of an interval that is wider both ends are said; of a narrower one the middle, or about it."""


@dataclass(frozen=True)
class Change:
    """The logarithm of a factor, with its standard error.

    Attributes:
        log: ln of the number afterwards over that before; NaN where it is not known.
        error: Its standard error; NaN where that is not known.
    """

    log: float
    error: float = 0.0

    @property
    def ends(self) -> tuple[float, float]:
        """Where the logarithm lies, 95 times in 100."""
        apart = SPAN * self.error
        return self.log - apart, self.log + apart

    @property
    def way(self) -> Way:
        """Which way it goes, or that it cannot be told."""
        low, high = self.ends
        if isnan(low):
            return "unknown"
        if max(-low, high) <= SAME:
            return "same"
        if low > 0.0:
            return "larger"
        return "smaller" if high < 0.0 else "untold"

    @property
    def many(self) -> str:
        """How many times, as far as the error tells: ``24``, ``about 23``, ``6.7 to 23``."""
        least, most = sorted(map(abs, self.ends))
        if least > words.UNTOLD:
            return "over a million"
        if most > words.UNTOLD:
            return f"over {words.about(exp(least))}"
        if most - least > WIDE:
            return f"{words.about(exp(least))} to {words.about(exp(most))}"
        prefix = "about " if most - least > NARROW else ""
        return prefix + words.about(exp(abs(self.log)))

    @property
    def times(self) -> str:
        """The factor with its way: ``24 times larger``, or what it may be."""
        way = self.way
        if way == "unknown":
            return "unknown"
        if way == "same":
            return "about the same"
        if way == "untold":
            low, high = map(words.times, self.ends)
            return f"anything from {low} to {high}"
        return f"{self.many} times {way}"

    def cell(self, width: int) -> str:
        """Return how many times in at most so many characters, from 1 on: ``1.7``, ``26``, ``10³``.

        Nothing where that is not enough.
        """
        signs = {"unknown": "", "same": "=", "untold": "?"}
        if self.way in signs:
            return signs[self.way]
        size = abs(self.log) / log(10.0)
        if size >= 6.0:
            return "≫"
        if size >= log10(999.5):
            text = f"10{'⁰¹²³⁴⁵'[int(size + 1e-9)]}"
        else:
            text = f"{10.0**size:.{1 if 10.0**size < 2.95 else 0}f}"
        if len(text) > width and "." in text:
            text = f"{10.0**size:.0f}".replace("1", "")
        return text if len(text) <= width else ""


def change(points: Points, place: Place, rule: str, statistic: Statistic) -> Change:
    """Return what a rule does to a median at a place."""
    ratio = points.ratio(*place, rule, statistic)
    if ratio is None:
        return Change(float("nan"))
    return Change(-ratio.log_median, ratio.log_median_error)
