"""Counts, means and extremes of numbers, such that those of parts make those of the whole."""

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]


TALLIED = (
    *("largest_score", "max_logit", "entropy", "effective_keys", "first_key_mass", "sink_mass"),
    *("gradient_norm", "max_weight", "saturated", "dead_gradient", "query_norm", "key_norm"),
    *("cosine", "seen"),
)
"""What is tallied: of every row, but the norm of every key."""


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
        bounds: The smallest and the largest that such a number can be.
    """

    count: int
    mean: float
    spread: float
    least: Extreme
    most: Extreme
    bounds: tuple[float, float] = (0.0, 1.0)

    @staticmethod
    def of(
        values: Numbers,
        rows: Places | None = None,
        keys: Places | None = None,
        bounds: tuple[float, float] = (0.0, 1.0),
    ) -> "Tally":
        """Return the tally of numbers.

        Args:
            values: Shape (r,), finite.
            rows: The query each belongs to, shape (r,).
            keys: The key each belongs to, shape (r,).
            bounds: The smallest and the largest that such a number can be.
        """
        if not len(values):
            return Tally(0, 0.0, 0.0, Extreme(inf), Extreme(-inf), bounds)
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
        return Tally(len(values), mean, spread, least, most, bounds)

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
            self.bounds,
        )

    def error(self, drawn: float) -> float:
        """Return the standard error of the mean of numbers drawn without putting back.

        Two numbers more are supposed, one at either bound: that no row among a few lies far from
        the others does not mean that none does. Where few rows carry a mean, as early ones do in
        a causal head, 95 % intervals would else cover it in half of the samples or fewer
        (``python benchmarks/heads.py --coverage``).

        Args:
            drawn: Which share of all numbers these are.
        """
        count, (least, most) = self.count, self.bounds
        mean = (self.mean * count + least + most) / (count + 2)
        spread = self.spread + count * (self.mean - mean) ** 2
        spread += (least - mean) ** 2 + (most - mean) ** 2
        return sqrt(spread / (count + 2) / count * max(1.0 - drawn, 0.0))
