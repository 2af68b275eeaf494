"""Which keys are asked for: a slice or an array of positions, of one vector."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import AnyFloats

Keys = slice | NDArray[np.intp]
"""Some of a vector's keys, in the order wanted."""

ALL = slice(None)
"""Every key."""

_BLOCK = 1 << 15


def blocks(n_keys: int) -> Iterator[slice]:
    """Yield slices that cover ``n_keys`` keys, so many at a time that temporary arrays are small.

    >>> [block.stop - block.start for block in blocks(70_000)]
    [32768, 32768, 4464]
    """
    for start in range(0, n_keys, _BLOCK):
        yield slice(start, min(start + _BLOCK, n_keys))


def positions(keys: Keys, n_keys: int) -> NDArray[np.intp]:
    """Return the positions of some of ``n_keys`` keys, counted from 0.

    >>> positions(slice(-2, None), 5)
    array([3, 4])
    """
    if isinstance(keys, slice):
        return np.arange(*keys.indices(n_keys), dtype=np.intp)
    return keys


def place_of(key: int, keys: Keys, n_keys: int) -> slice | NDArray[np.bool_]:
    """Return what picks one key out of some of ``n_keys``, perhaps nothing.

    >>> np.array([10, 11, 12])[place_of(4, slice(3, 6), 9)]
    array([11])
    """
    if isinstance(keys, slice):
        every = range(*keys.indices(n_keys))
        place = every.index(key) if key in every else n_keys
        return slice(place, place + 1)
    return np.asarray(keys == key)


def largest(values: AnyFloats, top: int) -> NDArray[np.intp]:
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
    top_keys = np.concatenate((above, tied))
    return top_keys[np.argsort(falling[top_keys], kind="stable")]
