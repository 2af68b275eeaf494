"""A tensor where it is stored: what it is, and the few bytes of it that are asked for."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
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

_GAP = 2**12
"""Bytes that are read though nobody asks for them, where that saves a call."""


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
        # Rows that are near each other are read together.
        breaks = np.flatnonzero(np.diff(rows) * row_step > width + _GAP) + 1
        for run in np.split(np.arange(len(rows)), breaks):
            most = max(1, (_SPAN - width) // max(row_step, 1))
            at = 0
            while at < len(run):
                last = int(np.searchsorted(rows[run], rows[run[at]] + most, side="right"))
                piece = run[at : max(last, at + 1)]
                first = int(rows[piece[0]])
                size = int(rows[piece[-1]] - first) * row_step + width
                data = disk.read(begins + first * row_step, size)
                shape = (int(rows[piece[-1]] - first) + 1, int(columns[-1] - columns[0]) + 1)
                view: Raw = np.ndarray(shape, self.dtype, data, 0, (row_step, column_step))
                matrix[piece] = view[rows[piece] - first][:, columns - columns[0]]
                at += len(piece)
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


def widened(numbers: Raw) -> NDArray[np.floating[Any]]:
    """Return numbers as float32 if it holds each of their format exactly, else as float64."""
    is_short = numbers.dtype.itemsize < 4 or numbers.dtype in (np.float32, np.dtype(">f4"))
    # A NaN that signals does so when it is converted.
    with np.errstate(invalid="ignore"):
        return numbers.astype(np.float32 if is_short else np.float64)
