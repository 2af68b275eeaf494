"""Norms of the Jacobian of softmax in O(n) time and memory, never through an n×n matrix.

∂p/∂s = J·diag(d), where d_j = ∂z_j/∂s_j are the slopes. With w the largest weight, the sink's
included, c = 1 − p_w and q_j = p_j/c for the others (0 at w), every norm is c times something of
order d, so none underflows before c·d does. Weights rounded to a format sum to T instead of 1;
J is then T² times that of p/T.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.spectral import Deflated, largest_singular_value
from attn_tui.compute.split import Split, Weights, split

Slopes = NDArray[np.float64] | float
"""d_j for each key, shape (n,), or one for all."""


@dataclass(frozen=True, eq=False)
class Norms:
    """Sizes of a Jacobian.

    Attributes:
        frobenius: Root of the sum of the squares of all entries.
        spectral: Largest singular value.
        trace: Sum of the diagonal.
    """

    frobenius: float
    spectral: float
    trace: float

    def times(self, factor: float) -> "Norms":
        """Return the norms of the Jacobian times a number."""
        return Norms(factor * self.frobenius, factor * self.spectral, factor * self.trace)


def norms(weights: Weights, slopes: Slopes = 1.0) -> Norms:
    """Return the norms of J·diag(d) for weights of shape (n,)."""
    parts = split(weights)
    return Norms(frobenius(parts, slopes), spectral(parts, slopes), trace(parts, slopes))


def trace(weights: Weights, slopes: Slopes = 1.0) -> float:
    """Return Σ d_i p_i(1 − p_i) for weights of shape (n,).

    >>> trace(np.array([0.5, 0.5]))
    0.5
    """
    parts = split(weights)
    own = parts.without()
    own *= parts.weights
    own *= slopes
    return float(own.sum())


def frobenius(weights: Weights, slopes: Slopes = 1.0) -> float:
    """Return ‖J·diag(d)‖_F for weights of shape (n,); at most 1/2 if every slope is 1.

    Column j has the size d_j p_j √((1 − p_j)² + Σ p_i² − p_j²), and 1 − 2p_j ≥ 0 for every key
    but the winner.

    >>> frobenius(np.array([0.5, 0.5, 0.0]))
    0.5
    """
    parts = split(weights)
    if not parts.rest > 0.0:
        return parts.top * parts.rest
    apart = _apart(parts)
    sizes = apart.q.copy()
    factors = apart.q * (-2.0 * apart.c)
    factors += 1.0 + apart.power_sum
    if apart.winner is not None:
        sizes[apart.winner] = apart.p
        factors[apart.winner] = 1.0 + apart.squares
    sizes *= slopes
    # Scaled, so that no square underflows.
    scale = float(sizes.max())
    if scale > 0.0:
        sizes /= scale
    np.square(sizes, out=sizes)
    sizes *= factors
    return parts.total * parts.rest * scale * sqrt(sizes.sum())


def spectral(weights: Weights, slopes: Slopes = 1.0) -> float:
    """Return ‖J·diag(d)‖_2 for weights of shape (n,); at most 1/2 if every slope is 1.

    >>> round(spectral(np.array([0.5, 0.5, 0.0])), 15)
    0.5
    """
    parts = split(weights)
    if not parts.rest > 0.0:
        return parts.top * parts.rest
    return parts.total * parts.rest * largest_singular_value(_apart(parts), slopes)


def _apart(parts: Split) -> Deflated:
    """Return the weights, made to sum to 1, with the largest taken out."""
    winner = parts.winner if parts.winner < parts.n_keys else None
    q = parts.weights.copy()
    if winner is not None:
        q[winner] = 0.0
    q /= parts.rest
    return Deflated(q, parts.top / parts.total, parts.rest / parts.total, winner)
