"""Which single key a row sees more or less than its mask says, by the output that it leaves."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.case import HeadCase
from attn_tui.compute.fit.head import FitRows, Floats, State
from attn_tui.compute.fit.model import FITS, Suspect
from attn_tui.compute.heads.mask import HeadMask

ALIKE = 0.9
"""The share of rows that have to lack their lightest key to be named by that."""


@dataclass(frozen=True)
class _Change:
    """A key that a row sees otherwise than its mask says.

    Attributes:
        row: The place of the row.
        key: The key.
        is_lightest: Whether it has the least weight of the keys that the row is to see.
    """

    row: int
    key: int
    is_lightest: bool


def one_key(case: HeadCase) -> Iterator[Suspect]:
    """Yield that every row that is wrong sees one key less, or one more, than promised.

    Args:
        case: The head with all of its rows.
    """
    model = case.reference.model
    prediction = case.prediction(model)
    wrong = prediction.compared(prediction.rows.output).wrong
    places = case.seeing(model)
    if not len(wrong) or prediction.rows.values.shape[1] < 2:
        return
    for is_seen in (True, False):
        changes = [
            _nearest(prediction.rows, prediction.state, int(row), is_seen) for row in np.sort(wrong)
        ]
        certain = [change for change in changes if change is not None]
        if len(certain) < len(wrong):
            continue
        ways = [certain]
        # Other rows may be as wrong, where a key has too little weight for one row to show it.
        if is_seen and _are_lightest(certain):
            ways.append([*_lightest(prediction.rows, prediction.state, certain)])
        shown = prediction.rows.seen
        spare = shown.sum(axis=1, keepdims=True) > 1
        there = shown & spare if is_seen else ~shown
        ways += _alike(there, certain, model.mask.positions(case.head)[places])
        for way in ways:
            seen = case.seen(model.mask).copy()
            seen[places[[change.row for change in way]], [change.key for change in way]] ^= True
            if _gives(case, seen):
                numbers = tuple(int(case.head.rows[places[change.row]]) for change in way)
                phrase = _phrase(case, places, way, is_seen)
                yield Suspect(phrase, FITS, part="mask", rows=numbers, compared=len(places))
                break


def _are_lightest(changes: Sequence[_Change]) -> bool:
    """Return whether the keys that rows lack are the lightest ones of nearly all of them."""
    return sum(change.is_lightest for change in changes) >= ALIKE * len(changes)


def _alike(
    there: NDArray[np.bool_], certain: Sequence[_Change], positions: NDArray[np.intp]
) -> Iterator[list[_Change]]:
    """Yield that all rows see otherwise the key, or the distance from their own, that these do.

    Args:
        there: The keys that rows may lack, or that they may see besides, shape (r, n).
        certain: The rows that are wrong by themselves.
        positions: The key at which each row stands, shape (r,).
    """
    for start in (np.zeros_like(positions), positions):
        counts = Counter(int(change.key - start[change.row]) for change in certain)
        most, count = counts.most_common(1)[0]
        if count < max(ALIKE * len(certain), 2):
            continue
        keys = start + most
        inside = (keys >= 0) & (keys < there.shape[1])
        others = inside & there[np.arange(len(keys)), np.where(inside, keys, 0)]
        yield [_Change(int(row), int(keys[row]), False) for row in np.flatnonzero(others)]


def _lightest(rows: FitRows, state: State, certain: Sequence[_Change]) -> Iterator[_Change]:
    """Yield the lightest key of each row that sees as many keys as one that lacks its own."""
    counts = rows.seen.sum(axis=1)
    short = {int(counts[change.row]) for change in certain}
    for row in np.flatnonzero(np.isin(counts, [*short])):
        keys = np.flatnonzero(rows.seen[row])
        lightest = keys[np.argmin(_weights(rows, state, int(row))[keys])]
        yield _Change(int(row), int(lightest), is_lightest=True)


def _nearest(rows: FitRows, state: State, row: int, is_seen: bool) -> _Change | None:
    """Return the seen key without which, or the hidden one with which, a row is nearest."""
    keys = np.flatnonzero(rows.seen[row] == is_seen)
    if len(keys) < 1 + is_seen:
        return None
    weights = _weights(rows, state, row)[keys]
    sign = -1.0 if is_seen else 1.0
    parts = state.parameters.value_scale * weights[:, None] * rows.values[keys]
    outputs = (state.output[row] + sign * parts) / (1.0 + sign * weights)[:, None]
    apart = np.square(rows.output[row] - outputs).sum(axis=1)
    best = int(np.argmin(np.where(np.isfinite(apart), apart, np.inf)))
    return _Change(row, int(keys[best]), best == int(np.argmin(weights)))


def _weights(rows: FitRows, state: State, row: int) -> NDArray[np.float64]:
    """Return e^z of every key as a share of the sum over the seen ones, shape (n,)."""
    logits: Floats = state.logits[row].astype(np.float64)
    if rows.bias is not None:
        logits = logits + rows.bias[row]
    return np.asarray(np.exp(np.minimum(logits - state.top[row], 600.0)) / state.total[row])


def _gives(case: HeadCase, seen: NDArray[np.bool_]) -> bool:
    """Return whether every row is what is promised under another mask."""
    model = replace(case.reference.model, mask=HeadMask("given"))
    head = replace(case.head, seen=seen)
    bias = case.reference.model.bias
    if bias is not None and not isinstance(bias, str):
        # Its rule may need the positions that the mask says.
        head = replace(head, bias=bias.bias(case.head, case.reference.model.mask))
        model = replace(model, bias=None)
    other = replace(case, head=head, full=None)
    return other.comparison(model).passes and not other.idle(model)[1]


def _phrase(
    case: HeadCase, places: NDArray[np.intp], changes: Sequence[_Change], is_seen: bool
) -> str:
    """Return in words which rows see one key less, or one more.

    Args:
        case: The head with all of its rows.
        places: The place of each compared row among these.
        changes: The rows, by their number among the compared ones, with the key of each.
        is_seen: Whether the key is promised to be seen.
    """
    key = changes[0].key
    if len(changes) == 1:
        verb = "does not see" if is_seen else "sees"
        meant = "which it should" if is_seen else "which is hidden from it"
        row = int(case.head.rows[places[changes[0].row]])
        return f"row {row:,} {verb} key {key:,}, {meant}"
    positions = case.reference.model.mask.positions(case.head)
    if is_seen and all(change.key == positions[places[change.row]] for change in changes):
        return "{rows} lack the key at which they stand: is the diagonal hidden?"
    if len({change.key for change in changes}) == 1:
        what = "lack" if is_seen else "see"
        meant = "which they should see" if is_seen else "which is hidden from them"
        return f"{{rows}} {what} key {key:,}, {meant}"
    if not is_seen:
        return "{rows} see one key that their mask hides"
    which = "the lightest" if _are_lightest(changes) else "one"
    return f"{{rows}} lack {which} of the keys that their mask shows: one key short?"
