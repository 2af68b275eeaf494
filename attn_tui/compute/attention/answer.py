"""The Attention instrument: what every row of a head is, unscaled beside scaled."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.attention.head import head_of, is_drawn
from attn_tui.compute.evaluation import Evaluation, evaluate
from attn_tui.compute.experiment import Experiment, Stop, never
from attn_tui.compute.logit_map import PLAIN
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import seen_rows
from attn_tui.compute.vector import Vector

Numbers = NDArray[np.float64]

MOST_BLOCKS = 256
"""Weights of a row that are kept at most: of more keys, the largest of each block."""

HIDDEN = -inf
"""What stands for the weight of a block of keys all of which are masked."""

_AT_ONCE = 20_000_000
"""So many products are taken at once at most where somebody waits."""

_BETWEEN = 2_000_000
"""So many scores are worked on between two answers."""


@dataclass(frozen=True, eq=False)
class Side:
    """Every row of a head under one map to logits; a row not known yet is NaN.

    Attributes:
        multiplier: m of each row, shape (n_q,).
        largest: The largest weight of a key, shape (n_q,).
        key: Its position, shape (n_q,).
        entropy: H in nats, the sink counted, shape (n_q,).
        effective_keys: e^H, 0 where every key is masked, shape (n_q,).
        gradient: ‖∂p/∂s‖_F, shape (n_q,).
        log_gradient: ln of that, which outlives it, shape (n_q,).
        sink: What the sink takes, shape (n_q,).
        blocks: The largest weight of each block of keys, `HIDDEN` where all are masked, shape
            (n_q, number of blocks).
    """

    multiplier: Numbers
    largest: Numbers
    key: NDArray[np.intp]
    entropy: Numbers
    effective_keys: Numbers
    gradient: Numbers
    log_gradient: Numbers
    sink: Numbers
    blocks: Numbers

    @classmethod
    def blank(cls, n_queries: int, n_blocks: int) -> "Side":
        """Return what is known of no row."""
        numbers = {
            name: np.full(n_queries, np.nan)
            for name in (
                *("multiplier", "largest", "entropy", "effective_keys"),
                *("gradient", "log_gradient", "sink"),
            )
        }
        blocks = np.full((n_queries, n_blocks), HIDDEN)
        return cls(key=np.zeros(n_queries, np.intp), blocks=blocks, **numbers)

    def put(self, row: int, side: Evaluation, block: int) -> None:
        """Write what a row is; to be called by what makes it."""
        weights = side.weights()
        at = int(weights.argmax())
        self.multiplier[row], self.largest[row], self.key[row] = side.multiplier, weights[at], at
        self.entropy[row], self.effective_keys[row] = side.entropy, side.effective_keys
        self.gradient[row], self.log_gradient[row] = side.frobenius("scores")
        self.sink[row] = side.sink_weight
        shown = np.where(side.attended, weights, HIDDEN)
        if block > 1:
            shown = np.maximum.reduceat(shown, np.arange(0, shown.size, block))
        self.blocks[row, : shown.size] = shown


@dataclass(frozen=True, eq=False)
class Answer:
    """What there is to say about every row of a head.

    Attributes:
        experiment: The question.
        head: The question whose vectors are the rows.
        lengths: How many keys each query has, masked ones included, shape (n_q,).
        attended: How many of them it sees, shape (n_q,).
        odd: Which of them meet NaN or infinity, and have no numbers, shape (n_q,).
        block: How many keys a block of the map has.
        unscaled: The scores as they are.
        scaled: Under the scale.
        done: How many rows are known, from the first on.
        names: What the two sides are called: those of a comparison differ.
        pinned: Of a comparison, the question whose scaled side is the first.
    """

    experiment: Experiment
    head: Experiment
    lengths: NDArray[np.intp]
    attended: NDArray[np.intp]
    odd: NDArray[np.bool_]
    block: int
    unscaled: Side
    scaled: Side
    done: int
    names: tuple[str, str] = ("unscaled", "scaled")
    pinned: Experiment | None = None

    @property
    def n_queries(self) -> int:
        """The number of rows."""
        return len(self.head.vectors)

    @property
    def n_keys(self) -> int:
        """The number of keys, masked ones included."""
        return self.head.vectors.n_keys

    @property
    def progress(self) -> float:
        """How much of it is known, 0 to 1."""
        return self.done / self.n_queries

    @property
    def is_drawn(self) -> bool:
        """Whether the head was drawn here."""
        return is_drawn(self.experiment)

    @cached_property
    def choosing(self) -> NDArray[np.intp]:
        """The rows that have more than one thing to choose from, of those that have numbers."""
        sink = self.head.setup.scale.sink is not None
        # Rows beyond may be written while this is read.
        attended, odd = self.attended[: self.done], self.odd[: self.done]
        return np.flatnonzero(((attended + (sink & (attended > 0))) > 1) & ~odd)

    @cached_property
    def nothing_is_done(self) -> bool:
        """Whether the scale leaves every row as it is."""
        scale = self.head.setup.scale
        plain = scale.softcap is None and scale.sink is None and self.pinned is None
        return plain and bool((self.scaled.multiplier[: self.done] == 1.0).all())

    @property
    def sides(self) -> tuple[Side, Side]:
        """Its first side and its second."""
        return self.unscaled, self.scaled

    def row(self, row: int) -> tuple[Evaluation, Evaluation]:
        """Evaluate both sides of one row."""
        unscaled, scaled = _row(self.head, row)
        return (_row(self.pinned, row)[1] if self.pinned else unscaled), scaled

    @property
    def has_values(self) -> bool:
        """Whether there is a V."""
        parts = self.head.source.parts(0)
        return parts is not None and parts[2] is not None

    def outputs(self, rows: Sequence[int]) -> tuple[Numbers, Numbers]:
        """Return Σ p_j v_j of some rows on both sides, each of shape (len(rows), d_v).

        Where there is no V, d_v is 0.
        """
        parts = self.head.source.parts(0)
        values = np.zeros((self.n_keys, 0)) if parts is None or parts[2] is None else parts[2]
        sides = [self.row(row) for row in rows]
        first, second = (np.array([each[at].weights() for each in sides]) for at in (0, 1))
        if np.isfinite(values).all():
            return first @ values, second @ values
        with np.errstate(all="ignore"):
            seen = [seen_rows(values, self.head.vectors.once(row)) for row in rows]
            outputs = [[p @ v for p, v in zip(each, seen, strict=True)] for each in (first, second)]
        return np.array(outputs[0]), np.array(outputs[1])

    def query_gradients(self, rows: Sequence[int]) -> tuple[Numbers, Numbers] | None:
        """Return ‖∂o/∂q‖_F of the output o of some rows on both sides, each of shape (len(rows),).

        None without V, with q that are normalised, and where it would take long.
        """
        parts = self.head.source.parts(0)
        if parts is None or parts[2] is None or self.head.setup.scale.qk_norm:
            return None
        _, keys, values = parts
        assert values is not None
        if len(rows) * keys.size * values.shape[1] > _AT_ONCE:
            return None
        sides = []
        for row in rows:
            seen = [seen_rows(each, self.head.vectors.once(row)) for each in (keys, values)]
            with np.errstate(all="ignore"):
                sides.append([_query_gradient(side, *seen) for side in self.row(row)])
        first, second = np.array(sides).reshape(-1, 2).T
        return first, second


def _query_gradient(side: Evaluation, keys: Numbers, values: Numbers) -> float:
    """Return ‖Σ_j p_j ∂z_j/∂s_j (v_j − o) k_jᵀ‖_F, which is ‖∂o/∂q‖_F."""
    p = side.weights()
    # From the value of the largest weight on, so that nothing cancels in a saturated row.
    own = values[p.argmax()]
    beyond = values - own
    # The value of a sink is 0.
    output = p @ beyond - side.sink_weight * own
    moves = (p * side.slopes())[:, None] * (beyond - output)
    return float(np.linalg.norm(moves.T @ keys))


NAMES = ("pinned", "now")
"""What the sides of a comparison are called."""


def compare(pinned: Answer, now: Answer) -> Answer | None:
    """Return the scaled side of an answer beside that of another; None if their sizes differ."""
    if (pinned.n_queries, pinned.n_keys) != (now.n_queries, now.n_keys):
        return None
    done = min(pinned.done, now.done)
    # Rows that are typed need not be of one length.
    if not np.array_equal(pinned.lengths[:done], now.lengths[:done]):
        return None
    odd = pinned.odd | now.odd
    return replace(now, unscaled=pinned.scaled, done=done, odd=odd, names=NAMES, pinned=pinned.head)


MOVED = 0.1
"""A largest weight that changes by more has moved."""


def changes(pinned: Side, now: Side, done: int) -> Numbers:
    """Return by how much the largest weight of each block of keys differs, shape (done, blocks).

    It is `HIDDEN` where every key is masked on both sides.
    """
    return change_of(pinned.blocks[:done], now.blocks[:done])


def change_of(before: Numbers, after: Numbers) -> Numbers:
    """Return what weights have changed by; of both that are `HIDDEN` it is that."""
    change = np.maximum(after, 0.0) - np.maximum(before, 0.0)
    return np.where((before == HIDDEN) & (after == HIDDEN), HIDDEN, change)


def moved(answer: Answer) -> int:
    """Return of how many queries the largest weight has changed by more than `MOVED`."""
    before, after = (side.largest[: answer.done] for side in answer.sides)
    return int((np.abs(after - before) > MOVED).sum())


def _row(head: Experiment, row: int) -> tuple[Evaluation, Evaluation]:
    return _evaluated(head.vectors.once(row), head.setup)


# Row by row, as Explore does: `heads.blocks`, which takes many rows at once, wants q and k and one
# multiplier for all, knows float32 and float64 alone, and no logarithms of what underflows; here
# scores may be typed, or drawn with keys of each query's own, and formats and rules are any.
def _evaluated(vector: Vector, setup: Setup) -> tuple[Evaluation, Evaluation]:
    unscaled = evaluate(vector.scores, PLAIN, setup.precision, vector.bias)
    to_logits = setup.scale.logit_map(setup.d_k, vector.n_attended)
    if to_logits == PLAIN:
        return unscaled, unscaled
    return unscaled, evaluate(vector.scores, to_logits, setup.precision, vector.bias)


def _seen(vector: Vector, head: Experiment) -> Vector:
    """Return a vector without the keys after the last one that is seen, which have no part.

    Sums in other formats are rounded by their order, which is that of all keys.
    """
    precision = head.setup.precision
    if not (precision.stable and precision.format == precision.inner == "float64"):
        return vector
    last = vector.n_keys - int((vector.scores[::-1] != -inf).argmax())
    if last == vector.n_keys or not vector.n_attended:
        return vector
    bias = None if vector.bias is None else vector.bias[:last]
    return replace(vector, scores=vector.scores[:last], bias=bias)


def answer(experiment: Experiment, stop: Stop = never) -> Iterator[Answer]:
    """Yield growing answers, of more rows each time; of a small head there is one.

    Stops soon after ``stop()`` is true.

    Raises:
        InputError: If the rule yields no usable multiplier.
    """
    head = head_of(experiment)
    n_queries, n_keys = len(head.vectors), head.vectors.n_keys
    block = -(-n_keys // MOST_BLOCKS)
    sides = [Side.blank(n_queries, -(-n_keys // block)) for _ in range(2)]
    lengths, attended = np.zeros((2, n_queries), np.intp)
    odd, since = np.zeros(n_queries, bool), 0

    def known(done: int) -> Answer:
        return Answer(experiment, head, lengths, attended, odd, block, sides[0], sides[1], done)

    for row in range(n_queries):
        if stop():
            return
        vector = head.vectors.once(row)
        lengths[row], attended[row], odd[row] = vector.n_keys, vector.n_attended, vector.is_odd
        for side, found in zip(sides, _evaluated(_seen(vector, head), head.setup), strict=True):
            side.put(row, found, block)
        since += n_keys
        if since > _BETWEEN and row < n_queries - 1:
            since = 0
            yield known(row + 1)
    yield known(n_queries)


def log_factors(answer: Answer) -> Numbers:
    """Return ln of the second side's gradient over the first's, of each row that can choose.

    NaN where the gradient is 0 on both sides, or is NaN.
    """
    before, after = (side.log_gradient[answer.choosing] for side in answer.sides)
    with np.errstate(invalid="ignore"):
        change = after - before
    return np.where((before == -inf) & (after == -inf), np.nan, change)
