"""A tensor where it is stored: what it is, and the few bytes of it that are asked for."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.disk import Disk, opened

Index = int | slice | NDArray[np.intp]
"""Which of an axis: one place, places from one to another, or places that rise."""

Raw = NDArray[Any]
"""Numbers in the format they are stored in."""

_SPAN = 2**22
"""Bytes that are read at a time."""

_GAP = 2**13
"""Bytes between rows that are read though nobody asks for them, which saves a call."""


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

    @property
    def unpacked(self) -> int:
        """Bytes that are unpacked at once if any of it is taken; 0 where nothing is packed."""
        return 0

    @abstractmethod
    def take(self, index: tuple[Index, ...]) -> Raw:
        """Return part of it, in its own format.

        Args:
            index: For each axis; at most two are not one place, and at most one is an array.

        Raises:
            InputError: If the file cannot be read, or ends before.
        """

    @abstractmethod
    def blocks(self, most: int) -> Iterator[tuple[int, Raw]]:
        """Yield all numbers in order, at most so many at a time, with the place of the first."""


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
        begins, axes = self.begins, []
        for at, length, stride in zip(index, self.shape, self.strides, strict=True):
            if isinstance(at, int):
                begins += at * stride
            else:
                places = np.arange(length)[at] if isinstance(at, slice) else at
                axes.append((places, stride))
        with opened(self.path) as disk:
            return self._gathered(disk, begins, axes)

    def _gathered(self, disk: Disk, begins: int, axes: list[tuple[NDArray[np.intp], int]]) -> Raw:
        """Return what stands at places along at most two axes, each of its own stride."""
        assert self.dtype
        found = np.empty([len(places) for places, _ in axes], self.dtype)
        if not found.size:
            return found
        if len(axes) < 2:
            # A scalar or a vector is a matrix of one column.
            axes = [*(axes or [(np.zeros(1, np.intp), 0)]), (np.zeros(1, np.intp), 0)]
        outer, inner = sorted(axes, key=lambda axis: -axis[1])
        matrix = found.reshape([len(places) for places, _ in axes])
        if outer is not axes[0]:
            matrix = matrix.T
        (rows, row_step), (columns, column_step) = outer, inner
        begins += int(columns[0]) * column_step
        width = int(columns[-1] - columns[0]) * column_step + self.dtype.itemsize
        is_dense = width == len(columns) * self.dtype.itemsize
        if is_dense and row_step == width and rows[-1] - rows[0] == len(rows) - 1:
            data = disk.read(begins + int(rows[0]) * row_step, len(rows) * width)
            whole: Raw = np.frombuffer(data, self.dtype).reshape(matrix.shape)
            return (whole if outer is axes[0] else whole.T).reshape(found.shape)
        if is_dense and len(rows) > 1 and np.diff(rows).min() * row_step > width + _GAP:
            data = disk.read_each([begins + row_step * row for row in rows.tolist()], width)
            matrix[:] = np.frombuffer(data, self.dtype).reshape(matrix.shape)
            return found
        # As many rows at once as fit in a span, with what is between them.
        at, most = 0, max(1, (_SPAN - width) // max(row_step, 1))
        while at < len(rows):
            first = int(rows[at])
            last = max(int(np.searchsorted(rows, first + most, side="right")), at + 1)
            count = int(rows[last - 1]) - first + 1
            data = disk.read(begins + first * row_step, (count - 1) * row_step + width)
            shape = (count, int(columns[-1] - columns[0]) + 1)
            view: Raw = np.ndarray(shape, self.dtype, data, 0, (row_step, column_step))
            if count > last - at:
                view = view[rows[at:last] - first]
            if shape[1] > len(columns):
                view = view[:, columns - columns[0]]
            matrix[at:last] = view
            at = last
        return found

    def blocks(self, most: int) -> Iterator[tuple[int, Raw]]:
        """Yield all numbers in order."""
        assert self.dtype
        with opened(self.path) as disk:
            for start in range(0, self.size, most):
                count = min(most, self.size - start)
                place = self.begins + start * self.dtype.itemsize
                yield (
                    start,
                    np.frombuffer(disk.read(place, count * self.dtype.itemsize), self.dtype),
                )


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
