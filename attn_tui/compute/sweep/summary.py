"""What draws of a positive number say about its mean and its median, from their logarithms."""

from dataclasses import astuple, dataclass
from math import floor, inf, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.norms import SMALLEST_NORMAL, log_of, power

Floats = NDArray[np.float64]

SPAN = 1.959963984540054
"""So many standard deviations to either side hold 95 % of a normal law."""


@dataclass(frozen=True)
class Summary:
    """A positive number over N draws.

    What comes from the order of the draws is kept as a natural logarithm, so that a median of
    e^−5000 is still told from 0.

    Attributes:
        draws: N.
        mean: Its average.
        mean_standard_error: The average's standard error; NaN for one draw. Where few draws in N
            carry the mean, as with saturated vectors, both tend to be too small.
        log_mean: ln of the average, from which that follows below float64's normal numbers.
        log_mean_standard_error: ln of its standard error; likewise.
        log_median: ln of the median.
        log_median_low: ln of the lower end of the median's 95 % interval.
        log_median_high: ln of its upper end. Both are draws, by their rank; with fewer than six
            draws they are the extremes, and hold the median less often.
        log_low: ln of what one draw in ten falls below.
        log_high: ln of what one draw in ten exceeds.
        log_quarter: ln of what a quarter of the draws fall below.
        log_three_quarters: ln of what a quarter exceed: between these is the middle half.
    """

    draws: int
    mean: float
    mean_standard_error: float
    log_mean: float
    log_mean_standard_error: float
    log_median: float
    log_median_low: float
    log_median_high: float
    log_low: float
    log_high: float
    log_quarter: float
    log_three_quarters: float

    def times(self, factor: float) -> "Summary":
        """Return the summary of the same draws times a number that is not negative."""
        by = log_of(factor)
        draws, mean, error, *logs = astuple(self)
        moved = [log + by for log in logs]
        sizes = [
            size * factor if SMALLEST_NORMAL <= min(size, size * factor) < inf else power(log)
            for size, log in zip((mean, error), moved, strict=False)
        ]
        return Summary(draws, *sizes, *moved)

    @property
    def median(self) -> float:
        """The median; 0 if below float64, infinite if above."""
        return power(self.log_median)

    @property
    def median_low(self) -> float:
        """The lower end of the median's 95 % interval."""
        return power(self.log_median_low)

    @property
    def median_high(self) -> float:
        """The upper end of the median's 95 % interval."""
        return power(self.log_median_high)

    @property
    def median_standard_error(self) -> float:
        """The standard error the median's interval corresponds to; NaN for one draw."""
        return (self.median_high - self.median_low) / (2.0 * SPAN) if self.draws > 1 else nan

    @property
    def log_median_standard_error(self) -> float:
        """The standard error of ln of the median that its interval corresponds to."""
        if self.draws < 2:
            return nan
        return (self.log_median_high - self.log_median_low) / (2.0 * SPAN)

    @property
    def low(self) -> float:
        """What one draw in ten falls below."""
        return power(self.log_low)

    @property
    def high(self) -> float:
        """What one draw in ten exceeds."""
        return power(self.log_high)

    @property
    def quarter(self) -> float:
        """What a quarter of the draws fall below."""
        return power(self.log_quarter)

    @property
    def three_quarters(self) -> float:
        """What a quarter of the draws exceed."""
        return power(self.log_three_quarters)


def median_ranks(draws: int) -> tuple[int, int]:
    """Return the ranks, from 0, of the draws that hold the median between them 95 times in 100.

    >>> median_ranks(1000)
    (468, 531)
    """
    low = max(floor((draws - SPAN * sqrt(draws)) / 2.0) - 1, 0)
    return low, draws - 1 - low


def summarise(logs: Floats) -> list[Summary]:
    """Return the summary of each row of logarithms, shape (rows, N), N ≥ 1."""
    ranked = np.sort(logs, axis=1)
    draws = ranked.shape[1]
    # Numbers whose squares float64 cannot hold are averaged in units of the largest.
    largest = ranked[:, -1]
    units = np.where(np.isfinite(largest) & (np.abs(largest) > 300.0), largest, 0.0)
    with np.errstate(all="ignore"):
        values = np.exp(ranked - units[:, None])
        means = values.mean(axis=1)
        spread = values.std(axis=1, ddof=1) if draws > 1 else np.full(len(logs), nan)
        sizes = np.stack([means, spread / sqrt(draws)])
        log_sizes = np.log(sizes) + units
        sizes = np.where(units == 0.0, sizes, np.exp(log_sizes))
    low, high = median_ranks(draws)
    median, *others = _quantiles(ranked, (0.5, 0.1, 0.9, 0.25, 0.75))
    columns = (*sizes, *log_sizes, median, ranked[:, low], ranked[:, high], *others)
    return [Summary(draws, *numbers) for numbers in np.stack(columns, axis=1).tolist()]


def _quantiles(ranked: Floats, fractions: tuple[float, ...]) -> list[Floats]:
    """Return quantiles of ranked rows, halfway points between logarithms."""
    found = []
    for fraction in fractions:
        place = fraction * (ranked.shape[1] - 1)
        below = int(place)
        above = min(below + 1, ranked.shape[1] - 1)
        share = place - below
        found.append((1.0 - share) * ranked[:, below] + share * ranked[:, above])
    return found
