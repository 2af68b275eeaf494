"""Drawn vectors in units of a few, coupled over d_k and over the number of keys.

Vector r of a seed is vector r of `source.Drawn` with that seed: q at d_k is the beginning of q
at any larger one, and the first keys of a longer vector are those of a shorter one.
"""

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

_SHORTEST = 256


def stream(seed: int, vector: int, part: int) -> np.random.Generator:
    """Return the generator of one part of one vector."""
    seeds = np.random.SeedSequence(seed, spawn_key=(vector, part))
    return np.random.Generator(np.random.PCG64(seeds))


def _normals(seed: int, unit: int, part: int, size: int) -> Floats:
    """Return standard normal numbers for each vector of a unit, shape (UNIT, size)."""
    drawn = np.empty((UNIT, size))
    for index, row in enumerate(drawn):
        stream(seed, unit * UNIT + index, part).standard_normal(out=row)
    return drawn


@lru_cache(maxsize=1)
def _rows(seed: int, unit: int, n_keys: int) -> Rows:
    return rows(_normals(seed, unit, _KEYS, n_keys), _normals(seed, unit, _UPSTREAM, n_keys))


@lru_cache(maxsize=2)
def _running(seed: int, unit: int, part: int, most: int) -> Floats:
    """Return running sums of squares, shape (UNIT, most)."""
    sums = _normals(seed, unit, part, most)
    np.square(sums, out=sums)
    return np.cumsum(sums, axis=1, out=sums)


def chi_square(seed: int, unit: int, part: int, degrees: int) -> Floats:
    """Return χ² of each vector of a unit, shape (UNIT,), coupled over the degrees of freedom."""
    if degrees == 0:
        return np.zeros(UNIT)
    most = max(_SHORTEST, 1 << (degrees - 1).bit_length())
    return _running(seed, unit, part, most)[:, degrees - 1]


def query_norms(seed: int, unit: int, d_k: int) -> Floats:
    """Return ‖q‖ of each vector of a unit, shape (UNIT,)."""
    return np.sqrt(chi_square(seed, unit, _QUERY, d_k))


@lru_cache(maxsize=16_384)
def unit_logs(seed: int, unit: int, n_keys: int, d_k: int, multiplier: float) -> Floats:
    """Return the logarithms of the statistics of a unit's vectors, shape (6, UNIT), read-only.

    They are those of `rows.READOUTS`, the query gradient with the multiplier. The last 16,384
    units are kept, 25 MB, so that what was seen once comes at once.

    Args:
        seed: What is drawn.
        unit: Which vectors: from ``unit·UNIT`` on.
        n_keys: n, at least 2.
        d_k: The length of q.
        multiplier: m, above 0.
    """
    logit_std = multiplier * query_norms(seed, unit, d_k)
    across = chi_square(seed, unit, _ACROSS, d_k - 1)
    logs = log_statistics(_rows(seed, unit, n_keys), logit_std, across)
    logs[READOUTS.index("query_gradient")] += np.log(multiplier)
    logs.setflags(write=False)
    return logs
