"""Softmax to the last digit of float64, which other ways to compute it are measured by."""

from math import frexp, ldexp

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.double_double import DoubleDouble, exactly, expm1, product
from attn_tui.compute.keys import blocks
from attn_tui.compute.logit_map import LogitMap
from attn_tui.compute.logits import Bias, top_key
from attn_tui.compute.precision import Precision

Floats = NDArray[np.float64]

_SATURATED = 50.0
"""From here on tanh is 1 to more digits than are kept."""

_VANISHED = -1000.0
"""A weight whose logit is so far below the largest is 0 in float64."""


@np.errstate(all="ignore")
def exact_weights(scores: Floats, map: LogitMap, bias: Bias = None) -> Floats:
    """Return the weight of each key, shape (n,), as float64 rounds it.

    Scores, multiplier, cap and sink are taken for what float64 holds of them; nothing that follows
    is rounded to fewer than some 28 digits.

    Args:
        scores: Shape (n,); −∞ marks a masked key.
        map: From scores to logits.
        bias: What is added to each logit, shape (n,).
    """
    weights = np.zeros(scores.size)
    keys = np.flatnonzero(scores > -np.inf)
    if not keys.size:
        return weights
    size = frexp(float(np.abs(scores[keys]).max()))[1]

    def logits(of: NDArray[np.intp]) -> tuple[DoubleDouble, int]:
        found, exponent = _logits(scores[of], size, map)
        if bias is not None:
            found += exactly(np.ldexp(bias[of], -exponent))
        return found, exponent

    top, exponent = logits(np.array([top_key(scores, map, Precision(), bias)]))
    # The sink is the last of those that share the whole; without one its weight is 0.
    sink = exactly(-np.inf if map.sink is None else ldexp(map.sink, -exponent))
    largest = sink if (sink.high - top.high)[0] > 0.0 else top
    mantissa, power = _power(sink, largest, exponent)
    total = mantissa.times_power(power)
    found: list[tuple[NDArray[np.intp], DoubleDouble, NDArray[np.int64]]] = []
    for block in blocks(keys.size):
        mantissa, power = _power(logits(keys[block])[0], largest, exponent)
        total += mantissa.times_power(power).total()
        found.append((keys[block], mantissa, power))
    for where, mantissa, power in found:
        weights[where] = np.ldexp((mantissa / total).high, power)
    return weights


def _logits(scores: Floats, size: int, map: LogitMap) -> tuple[DoubleDouble, int]:
    """Return logits over a power of 2 that keeps them from overflowing, and its exponent.

    Args:
        scores: Shape (n,), finite, none as large as 2^size.
        size: A whole number.
        map: From scores to logits.
    """
    exponent = max(size + frexp(map.multiplier)[1], 0)
    factor = np.array([ldexp(map.multiplier, size - exponent)])
    logits = DoubleDouble(*product(np.ldexp(scores, -size), factor))
    if map.softcap is None:
        return logits, exponent
    of_cap = max(frexp(map.softcap)[1], 0)
    cap = ldexp(map.softcap, -of_cap)
    end = np.ldexp(_SATURATED * cap, of_cap - exponent)
    held = np.abs(logits.high) < end
    logits = DoubleDouble(
        np.where(held, logits.high, np.copysign(end, logits.high)), np.where(held, logits.low, 0.0)
    )
    doubled = (logits / exactly(cap)).times_power(exponent - of_cap + 1)
    sign = np.copysign(1.0, doubled.high)
    # tanh x = (1 − e^−2x)/(1 + e^−2x), and 1 − e^−2x keeps its digits where it is small.
    rest, power = expm1(doubled * exactly(-sign))
    less = exactly(0.0) - rest.times_power(power) + (exactly(1.0) - exactly(np.ldexp(1.0, power)))
    return exactly(cap * sign) * less / (exactly(2.0) - less), of_cap


def _power(
    logits: DoubleDouble, largest: DoubleDouble, exponent: int
) -> tuple[DoubleDouble, NDArray[np.int64]]:
    """Return m and whole k with e^(z − max z) = m·2^k; m is 0 where that vanishes."""
    gaps = (logits - largest).times_power(exponent)
    near = gaps.high > _VANISHED
    gaps = DoubleDouble(np.where(near, gaps.high, 0.0), np.where(near, gaps.low, 0.0))
    rest, power = expm1(gaps)
    return (rest + exactly(1.0)) * exactly(near.astype(np.float64)), power
