"""The Jacobian of softmax with respect to the logits, J = diag(p) − ppᵀ: entries and products."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attn_tui.compute.arrays import Floats
from attn_tui.compute.keys import ALL, Keys, positions
from attn_tui.compute.split import Weights, split


def jacobian(weights: Weights, of: Keys = ALL, keys: Keys = ALL) -> Floats:
    """Return the entries ∂p_i/∂z_j = p_i(δ_ij − p_j).

    Args:
        weights: Shape (n,).
        of: The keys i whose weights change; every one by default.
        keys: The keys j whose logits change; every one by default.

    Returns:
        Shape (len(of), len(keys)): for a window, since all of it has n² entries.

    >>> jacobian(np.array([0.5, 0.5]))
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    parts = split(weights)
    p = parts.weights
    with np.errstate(all="ignore"):
        # Negated, so that an entry that underflows keeps its sign: −0.
        entries = -np.multiply.outer(p[of], p[keys])
        return np.where(own(of, keys, p.size), (p[of] * parts.without(of))[:, None], entries)


def own(of: Keys, keys: Keys, n_keys: int) -> NDArray[np.bool_]:
    """Return whether key i is key j, shape (len(of), len(keys))."""
    return np.asarray(positions(of, n_keys)[:, None] == positions(keys, n_keys))


def vjp(weights: Weights, upstream: ArrayLike) -> Floats:
    """Return J·g, shape (n,), in O(n): the vector–Jacobian product, since J is symmetric.

    With a sink as one more entry J·1 = 0, so g, which is 0 there, is measured from its entry at
    the largest weight, which then has nothing to cancel.

    Args:
        weights: Shape (n,), or n of them and a sink.
        upstream: g = ∂L/∂p, shape (n,).

    >>> vjp(np.array([0.5, 0.5]), [1.0, 0.0])
    array([ 0.25, -0.25])
    """
    parts = split(weights)
    p = parts.values
    g = np.zeros(p.size)
    g[: parts.n_keys] = upstream
    h = g - g[parts.winner]
    return np.asarray(p * (h - (p * h).sum()))[: parts.n_keys]
