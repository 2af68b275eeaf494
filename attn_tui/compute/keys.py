"""Which keys are asked for: a slice or an array of positions, of one vector."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
"""An array in the format something is computed in."""

Keys = slice | NDArray[np.intp]
"""Some of a vector's keys, in the order wanted."""

ALL = slice(None)
"""Every key."""


def positions(keys: Keys, n_keys: int) -> NDArray[np.intp]:
    """Return the positions of some of ``n_keys`` keys, counted from 0.

    >>> positions(slice(-2, None), 5)
    array([3, 4])
    """
    if isinstance(keys, slice):
        return np.arange(*keys.indices(n_keys), dtype=np.intp)
    return keys
