"""Summaries of a sample too long to keep: sums and a histogram, and statistics from them."""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, copysign, floor, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import Floats
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.sample import Number


@dataclass(frozen=True)
class PowerSums:
    """Power sums of a sample of q·k; those of two samples can be added.

    With t = (q·k − exact mean)/exact standard deviation the powers neither overflow nor cancel,
    since sample and exact moments are close. If the standard deviation is 0, 1 takes its place.

    Attributes:
        count: The size of the sample.
        first: Σt.
        second: Σt².
        third: Σt³.
        fourth: Σt⁴.
        size: Σ(|q·k| − |exact mean|)/exact standard deviation.
        inside: How many are within ±`DotLaw.bound`.
    """

    count: int = 0
    first: float = 0.0
    second: float = 0.0
    third: float = 0.0
    fourth: float = 0.0
    size: float = 0.0
    inside: int = 0

    @staticmethod
    def of(deviations: Floats, law: DotLaw) -> "PowerSums":
        """Return the sums of values of q·k less its exact mean, shape (count,)."""
        unit = law.standard_deviation or 1.0
        t = deviations / unit
        squares = np.square(t)
        # Plain sums, since BLAS may take longer to wake its threads than to compute.
        first, second = float(t.sum()), float(squares.sum())
        t *= squares
        squares *= squares
        third, fourth = float(t.sum()), float(squares.sum())
        size = float((np.abs(deviations + law.mean) - abs(law.mean)).sum()) / unit
        inside = int(np.count_nonzero(law.inside(deviations)))
        return PowerSums(t.size, first, second, third, fourth, size, inside)

    def __add__(self, other: "PowerSums") -> "PowerSums":
        # Written out: the general ways of dataclasses took a quarter of the time of a sample.
        return PowerSums(
            self.count + other.count,
            self.first + other.first,
            self.second + other.second,
            self.third + other.third,
            self.fourth + other.fourth,
            self.size + other.size,
            self.inside + other.inside,
        )

    @property
    def central(self) -> tuple[float, float, float]:
        """The mean of t and its central moments of orders 2 and 4."""
        powers = self.first, self.second, self.third, self.fourth
        m1, m2, m3, m4 = (power / self.count for power in powers)
        fourth = m4 - 4.0 * m1 * m3 + 6.0 * m1**2 * m2 - 3.0 * m1**4
        return m1, max(m2 - m1**2, 0.0), fourth


@dataclass(frozen=True)
class Readouts:
    """Statistics of a sample of a number x, as estimates of those of its law.

    Standard errors come from the exact law, so that they are right for small samples too; for the
    standard deviation and the kurtosis they hold to first order in 1/count. Where the exact E|x|
    or coverage is not known, the sample's own takes its place.

    Attributes:
        mean: E[x].
        variance: E[(x − E[x])²], with the divisor count − 1.
        standard_deviation: Its root.
        mean_size: E|x|.
        kurtosis: The fourth moment about the mean over the squared variance; 3 for normal x.
        coverage: The probability that |x| is at most ``bound``.
        bound: Twice the standard deviation that x has if the entries of q and k are independent
            and of mean 0: 2√d_k for x = q·k and entries of variance 1.
    """

    mean: Number
    variance: Number
    standard_deviation: Number
    mean_size: Number
    kurtosis: Number
    coverage: Number
    bound: float

    def scaled(self, m: float) -> "Readouts":
        """Return the statistics of m·x from the same sample, for m above 0."""
        return Readouts(
            self.mean.times(m),
            self.variance.times(m * m),
            self.standard_deviation.times(m),
            self.mean_size.times(m),
            self.kurtosis,
            self.coverage,
            self.bound * m,
        )


def mean(sums: PowerSums, law: DotLaw) -> Number:
    """Return the sample mean of q·k."""
    deviation = law.standard_deviation
    error = deviation / sqrt(sums.count) if sums.count > 1 else nan
    return Number(law.mean + sums.central[0] * (deviation or 1.0), error, law.mean)


def variance(sums: PowerSums, law: DotLaw) -> Number:
    """Return the sample variance of q·k.

    The standard error is Var·√((kurtosis − (N − 3)/(N − 1))/N).
    """
    n, exact = sums.count, law.variance
    if n < 2:
        return Number(nan, nan, exact)
    unit = exact or 1.0
    spread = (law.kurtosis - (n - 3) / (n - 1)) if exact else 0.0
    return Number(sums.central[1] * n / (n - 1) * unit, unit * sqrt(max(spread, 0.0) / n), exact)


def read(sums: PowerSums, law: DotLaw) -> Readouts:
    """Return the statistics of q·k from the sums of at least one value."""
    n, sd = sums.count, law.standard_deviation
    root = sqrt(n) if n > 1 else nan
    spread = variance(sums, law)
    deviation = sqrt(spread.value) if n > 1 else nan
    error = spread.standard_error / (2.0 * sd) if sd else 0.0 / root
    # By the delta method, n times the variance of the sample kurtosis is the variance of the
    # influence t⁴ − 4·E[t³]·t − 2g·t² + g. For values ±1 it is 0 to first order, 48/n to second.
    _, m2, m4 = sums.central
    kurtosis = m4 / m2**2 if n > 1 and m2 > 0.0 else nan
    moments = law.moments
    influence = np.array([moments[4], -4.0 * moments[3], -2.0 * moments[4], 0.0, 1.0])
    of_kurtosis = max(float(np.convolve(influence, influence) @ moments), 0.0) + 48.0 / n
    # Where the exact coverage is unknown, this keeps its error above 0.
    share = (sums.inside + 1) / (n + 2) if law.coverage is None else min(law.coverage, 1.0)
    return Readouts(
        mean(sums, law),
        spread,
        Number(deviation, error, sd),
        _mean_size(sums, law, root),
        Number(kurtosis, sqrt(of_kurtosis) / root, law.kurtosis),
        Number(sums.inside / n, sqrt(share * (1.0 - share)) / root, law.coverage),
        law.bound,
    )


def _mean_size(sums: PowerSums, law: DotLaw, root: float) -> Number:
    """Return the sample's E|x|, with its error from Var|x| = Var(x) + E[x]² − (E|x|)²."""
    sd, size, least = law.standard_deviation, abs(law.mean), 0.0
    more = sums.size / sums.count * (sd or 1.0)
    if law.mean_size is not None:
        spread, off, surplus = sd**2, 0.0, law.mean_size - size
        # If the only values are ±x, the variance of |x| is 0, not a rounding error of Var(x).
        least = 1e-14 * spread
    else:
        m1, m2, _ = sums.central
        spread, off, surplus = sd**2 * m2, copysign(sd * m1, law.mean * m1), more
    # With E[x]² = (size + off)² and (E|x|)² = (size + surplus)², no large squares are subtracted.
    spread += (off - surplus) * (2.0 * size + off + surplus)
    return Number(size + more, sqrt(spread if spread > least else 0.0) / root, law.mean_size)


REACH = 5.0
"""Half the width of the histogram in standard deviations, around the exact mean."""

BINS = 100
"""The number of bins; fewer if there would be more bins than values of q·k."""


@dataclass(frozen=True)
class Bins:
    """Bins for q·k less its exact mean; a value on an edge belongs to the bin on its right.

    If the values of q·k are evenly spaced, edges lie midway between them and every bin holds
    equally many, so that the histogram shows no comb that is not in the law.

    Attributes:
        low: The first edge.
        width: The width of each bin.
        number: The number of bins.
    """

    low: float
    width: float
    number: int

    @staticmethod
    def of(law: DotLaw) -> "Bins":
        """Return the bins for a law."""
        reach = REACH * (law.standard_deviation or 1.0)
        width = 2.0 * reach / BINS
        if law.grid is None:
            return Bins(-reach, width, BINS)
        value, step = law.grid
        width = step * ceil(width / step - 1e-9)
        low = value + (floor((-reach - value) / step) + 0.5) * step
        return Bins(low, width, max(1, ceil((reach - low) / width)))

    @property
    def edges(self) -> Floats:
        """All edges, shape (number + 1,), rising."""
        return self.low + self.width * np.arange(self.number + 1, dtype=np.float64)

    def count(self, deviations: Floats, weights: Floats | None = None) -> NDArray[np.float64]:
        """Count values, shape (N,); return shape (number + 2,): below, each bin, above."""
        places = (deviations - self.low) * (1.0 / self.width)
        places += 1.0
        np.clip(places, 0.0, self.number + 1.0, out=places)
        return np.bincount(places.astype(np.int32), weights, self.number + 2).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Histogram:
    """A histogram of a sample.

    Attributes:
        edges: The edges of the bins, shape (B + 1,), rising.
        counts: How many values lie in each bin, shape (B,).
        below: How many lie below the first edge.
        above: How many lie above the last edge.
    """

    edges: Floats
    counts: NDArray[np.int64]
    below: int
    above: int

    @property
    def count(self) -> int:
        """The size of the sample."""
        return int(self.counts.sum()) + self.below + self.above

    @property
    def density(self) -> Floats:
        """The share of the whole sample in each bin divided by its width, shape (B,)."""
        return self.counts / (max(self.count, 1) * np.diff(self.edges))

    def scaled(self, m: float) -> "Histogram":
        """Return the histogram of m times the numbers, for m above 0."""
        return Histogram(self.edges * m, self.counts, self.below, self.above)


def histogram(law: DotLaw, bins: Bins, counted: Floats) -> Histogram:
    """Return the histogram of q·k itself from the counts of `Bins.count`."""
    counts = counted.astype(np.int64)
    return Histogram(bins.edges + law.mean, counts[1:-1], int(counts[0]), int(counts[-1]))


@dataclass(frozen=True, eq=False)
class DensityCurves:
    """Curves to compare with the density of a histogram.

    Attributes:
        x: Shape (P,), rising: four places in each bin, none on an edge; or the middle of each bin,
            if q·k is discrete.
        exact: The density of q·k, or, if it is discrete, the probability of the bin over its
            width; shape (P,). None if it is not known. It can be infinite at a single place.
        normal: The density of the normal law with the same mean and variance, shape (P,).
        discrete: Whether ``exact`` comes from probabilities.
    """

    x: Floats
    exact: Floats | None
    normal: Floats
    discrete: bool

    def scaled(self, m: float) -> "DensityCurves":
        """Return the curves of m·q·k, for m above 0."""
        exact = None if self.exact is None else self.exact / m
        return DensityCurves(self.x * m, exact, self.normal / m, self.discrete)


@lru_cache(maxsize=4)
def curves(law: DotLaw) -> DensityCurves:
    """Return the exact and the normal curve of a law, over its bins."""
    bins = Bins.of(law)
    per_bin = 1 if law.product.discrete else 4
    places = bins.low + bins.width * (np.arange(bins.number * per_bin) + 0.5) / per_bin
    x = places + law.mean
    chances = law.chances
    if chances is not None:
        shares = bins.count(*chances)[1:-1]
        return DensityCurves(x, shares / bins.width, law.normal_density(x), discrete=True)
    return DensityCurves(x, law.density(x), law.normal_density(x), law.product.discrete)
