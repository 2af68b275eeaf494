"""Samples: streams of random numbers, and a number that a sample says with its error."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, nan, sqrt

import numpy as np


def stream(seed: int, *key: int) -> "np.random.Generator":
    """Return the generator of a seed for a key; other keys give independent numbers."""
    # NumPy imports its generators at their first use, which a quoted type is not.
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


@dataclass(frozen=True)
class Number:
    """A statistic of a sample.

    Attributes:
        value: What the sample says; NaN if it is too small to say.
        standard_error: The standard deviation of ``value`` over samples of this size; NaN for a
            sample of one.
        exact: What ``value`` tends to, or None where it is not known.
    """

    value: float
    standard_error: float
    exact: float | None = None

    @staticmethod
    def mean(values: Sequence[float]) -> "Number":
        """Return the mean of at least one value.

        >>> Number.mean([1.0, 3.0])
        Number(value=2.0, standard_error=1.0, exact=None)
        """
        count = len(values)
        mean = fsum(values) / count
        squares = fsum((value - mean) ** 2 for value in values)
        return Number(mean, sqrt(squares / (count - 1) / count) if count > 1 else nan)

    def times(self, factor: float) -> "Number":
        """Return the same statistic of numbers that make it ``factor`` times as large.

        >>> Number(2.0, 0.5, 1.0).times(4.0)
        Number(value=8.0, standard_error=2.0, exact=4.0)
        """
        exact = None if self.exact is None else self.exact * factor
        return Number(self.value * factor, self.standard_error * abs(factor), exact)


NOTHING = Number(nan, nan)
"""What a sample of nothing says."""
