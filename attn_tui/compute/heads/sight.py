"""What a block of rows sees: the columns there are to compute, and the places hidden in them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows, Reals

Hidden = tuple[slice, NDArray[np.bool_]]
"""Some columns, and where in them a key is masked, shape (r, columns)."""


@dataclass(frozen=True, eq=False)
class Sight:
    """What some rows see.

    Attributes:
        keys: The keys that any of them may see, at least one; the columns of their scores.
        counts: How many each of them sees, shape (r,).
        hidden: Where columns are hidden.
    """

    keys: slice
    counts: NDArray[np.intp]
    hidden: tuple[Hidden, ...] = ()

    @property
    def width(self) -> int:
        """The number of columns."""
        return int(self.keys.stop - self.keys.start)

    def fill(self, scores: Reals, value: float) -> None:
        """Put a number wherever a key is masked, in scores of shape (r, width)."""
        for columns, hidden in self.hidden:
            np.copyto(scores[:, columns], scores.dtype.type(value), where=hidden)


def sight(head: HeadRows, mask: HeadMask, at: slice) -> Sight:
    """Return what the rows at some places of a head see."""
    n, r = head.n_keys, len(head.rows[at])
    parts: list[tuple[slice, NDArray[np.bool_]]] = []
    first, last, counts = 0, n, np.full(r, n, np.intp)
    if (mask.by_position or mask.hidden) and r:
        ends, starts = np.full(r, n, np.intp), np.zeros(r, np.intp)
        if mask.by_position:
            ends = np.clip(mask.end(head)[at], 0, n)
            starts = np.clip(mask.first(head)[at], 0, n)
        if mask.hidden is not None:
            least, most = mask.hidden
            if least:
                ends = np.minimum(ends, least)
            else:
                starts = np.maximum(starts, most + 1)
        first, last, counts = int(starts.min()), int(ends.max()), np.maximum(ends - starts, 0)
        if first >= last:
            first, last = min(first, n - 1), min(first, n - 1) + 1
            starts, ends = np.full(r, last), np.zeros(r, np.intp)
        if (edge := int(ends.min())) < last:
            columns = np.arange(max(edge, first), last)
            parts.append((slice(columns[0] - first, last - first), columns >= ends[:, None]))
        if (edge := min(int(starts.max()), last)) > first:
            columns = np.arange(first, edge)
            parts.append((slice(0, edge - first), columns < starts[:, None]))
    elif mask.kind == "given" and head.seen is not None:
        parts.append((slice(0, n), ~head.seen[at]))
    if head.bias is not None:
        parts.append((slice(0, last - first), head.bias[at, first:last] == -np.inf))
    if parts and not (mask.by_position and head.bias is None):
        hidden = np.zeros((r, last - first), bool)
        for where, part in parts:
            hidden[:, where] |= part
        parts, counts = [(slice(0, last - first), hidden)], (last - first) - hidden.sum(axis=1)
    return Sight(slice(first, last), counts, tuple(parts))
