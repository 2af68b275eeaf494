"""Counts, means and extremes of numbers, such that those of parts make those of the whole."""

from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True)
class Extreme:
    """The largest or the smallest of some numbers, and where it is; of equals the first.

    Attributes:
        value: The number.
        row: The query it belongs to; −1 if to none.
        key: The key it belongs to; −1 if to none.
    """

    value: float
    row: int = -1
    key: int = -1


@dataclass(frozen=True)
class Tally:
    """What is kept of numbers that are not.

    Attributes:
        count: How many there are.
        mean: Their mean; 0 if there are none.
        spread: The sum of squares of what they differ from it.
        least: The smallest.
        most: The largest.
        histogram: How many lie below the first edge, between each two, and above the last.
    """

    count: int
    mean: float
    spread: float
    least: Extreme
    most: Extreme
    histogram: tuple[int, ...]

    @staticmethod
    def of(
        values: Numbers, edges: Numbers, rows: Places | None = None, keys: Places | None = None
    ) -> "Tally":
        """Return the tally of numbers.

        Args:
            values: Shape (r,), finite.
            edges: Edges of the histogram, rising; a number on an edge lies above it.
            rows: The query each belongs to, shape (r,).
            keys: The key each belongs to, shape (r,).
        """
        bins = np.bincount(np.searchsorted(edges, values, side="right"), minlength=len(edges) + 1)
        histogram = (*map(int, bins),)
        if not len(values):
            return Tally(0, 0.0, 0.0, Extreme(inf), Extreme(-inf), histogram)
        mean = float(values.mean())
        spread = float(np.square(values - mean).sum())
        least, most = (
            Extreme(
                float(values[at]),
                -1 if rows is None else int(rows[at]),
                -1 if keys is None else int(keys[at]),
            )
            for at in (int(values.argmin()), int(values.argmax()))
        )
        return Tally(len(values), mean, spread, least, most, histogram)

    def merged(self, later: "Tally") -> "Tally":
        """Return the tally of these numbers and those that come after them."""
        if not later.count or not self.count:
            return self if self.count else later
        count = self.count + later.count
        apart = later.mean - self.mean
        return Tally(
            count,
            self.mean + apart * (later.count / count),
            self.spread + later.spread + apart * apart * (self.count * later.count / count),
            self.least if self.least.value <= later.least.value else later.least,
            self.most if self.most.value >= later.most.value else later.most,
            tuple(a + b for a, b in zip(self.histogram, later.histogram, strict=True)),
        )

    def error(self, population: int) -> float:
        """Return the standard error of the mean, drawn from so many without putting back.

        It is NaN for a single one of several.
        """
        if self.count >= population:
            return 0.0
        if self.count < 2:
            return nan
        drawn = self.count / population
        return sqrt(self.spread / (self.count - 1) / self.count * (1.0 - drawn))
