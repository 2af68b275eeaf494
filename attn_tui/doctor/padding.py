"""Padding and packed texts, which only a captured mask can know.

A configuration promises which keys a query sees by position. Which keys are padding, and where one
of several packed texts ends, is a matter of the input: a captured mask completes the promise with
that, if it is the same in all heads of a sequence and in all layers with the same keys.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from attn_tui.captures.capture import Capture, HeadId, HeadShape
from attn_tui.captures.layer import row_mask
from attn_tui.captures.readings import Reading
from attn_tui.compute.arrays import Truths
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.numbers import rough_percent
from attn_tui.doctor.standing import without_places

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


def padding_text(keys: tuple[int, int], of: int, tensor: str) -> str:
    """Return which keys are padding, their share, and which captured tensor says so."""
    first, last = keys
    share = rough_percent((last - first + 1) / of)
    if first == last:
        return f"key {first:,} ({share} of them) is padding, by `{tensor}`"
    return f"keys {first:,}–{last:,} ({share} of them) are padding, by `{tensor}`"


def left_out(shape: HeadShape) -> Iterator[str]:
    """Yield what captured lengths leave out of a head, in phrases."""
    queries, keys = shape.left_out
    if keys:
        end = shape.n_keys + keys
        yield padding_text((shape.n_keys, end - 1), end, "lengths")
    if queries and (queries, shape.n_queries) != (keys, shape.n_keys):
        yield f"queries from {shape.n_queries:,} on are padding, by `lengths`"


SequenceKeys = tuple[int, int]
"""A sequence, and how many keys it has."""


def paddings(
    capture: Capture,
    readings: Mapping[int, Reading],
    promised: Callable[[HeadId, HeadRows], HeadMask | None],
) -> dict[SequenceKeys, Padding]:
    """Return the padding and packed texts of each sequence, as far as captured masks agree.

    Args:
        capture: The tensors.
        readings: How each layer is read.
        promised: Returns the promised mask of a head, or None if none is promised.
    """
    observed: dict[SequenceKeys, set[Padding]] = {}
    plain: dict[SequenceKeys, list[tuple[HeadId, Reading]]] = {}
    for head, reading in _masked_heads(capture, readings):
        captured = _captured(capture, head, reading, promised)
        if captured is None:
            continue
        place = (head.batch, captured.rows.n_keys)
        padding = captured.padding()
        if padding:
            observed.setdefault(place, set()).add(padding)
        elif captured.is_under(Padding()):
            plain.setdefault(place, []).append((head, reading))
    unique = {place: said.pop() for place, said in observed.items() if len(said) == 1}

    def is_common(place: SequenceKeys, padding: Padding) -> bool:
        # Masks that need no padding may still have it, where a window hides it anyway.
        others = (_captured(capture, *one, promised) for one in plain.get(place, ()))
        return all(other is None or other.is_under(padding) for other in others)

    return {place: padding for place, padding in unique.items() if is_common(place, padding)}


@dataclass(frozen=True, eq=False)
class _Captured:
    """A captured mask beside the promised one.

    Attributes:
        rows: The rows, of which only numbers and positions count.
        seen: The captured mask, shape (r, n).
        mask: The promised mask.
        is_one_row: Whether the captured mask has one row for all queries.
    """

    rows: HeadRows
    seen: Truths
    mask: HeadMask
    is_one_row: bool

    def padding(self) -> Padding:
        """Return what the mask says beside the promised one."""
        runs = [*_runs(np.asarray(~self.seen.any(axis=0)))]
        if self.is_one_row:
            return Padding(runs[0]) if runs else Padding()
        is_open = self.rows.n_queries == 1 and self.mask.window is not None
        if is_open or self.is_under(Padding()):
            # Of one query, padding looks like a shorter window.
            return Padding()
        starts: tuple[int, ...] = ()
        if self.rows.n_queries == self.rows.n_keys:
            starts = _starts(self.rows, self.seen, self.mask)
        every = [Padding(run) for run in runs]
        if starts:
            every += [Padding(hidden, starts) for hidden in (None, *runs)]
        return next((padding for padding in every if self.is_under(padding)), Padding())

    def is_under(self, padding: Padding) -> bool:
        """Return whether the mask is the promised one with some padding."""
        if self.is_one_row:
            hidden = np.zeros(self.rows.n_keys, bool)
            if padding.hidden is not None:
                hidden[padding.hidden[0] : padding.hidden[1] + 1] = True
            return np.array_equal(self.seen[0], ~hidden)
        return _is_same(self.rows, self.seen, placed(padding.of(self.mask), self.rows))


def _captured(
    capture: Capture,
    head: HeadId,
    reading: Reading,
    promised: Callable[[HeadId, HeadRows], HeadMask | None],
) -> _Captured | None:
    """Return the captured mask of a head; None if no mask is promised and it may be any."""
    rows, seen, one_row = _mask_of(capture, head, reading)
    mask = promised(head, rows)
    if mask is None and not one_row:
        return None
    return _Captured(rows, seen, mask or HeadMask("none"), one_row)


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
    return without_places(rows), seen, one_row


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


def _starts(rows: HeadRows, seen: Truths, mask: HeadMask) -> tuple[int, ...]:
    """Return the keys at which texts begin, if rows see whole texts of their own; else empty."""
    sees = seen.any(axis=1)
    first = np.argmax(seen[sees], axis=1)
    queries = rows.rows[sees]
    if mask.window is not None or mask.chunk is not None:
        # A text begins where a query sees no key before its own.
        starts = queries[first == queries]
    else:
        starts = np.unique(first)
    return tuple(int(key) for key in starts if key > 0)
