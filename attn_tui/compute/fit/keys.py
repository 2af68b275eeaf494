"""Which single key a row sees more or less than its mask says, by the output that it leaves."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.case import Case
from attn_tui.compute.fit.head import Floats, Rows, State
from attn_tui.compute.fit.model import Suspect
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.text import counted

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


def one_key(case: Case) -> Iterator[Suspect]:
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
        found = [change for change in changes if change is not None]
        if len(found) < len(wrong):
            continue
        seen = case.seen(model.mask).copy()
        seen[places[[change.row for change in found]], [change.key for change in found]] ^= True
        if _gives(case, seen):
            numbers = [int(case.head.rows[places[change.row]]) for change in found]
            name = _name(found, numbers, len(prediction.rows.output), is_seen)
            yield Suspect(name, "with that what is promised gives the output", part="mask")


def _nearest(rows: Rows, state: State, row: int, is_seen: bool) -> _Change | None:
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


def _weights(rows: Rows, state: State, row: int) -> NDArray[np.float64]:
    """Return e^z of every key as a share of the sum over the seen ones, shape (n,)."""
    logits: Floats = state.logits[row].astype(np.float64)
    if rows.bias is not None:
        logits = logits + rows.bias[row]
    return np.asarray(np.exp(np.minimum(logits - state.top[row], 600.0)) / state.total[row])


def _gives(case: Case, seen: NDArray[np.bool_]) -> bool:
    """Return whether every row is what is promised under another mask."""
    model = replace(case.reference.model, mask=HeadMask("given"))
    head = replace(case.head, seen=seen)
    bias = case.reference.model.bias
    if bias is not None and not isinstance(bias, str):
        # Its rule may need the positions that the mask says.
        head = replace(head, bias=bias.bias(case.head, case.reference.model.mask))
        model = replace(model, bias=None)
    other = replace(case, head=head, whole=None)
    return other.comparison(model).passes and not other.idle(model)[1]


def _name(changes: list[_Change], numbers: list[int], count: int, is_seen: bool) -> str:
    """Return in words which rows see one key less, or one more."""
    key = changes[0].key
    if len(changes) == 1:
        verb = "does not see" if is_seen else "sees"
        meant = "which it should" if is_seen else "which is hidden from it"
        return f"row {numbers[0]:,} {verb} key {key:,}, {meant}"
    rows = f"{len(changes):,} of {counted(count, 'row')}"
    if len({change.key for change in changes}) == 1:
        what = "lack" if is_seen else "see"
        meant = "which they should see" if is_seen else "which is hidden from them"
        return f"{rows} {what} key {key:,}, {meant}"
    if not is_seen:
        return f"{rows} see one key that their mask hides"
    lightest = np.mean([change.is_lightest for change in changes])
    which = "the lightest" if lightest >= ALIKE else "one"
    return f"{rows} lack {which} of the keys that their mask shows: one key short?"
