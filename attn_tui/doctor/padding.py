"""Padding and packed texts, which only a captured mask can know.

A configuration promises which keys a query sees by position. Which keys are padding, and where one
of several packed texts ends, is a matter of the input: a captured mask completes the promise with
that, if it is the same in all heads of a sequence and in all layers with the same keys.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.capture import Capture, HeadId
from attn_tui.captures.layer import row_mask
from attn_tui.captures.readings import Reading
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

Truths = NDArray[np.bool_]

MOST_SCORES = 2**24
"""Of larger heads only some rows of the mask are read."""
SOME_ROWS = 256
"""How many rows of the mask of a larger head are read."""


@dataclass(frozen=True)
class Padding:
    """What the masks of a sequence say beside positions.

    Attributes:
        hidden: The first and the last padding key, or None.
        packed: The keys at which further texts begin.
    """

    hidden: tuple[int, int] | None = None
    packed: tuple[int, ...] = ()

    def of(self, mask: HeadMask) -> HeadMask:
        """Return a promised mask with the padding and the texts."""
        if mask.kind == "given":
            return mask
        return replace(mask, hidden=self.hidden, packed=self.packed)

    def __bool__(self) -> bool:
        return self.hidden is not None or bool(self.packed)


Place = tuple[int, int]
"""A sequence, and how many keys it has."""


def paddings(
    capture: Capture,
    readings: Mapping[int, Reading],
    promised: Callable[[HeadId, HeadRows], HeadMask | None],
) -> dict[Place, Padding]:
    """Return the padding and packed texts of each sequence, as far as captured masks agree.

    Args:
        capture: The tensors.
        readings: How each layer is read.
        promised: Returns the promised mask of a head, or None if none is promised.
    """
    observed: dict[Place, set[Padding]] = {}
    for head, reading in _masked_heads(capture, readings):
        rows, seen, one_row = _mask_of(capture, head, reading)
        mask = promised(head, rows)
        if mask is None and not one_row:
            continue
        padding = _padding(rows, seen, mask or HeadMask("none"), one_row)
        if padding is not None:
            place = (head.batch, capture.shape(head, reading).n_keys)
            observed.setdefault(place, set()).add(padding)
    return {place: said.pop() for place, said in observed.items() if len(said) == 1}


def is_one_row(capture: Capture, head: HeadId, reading: Reading) -> bool:
    """Return whether the captured mask of a head has one row for all of several queries.

    Such a mask states padding and nothing else; whether the kernel is causal besides, it leaves
    open.
    """
    tensor = capture.tensors(head.layer).get("mask")
    if tensor is None or capture.shape(head, reading).n_queries == 1:
        return False
    return len(capture.stored(head, "mask", reading)) == 1


def _masked_heads(
    capture: Capture, readings: Mapping[int, Reading]
) -> Iterator[tuple[HeadId, Reading]]:
    """Yield a head of each layer and sequence with a mask; every head if masks differ by head."""
    for layer, reading in readings.items():
        tensor = capture.tensors(layer).get("mask")
        if tensor is None:
            continue
        heads = reading.dims.heads
        has_heads = len(tensor.shape) in (3, 4) and heads in tensor.shape[:-2] and heads > 1
        for batch in sorted({head.batch for head in capture.heads if head.layer == layer}):
            for number in range(heads if has_heads else 1):
                yield HeadId(batch, layer, number), reading


def _mask_of(capture: Capture, head: HeadId, reading: Reading) -> tuple[HeadRows, Truths, bool]:
    """Return rows of a head with their captured mask, shape (r, n), and whether it has one row."""
    shape = capture.shape(head, reading)
    one_row = is_one_row(capture, head, reading)
    numbers = np.arange(shape.n_queries)
    if shape.n_queries * shape.n_keys > MOST_SCORES:
        numbers = np.unique(np.linspace(0, shape.n_queries - 1, SOME_ROWS).round().astype(int))
    rows = capture.read(head, [0], reading)
    positions = None
    if "positions" in shape.has:
        positions = capture.stored(head, "positions", reading).reshape(-1)[numbers].astype(np.intp)
    stored = [capture.stored(head, "mask", reading, range(row, row + 1)) for row in numbers[:1]]
    if not one_row and len(numbers) == shape.n_queries:
        stored = [capture.stored(head, "mask", reading)]
    elif not one_row:
        stored = [capture.stored(head, "mask", reading, range(row, row + 1)) for row in numbers]
    seen = np.concatenate([row_mask(part)[0] for part in stored])
    if one_row:
        seen = np.repeat(seen[:1], len(numbers), axis=0)
    rows = replace(rows, rows=numbers, positions=positions, seen=None, output=None, weights=None)
    return rows, seen, one_row


def _padding(rows: HeadRows, seen: Truths, mask: HeadMask, one_row: bool) -> Padding | None:
    """Return what a mask says beside the promised one; None if it says nothing.

    Args:
        rows: The rows, of which only numbers and positions count.
        seen: The captured mask, shape (r, n).
        mask: The promised mask.
        one_row: Whether the captured mask has one row for all queries.
    """
    runs = [*_runs(np.asarray(~seen.any(axis=0)))]
    if one_row:
        return Padding(runs[0]) if runs else None
    if _is_same(rows, seen, mask):
        return None
    for run in runs:
        if _is_same(rows, seen, placed(replace(mask, hidden=run), rows)):
            return Padding(run)
    if rows.n_queries == rows.n_keys:
        begins = _begins(rows, seen, mask)
        for hidden in (None, *runs):
            packed = replace(mask, hidden=hidden, packed=begins)
            if begins and _is_same(rows, seen, packed):
                return Padding(hidden, begins)
    return None


def placed(mask: HeadMask, rows: HeadRows) -> HeadMask:
    """Return a mask with the last query at the last key that is not padding.

    With as many queries as keys, query i stands at key i; captured positions say it otherwise.
    """
    if mask.hidden is None or rows.positions is not None or rows.n_queries >= rows.n_keys:
        return mask
    first, last = mask.hidden
    end = first if last == rows.n_keys - 1 else rows.n_keys
    return replace(mask, offset=end - rows.n_queries)


def _is_same(rows: HeadRows, seen: Truths, mask: HeadMask) -> bool:
    """Return whether rows that are not padding see what a mask lets them see."""
    kept = np.ones(len(rows.rows), bool)
    if mask.hidden is not None and rows.n_queries == rows.n_keys:
        first, last = mask.hidden
        kept = (rows.rows < first) | (rows.rows > last)
    return np.array_equal(seen[kept], mask.seen(rows)[kept])


def _runs(hidden: Truths) -> Iterator[tuple[int, int]]:
    """Yield the runs of keys at either end that no query sees, if they leave a key."""
    if not hidden.any() or hidden.all():
        return
    shown = np.flatnonzero(~hidden)
    if shown[-1] < len(hidden) - 1:
        yield int(shown[-1]) + 1, len(hidden) - 1
    if shown[0] > 0:
        yield 0, int(shown[0]) - 1


def _begins(rows: HeadRows, seen: Truths, mask: HeadMask) -> tuple[int, ...]:
    """Return the keys at which texts begin, if rows see whole texts of their own; else empty."""
    sees = seen.any(axis=1)
    first = np.argmax(seen[sees], axis=1)
    own = rows.rows[sees]
    if mask.window is not None or mask.chunk is not None:
        # A text begins where a query sees no key before its own.
        begins = own[first == own]
    else:
        begins = np.unique(first)
    return tuple(int(key) for key in begins if key > 0)
