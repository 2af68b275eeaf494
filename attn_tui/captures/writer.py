"""Writes .safetensors files."""

import json
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.dtypes import DTYPES, METADATA

_CODES = {name: code for code, name in DTYPES.items()}


def write_safetensors(
    path: Path | str, tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str] | None = None
) -> None:
    """Write tensors and what is said of them into a file, which replaces one that is there.

    Args:
        path: Of the file.
        tensors: By name: NumPy's numbers, or those of ml_dtypes.
        metadata: Names and texts.

    Raises:
        KeyError: If the format has no number format of a tensor.
        OSError: If the file cannot be written.
    """
    pieces = encoded(tensors, metadata)
    with open(path, "wb") as file:
        file.writelines(pieces)


def encoded(
    tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str] | None = None
) -> Iterator[bytes]:
    """Return the bytes of such a file in pieces.

    Raises:
        KeyError: If the format has no number format of a tensor.
    """
    header: dict[str, Any] = {METADATA: dict(metadata)} if metadata else {}
    arrays = [np.ascontiguousarray(each) for each in tensors.values()]
    end = 0
    for name, array in zip(tensors, arrays, strict=True):
        begins, end = end, end + array.nbytes
        shape = list(np.shape(tensors[name]))
        code = _CODES[array.dtype.name]
        header[name] = {"dtype": code, "shape": shape, "data_offsets": [begins, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    little = (each.astype(each.dtype.newbyteorder("<"), copy=False) for each in arrays)
    return chain([len(text).to_bytes(8, "little") + text], (each.tobytes() for each in little))
