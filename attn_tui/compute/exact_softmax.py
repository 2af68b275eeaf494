"""Softmax to the last digit of float64, which other ways to compute it are measured by."""

from collections.abc import Iterator
from decimal import Context, Decimal

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import Floats
from attn_tui.compute.experiment import Stop, never
from attn_tui.compute.logit_map import LogitMap
from attn_tui.compute.logits import Bias, top_key
from attn_tui.compute.precision import Precision

_DIGITS = Context(prec=40, traps=[])
"""Of logits, their differences and sums: below 1e15 they have 25 digits behind the point."""

_POWERS = Context(prec=28, traps=[])
"""Of e^z, in half the time of 40 digits; in one of 1e9 weights they leave open how to round it."""

_SMALL = Decimal("1e-10")
"""Below it tanh x is x − x³/3 to 40 digits."""

_BLOCK = 4096
"""Keys whose logits there are at a time: a tenth of a second's work."""


def exact_weights(
    scores: Floats, map: LogitMap, bias: Bias = None, stop: Stop = never
) -> Floats | None:
    """Return the weight of each key, shape (n,), as float64 rounds it; None if stopped.

    Scores, multiplier, cap and sink are taken for what float64 holds of them. It takes some 20 µs a
    key, and 45 with a soft cap.

    Args:
        scores: Shape (n,); −∞ marks a masked key.
        map: From scores to logits.
        bias: What is added to each logit, shape (n,).
        stop: Asked every tenth of a second.
    """
    weights = np.zeros(scores.size)
    keys = np.flatnonzero(scores > -np.inf)
    if not keys.size:
        return weights
    top = np.array([top_key(scores, map, Precision(), bias)])
    (largest,) = _logits(top, scores, map, bias)
    # A sink far above all keys makes the total infinite, and weights 0, as they are in float64.
    total = Decimal(0) if map.sink is None else _power(Decimal(map.sink), largest)
    blocks = [keys[start : start + _BLOCK] for start in range(0, keys.size, _BLOCK)]
    for block in blocks:
        if stop():
            return None
        for logit in _logits(block, scores, map, bias):
            total = _DIGITS.add(total, _power(logit, largest))
    # A million powers would take 100 MB: they are worked out again.
    for block in blocks:
        if stop():
            return None
        powers = (_power(logit, largest) for logit in _logits(block, scores, map, bias))
        weights[block] = [float(_POWERS.divide(power, total)) for power in powers]
    return weights


def _power(logit: Decimal, largest: Decimal) -> Decimal:
    """Return e^(z − max z), the maximum being that of keys."""
    return _POWERS.exp(_POWERS.subtract(logit, largest))


def _logits(keys: NDArray[np.intp], scores: Floats, map: LogitMap, bias: Bias) -> Iterator[Decimal]:
    """Yield the logits of some keys."""
    multiplier = Decimal(map.multiplier)
    biases = np.zeros(keys.size) if bias is None else bias[keys]
    for score, added in zip(scores[keys].tolist(), biases.tolist(), strict=True):
        logit = _DIGITS.multiply(multiplier, Decimal(score))
        if map.softcap is not None:
            logit = _capped(logit, Decimal(map.softcap))
        yield _DIGITS.add(logit, Decimal(added))


def _capped(logit: Decimal, cap: Decimal) -> Decimal:
    """Return c·tanh(z/c)."""
    x = _DIGITS.divide(logit, cap)
    if x.copy_abs() < _SMALL:
        cube = _DIGITS.power(x, 3)
        tanh = _DIGITS.subtract(x, _DIGITS.divide(cube, Decimal(3)))
    else:
        rest = _DIGITS.exp(_DIGITS.multiply(Decimal(-2), x.copy_abs()))
        tanh = _DIGITS.divide(_DIGITS.subtract(1, rest), _DIGITS.add(1, rest)).copy_sign(x)
    return _DIGITS.multiply(cap, tanh)
