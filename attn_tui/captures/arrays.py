"""Tensors in memory: arrays of NumPy, PyTorch, JAX, MLX and others, as a capture has them."""

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from attn_tui.captures.dtypes import DTYPES, dtype_named, readable
from attn_tui.captures.stored import Index, Raw, Stored, part_of
from attn_tui.compute.errors import InputError, inert

IN_MEMORY = "arrays in memory"
"""What stands for the path of a file in a capture of arrays."""

EXPECTED = "an array of real numbers"
_NARROW = {name for name in DTYPES.values() if name.startswith(("bfloat", "float8"))}
_WORDS: Mapping[int, str] = {1: "uint8", 2: "int16"}
"""The types of whole numbers, by size in bytes, that carry the bits of narrow formats."""


@dataclass(frozen=True, eq=False)
class InMemory(Stored):
    """A tensor in memory.

    Attributes:
        numbers: Its numbers.
    """

    numbers: Raw = field(repr=False)

    def take(self, index: tuple[Index, ...]) -> Raw:
        """Return part of the tensor, in its own format."""
        return part_of(self.numbers, index)


def in_memory(name: str, numbers: Raw) -> InMemory:
    """Return an array as the tensor of a capture, which does not write to it."""
    dtype, called = numbers.dtype, numbers.dtype.name
    stored = dtype if called in _NARROW else readable(dtype)[0]
    shown = numbers.view()
    shown.flags.writeable = False
    return InMemory(name, IN_MEMORY, numbers.shape, stored, called, shown)


def header_of(tensors: Mapping[str, Raw]) -> str:
    """Return a hash of the names, formats and shapes of arrays."""
    text = "\n".join(f"{name} {one.dtype.name} {one.shape}" for name, one in tensors.items())
    return hashlib.sha256(text.encode()).hexdigest()


def array_in(name: str, value: Any) -> Raw:
    """Return an array of any library as one of NumPy, wherever it lives; shared where possible.

    Numbers keep their format: bfloat16 and float8 become those of ml_dtypes. No library is imported
    but the one that the array is of.

    Args:
        name: What the array is called in errors.
        value: An array of NumPy, PyTorch, JAX or MLX, or anything with ``__array__`` or DLPack.

    Raises:
        InputError: If it holds no numbers.
    """
    if isinstance(value, np.ndarray):
        return value
    library = type(value).__module__.partition(".")[0]
    try:
        if library == "torch":
            return _of_torch(value)
        if library == "mlx":
            return _of_mlx(value)
        if hasattr(value, "__array__") or not hasattr(value, "__dlpack__"):
            array = np.asarray(value)
        else:
            array = np.from_dlpack(value, device="cpu")
    except (ValueError, TypeError, RuntimeError, BufferError) as error:
        problem = f"{inert(type(value).__qualname__)[1:-1]} is no array: {inert(str(error), 80)}"
        raise InputError(name, problem, EXPECTED) from None
    if array.dtype.kind in "OUSMm":
        problem = f"{inert(type(value).__qualname__)[1:-1]} is no array"
        raise InputError(name, problem, EXPECTED)
    return array


def _of_torch(tensor: Any) -> Raw:
    """Return a tensor of PyTorch as an array; a copy if it lives on another device."""
    torch = sys.modules["torch"]
    plain = tensor.detach().cpu().resolve_conj().resolve_neg()
    called = str(plain.dtype).removeprefix("torch.")
    if called not in _NARROW:
        numbers: Raw = plain.numpy()
        return numbers
    words = plain.contiguous().view(getattr(torch, _WORDS[plain.element_size()]))
    narrow: Raw = words.numpy().view(dtype_named(called))
    return narrow


def _of_mlx(array: Any) -> Raw:
    """Return an array of MLX, which NumPy cannot read in bfloat16."""
    mx = sys.modules["mlx.core"]
    if array.dtype != mx.bfloat16:
        return np.asarray(array)
    narrow: Raw = np.asarray(array.view(mx.uint16)).view(dtype_named("bfloat16"))
    return narrow
