"""The cross-entropy L = −ln p_y of a row whose answer is key y, and its gradient p − y."""

from math import inf, log1p

import numpy as np

from attn_tui.compute.arrays import ALL, Floats, Keys, place_of
from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.norms import log_of, norm_of_logs, power
from attn_tui.compute.numbers import SMALLEST_NORMAL
from attn_tui.compute.scale import Wrt


def loss(side: Evaluation, target: int) -> tuple[float, float]:
    """Return the cross-entropy L = −ln p_y in nats, and ln L.

    L is infinite where the answer is masked, or where its weight is 0 in the format.

    Args:
        side: The weights.
        target: The key y that is the answer.
    """
    keys = np.array([target])
    log_weight = float(side.log_weights(keys)[0])
    if log_weight == -inf:
        return inf, inf
    rest = float(side.complements(keys)[0])
    # Near 1 the weight has lost what its complement keeps; rounded weights need not add up to 1.
    is_near_1 = rest < 0.5 and side.precision.format == "float64"
    size = -log1p(-rest) if is_near_1 else -log_weight
    if is_near_1 and size < SMALLEST_NORMAL:
        log_rest = _log_complement(side, target)
        return power(log_rest), log_rest
    return size, log_of(size)


def loss_gradient(side: Evaluation, target: int, wrt: Wrt, keys: Keys = ALL) -> Floats:
    """Return ∂L/∂z = p − y or ∂L/∂s = ∂z/∂s ⊙ (p − y), shape (len(keys),).

    At the answer it is minus the sum of all other weights, so that it is known where p_y is 1 to
    rounding. Over all keys ∂L/∂z adds up to minus the weight of the sink. Where the answer is
    masked, L is infinite, and this is what frameworks return all the same.

    Args:
        side: The weights.
        target: The key y that is the answer.
        wrt: What the derivative is taken with respect to.
        keys: The keys whose entries are returned.
    """
    entries = np.array(side.weights(keys), np.float64)
    entries[place_of(target, keys, side.n_keys)] = -side.complements(np.array([target]))
    side.to_wrt(entries, keys, wrt, lambda: log_loss_gradient(side, target, wrt, keys))
    entries[entries == 0.0] = 0.0
    return entries


def log_loss_gradient(side: Evaluation, target: int, wrt: Wrt, keys: Keys = ALL) -> Floats:
    """Return ln of the absolute values of `loss_gradient`, even where they underflow."""
    logs = np.array(side.log_weights(keys), np.float64)
    logs[place_of(target, keys, side.n_keys)] = _log_complement(side, target)
    if wrt == "scores":
        logs += side.log_slopes(keys)
    return logs


def loss_gradient_norm(side: Evaluation, target: int, wrt: Wrt) -> tuple[float, float]:
    """Return ‖∂L/∂z‖ or ‖∂L/∂s‖, and its ln."""
    return norm_of_logs(log_loss_gradient(side, target, wrt))


def _log_complement(side: Evaluation, target: int) -> float:
    """Return ln(1 − p_y), even where the complement underflows."""
    keys = np.array([target])
    log_weight = float(side.log_weights(keys)[0])
    if log_weight == -inf:
        return log_of(float(side.complements(keys)[0]))
    # The diagonal of the Jacobian is p(1 − p), whose logarithm is known.
    return float(side.log_gradient(target, "logits", keys)[0]) - log_weight
