"""Which keys a report lists: all of them, or those with the largest scores or weights."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.keys import Floats

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


def largest(values: Floats, top: int) -> Positions:
    """Return the positions of the largest of n values, largest first, without sorting them all.

    Equal values stand in the order of their positions, and NaN comes last.

    Args:
        values: Shape (n,).
        top: How many at most, at least 1.

    Returns:
        Shape (min(n, top),).
    """
    # In a sort NaN comes last, and so it does in a partition.
    falling = -values
    if top >= falling.size:
        return np.argsort(falling, kind="stable")
    bound = np.partition(falling, top - 1)[top - 1]
    if np.isnan(bound):
        return np.argsort(falling, kind="stable")[:top]
    above = np.flatnonzero(falling < bound)
    tied = np.flatnonzero(falling == bound)[: top - above.size]
    found = np.concatenate((above, tied))
    return found[np.argsort(falling[found], kind="stable")]


def chunks(keys: Positions) -> Iterator[Positions]:
    """Yield positions some at a time."""
    for start in range(0, keys.size, CHUNK):
        yield keys[start : start + CHUNK]
