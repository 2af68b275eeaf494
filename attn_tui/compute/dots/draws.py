"""Draws of q·k, in blocks of bounded memory."""

from math import sqrt

import numpy as np

from attn_tui.compute.arrays import Floats
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.law.entries import Pair
from attn_tui.compute.sample import stream

MOST = 2**15
"""The most values drawn at once."""

_ENTRIES = 2**19
"""The most entries held at once where entries are drawn one by one."""


class Streams(dict[int, np.random.Generator]):
    """Random generators, one for each purpose; a shorter draw is the beginning of a longer one.

    Args:
        seed: A whole number from 0.
        key: Identifies the use of the streams; different keys give independent numbers.
    """

    def __init__(self, seed: int, *key: int) -> None:
        super().__init__()
        self._key = seed, *key

    def __missing__(self, part: int) -> np.random.Generator:
        return self.setdefault(part, stream(*self._key, part))


def draw_entries(pair: Pair, streams: Streams, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return q_i and k_i less their means, before they are spread, each of the given shape."""
    x, other = (_entries(pair, streams[part], shape) for part in (0, 1))
    rho = pair.correlation
    if pair.entries == "normal":
        return x, rho * x + sqrt(1.0 - rho**2) * other
    if rho == 0.0:
        return x, other
    return x, np.where(streams[2].random(shape) < abs(rho), np.copysign(1.0, rho) * x, other)


def _entries(pair: Pair, generator: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    if pair.entries == "normal":
        return generator.standard_normal(shape)
    if pair.entries == "uniform":
        entries = generator.random(shape)
        entries -= 0.5
        entries *= sqrt(12.0)
        return entries
    return pair.law.deviations[generator.integers(0, pair.law.deviations.size, shape)]


class Draws:
    """A sequence of independent values of q·k less its exact mean, drawn from its exact law.

    Normal entries take two numbers, whatever d_k is: given q, q·k is normal, and ‖q‖² has the
    chi-square law; if a mean is not 0, the components along (1, …, 1) are drawn separately. For
    coins and dice, the numbers of products with each value are drawn (multinomial). Uniform
    entries are drawn one by one. Tied components take one pair.

    Attributes:
        at_once: The most values that `take` can draw at once.
        cost: Roughly how many random numbers one value takes.
        generator: The algorithm that generates random numbers.
    """

    def __init__(self, law: DotLaw, streams: Streams) -> None:
        self._law, self._streams = law, streams
        pair = law.pair
        self.at_once, self.cost = MOST, 4
        if law.tied:
            self._draw, method = self._tied, "standard_normal, random or integers"
        elif pair.entries == "normal":
            self._draw, method = self._normal, "standard_gamma and standard_normal"
        elif pair.law.discrete:
            self._draw, method = self._counted, "multinomial"
            self.cost = 4 * law.product.values.size
        else:
            self._draw, method = self._one_by_one, "random"
            self.at_once = max(1, min(MOST, _ENTRIES // law.d_k))
            self.cost = 2 * law.d_k
        self.generator = f"NumPy PCG64, {method}"

    def take(self, count: int) -> Floats:
        """Return the next values, shape (count,)."""
        return self._draw(count)

    def _tied(self, count: int) -> Floats:
        pair = self._law.pair
        return self._law.d_k * pair.deviation(*draw_entries(pair, self._streams, (count,)))

    def _normal(self, count: int) -> Floats:
        pair, d = self._law.pair, self._law.d_k
        rho, rest = pair.correlation, sqrt(1.0 - pair.correlation**2)
        free = d if pair.centred else d - 1
        squares = self._streams[0].standard_gamma(free / 2, count)
        squares *= 2.0
        values = self._streams[1].standard_normal(count)
        values *= rest
        values *= np.sqrt(squares)
        if rho:
            squares -= free
            squares *= rho
            values += squares
        values *= pair.spread
        if not pair.centred:
            a, b = (sqrt(d) * mean for mean in pair.means)
            x = self._streams[2].standard_normal(count)
            y = rho * x + rest * self._streams[3].standard_normal(count)
            values += pair.sigma_k * a * y + pair.sigma_q * b * x + pair.spread * (x * y - rho)
        return values

    def _counted(self, count: int) -> Floats:
        product = self._law.product
        counts = self._streams[0].multinomial(self._law.d_k, product.weights, count)
        values: Floats = np.einsum("ij,j->i", counts, product.values)
        return values

    def _one_by_one(self, count: int) -> Floats:
        pair, d = self._law.pair, self._law.d_k
        x, y = draw_entries(pair, self._streams, (count, d))
        values: Floats = np.einsum("ij,ij->i", x, y)
        values *= pair.spread
        values -= d * pair.covariance
        if not pair.centred:
            a, b = pair.means
            values += pair.sigma_k * a * y.sum(axis=1) + pair.sigma_q * b * x.sum(axis=1)
        return values
