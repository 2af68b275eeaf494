"""Which keys a report lists: all of them, or those with the largest scores."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.vector import Vector

CHUNK = 4096
"""Keys that are written at a time, so that a long vector needs little memory."""


def listed_keys(vector: Vector, top: int | None) -> NDArray[np.intp]:
    """Return every position, or those of the ``top`` largest scores, largest first.

    Equal scores stand in the order of their positions. The order of the scores is that of the
    weights too, which may be equal where the scores are not.
    """
    if top is None:
        return np.arange(vector.n_keys)
    return np.argsort(-vector.scores, kind="stable")[:top]


def chunks(keys: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    """Yield positions some at a time."""
    for start in range(0, keys.size, CHUNK):
        yield keys[start : start + CHUNK]
