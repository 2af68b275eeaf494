"""Tensors in their files, of which only the bytes that are needed are read."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.disk import opened

Index = int | slice | NDArray[np.intp]
"""The places to take of an axis: a single one, a slice, or a rising array of them."""

Raw = NDArray[Any]
"""Numbers in the format they are stored in."""


@dataclass(frozen=True)
class Stored(ABC):
    """A tensor in a file, of which nothing is read before `take`.

    Attributes:
        name: The name of the tensor in the file.
        path: The path of the file.
        shape: The shape of the tensor.
        dtype: The type of its numbers; None if they cannot be read.
        format: The type by name: ``"bfloat16"``, ``"float8_e4m3fn"``, or as the file names it.
    """

    name: str
    path: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any] | None
    format: str

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return prod(self.shape)

    @abstractmethod
    def take(self, index: tuple[Index, ...]) -> Raw:
        """Return part of the tensor, in its own format.

        Args:
            index: The places to take of each axis; at most two axes may have other than a single
                place, and at most one of these an array.

        Raises:
            InputError: If the file cannot be read, or ends too early.
        """


@dataclass(frozen=True)
class Plain(Stored):
    """A tensor whose numbers are stored in the file one after another, unpacked.

    Attributes:
        begins: The offset of its first byte in the file.
        is_fortran: Whether the first index runs fastest.
    """

    begins: int = 0
    is_fortran: bool = False

    @property
    def strides(self) -> tuple[int, ...]:
        """The bytes from one place to the next, for each axis."""
        assert self.dtype
        lengths = self.shape if self.is_fortran else self.shape[::-1]
        steps = [self.dtype.itemsize * prod(lengths[:axis]) for axis in range(len(lengths))]
        return tuple(steps if self.is_fortran else steps[::-1])

    def take(self, index: tuple[Index, ...]) -> Raw:
        """Return part of the tensor, in its own format."""
        assert self.dtype
        begins, axes = self.begins, []
        for entry, length, stride in zip(index, self.shape, self.strides, strict=True):
            if isinstance(entry, int):
                begins += entry * stride
            else:
                places = np.arange(length)[entry] if isinstance(entry, slice) else entry
                axes.append((places, stride))
        shape = [len(places) for places, _ in axes]
        if 0 in shape:
            return np.empty(shape, self.dtype)
        # Treat a scalar or a vector as a matrix with one column.
        axes += [(np.zeros(1, np.intp), 0)] * (2 - len(axes))
        (rows, row_step), (columns, step) = sorted(axes, key=lambda axis: -axis[1])
        begins += int(columns[0]) * step
        length = int(columns[-1] - columns[0]) + 1
        width = (length - 1) * step + self.dtype.itemsize
        with opened(self.path) as disk:
            if row_step == width and rows[-1] - rows[0] == len(rows) - 1:
                data = disk.read(begins + int(rows[0]) * row_step, len(rows) * width)
            else:
                data = disk.read_each([begins + row_step * row for row in rows.tolist()], width)
        whole: Raw = np.ndarray((len(rows), length), self.dtype, data, 0, (width, step))
        numbers = whole[:, columns - columns[0]] if length > len(columns) else whole
        is_turned = axes[0][1] < axes[1][1]
        return (numbers.T if is_turned else numbers).reshape(shape)


def part_of(numbers: Raw, index: tuple[Index, ...]) -> Raw:
    """Return part of an array, with its axes in their order.

    NumPy by itself moves the axis of an array of places to the front if single places and slices
    stand between.
    """
    single = tuple(entry if isinstance(entry, int) else slice(None) for entry in index)
    rest = tuple(entry for entry in index if not isinstance(entry, int))
    part: Raw = numbers[single][rest]
    return part


@dataclass(frozen=True)
class Listing:
    """The tensors of one file and its metadata.

    Attributes:
        tensors: The tensors in the order of the file.
        metadata: What else the file says, by name; only claims.
        header: A hash of the part of the file that lists the tensors.
    """

    tensors: tuple[Stored, ...]
    metadata: Mapping[str, object] = field(default_factory=dict)
    header: str = ""


def widened(numbers: Raw) -> NDArray[np.floating[Any]]:
    """Return numbers as float32 if it holds their format exactly, else as float64."""
    if numbers.dtype.name == "bfloat16":
        # The bits of bfloat16 are the first half of those of float32.
        bits = np.left_shift(numbers.view(np.uint16), 16, dtype=np.uint32)
        return bits.view(np.float32)
    # Converting a signalling NaN raises a warning.
    with np.errstate(invalid="ignore"):
        if numbers.dtype.itemsize == 1:
            every = np.arange(256, dtype=np.uint8).view(numbers.dtype).astype(np.float32)
            return every[numbers.view(np.uint8)]
        is_short = numbers.dtype.itemsize < 4 or numbers.dtype in (np.float32, np.dtype(">f4"))
        return numbers.astype(np.float32 if is_short else np.float64)
