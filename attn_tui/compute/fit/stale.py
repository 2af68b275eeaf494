"""Whether a slot of the KV cache holds another key or value than those that were captured."""

from collections.abc import Iterator
from dataclasses import dataclass

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
    """Yield that rows see another key, value or both in place of those that they should see.

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

    def left_of_some(key: np.intp) -> float:
        slot = _Slot.of(some, of_some, int(key))
        return float(np.square(slot.left(*slot.fitted())).sum())

    likeliest = int(min(keys, key=left_of_some))
    noise = variance(part, promised, case.format, case.paths[-1]).max(axis=1, keepdims=True)
    sizes = np.square(part.output).max(axis=1, keepdims=True)
    bound = ROOM**2 * 4 * (noise + 2.0 ** (-2 * case.format.bits) * sizes)
    most = float(np.square(part.output - promised.output).sum()) / GAIN

    def fits(weights: Floats, value: Floats) -> bool:
        left = np.square(slot.left(weights, value))
        return bool(left.sum() <= most and (left <= bound).all())

    slot = _Slot.of(part, promised, likeliest)
    if not fits(*slot.fitted()):
        return
    phrase = (
        f"{{rows}} see another key and value in place of key {likeliest:,}: a stale slot of the "
        "KV cache?"
    )
    if fits(slot.weights_of(slot.value), slot.value):
        phrase = f"{{rows}} give key {likeliest:,} another weight"
    elif fits(slot.weights, slot.value_of(slot.weights)):
        phrase = f"{{rows}} see another value of key {likeliest:,}"
    numbers = tuple(int(row) for row in case.head.rows[case.seeing(model)[wrong]])
    yield Suspect(phrase, FITS, rows=numbers, compared=len(rows.output))


@dataclass(frozen=True, eq=False)
class _Slot:
    """A key of which rows may see another one in its place: (1 − w)·o + w·v.

    Attributes:
        output: The captured rows, shape (r, d_v).
        without: The promised rows o without the key, shape (r, d_v).
        weights: The promised weights w of the key, shape (r, 1).
        value: Its promised value v, times the value scale, shape (d_v,).
    """

    output: Floats
    without: Floats
    weights: Floats
    value: Floats

    @classmethod
    def of(cls, rows: FitRows, state: State, key: int) -> "_Slot":
        """Return the slot of a key."""
        parameters, others = state.parameters, state.weights.astype(np.float64)
        sink = 1.0 - others.sum(axis=1, keepdims=True) if parameters.sink else 0.0
        weights, values = others[:, [key]], rows.values.astype(np.float64)
        others[:, key] = 0.0
        rest = np.maximum(others.sum(axis=1, keepdims=True) + sink, 1e-300)
        c = parameters.value_scale
        return cls(rows.output, c * (others / rest) @ values, weights, c * values[key])

    def fitted(self) -> tuple[Floats, Floats]:
        """Return the likeliest other weights, and the value that all rows share."""
        # With u = 1/w it is u·moved + o = v: linear in all that is not known.
        moved = self.output - self.without
        along = moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-300)
        by_row = np.square(self.weights)
        across = by_row.sum() * np.eye(moved.shape[1]) - (by_row * along).T @ along
        start = self.without - (self.without * along).sum(axis=1, keepdims=True) * along
        value: Floats = np.linalg.lstsq(across, (by_row * start).sum(axis=0), rcond=None)[0]
        weights = self.weights
        for _ in range(ROUNDS):
            weights = self.weights_of(value)
            value = self.value_of(weights)
        return weights, value

    def weights_of(self, value: Floats) -> Floats:
        """Return the likeliest weights of a value, shape (r, 1)."""
        towards = value - self.without
        square = np.maximum(np.square(towards).sum(axis=1, keepdims=True), 1e-300)
        along = ((self.output - self.without) * towards).sum(axis=1, keepdims=True)
        return np.asarray(np.clip(along / square, 0.0, 1.0))

    def value_of(self, weights: Floats) -> Floats:
        """Return the likeliest value that rows share, given its weights, shape (d_v,)."""
        total = np.maximum(np.square(weights).sum(), 1e-300)
        apart = self.output - (1.0 - weights) * self.without
        return np.asarray((weights * apart).sum(axis=0) / total)

    def left(self, weights: Floats, value: Floats) -> Floats:
        """Return what is left of the output with another value, shape (r, d_v)."""
        return np.asarray(self.output - (1.0 - weights) * self.without - weights * value)
