"""Whether a slot of the KV cache holds another key and value than those that were captured."""

from collections.abc import Iterator

import numpy as np

from attn_tui.compute.fit.case import HeadCase
from attn_tui.compute.fit.head import FitRows, Floats, State
from attn_tui.compute.fit.model import FITS, Suspect
from attn_tui.compute.fit.noise import variance

LEAST_ROWS, LEAST_LENGTH = 4, 8
"""The fewest wrong rows, and the shortest values: each row has a weight, and all share a value."""
SOME_ROWS = 32
"""The rows by which keys are compared."""
ROUNDS = 8
"""The rounds of a fit of weights and of a value, each with the other held."""
GAIN = 30.0
"""The squared residual of the promise has to be this many times that with another value."""
ROOM = 6.0
"""The residual may be at most this many times the rounding noise, twice over: where the other key
has more weight than the promised one, so has its rounding."""


def stale_slot(case: HeadCase) -> Iterator[Suspect]:
    """Yield that rows see another key and value in place of one that they should see.

    A row is then (1 − w)·o + w·v, where o is its output without the key, v is the same in all rows,
    and w is its weight.

    Args:
        case: The head with all of its rows.
    """
    model = case.reference.model
    prediction = case.prediction(model)
    rows, state = prediction.rows, prediction.state
    wrong = np.sort(prediction.compared(rows.output).wrong)
    is_enough = len(wrong) >= LEAST_ROWS and rows.values.shape[1] >= LEAST_LENGTH
    if not is_enough or not np.isfinite(rows.output).all():
        return
    part, promised = rows.part(wrong), state.part(wrong)
    keys = np.flatnonzero(part.seen.all(axis=0) & (part.seen.sum(axis=1) > 1).all())
    if not len(keys):
        return
    few = np.unique(np.linspace(0, len(wrong) - 1, SOME_ROWS).round().astype(np.intp))
    some, of_some = part.part(few), promised.part(few)
    likeliest = min(keys, key=lambda key: float(np.square(_left(some, of_some, int(key))).sum()))
    noise = variance(part, promised, case.format, case.paths[-1]).max(axis=1, keepdims=True)
    sizes = np.square(part.output).max(axis=1, keepdims=True)
    bound = ROOM**2 * 4 * (noise + 2.0 ** (-2 * case.format.bits) * sizes)
    left = np.square(_left(part, promised, int(likeliest)))
    if GAIN * left.sum() > np.square(part.output - promised.output).sum():
        return
    if not (left <= bound).all():
        return
    numbers = tuple(int(row) for row in case.head.rows[case.seeing(model)[wrong]])
    phrase = f"{{rows}} see another key and value in place of key {likeliest:,}"
    yield Suspect(
        f"{phrase}: a stale slot of the KV cache?", FITS, rows=numbers, compared=len(rows.output)
    )


def _left(rows: FitRows, state: State, key: int) -> Floats:
    """Return what rows leave of the likeliest value in place of that of a key, shape (r, d_v)."""
    parameters, others = state.parameters, state.weights.astype(np.float64)
    sink = 1.0 - others.sum(axis=1, keepdims=True) if parameters.sink else 0.0
    weight = others[:, [key]]
    others[:, key] = 0.0
    rest = np.maximum(others.sum(axis=1, keepdims=True) + sink, 1e-300)
    without = parameters.value_scale * (others / rest) @ rows.values.astype(np.float64)
    moved = rows.output - without
    # With u = 1/w it is u·moved + o = v: linear in all that is not known.
    along = moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-300)
    by_row = np.square(weight)
    across = by_row.sum() * np.eye(without.shape[1]) - (by_row * along).T @ along
    start = without - (without * along).sum(axis=1, keepdims=True) * along
    other = np.linalg.lstsq(across, (by_row * start).sum(axis=0), rcond=None)[0]
    for _ in range(ROUNDS):
        towards = other - without
        square = np.maximum(np.square(towards).sum(axis=1, keepdims=True), 1e-300)
        weight = np.clip((moved * towards).sum(axis=1, keepdims=True) / square, 0.0, 1.0)
        total = np.maximum(np.square(weight).sum(), 1e-300)
        other = (weight * (rows.output - (1.0 - weight) * without)).sum(axis=0) / total
    return np.asarray(rows.output - (1.0 - weight) * without - weight * other)
