"""Laws on evenly spaced values, and the exact law of a sum of many such numbers."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_MOST_STEPS = 1024
"""Values of one term are on a lattice if they span at most so many steps of it."""

_MOST_VALUES = 2**23
"""A sum of more values is not computed."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """A law on ``start``, ``start + step``, …

    Attributes:
        start: The smallest value.
        step: The distance of neighbours, above 0.
        weights: Their probabilities, shape (M,).
    """

    start: float
    step: float
    weights: Floats

    @cached_property
    def values(self) -> Floats:
        """All values, shape (M,), rising."""
        return self.start + self.step * np.arange(self.weights.size)

    @staticmethod
    def of(values: Floats, weights: Floats) -> "Lattice | None":
        """Return the law of rising values with their weights, or None if they fit no lattice.

        >>> Lattice.of(np.array([-1.0, 0.0, 2.0]), np.array([0.5, 0.25, 0.25])).weights.tolist()
        [0.5, 0.25, 0.0, 0.25]
        """
        offsets = values - values[0]
        step = 0.0
        for offset in offsets.tolist():
            step = _common(step, offset, 1e-9 * float(offsets[-1]))
        places = np.rint(offsets / step).astype(int) if step else np.zeros(1, dtype=int)
        if places[-1] > _MOST_STEPS or np.abs(places * step - offsets).max() > 1e-8 * (step or 1.0):
            return None
        spread = np.zeros(places[-1] + 1)
        spread[places] = weights
        return Lattice(float(values[0]), step or 1.0, spread)

    def stretched(self, times: int) -> "Lattice":
        """Return the law of a multiple."""
        return Lattice(times * self.start, times * self.step, self.weights)

    def summed(self, terms: int) -> "Lattice | None":
        """Return the law of a sum of independent numbers of this law; None if it is too long.

        Probabilities are right to about ``terms``·1e-16, absolutely.
        """
        size = terms * (self.weights.size - 1) + 1
        if size > _MOST_VALUES:
            return None
        length = 1 << (size - 1).bit_length()
        with np.errstate(under="ignore"):
            weights = np.fft.irfft(np.fft.rfft(self.weights, length) ** terms, length)[:size]
        weights = np.maximum(weights, 0.0) if size > 1 else np.ones(1)
        return Lattice(terms * self.start, self.step, weights / weights.sum())


def _common(one: float, other: float, tolerance: float) -> float:
    """Return the largest number that both are multiples of, up to a tolerance."""
    while other > tolerance:
        one, other = other, one % other
        if one - other <= tolerance:
            other = 0.0
    return one
