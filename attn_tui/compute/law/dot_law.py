"""The exact law of q·k: its moments for any entries, and more where there is a formula for it."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import Floats
from attn_tui.compute.law import variance_gamma
from attn_tui.compute.law.entries import Pair, Product, exact_values
from attn_tui.compute.law.lattice import MOST_VALUES, Lattice

_LEAST = 1e-10
"""A smaller coverage is not known where values of many products are added up."""


@dataclass(frozen=True)
class DotLaw:
    """The law of q·k.

    Attributes:
        pair: How each q_i and k_i are drawn.
        d_k: How many there are of each.
        tied: Whether all q_i are one number, and all k_i: q·k is then d_k·q_1·k_1. Otherwise the
            pairs are independent.
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
        """Two standard deviations of q·k, were the entries independent and of mean 0.

        That is 2√d_k, for entries of variance 1; a die's have 35/12.
        """
        return 2.0 * self.pair.law.variance * sqrt(self.d_k)

    @cached_property
    def moments(self) -> tuple[float, ...]:
        """Moments of orders 0 to 8 of (q·k − mean)/standard deviation; NaN if that is constant.

        The cumulant of order r of a sum is d_k times that of a product, and that of the sum in
        units of its standard deviation is d_k^(1 − r/2) times as large as the product's.
        """
        sd = sqrt(self.product.variance)
        if sd == 0.0:
            return (1.0,) + (nan,) * 8
        values, weights = self.product.values / sd, self.product.weights
        moments = [float(weights @ values**order) for order in range(9)]
        if self.tied:
            return tuple(moments)
        cumulants = _cumulants(moments)
        return tuple(
            _moments([c * float(self.d_k) ** (1 - r / 2) for r, c in enumerate(cumulants)])
        )

    @property
    def kurtosis(self) -> float:
        """The fourth moment about the mean over the square of the variance; NaN if that is 0."""
        return self.moments[4]

    @property
    def grid(self) -> tuple[float, float] | None:
        """One value of q·k less its mean, and the distance of neighbours, if evenly spaced."""
        one, d = _product_lattice(self.pair), self.d_k
        if one is None:
            return None
        return d * one.start, d * one.step if self.tied else one.step

    @property
    def chances(self) -> tuple[Floats, Floats] | None:
        """The values of q·k less its mean and their probabilities, if it has such, known ones."""
        d, times = self._of_free
        if self.product.discrete and d == 1:
            return times * self.product.values, self.product.weights
        lattice = _lattice(self.pair, self.d_k)
        return None if lattice is None else (lattice.values, lattice.weights)

    @cached_property
    def mean_size(self) -> float | None:
        """E|q·k|, where it is known."""
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
        """The probability that |q·k| is at most `bound`, where it is known.

        It is right to about ten digits, and below `_LEAST` known for standard normal entries alone,
        and where it is 0.
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
        # The smaller part is added up: what is certain is 1, and not almost.
        outside = float(weights[~inside].sum())
        share = 1.0 - outside if outside < 0.5 else float(weights[inside].sum())
        return share if d == 1 or share >= _LEAST else None

    @property
    def unknown(self) -> str:
        """Why `mean_size`, `coverage` or the density are not all known, or nothing."""
        if self.product.discrete and self.chances is None:
            return f"q·k has values in more than {MOST_VALUES:,} steps"
        if self.mean_size is None:
            return "there is no formula for such entries"
        return f"it is less than {_LEAST:g}" if self.coverage is None else ""

    def inside(self, deviations: Floats) -> NDArray[np.bool_]:
        """Say of values of q·k less its mean whether they are within ±`bound`, ends included."""
        # A value that stands on an end exactly may have been rounded off it.
        rounding = 1e-12 * (self.bound + abs(self.mean) + self.standard_deviation)
        return np.abs(deviations + self.mean) <= self.bound + rounding

    def density(self, x: Floats) -> Floats | None:
        """Return the density of q·k at x, of any shape; None where none is known."""
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
        """Whether the law is one of `variance_gamma`, perhaps stretched."""
        return self.pair.entries == "normal" and self.pair.centred

    @property
    def _of_free(self) -> tuple[int, float]:
        """The number of independent products and the stretch that make it."""
        return (1, float(self.d_k)) if self.tied else (self.d_k, 1.0)


@lru_cache(maxsize=2)
def _product_lattice(pair: Pair) -> Lattice | None:
    """Return the values of q_i·k_i less its mean, if they are evenly spaced and not too many."""
    if not pair.law.discrete:
        return None
    exact = exact_values(pair)
    return Lattice.of(exact, np.array(list(exact.values())))


@lru_cache(maxsize=2)
def _lattice(pair: Pair, d_k: int) -> Lattice | None:
    # A law is kept with what it has found out; millions of probabilities are not kept with it.
    one = _product_lattice(pair)
    return None if one is None else one.summed(d_k)


def _cumulants(moments: list[float]) -> list[float]:
    """Return cumulants from moments, both from order 0 on."""
    cumulants = [0.0]
    for r in range(1, len(moments)):
        rest = (comb(r - 1, j - 1) * cumulants[j] * moments[r - j] for j in range(1, r))
        cumulants.append(moments[r] - sum(rest))
    return cumulants


def _moments(cumulants: list[float]) -> list[float]:
    """Return moments from cumulants, both from order 0 on."""
    moments = [1.0]
    for r in range(1, len(cumulants)):
        terms = (comb(r - 1, j - 1) * cumulants[j] * moments[r - j] for j in range(1, r + 1))
        moments.append(sum(terms))
    return moments
