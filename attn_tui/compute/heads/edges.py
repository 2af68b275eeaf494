"""What is tallied of the rows of a head, with the edges of its histogram."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Edges = NDArray[np.float64]


def _powers(least: int, most: int, per_octave: int = 2) -> Edges:
    return np.exp2(np.arange(least * per_octave, most * per_octave + 1) / per_octave)


_SHARES = np.linspace(0.0, 1.0, 51)
_SIZES = _powers(-8, 24)

TALLIED: Mapping[str, Edges] = {
    "largest_score": _SIZES,
    "max_logit": np.concatenate([-_powers(-3, 17, 1)[::-1], [0.0], _powers(-3, 17, 1)]),
    "entropy": np.linspace(0.0, 16.0, 65),
    "effective_keys": _powers(0, 24),
    "first_key_mass": _SHARES,
    "sink_mass": _SHARES,
    "gradient_norm": 10.0 ** (np.arange(-32, 1) / 2),
    "max_weight": _SHARES,
    "saturated": np.array([0.5]),
    "dead_gradient": np.array([0.5]),
    "query_norm": _SIZES,
    "key_norm": _SIZES,
    "cosine": np.linspace(-1.0, 1.0, 51),
    "seen": _powers(0, 24),
}
"""What is tallied, with the edges of its histogram: of every row, but the norm of every key."""
