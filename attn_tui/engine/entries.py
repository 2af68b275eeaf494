"""Two tensors entry by entry: how many differ, by how much, and where most."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, isnan, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.noise import Format, coarsest, format_of
from attn_tui.compute.heads.rows import Reals

ROUNDINGS, ARITHMETIC = 8.0, 1e-4
"""Two tensors agree if they differ by less than so many times what rounding their numbers makes,
or by less than this, which sums in another order make, relative to what is rounded: as a whole the
tensor, of one entry the largest number of its row."""

_TYPICAL = 2.0**0.5 / 25.97**0.5
"""Over numbers whose logarithms are spread evenly, what rounding two of them makes, relative to
their size and in units of the spacing at 1: 12·3/(2 ln 2) is 25.97."""

_FORMATS = ("bfloat16", "float16", "float32", "float64")


@dataclass(frozen=True)
class Entry:
    """One number of both tensors.

    Attributes:
        row: Which position.
        column: Which of its numbers.
        one: The number in the first.
        other: In the second.
        spacings: |other − one| in spacings of the format at the largest number of the row; NaN if
            either is NaN or infinite.
    """

    row: int
    column: int
    one: float
    other: float
    spacings: float


@dataclass(frozen=True, eq=False)
class Difference:
    """How far two tensors of a head are apart.

    Attributes:
        size: ‖b − a‖/‖a‖ over what is finite in both; NaN if one has NaN or infinities where the
            other has not the same.
        tolerance: What it may be.
        entries: How many numbers each has.
        differ: How many of them are not equal.
        beyond: How many differ by more than one may; NaN and infinity in one only among them.
        odd: How many are NaN or infinite: in the first, in the second, and at the same place.
        most: The one that differs most, among those beyond if there are any.
        format: The format in whose spacings that is told: the coarser one.
        is_rounded: Whether both are what one rule makes of its own q, k and v, as near as
            rounding inside attention lets.
    """

    size: float
    tolerance: float
    entries: int = 0
    differ: int = 0
    beyond: int = 0
    odd: tuple[int, int, int] = (0, 0, 0)
    most: Entry | None = None
    format: str = ""
    is_rounded: bool = False

    @property
    def parts(self) -> bool:
        """Whether they differ by more than they may, as a whole or in an entry."""
        return not self.is_rounded and (bool(self.beyond) or not self.size <= self.tolerance)


Block = tuple[Sequence[int], Reals, Reals]
"""Which rows, and these of both tensors, shape (r, d)."""


@np.errstate(all="ignore")
def difference(
    blocks: Iterable[Block], formats: tuple[str, str], tolerance: float | None = None
) -> Difference:
    """Return how far two tensors of one shape are apart.

    Args:
        blocks: Their rows, some at a time.
        formats: The formats they were captured in.
        tolerance: What differences may be, relative to the tensor as a whole and to the largest
            number of a row; None: what rounding makes of it.
    """
    counts = np.zeros(6, np.int64)
    squares = np.zeros(3)
    form: Format | None = None
    most, rank = None, (False, -inf)
    for rows, one, other in blocks:
        a, b = one.astype(np.float64), other.astype(np.float64)
        finite = np.isfinite(a), np.isfinite(b)
        both = finite[0] & finite[1]
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        odd = [int(a.size - np.count_nonzero(each)) for each in finite]
        together = int(np.count_nonzero(~(finite[0] | finite[1])))
        apart = np.where(both, np.abs(b - a), 0.0)
        squares += [np.square(each[both]).sum() for each in (a, b, apart)]
        if same.all():
            counts += [a.size, 0, 0, *odd, together]
            continue
        form = form or _format(a[both], b[both], formats)
        top = np.where(both, np.maximum(np.abs(a), np.abs(b)), 0.0).max(1, keepdims=True)
        unit = form.spacing(top)
        allowed = np.maximum(ROUNDINGS * unit, ARITHMETIC * top)
        over = apart > (allowed if tolerance is None else tolerance * top)
        over |= ~(both | same)
        counts += [a.size, (~same).sum(), over.sum(), *odd, together]
        ranked = np.where(same, -1.0, np.where(both, apart, inf))
        ranked = np.where(over, ranked, -1.0) if over.any() else ranked
        row, column = divmod(int(np.argmax(ranked)), ranked.shape[1])
        at = row, column
        if (here := (bool(over[at]), float(ranked[at]))) > rank:
            spacings = float(apart[at] / unit[row, 0]) if both[at] else nan
            most, rank = Entry(rows[row], column, float(a[at]), float(b[at]), spacings), here
    entries, differ, beyond, *odds = map(int, counts)
    length, apart_length = sqrt(squares[0]), sqrt(squares[2])
    size = inf if apart_length else 0.0
    if length:
        size = apart_length / length
    if most is not None and isnan(most.spacings):
        size = nan
    if tolerance is None:
        tolerance = ARITHMETIC
        if form is not None and length:
            tolerance = max(ROUNDINGS * _rounding(form, length, entries), ARITHMETIC)
    odd_counts = (odds[0], odds[1], odds[2])
    name = form.name if form else ""
    return Difference(size, tolerance, entries, differ, beyond, odd_counts, most, name)


def _format(
    one: NDArray[np.float64], other: NDArray[np.float64], formats: tuple[str, str]
) -> Format:
    """Return the coarser of the formats that two tensors hold numbers of."""
    found = {coarsest(each, name) for each, name in zip((one, other), formats, strict=True)}
    return format_of(min(found, key=_FORMATS.index))


def _rounding(format: Format, length: float, entries: int) -> float:
    """Return ‖b − a‖/‖a‖ of two tensors that are the same but for having been rounded."""
    relative = _TYPICAL * 2.0 ** (1 - format.bits)
    least = 2.0 ** (format.least - format.bits + 1)
    return max(relative, least * sqrt(entries / 6.0) / length)
