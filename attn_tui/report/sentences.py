"""What the numbers mean, in a sentence or two of plain text; each states only what always holds."""

from math import floor, inf, isfinite, isnan, log

import numpy as np

from attn_tui.compute.explore import SYMBOL, Evaluation, VectorAnswer, Wrt
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.scale import Scale
from attn_tui.report.numbers import LN10, general, quantity, ratio, weight, weight_name

SATURATED = 0.01
"""A key that leaves less than this to all others is said to take the weight."""

_SMALLEST = -9_999
"""The smallest power of ten that is spelled out."""

_ALMOST_EQUAL = 1.1
"""Weights differ by no more than this factor where they are said to be almost equal."""


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
        rule = f"the rule {scale.rule} multiplies by 1, which changes nothing: {unscaled}"
        at = f"At d_k = {d_k} " if _uses_d_k(scale, answer.vector.n_keys) else ""
        return (_sentence(at + rule),)
    change = _change(answer.unscaled, answer.scaled, answer.wrt)
    return (
        f"Unscaled, {unscaled}.",
        f"{_scaling(answer.scaled.multiplier)}, {_side(answer, answer.scaled, change)}.",
    )


def masked_key(answer: VectorAnswer) -> str:
    """Say why the gradient shown is 0 if its key is masked among others that are not."""
    if answer.status != "ok" or answer.of not in answer.masked:
        return ""
    name = weight_name(answer.of)
    return f"Every ∂{name}/∂{SYMBOL[answer.wrt]} is 0 because key {answer.of} is masked."


def what_d_k_moves(scale: Scale, n_keys: int) -> str:
    """Say what d_k changes while the scores stay as typed."""
    return "only the divisor" if _uses_d_k(scale, n_keys) else "nothing in this rule"


def _uses_d_k(scale: Scale, n_keys: int) -> bool:
    return scale.multiplier(D_K.minimum, n_keys) != scale.multiplier(D_K.maximum, n_keys)


def _the_other_side(answer: VectorAnswer) -> tuple[str, ...]:
    """Say what the scaled side is where only the unscaled side, which has the reason, is NaN."""
    if not isnan(answer.unscaled.entropy) or isnan(answer.scaled.entropy):
        return ()
    return (f"{_scaling(answer.scaled.multiplier)}, {_side(answer, answer.scaled)}.",)


def _scaling(multiplier: float) -> str:
    """Return what a multiplier does to the scores."""
    if multiplier < 1.0 and isfinite(1.0 / multiplier):
        return f"Divided by {general(1.0 / multiplier)}"
    return f"Multiplied by {general(multiplier)}"


def _side(answer: VectorAnswer, side: Evaluation, change: str = "") -> str:
    """Say who has the weight; then how the gradient changes, unless its bound says more."""
    winner = np.array([answer.vector.scores.argmax()])
    if float(side.complements(winner)[0]) >= SATURATED:
        shared = _shared(answer, side)
        return f"{shared} and {change}" if change else shared
    log_rest = float(side.log_jacobian(winner, winner, "logits")[0, 0])
    # No entry of diag(p) − ppᵀ is larger than p(1 − p) of the key with the most weight.
    log_bound = float(side.log_jacobian(winner, winner, answer.wrt)[0, 0])
    entry = f"|∂p/∂{SYMBOL[answer.wrt]}|"
    if log_rest == -inf:
        return f"key {winner[0]} takes all of the weight and every {entry} is 0"
    rest = _rest(float(side.complements(winner)[0]), log_rest)
    bound = _below(log_bound)
    return f"key {winner[0]} takes all but {rest} of the weight and every {entry} is {bound}"


def _shared(answer: VectorAnswer, side: Evaluation) -> str:
    """Say among how many keys the weight is shared."""
    scores = answer.vector.scores
    unmasked = scores > -inf
    n_unmasked = int(np.count_nonzero(unmasked))
    lowest = np.array([np.where(unmasked, scores, inf).argmin()])
    if side.max_weight > _ALMOST_EQUAL * float(side.weights(lowest)[0]):
        effective = side.effective_keys
        count = quantity(effective) if effective < 1000 else f"{effective:.0f}"
        return f"the weight is shared as among {count} of {n_unmasked} keys"
    almost = "" if scores[lowest[0]] == scores.max() else "almost "
    return f"{n_unmasked} keys share the weight {almost}equally"


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
    norm = f"‖∂p/∂{SYMBOL[wrt]}‖_F"
    if 0.0 in (old, new):
        return f"{norm} goes from {_norm(old, before)} to {_norm(new, after)}"
    log_ratio = log(new) - log(old)
    if abs(log_ratio) < 0.005:
        return f"{norm} stays near {quantity(new)}"
    return f"{norm} {'grows' if log_ratio > 0 else 'falls'}, {ratio(log_ratio)}"


def _norm(value: float, side: Evaluation) -> str:
    return quantity(value, below=side.least).replace("<", "below ")


def _sentence(text: str) -> str:
    """Return text with a capital letter and a full stop."""
    return text[:1].upper() + text[1:].rstrip(".") + "."
