"""Number formats as NumPy types: their limits, and rounding to them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


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
