"""An answer as an aligned text report of at most 80 columns."""

from collections.abc import Iterator
from math import log
from textwrap import wrap
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore import SYMBOL, Answer, Evaluation, VectorAnswer, Wrt
from attn_tui.compute.setup import Setup
from attn_tui.report import sentences
from attn_tui.report.largest import chunks, listed_keys
from attn_tui.report.numbers import (
    fitted,
    general,
    quantity,
    ratio,
    scientific,
    weight,
    weight_name,
)

WIDTH = 80


def render(answer: Answer, top: int | None = None) -> Iterator[str]:
    """Yield the text of an answer, piece by piece.

    Args:
        answer: What to write.
        top: The tables hold at most so many keys, those with the largest scores.
    """
    setup = answer.experiment.setup
    yield _head(answer.experiment)
    for vector in answer.vectors:
        yield from _vector(vector, setup, top)


def _head(experiment: Experiment) -> str:
    setup = experiment.setup
    precision = setup.precision
    n_keys = max(vector.n_keys for vector in experiment.vectors)
    moves = sentences.what_d_k_moves(setup.scale, n_keys)
    how = "largest score subtracted" if precision.stable else "naive: no maximum subtracted"
    return (
        f"d_k        {setup.d_k}, typed scores: d_k moves {moves}\n"
        f"scale      {setup.scale.rule}: m = {setup.scale.formula}\n"
        f"precision  {precision.format}, {how}\n"
    )


def _vector(answer: VectorAnswer, setup: Setup, top: int | None) -> Iterator[str]:
    vector = answer.vector
    masked = f", {answer.masked.size} masked" if answer.masked.size else ""
    yield f"\n{vector.name}: {vector.n_keys} {_keys(vector.n_keys)}{masked}\n"
    if answer.status != "ok":
        yield _wrapped(f"status {answer.status}: {answer.reason}")
    yield "\n"
    yield from _table(answer, top)
    yield "\n"
    yield _statistics(answer)
    yield "\n"
    said = (*sentences.explore(answer, setup.d_k, setup.scale), sentences.masked_key(answer))
    yield _wrapped(" ".join(said))


def _table(answer: VectorAnswer, top: int | None) -> Iterator[str]:
    name, symbol = weight_name(answer.of), SYMBOL[answer.wrt]
    gradient = f"∂{name}/∂{symbol}"
    hidden = ", which is masked," if answer.of in answer.masked else ""
    yield f"weights p; gradient of {name}{hidden} with respect to the {answer.wrt} {symbol}\n"
    key_width = max(4, len(str(answer.vector.n_keys - 1)))
    yield f"{'':>{key_width + 12}} {'unscaled':>21}   {'scaled':>21}\n"
    yield (
        f"{'key':>{key_width}} {'score s':>11} {'p':>10} {gradient:>10}"
        f"   {'p':>10} {gradient:>10} {'change':>9}\n"
    )
    keys = listed_keys(answer, top)
    for some in chunks(keys):
        yield "".join(_rows(answer, some, key_width))
    if left := answer.vector.n_keys - keys.size:
        yield f"{'':>{key_width}} and {left} more {_keys(left)} with smaller or equal scores\n"


def _rows(answer: VectorAnswer, keys: NDArray[np.intp], key_width: int) -> Iterator[str]:
    sides = (answer.unscaled, answer.scaled)
    before, after = (side.log_gradient(answer.of, answer.wrt, keys) for side in sides)
    with np.errstate(invalid="ignore"):
        changes = after - before
    unscaled, scaled = (_cells(answer, side, keys) for side in sides)
    scores = answer.vector.scores[keys]
    for key, score, left, right, change in zip(
        keys, scores.tolist(), unscaled, scaled, changes.tolist(), strict=True
    ):
        yield (
            f"{key:>{key_width}} {fitted(score, 11):>11} {left}   {right} {ratio(change, 9):>9}\n"
        )


def _cells(answer: VectorAnswer, side: Evaluation, keys: NDArray[np.intp]) -> Iterator[str]:
    """Yield the weight and the gradient of each key on one side."""
    columns = (
        side.weights(keys),
        side.log_weights(keys),
        side.gradient(answer.of, answer.wrt, keys),
        side.log_gradient(answer.of, answer.wrt, keys),
    )
    for p, log_p, slope, log_slope in zip(*(column.tolist() for column in columns), strict=True):
        gradient = scientific(slope, log_slope, signed=True, width=10)
        yield f"{weight(p, log_p, width=10):>10} {gradient:>10}"


def _statistics(answer: VectorAnswer) -> str:
    sides = (answer.unscaled, answer.scaled)
    lines = [
        ("", ["unscaled", "scaled"]),
        ("multiplier m", [general(side.multiplier) for side in sides]),
        ("entropy H of p, nats", [_quantity(side, side.entropy) for side in sides]),
        ("entropy H of p, bits", [_quantity(side, side.entropy / log(2.0)) for side in sides]),
        ("effective keys e^H", [quantity(side.effective_keys) for side in sides]),
        ("participation ratio 1/Σp²", [quantity(side.participation_ratio) for side in sides]),
        ("largest weight", [weight(side.max_weight) for side in sides]),
    ]
    for wrt in get_args(Wrt):
        norms = [(side, side.norms[wrt]) for side in sides]
        map_ = f"∂p/∂{SYMBOL[wrt]}"
        lines += [
            (f"‖{map_}‖_F, Frobenius norm", [_quantity(side, n.frobenius) for side, n in norms]),
            (f"‖{map_}‖₂, spectral norm", [_quantity(side, n.spectral) for side, n in norms]),
            (f"tr {map_}, trace", [_quantity(side, n.trace) for side, n in norms]),
        ]
    return "".join(f"{label:<30} {left:>12} {right:>12}\n" for label, (left, right) in lines)


def _quantity(side: Evaluation, value: float) -> str:
    return quantity(value, below=side.least, width=12)


def _wrapped(text: str) -> str:
    return "\n".join(wrap(text, WIDTH)) + "\n"


def _keys(count: int) -> str:
    return "key" if count == 1 else "keys"
