"""Which keys are asked for: a slice or an array of positions, of one vector."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
"""An array in the format something is computed in."""

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
