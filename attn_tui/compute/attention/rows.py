"""The rows of a head on both sides, unscaled and scaled, evaluated singly or in blocks."""

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
from attn_tui.compute.heads.rows import Reals
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import PLAIN
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Vector


def together(head: Experiment, run: int) -> Blocks | None:
    """Return the rows of a head as blocks, whose first map leaves scores as they are.

    None if scores are not products of q and k in float64, or if each row has an m of its own.

    Args:
        head: The question whose vectors are the rows.
        run: Length of the runs of keys whose largest weight to return; 0 for none.
    """
    setup, joined = head.setup, head.source.together()
    scale, mask = setup.scale, setup.mask
    if joined is None or setup.precision != Precision() or scale.normalises or scale.uses_n:
        return None
    rows, source_mask = joined
    # Blocks support no masks besides the captured one.
    if mask.ranges or (mask.causal and source_mask != HeadMask()):
        return None
    to_logits = scale.logit_map(setup.d_k, rows.n_keys)
    if to_logits.multiplier <= 0.0:
        return None
    maps = tuple(dict.fromkeys((PLAIN, to_logits)))
    return Blocks(rows, maps, HeadMask("causal") if mask.causal else source_mask, run=run)


MOST_BLOCKS = 256
"""The most weights kept of a row; with more keys, the largest weight of each block is kept."""

_ROWS = 64
"""Rows in a place where rows are evaluated singly."""

HIDDEN = -inf
"""Placeholder for the weight of a block whose keys are all masked."""


@dataclass(frozen=True, eq=False)
class Side:
    """Every row of a head under one map to logits; a row that is not known yet is NaN.

    Attributes:
        multiplier: m of each row, shape (n_q,).
        largest: The largest weight of a key, shape (n_q,).
        key: The key that has it, shape (n_q,).
        entropy: H in nats, counting the sink, shape (n_q,).
        effective_keys: e^H, 0 where every key is masked, shape (n_q,).
        gradient: ‖∂p/∂s‖_F, shape (n_q,).
        log_gradient: ln ‖∂p/∂s‖_F, even where the norm underflows, shape (n_q,).
        sink: The weight of the sink, shape (n_q,).
        blocks: The largest weight of each block of keys, `HIDDEN` where all are masked, shape
            (n_q, number of blocks); empty if no map is shown.
    """

    multiplier: Floats
    largest: Floats
    key: NDArray[np.intp]
    entropy: Floats
    effective_keys: Floats
    gradient: Floats
    log_gradient: Floats
    sink: Floats
    blocks: Reals

    @property
    def log_of_rounded(self) -> Floats:
        """What stands for ln of a weight that is 0 or 1 in each row, shape (n_q,).

        It is −∞ where these are exact, since no weight there can change. Any other number says that
        they are rounded.
        """
        return np.where(self.log_gradient == -np.inf, -np.inf, -1.0)

    @classmethod
    def blank(cls, n_queries: int, n_keys: int, block: int) -> "Side":
        """Return a side without known rows; a block size of 0 means that there are no blocks."""
        n_blocks = -(-n_keys // block) if block else 0
        names = [field.name for field in fields(cls) if field.name not in ("key", "blocks")]
        numbers = {name: np.full(n_queries, np.nan) for name in names}
        # float32 is enough for shades, and for the largest weight of several keys.
        blocks = np.full((n_queries, n_blocks), HIDDEN, np.float32 if block > 1 else np.float64)
        return cls(key=np.zeros(n_queries, np.intp), blocks=blocks, **numbers)

    def put(self, rows: int | NDArray[np.intp], **numbers: Any) -> None:
        """Write the numbers of rows, by the names of the attributes; only for its creator."""
        for name, values in numbers.items():
            getattr(self, name)[rows] = values


class AttentionRows:
    """The rows of a head, filled in as they are evaluated.

    Args:
        head: The question whose vectors are the rows.
        maps: Whether to keep weights by blocks of keys, for a map.

    Attributes:
        n_queries: The number of rows.
        n_keys: The number of keys, masked ones included.
        block: The number of keys in a block of the map; 0 if there are no blocks.
        lengths: How many keys each row has, masked ones included, shape (n_q,).
        attended: How many keys each row sees, shape (n_q,).
        odd: Which rows meet NaN or infinity and have no numbers, shape (n_q,).
        sides: Unscaled, and under the scale.
        places: Slices of consecutive rows that are evaluated together.
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
        """Evaluate the rows at one of `places`, yielding each slice of rows once it is known."""
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
        """Evaluate rows in one pass; return the rows that need an evaluation of their own."""
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
        # A single evaluation may know the logarithm of a gradient that vanishes in the pass.
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
    """Return a vector without the masked keys after its last visible one, to save work.

    In formats other than float64 the rounding of a sum depends on all keys, so none is left out.
    """
    precision = head.setup.precision
    if precision.naive or not (precision.format == precision.inner == "float64"):
        return vector
    last = vector.n_keys - int((vector.scores[::-1] != -inf).argmax())
    if last == vector.n_keys or not vector.n_attended:
        return vector
    bias = None if vector.bias is None else vector.bias[:last]
    return replace(vector, scores=vector.scores[:last], bias=bias)
