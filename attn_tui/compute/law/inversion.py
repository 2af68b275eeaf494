"""The law of a sum of independent products q_i·k_i with a density, from its Fourier series."""

from dataclasses import dataclass
from math import ceil, log2, log10, pi, sqrt

import numpy as np

from attn_tui.compute.arrays import Complexes, Floats
from attn_tui.compute.law.characteristic import END, characteristic, log_moments
from attn_tui.compute.law.entries import Pair
from attn_tui.compute.law.lattice import reach

_TAIL = 40.0
"""Beyond the period lies e to minus this of the probability, 4e-18, on either side."""

_FINEST = 2500
"""A series that does not end by itself has waves that go so often into a standard deviation."""

_LEAST = 1e-17
"""A series ends where its terms are below this."""

_MOST = 2**19
"""Or after so many."""

_AT_ONCE = 512


@dataclass(frozen=True, eq=False)
class Inversion:
    """A law of mean 0, continued with a period that is far longer than its spread.

    Where its terms fall off slowly the series is cut smoothly, which is right to many digits away
    from places where the density jumps or is infinite. Whether it is, two cuts tell: what they do
    not agree on is not known.

    Attributes:
        half: Half the period.
        terms: The characteristic function at πk/half for k = 1, 2, …, K; shape (K,).
        cuts: Weights of the terms, shape (C, K): ones, or those of two cuts.
    """

    half: float
    terms: Complexes
    cuts: Floats

    @staticmethod
    def of(pair: Pair, d: int, deviation: float) -> "Inversion":
        """Return the law of a sum of d products, each less its mean; normal or uniform entries.

        Args:
            pair: How q_i and k_i are drawn.
            d: How many there are.
            deviation: The standard deviation of one product.
        """
        half = _half(pair, d, deviation)
        most = min(2 ** ceil(log2(2.0 * half * _FINEST / (deviation * sqrt(d)))), _MOST)
        blocks, known, ended = [np.empty(0, dtype=np.complex128)], 0, False
        while known < most and not ended:
            upto = min(max(2 * known, 64), most)
            t = np.arange(known + 1.0, upto + 1.0) * (pi / half)
            with np.errstate(under="ignore"):
                blocks.append(characteristic(pair, t) ** d)
            known, ended = upto, bool(np.abs(blocks[-1]).max() < _LEAST)
        cuts = np.ones((1, known))
        if not ended:
            places = np.arange(1, known + 1) / known
            with np.errstate(under="ignore"):
                cuts = np.stack([np.exp(-36.0 * (places * times) ** 8) for times in (1.0, 2.0)])
        return Inversion(half, np.concatenate(blocks), cuts)

    @property
    def _waves(self) -> Floats:
        return np.arange(1.0, self.terms.size + 1.0) * (pi / self.half)

    def between(self, low: float, high: float) -> float | None:
        """Return the probability of low ≤ x ≤ high to 11 decimals; None if they are not known."""
        low, high = max(low, -self.half), min(high, self.half)
        if not low < high:
            return 0.0
        t = self._waves
        waves = self.terms * (np.exp(-1j * t * low) - np.exp(-1j * t * high)) / (1j * t)
        shares = ((high - low) / 2.0 + self.cuts @ waves.real) / self.half
        return _agreed(np.clip(np.round(shares, 11), 0.0, 1.0) + 0.0)

    def mean_size(self, mean: float) -> float | None:
        """Return E|x + mean| to the digits that are known, or None if they are too few."""
        size = abs(mean)
        reach = self.half - size
        if reach <= 0.0:
            return size
        # |x + mean| is size ± x and twice what of ±x lies beyond −size.
        t, terms = self._waves, self.terms if mean >= 0.0 else np.conj(self.terms)
        signs = np.where(np.arange(1, t.size + 1) % 2, -1.0, 1.0)
        waves = terms * (reach * signs / (1j * t) - (np.exp(1j * t * size) - signs) / t**2)
        beyond = (reach**2 / 4.0 + self.cuts @ waves.real) / self.half
        return _agreed(size + 2.0 * np.maximum(beyond, 0.0))

    def density(self, x: Floats) -> Floats:
        """Return the density at x, of any shape, to 1e-11 of its peak; NaN where not known."""
        values, step = x.ravel(), pi / self.half
        pieces = -(-self.terms.size // _AT_ONCE)
        # The waves of a piece are those of the first piece, turned as far as its start.
        turns = np.exp(-1j * step * np.multiply.outer(np.arange(1, _AT_ONCE + 1), values))
        starts = np.exp(-1j * step * _AT_ONCE * np.multiply.outer(np.arange(pieces), values))
        densities = []
        for cut in self.cuts:
            terms = np.zeros(pieces * _AT_ONCE, dtype=np.complex128)
            terms[: cut.size] = cut * self.terms
            waves = ((terms.reshape(pieces, _AT_ONCE) @ turns) * starts).sum(axis=0).real
            densities.append((0.5 + waves) / self.half)
        peak = float(np.abs(densities[0]).max(initial=1e-300))
        best, other = (np.round(line / peak, 11) * peak for line in (densities[0], densities[-1]))
        apart = np.abs(best - other) > 1e-6 * np.abs(best) + 1e-11 * peak
        known = np.where(apart, np.nan, np.maximum(best, 0.0))
        return np.where(np.abs(values) < self.half, known, 0.0).reshape(x.shape)


def _agreed(values: Floats) -> float | None:
    """Return the digits that the cuts agree on; None if they are fewer than about six."""
    best, other = float(values[0]), float(values[-1])
    apart = abs(best - other)
    if apart > 5e-7 * abs(best) + 1e-10:
        return None
    return round(best, -ceil(log10(apart))) if apart > 1e-12 * abs(best) else best


def _half(pair: Pair, d: int, deviation: float) -> float:
    """Return how far a sum goes to either side, but for probabilities of e^−`_TAIL`."""
    if pair.entries == "normal":
        # Chernoff's bound with the best of many s, up to where E[exp(s·x)] ends.
        ends = (1.0 / max(1.0 + side * pair.correlation, 1e-3) for side in (1.0, -1.0))
        halves = []
        for side, end in zip((1.0, -1.0), ends, strict=True):
            s = np.geomspace(1e-10, 0.99, 400) * end
            halves.append(float(((d * log_moments(pair, side * s) + _TAIL) / s).min()))
        return max(halves)
    # All of it, or as far as Bernstein's inequality says.
    a, b = pair.means
    rho = pair.correlation
    free = abs(a) + abs(b) if abs(rho) < 1.0 else abs(a + rho * b)
    longest = END * free + END**2 * (1.0 + abs(rho))
    return min(d * longest, reach(longest, deviation * sqrt(d), _TAIL))
