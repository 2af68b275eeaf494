"""What every row of a head is on both sides, taken one after another or many at once."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import Floats
from attn_tui.compute.evaluation import Evaluation, evaluate
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.row_statistics import Blocks
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import PLAIN
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Vector


def together(head: Experiment, run: int) -> Blocks | None:
    """Return blocks of the rows of a head, the first of whose maps leaves scores as they are.

    None where scores are no products of q and k in float64, and where each row has an m of its own.

    Args:
        head: The question whose vectors are the rows.
        run: Of how many keys the largest weight is wanted; 0 if none is.
    """
    setup, made = head.setup, head.source.together()
    scale, mask = setup.scale, setup.mask
    if made is None or setup.precision != Precision() or scale.qk_norm or scale.uses_n:
        return None
    rows, own = made
    # Masks besides the one that was captured.
    if mask.ranges or (mask.causal and own != HeadMask()):
        return None
    to_logits = scale.logit_map(setup.d_k, rows.n_keys)
    if to_logits.multiplier <= 0.0:
        return None
    maps = tuple(dict.fromkeys((PLAIN, to_logits)))
    return Blocks(rows, maps, HeadMask("causal") if mask.causal else own, run=run)


Weights = NDArray[np.floating[Any]]

MOST_BLOCKS = 256
"""Weights of a row that are kept at most: of more keys, the largest of each block."""

_ROWS = 64
"""Rows that follow one another where each is taken for itself."""

HIDDEN = -inf
"""What stands for the weight of a block of keys all of which are masked."""


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
            (n_q, number of blocks); none are kept where nobody looks at a map.
    """

    multiplier: Floats
    largest: Floats
    key: NDArray[np.intp]
    entropy: Floats
    effective_keys: Floats
    gradient: Floats
    log_gradient: Floats
    sink: Floats
    blocks: Weights

    @classmethod
    def blank(cls, n_queries: int, n_keys: int, block: int) -> "Side":
        """Return what is known of no row, with blocks of so many keys; of 0 keys there are none."""
        n_blocks = -(-n_keys // block) if block else 0
        names = [field.name for field in fields(cls) if field.name not in ("key", "blocks")]
        numbers = {name: np.full(n_queries, np.nan) for name in names}
        # Shades, and what is said of many weights at once, need no more digits.
        blocks = np.full((n_queries, n_blocks), HIDDEN, np.float32 if block > 1 else np.float64)
        return cls(key=np.zeros(n_queries, np.intp), blocks=blocks, **numbers)

    def put(self, rows: int | NDArray[np.intp], **numbers: Any) -> None:
        """Write what rows are, by the names of the attributes; to be called by what makes it."""
        for name, values in numbers.items():
            getattr(self, name)[rows] = values


class Rows:
    """The rows of a head, which are written as they are taken.

    Args:
        head: The question whose vectors they are.
        maps: Whether weights are kept, of blocks of keys, as a map shows them.

    Attributes:
        n_queries: How many there are.
        n_keys: How many keys, masked ones included.
        block: How many keys a block of the map has; 0 where there are none.
        lengths: How many keys each has, masked ones included, shape (n_q,).
        attended: How many of them it sees, shape (n_q,).
        odd: Which of them meet NaN or infinity, and have no numbers, shape (n_q,).
        sides: Unscaled, and under the scale.
        places: Rows that follow one another and are taken so.
    """

    def __init__(self, head: Experiment, maps: bool) -> None:
        self._head = head
        self.n_queries, self.n_keys = n, n_keys = len(head.vectors), head.vectors.n_keys
        self.block = -(-n_keys // MOST_BLOCKS) if maps else 0
        self.lengths, self.attended = np.zeros((2, n), np.intp)
        self.odd = np.zeros(n, bool)
        self.sides = Side.blank(n, n_keys, self.block), Side.blank(n, n_keys, self.block)
        self._blocks = together(head, self.block)
        self.places = [slice(start, min(start + _ROWS, n)) for start in range(0, n, _ROWS)]
        if self._blocks is not None:
            self.places = self._blocks.places

    def take(self, place: slice) -> Iterator[slice]:
        """Take the rows at one of `places`, and yield those that are then known, part by part."""
        if self._blocks is not None:
            for row in self._take_together(place, self._blocks):
                self._take(row)
            yield place
            return
        for row in range(place.start, place.stop):
            self._take(row)
            yield slice(row, row + 1)

    def _take(self, row: int) -> None:
        vector, block = self._head.vectors.once(row), self.block
        self.lengths[row], self.attended[row] = vector.n_keys, vector.n_attended
        self.odd[row] = vector.is_odd
        evaluations = _evaluated(_seen(vector, self._head), self._head.setup)
        for side, evaluation in zip(self.sides, evaluations, strict=True):
            weights = evaluation.weights()
            gradient, log_gradient = evaluation.frobenius("scores")
            key = int(weights.argmax())
            side.put(
                row, multiplier=evaluation.multiplier, largest=weights[key], key=key,
                entropy=evaluation.entropy, effective_keys=evaluation.effective_keys,
                gradient=gradient, log_gradient=log_gradient, sink=evaluation.sink_weight,
            )  # fmt: skip
            if block:
                maxima = np.where(evaluation.attended, weights, HIDDEN)
                if block > 1:
                    maxima = np.maximum.reduceat(maxima, np.arange(0, maxima.size, block))
                side.blocks[row, : maxima.size] = maxima

    def _take_together(self, place: slice, blocks: Blocks) -> list[int]:
        """Take rows in one pass, and return those of which it cannot tell all."""
        statistics, maps = blocks.at(place), blocks.maps
        seen = statistics[0].seen
        self.lengths[place], self.attended[place] = self.n_keys, seen
        for side, index in zip(self.sides, (0, -1), strict=True):
            of_rows = statistics[index]
            side.put(
                of_rows.rows, multiplier=maps[index].multiplier, largest=of_rows.max_weight,
                key=of_rows.max_logit_key, entropy=of_rows.entropy,
                effective_keys=of_rows.effective_keys, gradient=of_rows.gradient_norm,
                log_gradient=of_rows.log_gradient_norm, sink=of_rows.sink_mass,
            )  # fmt: skip
            if of_rows.maxima is not None:
                side.blocks[of_rows.rows] = of_rows.maxima
        # The logarithm of its gradient may outlive what the pass has of it.
        vanished = np.any([of_rows.log_gradient_norm == -inf for of_rows in statistics], axis=0)
        open_rows = (seen == 0) | ((seen > 1) & vanished)
        return [int(row) for row in statistics[0].rows[open_rows]]


def row_of(head: Experiment, row: int) -> tuple[Evaluation, Evaluation]:
    """Evaluate a row unscaled, and under the scale."""
    return _evaluated(head.vectors.once(row), head.setup)


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
