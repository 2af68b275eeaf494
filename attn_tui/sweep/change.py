"""The factor by which a rule changes a median, with how well it is known, and its wording."""

from dataclasses import dataclass
from math import exp, isnan, log, log10, nan
from typing import Literal

from attn_tui.compute.numbers import about, fixed, interval, power_of_ten
from attn_tui.compute.sweep.points import SPAN, Ratio
from attn_tui.report import words

Trend = Literal["larger", "smaller", "same", "untold", "unknown"]

SAME = log(1.15)
"""A change whose whole interval is smaller than this is called the same."""

NARROW, WIDE = log(1.05), log(1.2)
"""An interval up to the first is stated as its middle, up to the second as about its middle, and a
wider one by both ends."""

SIGNS = {
    "=": "same", "?": "draws do not tell", ">": "100 or more", "M": "over a million",
}  # fmt: skip
"""What the signs mean that stand on a map in place of numbers."""


@dataclass(frozen=True)
class LogFactor:
    """The logarithm of a factor, with its standard error.

    Attributes:
        log: ln of the number after over the number before; NaN if it is not known.
        error: Its standard error; NaN if it is not known.
    """

    log: float
    error: float = 0.0

    @staticmethod
    def of(ratio: Ratio | None) -> "LogFactor":
        """Return by what a rule changes a median, from the ratio of unscaled to scaled."""
        return LogFactor(-ratio.log_median, ratio.log_median_error) if ratio else LogFactor(nan)

    @property
    def ends(self) -> tuple[float, float]:
        """The 95 % interval of the logarithm."""
        apart = SPAN * self.error
        return self.log - apart, self.log + apart

    @property
    def way(self) -> Trend:
        """The direction of the change, or that it is the same, untold or unknown."""
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
        """The factor as precisely as its error allows: ``24``, ``about 23``, ``6.7 to 23``."""
        least, most = sorted(map(abs, self.ends))
        if least > words.UNTOLD:
            return "over a million"
        if most > words.UNTOLD:
            return f"over {about(exp(least))}"
        if most - least > WIDE:
            return interval(exp(least), exp(most), about)
        prefix = "about " if most - least > NARROW else ""
        return prefix + about(exp(abs(self.log)))

    @property
    def times(self) -> str:
        """The factor with its direction, ``24 times larger``, or its range if that is untold."""
        way = self.way
        if way == "unknown":
            return "unknown"
        if way == "same":
            return "about the same"
        if way == "untold":
            low, high = map(words.times, self.ends)
            return f"anything from {low} to {high}"
        return f"{self.many} times {way}"

    def cell(self, width: int, decimals: int = 0) -> str:
        """Return the factor in at most ``width`` characters: ``1.7`` or ``<2``, ``26``, ``10³``.

        `SIGNS` says what the signs mean that stand in place of a number.

        Args:
            width: The most characters, at least 2.
            decimals: How many decimals numbers below 1,000 have.
        """
        signs = {"unknown": "", "same": "=", "untold": "?"}
        if self.way in signs:
            return signs[self.way]
        size = abs(self.log) / log(10.0)
        if size >= 6.0:
            return "M"
        text = fixed(10.0**size, decimals)
        if text == "1":
            text = "<2"
        if size >= log10(999.5):
            text = power_of_ten(max(int(size + 1e-9), 3))
        return text if len(text) <= width else ">"
