"""Drawn vectors in units of a few, coupled over d_k and over the number of keys.

Vector r of a seed is vector r of `source.Drawn` with that seed: q at d_k is the beginning of q
at any larger one, and the first keys of a longer vector are those of a shorter one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.rows import READOUTS, Rows, log_statistics, rows
from attn_tui.compute.source import Drawn

Floats = NDArray[np.float64]

GENERATOR = Drawn.GENERATOR

UNIT = 32
"""So many vectors are drawn and evaluated at a time."""

_QUERY, _KEYS, _UPSTREAM, _ACROSS = range(4)
"""The streams of a vector: q; g; v = V·∂L/∂o; the keys' part across q."""


def stream(seed: int, vector: int, part: int) -> np.random.Generator:
    """Return the generator of one part of one vector."""
    seeds = np.random.SeedSequence(seed, spawn_key=(vector, part))
    return np.random.Generator(np.random.PCG64(seeds))


@dataclass(frozen=True)
class Unit:
    """Some vectors of a seed. Two are equal whatever their longest query is.

    Attributes:
        seed: What is drawn, a whole number from 0.
        index: Which: vectors from ``index·UNIT`` on.
        longest: The largest d_k that will be asked for; at a larger one it is drawn anew.
    """

    seed: int
    index: int
    longest: int = field(default=1, compare=False)

    def chi_square(self, part: int, degrees: int) -> Floats:
        """Return χ² of each vector, shape (UNIT,), coupled over the degrees of freedom."""
        if degrees == 0:
            return np.zeros(UNIT)
        return _running(self.seed, self.index, part, max(degrees, self.longest))[:, degrees - 1]

    def query_norms(self, d_k: int) -> Floats:
        """Return ‖q‖ of each vector, shape (UNIT,)."""
        return np.sqrt(self.chi_square(_QUERY, d_k))

    def rows(self, n_keys: int) -> Rows:
        """Return each vector's g and upstream gradient, for n keys."""
        return _rows(self.seed, self.index, n_keys)


def units(seed: int, draws: int, longest: int) -> Iterator[Unit]:
    """Return the units that hold so many vectors; the last may hold more."""
    return (Unit(seed, index, longest) for index in range(-(-draws // UNIT)))


def cost(n_keys: int, vectors: int) -> int:
    """Return what evaluating vectors costs, in numbers worked on; some 10 ns each."""
    return vectors * (n_keys + 250)


def _normals(seed: int, index: int, part: int, size: int) -> Floats:
    """Return standard normal numbers for each vector of a unit, shape (UNIT, size)."""
    drawn = np.empty((UNIT, size))
    for vector, row in enumerate(drawn, start=index * UNIT):
        stream(seed, vector, part).standard_normal(out=row)
    return drawn


@lru_cache(maxsize=1)
def _rows(seed: int, index: int, n_keys: int) -> Rows:
    return rows(_normals(seed, index, _KEYS, n_keys), _normals(seed, index, _UPSTREAM, n_keys))


@lru_cache(maxsize=2)
def _running(seed: int, index: int, part: int, most: int) -> Floats:
    """Return running sums of squares, shape (UNIT, most)."""
    sums = _normals(seed, index, part, most)
    np.square(sums, out=sums)
    np.cumsum(sums, axis=1, out=sums)
    sums.setflags(write=False)
    return sums


@lru_cache(maxsize=16_384)
def unit_logs(unit: Unit, n_keys: int, d_k: int, multiplier: float) -> Floats:
    """Return the logarithms of the statistics of a unit's vectors, shape (6, UNIT), read-only.

    They are those of `rows.READOUTS`, the query gradient with the multiplier. The last 16,384
    are kept, 25 MB, so that what was seen once comes at once. Vectors are drawn once where those
    of one unit are asked for one after the other, and of one n together.

    Args:
        unit: Which vectors.
        n_keys: n, at least 2.
        d_k: The length of q.
        multiplier: m, above 0.
    """
    # A σ beyond this saturates the same, and no product with it overflows.
    logit_std = np.minimum(multiplier, 1e300) * unit.query_norms(d_k)
    across = unit.chi_square(_ACROSS, d_k - 1)
    logs = log_statistics(unit.rows(n_keys), logit_std, across)
    logs[READOUTS.index("query_gradient")] += np.log(multiplier)
    logs.setflags(write=False)
    return logs
