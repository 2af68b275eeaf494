"""Samples: streams of random numbers, and a statistic of a sample with its standard error."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, nan, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def stream(seed: int, *key: int) -> "np.random.Generator":
    """Return the generator for a seed and a key; different keys give independent numbers."""
    # Help is printed, and made into the manual, without NumPy.
    import numpy as np

    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


@dataclass(frozen=True)
class Number:
    """A statistic of a sample.

    Attributes:
        value: The value in the sample; NaN if the sample is too small.
        standard_error: The standard deviation of ``value`` over samples of this size; NaN for a
            sample of one.
        exact: The limit of ``value``, or None if it is not known.
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
        """Return the statistic multiplied by a factor.

        >>> Number(2.0, 0.5, 1.0).times(4.0)
        Number(value=8.0, standard_error=2.0, exact=4.0)
        """
        exact = None if self.exact is None else self.exact * factor
        return Number(self.value * factor, self.standard_error * abs(factor), exact)


NOTHING = Number(nan, nan)
"""A statistic of an empty sample."""
