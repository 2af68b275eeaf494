"""An answer as an aligned text report of at most 80 columns."""

from collections.abc import Iterator
from math import log
from textwrap import wrap
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.experiment import Setup
from attn_tui.compute.explore import Answer, Evaluation, VectorAnswer, Wrt
from attn_tui.report import sentences
from attn_tui.report.largest import chunks, listed_keys
from attn_tui.report.numbers import general, quantity, ratio, scientific, weight

WIDTH = 80
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_WRT = {"scores": ("s", "scores s"), "logits": ("z", "logits z")}


def render(answer: Answer, top: int | None = None) -> Iterator[str]:
    """Yield the text of an answer, piece by piece.

    Args:
        answer: What to write.
        top: The tables hold at most so many keys, those with the largest scores.
    """
    setup = answer.experiment.setup
    yield _head(setup)
    for vector in answer.vectors:
        yield from _vector(vector, setup, top)


def _head(setup: Setup) -> str:
    precision = setup.precision
    how = "largest score subtracted" if precision.stable else "naive: no maximum subtracted"
    return (
        f"d_k        {setup.d_k}, typed scores: d_k moves only the divisor\n"
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
    yield _wrapped(" ".join(sentences.explore(answer, setup.d_k, setup.scale)))


def _table(answer: VectorAnswer, top: int | None) -> Iterator[str]:
    symbol, wrt = _WRT[answer.wrt]
    weight_name = "p" + str(answer.of).translate(_SUBSCRIPTS)
    gradient = f"∂{weight_name}/∂{symbol}"
    yield f"weights p; gradient of {weight_name} with respect to the {wrt}\n"
    key_width = max(4, len(str(answer.vector.n_keys - 1)))
    yield f"{'':>{key_width + 12}} {'unscaled':>21}   {'scaled':>21}\n"
    yield (
        f"{'key':>{key_width}} {'score s':>11} {'p':>10} {gradient:>10}"
        f"   {'p':>10} {gradient:>10} {'change':>9}\n"
    )
    keys = listed_keys(answer.vector, top)
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
        keys, scores, unscaled, scaled, changes, strict=True
    ):
        yield (
            f"{key:>{key_width}} {general(float(score)):>11} {left}"
            f"   {right} {ratio(float(change)):>9}\n"
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
        yield f"{weight(p, log_p):>10} {scientific(slope, log_slope, signed=True):>10}"


def _statistics(answer: VectorAnswer) -> str:
    sides = (answer.unscaled, answer.scaled)
    lines = [
        ("", ["unscaled", "scaled"]),
        ("multiplier m", [general(side.multiplier) for side in sides]),
        ("entropy H of p, nats", [quantity(side.entropy) for side in sides]),
        ("entropy H of p, bits", [quantity(side.entropy / log(2.0)) for side in sides]),
        ("effective keys e^H", [quantity(side.effective_keys) for side in sides]),
        ("participation ratio 1/Σp²", [quantity(side.participation_ratio) for side in sides]),
        ("largest weight", [weight(side.max_weight) for side in sides]),
    ]
    for wrt in get_args(Wrt):
        norms = [side.norms[wrt] for side in sides]
        symbol = _WRT[wrt][0]
        lines += [
            (f"‖∂p/∂{symbol}‖_F, Frobenius norm", [quantity(norm.frobenius) for norm in norms]),
            (f"‖∂p/∂{symbol}‖₂, spectral norm", [quantity(norm.spectral) for norm in norms]),
            (f"tr ∂p/∂{symbol}, trace", [quantity(norm.trace) for norm in norms]),
        ]
    return "".join(f"{label:<30} {left:>12} {right:>12}\n" for label, (left, right) in lines)


def _wrapped(text: str) -> str:
    return "\n".join(wrap(text, WIDTH)) + "\n"


def _keys(count: int) -> str:
    return "key" if count == 1 else "keys"
