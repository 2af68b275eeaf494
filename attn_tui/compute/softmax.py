"""Softmax in a chosen precision, from scores to logits to weights, and exactly rounded weights."""

from collections.abc import Iterator
from decimal import Context, Decimal
from math import inf, log

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import AnyFloats, Floats, accumulator_of, blocks, dtype_of, rounded
from attn_tui.compute.errors import Stop, never
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import PLAIN, LogitMap

Bias = Floats | None
"""The bias added to each logit, independent of the scale; None if there is none."""


def logits(scores: Floats, map: LogitMap, precision: Precision, bias: Bias = None) -> AnyFloats:
    """Return z = m·s + b, or c·tanh(m·s/c) + b, shape (n,), rounded; −∞ for a masked key.

    Every operation is rounded to the inner format, in which z is returned; a logit too large for
    the format is infinite.

    Args:
        scores: Shape (n,); −∞ marks a masked key.
        map: The map from scores to logits.
        precision: The format, and the format that scores are rounded to first.
        bias: b, shape (n,).
    """
    dtype = dtype_of(precision.inner)
    with np.errstate(all="ignore"):
        z: AnyFloats = rounded(scores, precision.scores).astype(dtype)
        z *= dtype.type(map.multiplier)
        if map.softcap is not None:
            cap = dtype.type(map.softcap)
            z /= cap
            np.tanh(z, out=z)
            z *= cap
        if bias is not None:
            z += bias.astype(dtype)
        if precision.inner != precision.logits:
            z = z.astype(dtype_of(precision.logits)).astype(dtype)
    z[scores == -inf] = -inf
    return z


def top_key(scores: Floats, map: LogitMap, precision: Precision, bias: Bias = None) -> int:
    """Return the key with the largest logit; without a bias, it has the largest score too."""
    logit = scores if bias is None else logits(scores, map, precision, bias)
    return int(logit.argmax())


def exponents(
    scores: Floats,
    map: LogitMap,
    precision: Precision,
    largest: Floats,
    biases: tuple[Floats, Floats] | None = None,
) -> tuple[AnyFloats, AnyFloats]:
    """Return the exponents of softmax: z − max z if stable, z if naive.

    The largest score is subtracted before the product with m, since a difference of products would
    lose digits when scores are large; in 16 bits the largest logit is subtracted instead, as in
    PyTorch. The maximum includes the sink.

    Args:
        scores: Any part of a vector's scores, shape (n,); −∞ marks a masked key.
        map: The map from scores to logits.
        precision: The format, the method, and the format that scores are rounded to first.
        largest: The score of the key with the largest logit of the whole vector, shape (1,).
        biases: The bias of each logit, shape (n,), and that of the largest logit, shape (1,).

    Returns:
        For the scores, shape (n,), and for the sink, shape (1,), or (0,) without one.
    """
    dtype = dtype_of(precision.inner)
    sinks = [] if map.sink is None else [map.sink]
    bias, of_largest = biases or (None, None)
    with np.errstate(all="ignore"):
        sink = rounded(np.array(sinks, np.float64), precision.logits).astype(dtype)
        if precision.naive:
            return logits(scores, map, precision, bias), sink
        top = logits(largest, map, precision, of_largest)
        # With a cap and biases, the key with the larger logit need not have the larger score.
        z: AnyFloats
        if precision.is_narrow or (biases and map.softcap is not None):
            peak = np.maximum(top, sink) if sink.size else top
            z = logits(scores, map, precision, bias) - peak
            sink -= peak[: sink.size]
        else:
            z = _below(scores, largest, map, precision)
            if biases:
                z += biases[0].astype(dtype) - biases[1].astype(dtype)
            if sink.size:
                sink -= top
                z -= np.maximum(sink, dtype.type(0))
                sink = np.minimum(sink, dtype.type(0))
    z[scores == -inf] = -inf
    return z, sink


def _below(scores: Floats, largest: Floats, map: LogitMap, precision: Precision) -> AnyFloats:
    """Return each logit less the logit of the largest score, shape (n,).

    Half the difference of the scores is taken and then doubled, so that it is always finite.
    """
    dtype = dtype_of(precision.format)
    s: AnyFloats = rounded(scores, precision.scores).astype(dtype)
    top: AnyFloats = rounded(largest, precision.scores).astype(dtype)
    m, half, two = (dtype.type(value) for value in (map.multiplier, 0.5, 2.0))
    gaps: AnyFloats = s if map.softcap is None else s.copy()
    gaps *= half
    gaps -= top * half
    gaps *= m
    gaps *= two
    if map.softcap is None:
        return gaps
    # Two scores too large for the format differ by NaN, but their capped logits are equal.
    gaps[s == top] = 0
    cap = dtype.type(map.softcap)
    s *= m
    top *= m
    return np.asarray(_between_tanhs(s / cap, top / cap, gaps / cap) * cap)


def _between_tanhs(a: AnyFloats, b: AnyFloats, gaps: AnyFloats) -> AnyFloats:
    """Return tanh a − tanh b for a − b = gaps ≤ 0, without the cancellation of two tanh near 1.

    It is sinh(a − b)/(cosh a · cosh b), from which the common power of e is taken out: e^−2x,
    where x is the smaller of |a| and |b| if a and b have the same sign.
    """
    dtype = a.dtype
    zero, one, two = (dtype.type(value) for value in (0.0, 1.0, 2.0))
    common = np.maximum(a, zero)
    common += np.maximum(-b, zero)
    differences: AnyFloats = np.expm1(gaps * two)
    differences *= np.exp(common * -two)
    differences *= two
    differences /= np.exp(np.abs(a) * -two) + one
    differences /= np.exp(np.abs(b) * -two) + one
    return differences


def slopes(scores: Floats, map: LogitMap) -> NDArray[np.float64]:
    """Return ∂z/∂s, shape (n,), in float64: m, or m·(1 − tanh²(m·s/c)) under a cap.

    It is 0 at a masked key.

    >>> slopes(np.array([0.0, 50.0, 100.0]), LogitMap(1.0, softcap=50.0)).round(4)
    array([1.    , 0.42  , 0.0707])
    """
    slopes = np.full(scores.shape, map.multiplier)
    if map.softcap is not None:
        with np.errstate(all="ignore"):
            powers = np.exp(-_doubled_angles(scores, map))
            slopes *= 4.0 * powers / np.square(1.0 + powers)
    slopes[scores == -inf] = 0.0
    return slopes


def log_slopes(scores: Floats, map: LogitMap) -> NDArray[np.float64]:
    """Return ln ∂z/∂s, shape (n,), even where ∂z/∂s underflows; −∞ where it is 0."""
    logs = np.full(scores.shape, log(map.multiplier) if map.multiplier else -inf)
    if map.softcap is not None:
        with np.errstate(all="ignore"):
            doubled = _doubled_angles(scores, map)
            logs += log(4.0) - doubled - 2.0 * np.log1p(np.exp(-doubled))
    logs[scores == -inf] = -inf
    return logs


def _doubled_angles(scores: Floats, map: LogitMap) -> NDArray[np.float64]:
    """Return 2x = 2|m·s/c|, as used in 1 − tanh²x = 4e^−2x/(1 + e^−2x)²."""
    assert map.softcap is not None
    angles = np.abs(scores)
    angles *= map.multiplier
    angles /= map.softcap
    angles *= 2.0
    return angles


STABLE = Precision()
"""float64 with the maximum subtracted."""

_NEGLIGIBLE = 2.0**969
"""Subtracting a score below this from any float64 number never overflows."""


def shares(
    scores: NDArray[np.float64],
    map: LogitMap = PLAIN,
    precision: Precision = STABLE,
    bias: Bias = None,
) -> NDArray[np.float64]:
    """Return the softmax weight of each key and, with a sink, that of the sink in the last place.

    Every operation is rounded to the precision's inner format; the sum of a 16-bit format is
    rounded only at the end. Weights are rounded to the precision's format. Naive softmax yields
    the infinities and NaN of the inner format, and so do scores that exceed it. If every key is
    masked, every weight is 0.

    Args:
        scores: Shape (n,), n ≥ 1; −∞ marks a masked key, whose weight is 0.
        map: The map from scores to logits.
        precision: The format and the method.
        bias: The bias added to each logit, shape (n,).

    Returns:
        Shape (n,), or (n + 1,) with a sink: numbers of the format, as float64.
    """
    top = [top_key(scores, map, precision, bias)]
    largest = scores[top]
    exact = precision.format == precision.scores == "float64" and not precision.naive
    plain = map.multiplier > 0.0 and map.softcap is None and map.sink is None and bias is None
    if exact and plain and abs(largest[0]) < _NEGLIGIBLE:
        # The common case in a single array, with as few passes as possible.
        with np.errstate(all="ignore"):
            values = scores - largest
            values *= map.multiplier
            np.exp(values, out=values)
            values /= values.sum()
        return values
    n_keys, dtype = scores.size, dtype_of(precision.inner)
    powers = np.empty(n_keys + (map.sink is not None), dtype)
    for block in blocks(n_keys):
        biases = None if bias is None else (bias[block], bias[top])
        powers[block], powers[n_keys:] = exponents(scores[block], map, precision, largest, biases)
    values = powers if dtype == np.float64 else np.empty(powers.size)
    with np.errstate(all="ignore"):
        np.exp(powers, out=powers)
        total = powers.sum(dtype=accumulator_of(dtype)).astype(dtype)
        if map.sink is None and largest[0] == -np.inf:
            total = total.dtype.type(1.0)
        for block in blocks(powers.size):
            values[block] = (powers[block] / total).astype(dtype_of(precision.format))
    return values


_DIGITS = Context(prec=40, traps=[])
"""For logits, their differences and sums: below 1e15 they have 25 decimal places."""

_POWERS = Context(prec=28, traps=[])
"""For e^z, in half the time of 40 digits; one weight in 1e9 may be rounded the wrong way."""

_SMALL = Decimal("1e-10")
"""Below this, tanh x is x − x³/3 to 40 digits."""

_BLOCK = 4096
"""Keys worked on at a time, for about a tenth of a second."""


def exact_weights(
    scores: Floats, map: LogitMap, bias: Bias = None, stop: Stop = never
) -> Floats | None:
    """Return the exact weight of each key, shape (n,), rounded to float64; None if stopped.

    Scores, multiplier, cap and sink are taken at their exact float64 values. It takes about 20 µs
    per key, and 45 µs with a soft cap.

    Args:
        scores: Shape (n,); −∞ marks a masked key.
        map: The map from scores to logits.
        bias: The bias added to each logit, shape (n,).
        stop: Called every tenth of a second.
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
    # A million powers would take 100 MB, so they are computed again.
    for block in blocks:
        if stop():
            return None
        powers = (_power(logit, largest) for logit in _logits(block, scores, map, bias))
        weights[block] = [float(_POWERS.divide(power, total)) for power in powers]
    return weights


def _power(logit: Decimal, largest: Decimal) -> Decimal:
    """Return e^(z − max z), where the maximum is over keys, without the sink."""
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
