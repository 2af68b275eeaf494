"""Which keys a report lists: all of them, or those with the largest scores or weights."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.keys import largest

CHUNK = 8192
"""Keys that are written at a time, so that a long vector needs little memory."""

Positions = NDArray[np.intp]


def listed_keys(answer: VectorAnswer, top: int | None, by_weight: bool = False) -> Positions:
    """Return every position, or those of the ``top`` largest keys, largest first.

    The order of the scores is that of the weights too, which may be equal where the scores are
    not; of two vectors it is that of the larger of a key's two weights.

    Args:
        answer: The numbers.
        top: How many keys, or None for every one in its order.
        by_weight: Whether to go by weights: the vectors on the two sides have different scores.
    """
    if top is None or top <= 0:
        return np.arange(answer.vector.n_keys)
    if by_weight:
        return largest(np.fmax(answer.unscaled.weights(), answer.scaled.weights()), top)
    return largest(answer.vector.scores, top)


def chunks(keys: Positions) -> Iterator[Positions]:
    """Yield positions some at a time."""
    for start in range(0, keys.size, CHUNK):
        yield keys[start : start + CHUNK]
