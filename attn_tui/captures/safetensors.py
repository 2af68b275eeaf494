"""Read the .safetensors format: 8 bytes of length, a header in JSON, and data."""

import hashlib
import json
from itertools import pairwise
from math import prod
from typing import Any, NoReturn

from attn_tui.captures.disk import Disk, place_of, refuse
from attn_tui.captures.dtypes import DTYPES, METADATA, dtype_named
from attn_tui.captures.stored import Listing, Plain
from attn_tui.compute.errors import InputError, inert

LONGEST_HEADER = 2**22
"""The most bytes of a header."""

MOST_AXES = 16
"""The most axes of a tensor."""


def list_safetensors(disk: Disk) -> Listing:
    """Return the tensors of a file; only its header is read.

    Raises:
        InputError: If the header is broken, or claims more than the file holds.
    """
    if disk.size < 8:
        refuse(disk.path, f"it holds {disk.size:,} bytes", "a .safetensors file")
    length = int.from_bytes(disk.read(0, 8), "little")
    if length > disk.size - 8:
        problem = f"its header claims {length:,} bytes but {disk.size - 8:,} follow"
        refuse(disk.path, problem, "a complete .safetensors file")
    if length > LONGEST_HEADER:
        refuse(disk.path, f"its header has {length:,} bytes", f"at most {LONGEST_HEADER:,}")
    text = disk.read(8, length)
    try:
        header = json.loads(text.decode(), object_pairs_hook=_once, parse_constant=_no_number)
    except InputError as error:
        refuse(disk.path, error.problem, error.expected)
    except (ValueError, RecursionError):
        refuse(disk.path, "its header is no JSON", "a .safetensors file")
    if not isinstance(header, dict):
        refuse(disk.path, "its header is no JSON object", "a .safetensors file")
    metadata = header.pop(METADATA, {})
    if not isinstance(metadata, dict):
        refuse(disk.path, f"its {METADATA} is no JSON object", "names and texts")
    tensors = []
    for name, entry in header.items():
        try:
            tensors.append(_tensor(disk, 8 + length, name, entry))
        except InputError as error:
            where = f"{place_of(disk.path)}, {inert(name)}"
            raise InputError("capture", error.problem, error.expected, where) from None
    _check_apart(disk.path, tensors)
    return Listing(tuple(tensors), metadata, hashlib.sha256(text).hexdigest())


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    header: dict[str, Any] = {}
    for name, value in pairs:
        if name in header:
            raise InputError("", f"its header has {inert(name)} twice", "different names")
        header[name] = value
    return header


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)


def _tensor(disk: Disk, begins: int, name: str, entry: object) -> Plain:
    expected = "dtype, shape and data_offsets"
    if not isinstance(entry, dict) or not {"dtype", "shape", "data_offsets"} <= set(entry):
        raise InputError("", "its entry in the header is no tensor's", expected)
    code, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(code, str):
        raise InputError("", "its dtype is no text", "a dtype such as BF16")
    if not _are_integers(shape) or len(shape) > MOST_AXES:
        raise InputError("", "its shape is none", f"at most {MOST_AXES} whole numbers from 0 on")
    if not _are_integers(offsets) or len(offsets) != 2:
        raise InputError("", "its data_offsets are none", "two whole numbers")
    first, last = offsets
    if not first <= last <= disk.size - begins:
        span = f"bytes {first:,} to {last:,} of {disk.size - begins:,}"
        raise InputError("", f"it claims {span}", "offsets inside a complete file")
    kind = DTYPES.get(code)
    if kind is None:
        return Plain(name, disk.path, tuple(shape), None, inert(code)[1:-1], begins + first)
    dtype = dtype_named(kind)
    needed = prod(shape) * dtype.itemsize
    if last - first != needed:
        size = "×".join(map(str, shape)) or "scalar"
        problem = f"a shape of {size} in {code} needs {needed:,} bytes, not {last - first:,}"
        raise InputError("", inert(problem, 200)[1:-1], "offsets that fit the shape")
    return Plain(name, disk.path, tuple(shape), dtype, kind, begins + first)


def _are_integers(values: object) -> bool:
    return isinstance(values, list) and all(
        type(value) is int and 0 <= value < 2**48 for value in values
    )


def _check_apart(path: str, tensors: list[Plain]) -> None:
    """Raise InputError if two tensors share bytes."""
    order = sorted(
        (tensor for tensor in tensors if tensor.size and tensor.dtype),
        key=lambda tensor: tensor.begins,
    )
    for one, other in pairwise(order):
        assert one.dtype
        if one.begins + one.size * one.dtype.itemsize > other.begins:
            problem = f"{inert(one.name)} and {inert(other.name)} claim the same bytes"
            refuse(path, problem, "tensors beside each other")
