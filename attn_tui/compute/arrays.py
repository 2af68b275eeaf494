"""Arrays: their types, number formats, and selections of the keys of a vector."""

from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""An array of float64."""

AnyFloats = NDArray[np.floating[Any]]
"""An array of any floating-point format in which a computation runs."""

Truths = NDArray[np.bool_]
"""An array of booleans."""

AnyNumber = TypeVar("AnyNumber", bound=np.floating[Any])
"""A type of numbers that is kept."""


def dtype_of(format: str) -> np.dtype[Any]:
    """Return the NumPy type of a format."""
    if format == "bfloat16" or format.startswith("float8"):
        # Registers its names with NumPy; imported only when needed, since that takes time.
        import ml_dtypes  # noqa: F401

    return np.dtype(format)


def limits(dtype: np.dtype[Any]) -> Any:
    """Return the limits of a floating-point type, in the form of ``numpy.finfo``."""
    if dtype.kind == "f":
        return np.finfo(dtype)
    from ml_dtypes import finfo

    return finfo(dtype)  # type: ignore[no-untyped-call]


def rounded(values: NDArray[AnyNumber], format: str) -> NDArray[AnyNumber]:
    """Return values rounded to a format, in their own type; too large ones become infinite.

    >>> rounded(np.array([100.0, 100.2]), "bfloat16")
    array([100., 100.])
    """
    if format == values.dtype.name:
        return values
    with np.errstate(all="ignore"):
        return values.astype(dtype_of(format)).astype(values.dtype)


def tf32(values: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """Return values rounded as tensor cores round float32: to 11 binary digits, ties to even.

    >>> tf32(np.array([1.0, 1 + 2**-11, 1 + 2**-10]))
    array([1.        , 1.        , 1.00097656])
    """
    digits, exponent = np.frexp(values)
    rounded: NDArray[np.floating[Any]] = np.ldexp(np.rint(np.ldexp(digits, 11)), exponent - 11)
    return rounded


def accumulator_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type in which sums accumulate: float32 for the 16-bit formats, as in hardware."""
    return np.dtype(np.float32) if dtype.itemsize == 2 else dtype


Keys = slice | NDArray[np.intp]
"""A selection of a vector's keys, in any order."""

ALL = slice(None)
"""Every key."""

_BLOCK = 1 << 15


def blocks(n_keys: int) -> Iterator[slice]:
    """Yield slices that cover ``n_keys`` keys in blocks, so that temporary arrays stay small.

    >>> [block.stop - block.start for block in blocks(70_000)]
    [32768, 32768, 4464]
    """
    for start in range(0, n_keys, _BLOCK):
        yield slice(start, min(start + _BLOCK, n_keys))


def positions(keys: Keys, n_keys: int) -> NDArray[np.intp]:
    """Return the positions of a selection of ``n_keys`` keys, counted from 0.

    >>> positions(slice(-2, None), 5)
    array([3, 4])
    """
    if isinstance(keys, slice):
        return np.arange(*keys.indices(n_keys), dtype=np.intp)
    return keys


def place_of(key: int, keys: Keys, n_keys: int) -> slice | NDArray[np.bool_]:
    """Return an index that picks one key out of a selection, or nothing if it is not there.

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

    Equal values come in the order of their positions, and NaN comes last.

    Args:
        values: Shape (n,).
        top: The most positions to return, at least 1.

    Returns:
        Shape (min(n, top),).
    """
    # NaN comes last both in a sort and in a partition.
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
