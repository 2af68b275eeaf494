"""What draws of a positive number say about its mean and its median, from their logarithms."""

from dataclasses import dataclass, fields
from math import floor, nan, sqrt

import numpy as np

from attn_tui.compute.arrays import Floats
from attn_tui.compute.norms import log_of, power

SPAN = 1.959963984540054
"""So many standard deviations to either side hold 95 % of a normal law."""


class _Power:
    """The number of which a field is the logarithm; 0 if below float64, infinite if above."""

    def __init__(self, log: str) -> None:
        self._log = log

    def __get__(self, summary: "Summary", owner: type) -> float:
        return power(getattr(summary, self._log))


@dataclass(frozen=True)
class Summary:
    """A positive number over N draws, by natural logarithms: e^−5000 is still told from 0.

    Each logarithm but ``log_median_standard_error`` has the number itself beside it, such as
    ``mean`` and ``quarter``.

    Attributes:
        draws: N.
        log_mean: ln of the average.
        log_mean_standard_error: ln of the average's standard error; NaN for one draw. Where few
            draws in N carry the mean, as with saturated vectors, both tend to be too small.
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
    log_mean: float
    log_mean_standard_error: float
    log_median: float
    log_median_low: float
    log_median_high: float
    log_low: float
    log_high: float
    log_quarter: float
    log_three_quarters: float

    mean = _Power("log_mean")
    mean_standard_error = _Power("log_mean_standard_error")
    median = _Power("log_median")
    median_low = _Power("log_median_low")
    median_high = _Power("log_median_high")
    low = _Power("log_low")
    high = _Power("log_high")
    quarter = _Power("log_quarter")
    three_quarters = _Power("log_three_quarters")

    def times(self, factor: float) -> "Summary":
        """Return the summary of the same draws times a number that is not negative."""
        names = [field.name for field in fields(self)[1:]]
        return Summary(self.draws, *(getattr(self, name) + log_of(factor) for name in names))

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
        spread = values.std(axis=1, ddof=1) if draws > 1 else np.full(len(logs), nan)
        means = np.log(values.mean(axis=1)) + units
        errors = np.log(spread / sqrt(draws)) + units
    low, high = median_ranks(draws)
    columns = [means, errors, ranked[:, low], ranked[:, high]]
    for fraction in (0.5, 0.1, 0.9, 0.25, 0.75):
        # Quantiles lie between logarithms next to each other.
        place = fraction * (draws - 1)
        below = int(place)
        share = place - below
        above = ranked[:, min(below + 1, draws - 1)]
        columns.append((1.0 - share) * ranked[:, below] + share * above)
    columns.insert(2, columns.pop(4))
    return [Summary(draws, *numbers) for numbers in np.stack(columns, axis=1).tolist()]
