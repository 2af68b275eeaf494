"""The number formats of .safetensors files."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from attn_tui.compute.errors import inert

METADATA = "__metadata__"
"""The entry of a header that is no tensor."""

DTYPES: Mapping[str, str] = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "U16": "uint16",
    "I16": "int16",
    "U32": "uint32",
    "I32": "int32",
    "U64": "uint64",
    "I64": "int64",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
    "F8_E4M3FNUZ": "float8_e4m3fnuz",
    "F8_E5M2FNUZ": "float8_e5m2fnuz",
    "F16": "float16",
    "BF16": "bfloat16",
    "F32": "float32",
    "F64": "float64",
}
"""The formats that headers name, as NumPy and ml_dtypes name them."""


@cache
def dtype_named(format: str) -> np.dtype[Any]:
    """Return the little-endian NumPy type of a format in `DTYPES`."""
    if format.startswith(("bfloat", "float8")):
        import ml_dtypes

        narrow: np.dtype[Any] = np.dtype(getattr(ml_dtypes, format))
        return narrow
    return np.dtype(format).newbyteorder("<")


def readable(dtype: np.dtype[Any]) -> tuple[np.dtype[Any] | None, str]:
    """Return the type to read a .npy file's numbers as, or None if they cannot be, and its name.

    NumPy does not know bfloat16, and writes its bytes as records.
    """
    if dtype.kind == "V" and dtype.itemsize == 2 and not dtype.names:
        return dtype_named("bfloat16"), "bfloat16"
    if dtype.kind not in "fiub" or dtype.itemsize > 8:
        return None, inert(dtype.str)[1:-1]
    return dtype, dtype.name
