"""The exact law of q·k: its moments for any entries, and more where a formula is known."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, comb, floor, gcd, lcm, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import Floats
from attn_tui.compute.law import variance_gamma
from attn_tui.compute.law.entries import Pair, Product, exact_values
from attn_tui.compute.numbers import general

MOST_VALUES = 2**20
"""The most values of a lattice, including those of probability 0 in between."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """A law on evenly spaced values.

    Attributes:
        start: The smallest value.
        step: The distance between neighbouring values, above 0.
        weights: The probability of each value, shape (M,).
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
        """Return the law of exact values, in any order, or None if they span too many steps.

        Rational numbers always fit on a lattice, but its step may be too fine to be useful.

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

        Values whose total probability is below e^−50, by `reach`, may be left out. Probabilities
        have an absolute error of about ``terms``·1e-16.
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
        # The convolution is cyclic: values outside wrap around into those that are kept.
        length = 1 << size.bit_length()
        with np.errstate(under="ignore"):
            wrapped = np.fft.irfft(_power(np.fft.rfft(self.weights, length), terms), length)
        weights = np.maximum(wrapped[np.arange(first, last + 1) % length], 0.0)
        start = terms * self.start + first * self.step
        return Lattice(start, self.step, weights / weights.sum())


def reach(longest: float, deviation: float, tail: float) -> float:
    """Return a distance that a sum of independent numbers exceeds with probability below e^−tail.

    The distance is from the mean, to either side, by Bernstein's inequality.

    Args:
        longest: The farthest that any of the numbers can lie from its own mean.
        deviation: The standard deviation of the sum.
        tail: Above 0.
    """
    third = tail * longest / 3.0
    return third + sqrt(third**2 + 2.0 * tail * deviation**2)


def _power(values: NDArray[np.complex128], exponent: int) -> NDArray[np.complex128]:
    """Return values to a whole power, by squaring: much faster than NumPy's on large arrays."""
    power = np.ones_like(values)
    while exponent:
        if exponent % 2:
            power *= values
        exponent //= 2
        if exponent:
            values = values * values
    return power


_LEAST = 1e-10
"""The least coverage that is known accurately when it is a sum over the values of a lattice."""


@dataclass(frozen=True)
class DotLaw:
    """The law of q·k.

    Attributes:
        pair: The joint law of each q_i and k_i.
        d_k: The number of pairs.
        tied: Whether all q_i are the same number, and all k_i: q·k is then d_k·q_1·k_1. Otherwise
            the pairs are independent.
    """

    pair: Pair
    d_k: int
    tied: bool = False

    @cached_property
    def product(self) -> Product:
        """The law of one q_i·k_i."""
        return self.pair.product()

    @property
    def mean(self) -> float:
        """E[q·k]."""
        return self.d_k * self.product.mean

    @property
    def variance(self) -> float:
        """Var(q·k): d_k times that of one product, or d_k² times if the components are tied."""
        return (self.d_k**2 if self.tied else self.d_k) * self.product.variance

    @property
    def standard_deviation(self) -> float:
        """The root of the variance."""
        return sqrt(self.variance)

    @property
    def bound(self) -> float:
        """Twice the standard deviation that q·k has if entries are independent and of mean 0.

        It is 2√d_k for entries of variance 1; those of a die have a variance of 35/12 before they
        are spread.
        """
        return 2.0 * self.pair.spread * self.pair.law.variance * sqrt(self.d_k)

    @cached_property
    def moments(self) -> tuple[float, ...]:
        """Moments of orders 0 to 8 of (q·k − mean)/standard deviation; NaN if q·k is constant.

        The cumulant of order r of the sum is d_k times that of one product. In units of the
        respective standard deviation, it is d_k^(1 − r/2) times that of the product.
        """
        sd = sqrt(self.product.variance)
        if sd == 0.0:
            return (1.0,) + (nan,) * 8
        values, weights = self.product.values / sd, self.product.weights
        moments = [float(weights @ values**order) for order in range(9)]
        if self.tied:
            return tuple(moments)
        # From the moments of a product to its cumulants, to those of the sum, and back to moments.
        cumulants, sums = [0.0], [1.0]
        for r in range(1, 9):
            terms = (comb(r - 1, j - 1) * cumulants[j] * moments[r - j] for j in range(1, r))
            cumulants.append(moments[r] - sum(terms))
        of_sum = [c * float(self.d_k) ** (1 - r / 2) for r, c in enumerate(cumulants)]
        for r in range(1, 9):
            sums.append(sum(comb(r - 1, j - 1) * of_sum[j] * sums[r - j] for j in range(1, r + 1)))
        return tuple(sums)

    @property
    def kurtosis(self) -> float:
        """The fourth moment about the mean over the variance squared; NaN if the variance is 0."""
        return self.moments[4]

    @property
    def grid(self) -> tuple[float, float] | None:
        """One value of q·k less its mean, and the step between values; None unless on a lattice."""
        one, d = _product_lattice(self.pair), self.d_k
        if one is None:
            return None
        return d * one.start, d * one.step if self.tied else one.step

    @property
    def chances(self) -> tuple[Floats, Floats] | None:
        """The values of q·k less its mean and their probabilities, if discrete and known."""
        d = self._of_free[0]
        if self.product.discrete and d == 1:
            times = self.d_k if self.tied else 1
            return times * self.product.values, self.product.weights
        lattice = _lattice(self.pair, self.d_k)
        return None if lattice is None else (lattice.values, lattice.weights)

    @cached_property
    def mean_size(self) -> float | None:
        """E|q·k|, or None if it is not known."""
        chances = self.chances
        if chances is not None:
            values, weights = chances
            return float(weights @ np.abs(self.mean + values))
        if not self._mixture:
            return None
        d, times = self._of_free
        return times * variance_gamma.mean_size(d, self.pair.correlation)

    @cached_property
    def coverage(self) -> float | None:
        """The probability that |q·k| is at most `bound`, or None if it is not known.

        It is accurate to about ten digits. Below `_LEAST` it is known only for standard normal
        entries, or if it is 0.
        """
        bound = self.bound
        least, most = (self.d_k * end for end in self.pair.ends)
        if max(least, -most) > bound * (1.0 + 1e-9):
            return 0.0
        d, times = self._of_free
        if self._mixture:
            return variance_gamma.coverage(bound / times, d, self.pair.correlation)
        chances = self.chances
        if chances is None:
            return None
        values, weights = chances
        inside = self.inside(values)
        # The smaller part is summed, so that a certain event has a probability of exactly 1.
        outside = float(weights[~inside].sum())
        share = 1.0 - outside if outside < 0.5 else float(weights[inside].sum())
        return share if d == 1 or share >= _LEAST else None

    @property
    def unknown(self) -> str:
        """Why `mean_size`, `coverage` or the density is not known, or empty if all are."""
        if self.product.discrete and self.chances is None:
            return f"q·k has values in more than {MOST_VALUES:,} steps"
        if self.mean_size is None:
            return "there is no formula for such entries"
        return f"it is less than {general(_LEAST)}" if self.coverage is None else ""

    def inside(self, deviations: Floats) -> NDArray[np.bool_]:
        """Return which values of q·k, given less its mean, are within ±`bound`, ends included."""
        # A value exactly on an end may have been rounded off it.
        rounding = 1e-12 * (self.bound + abs(self.mean) + self.standard_deviation)
        return np.abs(deviations + self.mean) <= self.bound + rounding

    def density(self, x: Floats) -> Floats | None:
        """Return the density of q·k at x, of any shape; None if it is not known."""
        if not self._mixture:
            return None
        d, times = self._of_free
        return variance_gamma.density(x / times, d, self.pair.correlation) / times

    def normal_density(self, x: Floats) -> Floats:
        """Return the density at x of the normal law with the same mean and variance."""
        sd = self.standard_deviation
        with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
            return np.exp(-np.square((x - self.mean) / sd) / 2.0) / (sd * sqrt(2.0 * np.pi))

    @property
    def _mixture(self) -> bool:
        """Whether the law is one of `variance_gamma`, perhaps up to a factor."""
        return self.pair.entries == "normal" and self.pair.centred

    @property
    def _of_free(self) -> tuple[int, float]:
        """The number of independent products of unspread entries, and the factor of their sum."""
        spread = self.pair.spread
        return (1, self.d_k * spread) if self.tied else (self.d_k, spread)


@lru_cache(maxsize=2)
def _product_lattice(pair: Pair) -> Lattice | None:
    """Return the values of q_i·k_i less its mean, if they are evenly spaced and not too many."""
    if not pair.law.discrete:
        return None
    exact = exact_values(pair)
    return Lattice.of(exact, np.array(list(exact.values())))


@lru_cache(maxsize=2)
def _lattice(pair: Pair, d_k: int) -> Lattice | None:
    # Cached here, since a DotLaw lives long and should not hold millions of probabilities.
    one = _product_lattice(pair)
    return None if one is None else one.summed(d_k)
