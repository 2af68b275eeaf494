"""From scores to logits in a chosen precision: products, soft cap and sink, and their slopes."""

from math import inf, log

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import AnyFloats, Floats
from attn_tui.compute.formats import dtype_of, rounded
from attn_tui.compute.logit_map import LogitMap
from attn_tui.compute.precision import Precision

Bias = Floats | None
"""What is added to each logit, whatever the scale; None is nothing."""


def logits(scores: Floats, map: LogitMap, precision: Precision, bias: Bias = None) -> AnyFloats:
    """Return z = m·s + b, or c·tanh(m·s/c) + b, shape (n,), rounded; −∞ for a masked key.

    Every operation is rounded to the inner format, in which z is held; a logit too large for the
    format is an infinity.

    Args:
        scores: Shape (n,); −∞ marks a masked key.
        map: From scores to logits.
        precision: The format, and what scores are rounded to before.
        bias: What is added, shape (n,).
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
    """Return the key with the largest logit: without a bias, that with the largest score."""
    logit = scores if bias is None else logits(scores, map, precision, bias)
    return int(logit.argmax())


def exponents(
    scores: Floats,
    map: LogitMap,
    precision: Precision,
    largest: Floats,
    biases: tuple[Floats, Floats] | None = None,
) -> tuple[AnyFloats, AnyFloats]:
    """Return what softmax raises e to: z − max z if stable, z if naive.

    The largest score is subtracted before the product, since a difference of products would lose
    what large scores have in common; in 16 bits the largest logit is, as PyTorch has it. The
    maximum includes the sink.

    Args:
        scores: Shape (n,), any of a vector's; −∞ marks a masked key.
        map: From scores to logits.
        precision: The format, the method, and what scores are rounded to before.
        largest: The score of the key with the largest logit of the whole vector, shape (1,).
        biases: What is added to each logit, shape (n,), and to the largest, shape (1,).

    Returns:
        For the scores, shape (n,), and for the sink, shape (1,), or (0,) without one.
    """
    dtype = dtype_of(precision.inner)
    sinks = [] if map.sink is None else [map.sink]
    own, of_largest = biases or (None, None)
    with np.errstate(all="ignore"):
        sink = rounded(np.array(sinks, np.float64), precision.logits).astype(dtype)
        if not precision.stable:
            return logits(scores, map, precision, own), sink
        top = logits(largest, map, precision, of_largest)
        # Of two capped logits with biases, either score may be the larger one.
        z: AnyFloats
        if precision.is_narrow or (biases and map.softcap is not None):
            peak = np.maximum(top, sink) if sink.size else top
            z = logits(scores, map, precision, own) - peak
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
    """Return by how much each logit differs from that of the largest score, shape (n,).

    Half the difference is taken and doubled, so that it is finite between any two scores.
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
    # Two scores too large for the format differ by NaN, but the cap makes them one.
    gaps[s == top] = 0
    cap = dtype.type(map.softcap)
    s *= m
    top *= m
    return np.asarray(_between_tanhs(s / cap, top / cap, gaps / cap) * cap)


def _between_tanhs(a: AnyFloats, b: AnyFloats, gaps: AnyFloats) -> AnyFloats:
    """Return tanh a − tanh b for a − b = gaps ≤ 0, without the cancellation of two tanh near 1.

    It is sinh(a − b)/(cosh a · cosh b), here with the powers of e that are common to both taken
    out: e^−2x, where x is the smaller size if a and b have one sign.
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
    """Return ln ∂z/∂s, shape (n,), also where ∂z/∂s underflows; −∞ where it is 0."""
    logs = np.full(scores.shape, log(map.multiplier) if map.multiplier else -inf)
    if map.softcap is not None:
        with np.errstate(all="ignore"):
            doubled = _doubled_angles(scores, map)
            logs += log(4.0) - doubled - 2.0 * np.log1p(np.exp(-doubled))
    logs[scores == -inf] = -inf
    return logs


def _doubled_angles(scores: Floats, map: LogitMap) -> NDArray[np.float64]:
    """Return 2x = 2|m·s/c|, in which 1 − tanh²x = 4e^−2x/(1 + e^−2x)²."""
    assert map.softcap is not None
    angles = np.abs(scores)
    angles *= map.multiplier
    angles /= map.softcap
    angles *= 2.0
    return angles
