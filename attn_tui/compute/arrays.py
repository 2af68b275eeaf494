"""Arrays: their types, number formats, and which keys of a vector are asked for."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Numbers in float64."""

AnyFloats = NDArray[np.floating[Any]]
"""Numbers in the format something is computed in."""

Complexes = NDArray[np.complex128]


def dtype_of(format: str) -> np.dtype[Any]:
    """Return the NumPy type of a format."""
    if format in ("bfloat16", "float8_e4m3fn"):
        # Registers its names with NumPy, at the first need: it takes time.
        import ml_dtypes  # noqa: F401

    return np.dtype(format)


def limits(dtype: np.dtype[Any]) -> Any:
    """Return the limits of a floating-point type, as ``numpy.finfo`` has them."""
    if dtype.kind == "f":
        return np.finfo(dtype)
    from ml_dtypes import finfo

    return finfo(dtype)  # type: ignore[no-untyped-call]


def rounded(values: NDArray[np.float64], format: str) -> NDArray[np.float64]:
    """Return values rounded to a format, in float64; one too large is an infinity.

    >>> rounded(np.array([100.0, 100.2]), "bfloat16")
    array([100., 100.])
    """
    if format == "float64":
        return values
    with np.errstate(all="ignore"):
        return np.asarray(values.astype(dtype_of(format)).astype(np.float64))


def tf32(values: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """Return values rounded as tensor cores round float32: to 11 digits, ties to even.

    >>> tf32(np.array([1.0, 1 + 2**-11, 1 + 2**-10]))
    array([1.        , 1.        , 1.00097656])
    """
    digits, exponent = np.frexp(values)
    rounded: NDArray[np.floating[Any]] = np.ldexp(np.rint(np.ldexp(digits, 11)), exponent - 11)
    return rounded


def accumulator_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of sums: float32 for the 16-bit formats, as hardware has it."""
    return np.dtype(np.float32) if dtype.itemsize == 2 else dtype


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
