"""How far a tensor of a head is from another one, in units of its number format."""

from dataclasses import dataclass
from math import inf

import numpy as np

from attn_tui.compute.fit.head import Floats
from attn_tui.compute.fit.noise import Format, coarsest, format_of
from attn_tui.compute.heads.rows import Reals


@dataclass(frozen=True)
class Distance:
    """How far a tensor is from another one of the same shape.

    A unit is the distance between neighbours of the coarser of the two formats, at the largest
    number of a row: to store a number in that format moves it by half a unit at most.

    Attributes:
        format: The number format whose units these are.
        largest: The largest difference; infinity where one is a number and the other is not.
        typical: The root of the mean square of all differences that are finite.
        row: The row with the largest difference.
        column: Its column.
    """

    format: str
    largest: float
    typical: float
    row: int
    column: int


def distance(one: Reals, other: Reals, formats: tuple[str, str]) -> Distance | None:
    """Return how far a tensor is from another one; None if their shapes differ.

    Args:
        one: The tensor whose rows give the units, shape (r, d).
        other: The other, of the same shape.
        formats: The formats in which they are stored. Numbers that are all of a coarser format
            count as stored in that one.
    """
    if one.shape != other.shape or not one.size:
        return None
    unit = _coarser(coarsest(one, formats[0]), coarsest(other, formats[1]))
    with np.errstate(all="ignore"):
        first, second = one.astype(np.float64), other.astype(np.float64)
        sizes = _largest(first)
        # A row of zeros has no size: that of the other row has to do.
        sizes = np.where(sizes > 0.0, sizes, _largest(second))
        differences = np.abs(first - second) / unit.spacing(sizes)
    is_same = (first == second) | (np.isnan(first) & np.isnan(second))
    differences[is_same] = 0.0
    differences[np.isnan(differences)] = inf
    row, column = np.unravel_index(int(np.argmax(differences)), differences.shape)
    finite = differences[np.isfinite(differences)]
    typical = float(np.sqrt(np.mean(finite**2))) if finite.size else inf
    largest = float(differences[row, column])
    return Distance(unit.name, largest, typical, int(row), int(column))


def _coarser(one: str, other: str) -> Format:
    """Return the format with fewer bits."""
    first, second = format_of(one), format_of(other)
    return second if second.bits < first.bits else first


def _largest(values: Floats) -> Floats:
    """Return the largest finite size in each row, shape (r, 1)."""
    sizes = np.where(np.isfinite(values), np.abs(values), 0.0)
    return np.asarray(sizes.max(axis=1, keepdims=True))
