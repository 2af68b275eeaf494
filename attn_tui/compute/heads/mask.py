"""Which keys a query of a head attends to, and what of a block of rows is hidden."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.heads.rows import HeadRows, Reals

Kind = Literal["none", "causal", "window", "local", "given"]


@dataclass(frozen=True)
class HeadMask:
    """A rule by which keys are masked.

    Attributes:
        kind: All keys are seen; those up to the query's own; the last ``window`` of these; those
            at most ``window // 2`` from its own to either side; or what a captured mask names.
        offset: The index of the key that query 0 stands at, unless positions were captured: 0
            aligns at the top left corner, n − n_q at the bottom right. None is that captured ones
            do not follow one another.
        window: How many keys a window has, the query's own among them.
        hidden: The first and the last of keys at one end that no query sees, padding; or None.
        packed: Where further texts begin in one sequence, rising: queries from such a key on see
            none before it.
        chunk: Keys are cut into chunks of so many, and a query sees none before its own.
        prefix: So many keys at the beginning are seen by every query.
    """

    kind: Kind = "none"
    offset: int | None = 0
    window: int | None = None
    hidden: tuple[int, int] | None = None
    packed: tuple[int, ...] = ()
    chunk: int | None = None
    prefix: int = 0

    def __post_init__(self) -> None:  # JSON has lists.
        object.__setattr__(self, "packed", tuple(self.packed))
        if self.hidden is not None:
            object.__setattr__(self, "hidden", tuple(self.hidden))

    @property
    def by_position(self) -> bool:
        """Whether what a query sees follows from the key it stands at."""
        return self.kind in ("causal", "window", "local")

    def placed(self, head: HeadRows) -> "HeadMask":
        """Return the mask with query 0 where a head's captured positions have it, if any."""
        if head.positions is None or not self.by_position:
            return self
        return replace(self, offset=head.corner)

    def own(self, head: HeadRows) -> NDArray[np.intp]:
        """Return the index of the key that each query stands at, shape (r,)."""
        if head.positions is not None:
            return head.positions
        return head.rows + (self.offset or 0)

    def first(self, head: HeadRows) -> NDArray[np.intp]:
        """Return the first key that each query may see, shape (r,)."""
        own = self.own(head)
        first = np.zeros_like(own)
        if self.kind == "local":
            first = own - (self.window or 0) // 2
        elif self.window is not None:
            first = own + 1 - self.window
        if self.chunk is not None:
            first = np.maximum(first, own // self.chunk * self.chunk)
        begins = np.array((0, *self.packed))[np.searchsorted(self.packed, own, "right")]
        return np.asarray(np.maximum(first, begins))

    def end(self, head: HeadRows) -> NDArray[np.intp]:
        """Return the key behind the last that each query may see, shape (r,)."""
        ahead = (self.window or 0) // 2 if self.kind == "local" else 0
        return np.asarray(np.maximum(self.own(head) + 1 + ahead, self.prefix))

    def seen(self, head: HeadRows) -> NDArray[np.bool_]:
        """Return what each row sees, shape (r, n)."""
        if self.kind == "given" and head.seen is not None:
            return head.seen
        keys = np.arange(head.n_keys)
        there = np.ones(head.n_keys, bool)
        if self.hidden is not None:
            there[self.hidden[0] : self.hidden[1] + 1] = False
        if not self.by_position:
            return np.tile(there, (len(head.rows), 1))
        seen = (keys < self.end(head)[:, None]) & there
        if self.window is not None or self.packed or self.chunk is not None:
            seen &= keys >= self.first(head)[:, None]
        return np.asarray(seen)


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
        # Columns that every row sees have nothing to hide.
        least_end, most_start = int(ends.min()), min(int(starts.max()), last)
        if least_end < last:
            columns = np.arange(max(least_end, first), last)
            parts.append((slice(columns[0] - first, last - first), columns >= ends[:, None]))
        if most_start > first:
            columns = np.arange(first, most_start)
            parts.append((slice(0, most_start - first), columns < starts[:, None]))
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
