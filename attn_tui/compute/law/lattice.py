"""Laws on evenly spaced values, and the exact law of a sum of many such numbers."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, gcd, lcm, sqrt

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import Floats

MOST_VALUES = 2**20
"""Of a lattice, with those of probability 0 between others."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """A law on evenly spaced values.

    Attributes:
        start: The smallest value.
        step: The distance of neighbours, above 0.
        weights: Their probabilities, shape (M,).
    """

    start: float
    step: float
    weights: Floats

    @property
    def values(self) -> Floats:
        """All values, shape (M,), rising."""
        return self.start + self.step * np.arange(self.weights.size, dtype=np.float64)

    @staticmethod
    def of(values: Iterable[Fraction], weights: Floats) -> "Lattice | None":
        """Return the law of exact values, in any order, or None if they lie too many steps apart.

        Any rational numbers are evenly spaced, if perhaps so finely that nothing comes of it.

        >>> Lattice.of(map(Fraction, (2, -1, 0)), np.array([0.25, 0.5, 0.25])).weights.tolist()
        [0.5, 0.25, 0.0, 0.25]
        """
        exact = list(values)
        start = min(exact)
        unit = lcm(*(value.denominator for value in exact))
        offsets = [int((value - start) * unit) for value in exact]
        common = gcd(*offsets) or unit
        if max(offsets) // common >= MOST_VALUES:
            return None
        places = [offset // common for offset in offsets]
        spread: Floats = np.bincount(places, weights).astype(np.float64)
        return Lattice(float(start), float(Fraction(common, unit)), spread)

    def summed(self, terms: int) -> "Lattice | None":
        """Return the law of a sum of independent numbers of this law; None if it is too long.

        Values that have less than e^−50 of probability together, by `reach`, may be left out.
        Probabilities are right to about ``terms``·1e-16, absolutely.
        """
        places = np.arange(self.weights.size)
        mean = float(self.weights @ places)
        sd = sqrt(float(self.weights @ np.square(places - mean)))
        half = reach(float(places[-1]), sd * sqrt(terms), 50.0)
        first = max(0, floor(terms * mean - half))
        last = min(terms * int(places[-1]), ceil(terms * mean + half))
        size = max(last - first + 1, places.size)
        if size > MOST_VALUES:
            return None
        # A cyclic convolution: what lies outside wraps around into the values kept.
        length = 1 << size.bit_length()
        with np.errstate(under="ignore"):
            wrapped = np.fft.irfft(_power(np.fft.rfft(self.weights, length), terms), length)
        weights = np.maximum(wrapped[np.arange(first, last + 1) % length], 0.0)
        start = terms * self.start + first * self.step
        return Lattice(start, self.step, weights / weights.sum())


def reach(longest: float, deviation: float, tail: float) -> float:
    """Return beyond what a sum of independent numbers lies with less than e^−tail of probability.

    That is to either side of its mean, by Bernstein's inequality.

    Args:
        longest: No number lies farther from its mean.
        deviation: The standard deviation of the sum.
        tail: Above 0.
    """
    third = tail * longest / 3.0
    return third + sqrt(third**2 + 2.0 * tail * deviation**2)


def _power(values: NDArray[np.complex128], exponent: int) -> NDArray[np.complex128]:
    """Return values to a whole power, by squaring: many times faster than NumPy's for many."""
    power = np.ones_like(values)
    while exponent:
        if exponent % 2:
            power *= values
        exponent //= 2
        if exponent:
            values = values * values
    return power
