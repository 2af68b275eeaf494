"""A tensor where it is stored: what it is, and the few bytes of it that are asked for."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.disk import opened

Index = int | slice | NDArray[np.intp]
"""Which of an axis: one place, places from one to another, or places that rise."""

Raw = NDArray[Any]
"""Numbers in the format they are stored in."""


@dataclass(frozen=True)
class Stored(ABC):
    """A tensor in a file. Nothing of it is read until it is taken.

    Attributes:
        name: In the file, as it stands there.
        path: Of the file.
        shape: Its lengths.
        dtype: What its numbers are; None where nothing here can read them.
        format: The same in words: ``"bfloat16"``, ``"float8_e4m3fn"``, or as the file has it.
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
        """Return part of it, in its own format.

        Args:
            index: For each axis; at most two are not one place, and at most one is an array.

        Raises:
            InputError: If the file cannot be read, or ends before.
        """


@dataclass(frozen=True)
class Plain(Stored):
    """A tensor whose bytes stand in the file one after another.

    Attributes:
        begins: The place of its first byte.
        is_fortran: Whether the first index runs fastest.
    """

    begins: int = 0
    is_fortran: bool = False

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one to the next, for each axis."""
        assert self.dtype
        lengths = self.shape if self.is_fortran else self.shape[::-1]
        steps = [self.dtype.itemsize * prod(lengths[:axis]) for axis in range(len(lengths))]
        return tuple(steps if self.is_fortran else steps[::-1])

    def take(self, index: tuple[Index, ...]) -> Raw:
        """Return part of it, in its own format."""
        assert self.dtype
        begins, axes = self.begins, []
        for at, length, stride in zip(index, self.shape, self.strides, strict=True):
            if isinstance(at, int):
                begins += at * stride
            else:
                places = np.arange(length)[at] if isinstance(at, slice) else at
                axes.append((places, stride))
        shape = [len(places) for places, _ in axes]
        if 0 in shape:
            return np.empty(shape, self.dtype)
        # A scalar or a vector is a matrix of one column.
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
        found = whole[:, columns - columns[0]] if length > len(columns) else whole
        is_turned = axes[0][1] < axes[1][1]
        return (found.T if is_turned else found).reshape(shape)


@dataclass(frozen=True)
class Listing:
    """Tensors of one file and what is said of them.

    Attributes:
        tensors: In the file's order.
        metadata: What the file says besides; each a claim.
        header: A hash of that part of the file which lists them.
    """

    tensors: tuple[Stored, ...]
    metadata: Mapping[str, object] = field(default_factory=dict)
    header: str = ""


def widened(numbers: Raw) -> NDArray[np.floating[Any]]:
    """Return numbers as float32 if it holds each of their format exactly, else as float64."""
    if numbers.dtype.name == "bfloat16":
        # Its bits are the first half of those of float32.
        bits = np.left_shift(numbers.view(np.uint16), 16, dtype=np.uint32)
        return bits.view(np.float32)
    # A NaN that signals does so when it is converted.
    with np.errstate(invalid="ignore"):
        if numbers.dtype.itemsize == 1:
            every = np.arange(256, dtype=np.uint8).view(numbers.dtype).astype(np.float32)
            return every[numbers.view(np.uint8)]
        is_short = numbers.dtype.itemsize < 4 or numbers.dtype in (np.float32, np.dtype(">f4"))
        return numbers.astype(np.float32 if is_short else np.float64)
