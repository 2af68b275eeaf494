"""What the numbers mean, in a sentence or two of plain text; each states only what always holds."""

from math import floor, inf, isfinite, isnan, log

import numpy as np

from attn_tui.compute.explore import Evaluation, VectorAnswer, Wrt
from attn_tui.compute.scale import Scale
from attn_tui.report.numbers import LN10, general, quantity, ratio, weight

SATURATED = 0.01
"""A key that leaves less than this to all others is said to take the weight."""

_SMALLEST = -9_999
"""The smallest power of ten that is spelled out."""

_VARIABLE = {"scores": "s", "logits": "z"}


def explore(answer: VectorAnswer, d_k: int, scale: Scale) -> tuple[str, ...]:
    """Say what scaling does to the weights of one vector, and to the size of their gradient.

    Args:
        answer: The numbers, without the scale and with it.
        d_k: The dimension the rule was given.
        scale: The rule.

    Returns:
        One or two sentences, at most 200 characters together; the gradient they speak of is
        with respect to what the user chose.
    """
    n_unmasked = answer.vector.n_keys - answer.masked.size
    if n_unmasked == 0:
        return ("Every key is masked, so every weight and every gradient is 0.",)
    if answer.reason:
        return (_sentence(answer.reason), *_the_other_side(answer))
    if n_unmasked == 1:
        only = int(answer.vector.scores.argmax())
        return (f"Key {only} alone has all the weight at any scale, and every gradient is 0.",)
    unscaled = _side(answer, answer.unscaled)
    if answer.scaled.multiplier == 1.0:
        same = f"At d_k = {d_k} the rule {scale.rule} multiplies by 1, which changes nothing"
        return (f"{same}: {unscaled}.",)
    change = _change(answer.unscaled, answer.scaled, answer.wrt)
    return (
        f"Unscaled, {unscaled}.",
        f"{_scaling(answer.scaled.multiplier)}, {_side(answer, answer.scaled, change)}.",
    )


def _the_other_side(answer: VectorAnswer) -> tuple[str, ...]:
    """Say what the scaled side is where only the unscaled side, which has the reason, is NaN."""
    if not isnan(answer.unscaled.entropy) or isnan(answer.scaled.entropy):
        return ()
    return (f"{_scaling(answer.scaled.multiplier)}, {_side(answer, answer.scaled)}.",)


def _scaling(multiplier: float) -> str:
    """Return what a multiplier does to the scores."""
    if multiplier < 1.0 and isfinite(1.0 / multiplier):
        return f"Divided by {general(1.0 / multiplier, 4)}"
    return f"Multiplied by {general(multiplier, 4)}"


def _side(answer: VectorAnswer, side: Evaluation, change: str = "") -> str:
    """Say who has the weight; then how the gradient changes, unless its bound says more."""
    winner = np.array([answer.vector.scores.argmax()])
    if float(side.complements(winner)[0]) >= SATURATED:
        shared = _shared(answer, side)
        return f"{shared} and {change}" if change else shared
    log_rest = float(side.log_jacobian(winner, winner, "logits")[0, 0])
    # No entry of diag(p) − ppᵀ is larger than p(1 − p) of the key with the most weight.
    log_bound = float(side.log_jacobian(winner, winner, answer.wrt)[0, 0])
    entry = f"|∂p/∂{_VARIABLE[answer.wrt]}|"
    if log_rest == -inf:
        return f"key {winner[0]} takes all of the weight and every {entry} is 0"
    rest = _rest(float(side.complements(winner)[0]), log_rest)
    bound = _below(log_bound)
    return f"key {winner[0]} takes all but {rest} of the weight and every {entry} is {bound}"


def _shared(answer: VectorAnswer, side: Evaluation) -> str:
    """Say among how many keys the weight is shared."""
    scores = answer.vector.scores
    unmasked = scores[scores > -inf]
    if side.effective_keys < 0.995 * unmasked.size:
        return (
            f"the weight is shared as among {quantity(side.effective_keys)} of {unmasked.size} keys"
        )
    almost = "" if unmasked.min() == unmasked.max() else "almost "
    return f"{unmasked.size} keys share the weight {almost}equally"


def _rest(rest: float, log_rest: float) -> str:
    if log_rest < _SMALLEST * LN10:
        return f"<1e{_SMALLEST}"
    return weight(rest, log_rest)


def _below(log_bound: float) -> str:
    power = max(floor(log_bound / LN10) + 1, _SMALLEST)
    return f"below {10.0**power:g}" if -3 <= power <= 3 else f"below 1e{power}"


def _change(before: Evaluation, after: Evaluation, wrt: Wrt) -> str:
    """Say how the norm of the Jacobian changes from one side to the other."""
    old, new = before.norms[wrt].frobenius, after.norms[wrt].frobenius
    norm = f"‖∂p/∂{_VARIABLE[wrt]}‖_F"
    if 0.0 in (old, new):
        return f"{norm} goes from {quantity(old)} to {quantity(new)}"
    log_ratio = log(new) - log(old)
    if abs(log_ratio) < 0.005:
        return f"{norm} stays near {quantity(new)}"
    return f"{norm} {'grows' if log_ratio > 0 else 'falls'}, {ratio(log_ratio)}"


def _sentence(text: str) -> str:
    """Return text with a capital letter and a full stop."""
    return text[:1].upper() + text[1:].rstrip(".") + "."
