"""Write .safetensors files."""

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
    """Write tensors and metadata into a file; an existing file is replaced.

    Args:
        path: The path of the file.
        tensors: The tensors by name, of types of NumPy or ml_dtypes.
        metadata: The metadata as texts, by name.

    Raises:
        KeyError: If .safetensors has no code for the number format of a tensor.
        OSError: If the file cannot be written.
    """
    pieces = encoded(tensors, metadata)
    with open(path, "wb") as file:
        file.writelines(pieces)


def encoded(
    tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str] | None = None
) -> Iterator[bytes]:
    """Return the bytes of a .safetensors file in pieces.

    Raises:
        KeyError: If .safetensors has no code for the number format of a tensor.
    """
    header: dict[str, Any] = {METADATA: dict(metadata)} if metadata else {}
    arrays = [np.ascontiguousarray(array) for array in tensors.values()]
    end = 0
    for name, array in zip(tensors, arrays, strict=True):
        begins, end = end, end + array.nbytes
        shape = list(np.shape(tensors[name]))
        code = _CODES[array.dtype.name]
        header[name] = {"dtype": code, "shape": shape, "data_offsets": [begins, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    little = (array.astype(array.dtype.newbyteorder("<"), copy=False) for array in arrays)
    return chain([len(text).to_bytes(8, "little") + text], (array.tobytes() for array in little))
