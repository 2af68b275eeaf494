"""Which keys a query of a head attends to, and which scores of a block of rows are masked."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.heads.rows import HeadRows, Reals

MaskKind = Literal["none", "causal", "window", "local", "given"]


@dataclass(frozen=True)
class HeadMask:
    """A rule by which keys are masked.

    Attributes:
        kind: Which keys a query sees: all; those up to its own; the last ``window`` of these; those
            at most ``window // 2`` from its own to either side; or those of a captured mask.
        offset: The index of the key at which query 0 stands, unless positions were captured: 0
            aligns at the top left corner, n − n_q at the bottom right. None if captured positions
            are not consecutive.
        window: The number of keys in a window, including the query's own.
        hidden: The first and the last padding key, at one end, that no query sees; or None.
        packed: The keys at which further texts begin in one sequence, rising; queries from such a
            key on see no key before it.
        chunk: The size of chunks of keys; a query sees no key before its own chunk. None for no
            chunks.
        prefix: The number of keys at the beginning that every query sees.
        inverted: Whether a query sees the other keys: those that the mask would hide.
    """

    kind: MaskKind = "none"
    offset: int | None = 0
    window: int | None = None
    hidden: tuple[int, int] | None = None
    packed: tuple[int, ...] = ()
    chunk: int | None = None
    prefix: int = 0
    inverted: bool = False

    def __post_init__(self) -> None:  # JSON has lists.
        object.__setattr__(self, "packed", tuple(self.packed))
        if self.hidden is not None:
            object.__setattr__(self, "hidden", tuple(self.hidden))

    @property
    def by_position(self) -> bool:
        """Whether the keys that a query sees depend on the key at which it stands."""
        return self.kind in ("causal", "window", "local")

    def placed(self, head: HeadRows) -> "HeadMask":
        """Return the mask with the offset of a head's captured positions, if it has any."""
        if head.positions is None or not self.by_position:
            return self
        return replace(self, offset=head.corner)

    def positions(self, head: HeadRows) -> NDArray[np.intp]:
        """Return the index of the key at which each query stands, shape (r,)."""
        if head.positions is not None:
            return head.positions
        return head.rows + (self.offset or 0)

    def first(self, head: HeadRows) -> NDArray[np.intp]:
        """Return the first key that each query may see, shape (r,)."""
        positions = self.positions(head)
        first = np.zeros_like(positions)
        if self.kind == "local":
            first = positions - (self.window or 0) // 2
        elif self.window is not None:
            first = positions + 1 - self.window
        if self.chunk is not None:
            first = np.maximum(first, positions // self.chunk * self.chunk)
        begins = np.array((0, *self.packed))[np.searchsorted(self.packed, positions, "right")]
        return np.asarray(np.maximum(first, begins))

    def end(self, head: HeadRows) -> NDArray[np.intp]:
        """Return the key after the last that each query may see, shape (r,)."""
        ahead = (self.window or 0) // 2 if self.kind == "local" else 0
        return np.asarray(np.maximum(self.positions(head) + 1 + ahead, self.prefix))

    def _together(self, head: HeadRows) -> NDArray[np.bool_]:
        """Return whether the text of each row is that of each key, shape (r, n)."""
        row_texts = np.searchsorted(self.packed, self.positions(head), "right")
        texts = np.searchsorted(self.packed, np.arange(head.n_keys), "right")
        return np.asarray(row_texts[:, None] == texts)

    def seen(self, head: HeadRows) -> NDArray[np.bool_]:
        """Return which keys each row sees, shape (r, n)."""
        if self.inverted:
            return ~replace(self, inverted=False).seen(head)
        if self.kind == "given" and head.seen is not None:
            return head.seen
        keys = np.arange(head.n_keys)
        seen = np.ones((len(head.rows), head.n_keys), bool)
        if self.by_position:
            seen = keys < self.end(head)[:, None]
        if self.by_position and (self.window is not None or self.packed or self.chunk is not None):
            seen &= keys >= self.first(head)[:, None]
        if self.packed:
            seen &= self._together(head)
        if self.hidden is not None:
            seen[:, self.hidden[0] : self.hidden[1] + 1] = False
        return np.asarray(seen)


def upper_triangle(mask: HeadMask) -> HeadMask:
    """Return the mask of the keys from the query's own on, aligned as a mask is."""
    return HeadMask("causal", (mask.offset or 0) - 1, inverted=True)


Hidden = tuple[slice, NDArray[np.bool_]]
"""A range of columns, and where in them a key is masked, shape (r, columns)."""


@dataclass(frozen=True, eq=False)
class Sight:
    """The keys that a block of rows sees.

    Attributes:
        keys: The range of keys that any of the rows may see, at least one; the columns of scores.
        counts: How many keys each row sees, shape (r,).
        hidden: Where keys are masked in the columns.
    """

    keys: slice
    counts: NDArray[np.intp]
    hidden: tuple[Hidden, ...] = ()

    @property
    def width(self) -> int:
        """The number of columns."""
        return int(self.keys.stop - self.keys.start)

    def fill(self, scores: Reals, value: float) -> None:
        """Write a number wherever a key is masked, in scores of shape (r, width)."""
        for columns, hidden in self.hidden:
            np.copyto(scores[:, columns], scores.dtype.type(value), where=hidden)


def sight(head: HeadRows, mask: HeadMask, place: slice) -> Sight:
    """Return the keys that a slice of the rows of a head sees."""
    if mask.inverted:
        head, mask = replace(head, seen=mask.seen(head)), HeadMask("given")
    n, r = head.n_keys, len(head.rows[place])
    parts: list[tuple[slice, NDArray[np.bool_]]] = []
    first, last, counts = 0, n, np.full(r, n, np.intp)
    is_run = mask.by_position or (mask.hidden is not None and not mask.packed)
    if is_run and r:
        ends, starts = np.full(r, n, np.intp), np.zeros(r, np.intp)
        if mask.by_position:
            ends = np.clip(mask.end(head)[place], 0, n)
            starts = np.clip(mask.first(head)[place], 0, n)
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
        # Columns that every row sees need no mask.
        least_end, most_start = int(ends.min()), min(int(starts.max()), last)
        if least_end < last:
            columns = np.arange(max(least_end, first), last)
            parts.append((slice(columns[0] - first, last - first), columns >= ends[:, None]))
        if most_start > first:
            columns = np.arange(first, most_start)
            parts.append((slice(0, most_start - first), columns < starts[:, None]))
    elif mask.kind == "given" and head.seen is not None:
        parts.append((slice(0, n), ~head.seen[place]))
    elif mask.packed:
        parts.append((slice(0, n), ~mask.seen(head)[place]))
    if head.bias is not None:
        parts.append((slice(0, last - first), head.bias[place, first:last] == -np.inf))
    if parts and not (mask.by_position and head.bias is None):
        hidden = np.zeros((r, last - first), bool)
        for where, part in parts:
            hidden[:, where] |= part
        parts, counts = [(slice(0, last - first), hidden)], (last - first) - hidden.sum(axis=1)
    return Sight(slice(first, last), counts, tuple(parts))
