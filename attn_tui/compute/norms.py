"""Norms of the Jacobian of softmax in O(n) time and memory, never through an n×n matrix.

With w the largest weight, c = 1 − p_w and q_j = p_j/c for the others (0 at w), every norm is c
times something of order 1, so none underflows before c does.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from attn_tui.compute.formats import limits
from attn_tui.compute.keys import Floats
from attn_tui.compute.split import Split, Weights, split


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
        """Return the norms of the Jacobian times a number above 0."""
        return Norms(factor * self.frobenius, factor * self.spectral, factor * self.trace)


def norms(weights: Weights) -> Norms:
    """Return the norms of J = diag(p) − ppᵀ for weights of shape (n,)."""
    parts = split(weights)
    return Norms(frobenius(parts), spectral(parts), trace(parts))


def frobenius(weights: Weights) -> float:
    """Return ‖J‖_F for weights of shape (n,); at most 1/2.

    ‖J‖_F² = Σ p_i²(1 − p_i)² + Σ p_i²(S_2 − p_i²) with S_2 = Σp². With the winner apart,
    p_j² = c²q_j², and (1 − p_j)² − p_j² = 1 − 2p_j ≥ 0 for every other key.

    >>> frobenius(np.array([0.5, 0.5, 0.0]))
    0.5
    """
    parts = split(weights)
    if not parts.rest > 0.0:
        return float(parts.top * parts.rest)
    p = parts.values
    q_squared = np.square(_ratios(parts))
    others = (q_squared * (1.0 - 2.0 * p)).sum() + q_squared.sum() * np.square(p).sum()
    return float(parts.rest * sqrt(parts.top**2 * (1.0 + q_squared.sum()) + others))


def trace(weights: Weights) -> float:
    """Return tr J = Σ p_i(1 − p_i) for weights of shape (n,).

    >>> trace(np.array([0.5, 0.5]))
    0.5
    """
    parts = split(weights)
    return float((parts.values * parts.without()).sum())


def spectral(weights: Weights) -> float:
    """Return ‖J‖_2, the largest eigenvalue λ of J, for weights of shape (n,); at most 1/2.

    λ solves Σ p_i/(p_i − λ) = 0 between the second largest weight and the largest; it is the
    largest if that is tied. With x = λ/c and h(x) = Σ q_j/(x − q_j) the equation reads
    1/h(x) = 1 − xc/p_w. 1/h is a harmonic mean of linear functions, hence concave and rising:
    Newton's method started below the root rises to it and never passes it. The start is the
    larger of two bounds, p_w(1 − p_w) and λ of the two largest weights alone.

    Source: interlacing and the secular equation, Golub 1973, SIAM Review 15 (2).

    >>> spectral(np.array([0.5, 0.5, 0.0]))
    0.5
    """
    parts = split(weights)
    if not parts.rest > 0.0:
        return float(parts.top * parts.rest)
    q = _ratios(parts)
    second = q.max()
    slope = parts.rest / parts.top
    root = max(parts.top, 2.0 * second / (1.0 + second * slope))
    if root <= second or root * slope >= 1.0:
        return float(parts.top)
    return float(parts.rest * _rise(q, slope, root))


def _rise(q: Floats, slope: float, start: float) -> float:
    """Return the root of 1/h(x) + x·slope = 1 by Newton's method from a start below it."""
    tolerance = 2.0 * float(limits(q.dtype).eps)
    x = start
    while True:
        gaps = x - q
        terms = q / gaps
        h = terms.sum()
        rise = (terms / gaps).sum() / h**2 + slope
        step = (1.0 - x * slope - 1.0 / h) / rise
        if not step > tolerance * x:
            return x
        x += step


def _ratios(parts: Split) -> Floats:
    """Return p_j/(1 − p_w) for every key but the winner, where it is 0; shape (n,)."""
    q = parts.values.copy()
    q[parts.winner] = 0.0
    q /= parts.rest
    return q
