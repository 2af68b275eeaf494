"""A histogram of q·k over a range that follows from the exact law, and what it tends to."""

from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import Floats
from attn_tui.compute.law.dot_law import DotLaw

REACH = 5.0
"""The range goes so many standard deviations to either side of the exact mean."""

BINS = 100
"""So many bins, or fewer where each value of q·k would not have a bin of its own otherwise."""


@dataclass(frozen=True)
class Bins:
    """Where q·k less its exact mean is counted; a value on an edge counts to the right.

    Where the values of q·k are evenly spaced, edges lie midway between them and every bin has as
    many of them, so that no comb appears that is not in the law.

    Attributes:
        low: The first edge.
        width: That of each bin.
        number: How many there are.
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
        """Every edge, shape (number + 1,), rising."""
        return self.low + self.width * np.arange(self.number + 1, dtype=np.float64)

    def count(self, deviations: Floats, weights: Floats | None = None) -> NDArray[np.float64]:
        """Count values, shape (N,); return shape (number + 2,): below, each bin, above."""
        places = (deviations - self.low) * (1.0 / self.width)
        places += 1.0
        np.clip(places, 0.0, self.number + 1.0, out=places)
        return np.bincount(places.astype(np.int32), weights, self.number + 2).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Histogram:
    """How many values of a sample lie where.

    Attributes:
        edges: Shape (B + 1,), rising.
        counts: Shape (B,).
        below: How many lie below the first edge.
        above: How many lie above the last.
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
        """The share of the whole sample in each bin over its width, shape (B,)."""
        return self.counts / (max(self.count, 1) * np.diff(self.edges))

    def scaled(self, m: float) -> "Histogram":
        """Return the histogram of m times the numbers, for m above 0."""
        return Histogram(self.edges * m, self.counts, self.below, self.above)


def histogram(law: DotLaw, bins: Bins, counted: Floats) -> Histogram:
    """Return what `Bins.count` counted, over q·k itself."""
    counts = counted.astype(np.int64)
    return Histogram(bins.edges + law.mean, counts[1:-1], int(counts[0]), int(counts[-1]))


@dataclass(frozen=True, eq=False)
class Curves:
    """What the density of a histogram is compared with.

    Attributes:
        x: Where, shape (P,), rising: four places in each bin, none on an edge; or the middle of
            each bin, if q·k has probabilities and no density.
        exact: The density of q·k, or its probability in the bin over the bin's width; shape (P,).
            None if it is not known. At a single place it may be infinite.
        normal: The density of the normal law with the same mean and variance, shape (P,).
        discrete: Whether ``exact`` is of probabilities.
    """

    x: Floats
    exact: Floats | None
    normal: Floats
    discrete: bool

    def scaled(self, m: float) -> "Curves":
        """Return the curves of m times the number, for m above 0."""
        exact = None if self.exact is None else self.exact / m
        return Curves(self.x * m, exact, self.normal / m, self.discrete)


def curves(law: DotLaw, bins: Bins) -> Curves:
    """Return the exact and the normal curve over the bins."""
    per_bin = 1 if law.product.discrete else 4
    places = bins.low + bins.width * (np.arange(bins.number * per_bin) + 0.5) / per_bin
    x = places + law.mean
    chances = law.chances
    if chances is not None:
        shares = bins.count(*chances)[1:-1]
        return Curves(x, shares / bins.width, law.normal_density(x), discrete=True)
    return Curves(x, law.density(x), law.normal_density(x), law.product.discrete)
