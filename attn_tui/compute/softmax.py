"""Softmax and its logarithm, in a chosen precision, stable or naive."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attn_tui.compute.formats import dtype_of
from attn_tui.compute.keys import ALL, Floats, Keys
from attn_tui.compute.precision import Precision
from attn_tui.compute.split import Split, split

STABLE = Precision()
"""float64 with the maximum subtracted."""


def logits(scores: NDArray[np.float64], multiplier: float, precision: Precision = STABLE) -> Floats:
    """Return z = m·s, shape (n,), in the precision's format; −∞ for a masked key.

    A logit too large for the format is an infinity.
    """
    dtype = dtype_of(precision.format)
    with np.errstate(all="ignore"):
        z: Floats = scores.astype(dtype) * dtype.type(multiplier)
    z[scores == -np.inf] = -np.inf
    return z


def exponents(
    scores: NDArray[np.float64], multiplier: float, precision: Precision, largest: float
) -> Floats:
    """Return what softmax raises e to: z − max z if stable, z if naive; shape (n,).

    The largest score is subtracted before the product, since a difference of products would lose
    what large scores have in common. Half the difference is taken and doubled, so that it is
    finite between any two scores.

    Args:
        scores: Shape (n,); −∞ marks a masked key.
        multiplier: m.
        precision: The format and the method.
        largest: The largest score of the vector.
    """
    if not precision.stable:
        return logits(scores, multiplier, precision)
    dtype = dtype_of(precision.format)
    with np.errstate(all="ignore"):
        z: Floats = scores.astype(dtype)
        z *= 0.5
        z -= dtype.type(largest) * dtype.type(0.5)
        z *= dtype.type(multiplier)
        z *= 2.0
    z[scores == -np.inf] = -np.inf
    return z


def softmax(scores: ArrayLike, multiplier: float = 1.0, precision: Precision = STABLE) -> Floats:
    """Return the weights p_i = e^{z_i} / Σ e^{z_j} with z = m·s.

    Naive softmax yields the infinities and NaN of the format; so do scores that exceed it.
    If every key is masked, every weight is 0.

    Args:
        scores: Shape (n,), n ≥ 1; −∞ marks a masked key, whose weight is 0.
        multiplier: m, finite and above 0.
        precision: The format and the method.

    Returns:
        Shape (n,), in the precision's format.

    >>> softmax([100, 120, 150], 1 / 32).round(4)
    array([0.1309, 0.2446, 0.6245])
    """
    s = np.asarray(scores, dtype=np.float64)
    largest = float(s.max())
    weights = exponents(s, multiplier, precision, largest)
    with np.errstate(all="ignore"):
        np.exp(weights, out=weights)
        if largest > -np.inf:
            weights /= weights.sum()
    return weights


def log_softmax(
    scores: ArrayLike, multiplier: float = 1.0, precision: Precision = STABLE
) -> Floats:
    """Return ln p_i, shape (n,), for the arguments of `softmax`; right where p_i itself is 0.

    >>> log_softmax([0, 5000])
    array([-5000.,     0.])
    """
    s = np.asarray(scores, dtype=np.float64)
    weights = split(softmax(s, multiplier, precision))
    return log_weights(s, weights, multiplier, precision)


def log_weights(
    scores: NDArray[np.float64],
    weights: Split,
    multiplier: float,
    precision: Precision,
    keys: Keys = ALL,
) -> Floats:
    """Return ln p at the keys, shape (len(keys),).

    Stable, it is the distance of the logit from the largest plus the logarithm of the largest
    weight, so it outlives p. Naive, it is the logarithm of whatever the weight became.

    Args:
        scores: Shape (n,).
        weights: Their softmax under this multiplier and precision.
        multiplier: m.
        precision: The format and the method.
        keys: Which keys.
    """
    if not precision.stable:
        return weights.logs(keys)
    winner = weights.winner
    z = exponents(scores[keys], multiplier, precision, scores[winner])
    return np.asarray(z + weights.logs(np.array([winner])))
