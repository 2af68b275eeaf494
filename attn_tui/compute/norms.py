"""Norms of the Jacobian of softmax in O(n) time and memory, never through an n×n matrix.

∂p/∂s = J·diag(d), where d_j = ∂z_j/∂s_j are the slopes. With w the largest weight, the sink's
included, c = 1 − p_w and q_j = p_j/c for the others (0 at w), every norm is c times something of
order d, so none underflows before c·d does. Weights rounded to a format sum to T instead of 1;
J is then T² times that of p/T.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, inf, log, nan, sqrt

import numpy as np

from attn_tui.compute.arrays import Floats
from attn_tui.compute.spectral import Deflated, largest_singular_value
from attn_tui.compute.split import Split, Weights, split

Slopes = Floats | float
"""d_j for each key, shape (n,), or one for all."""


SMALLEST_NORMAL = 2.0**-1022
"""Below it float64 holds ever fewer digits."""


@dataclass(frozen=True, eq=False)
class Norms:
    """Sizes of a Jacobian, and their natural logarithms, which outlive them.

    Attributes:
        frobenius: Root of the sum of the squares of all entries.
        spectral: Largest singular value.
        trace: Sum of the diagonal.
        log_frobenius: ln of the first; −∞ where it is exactly 0.
        log_spectral: ln of the second.
        log_trace: ln of the third.
    """

    frobenius: float
    spectral: float
    trace: float
    log_frobenius: float
    log_spectral: float
    log_trace: float

    @classmethod
    def of(cls, sizes: Sequence[float], log_scale: float = 0.0) -> "Norms":
        """Return the norms that are three sizes times e^log_scale."""
        logs = [log_of(size) + log_scale for size in sizes]
        return cls(*(map(power, logs) if log_scale else sizes), *logs)

    def times(self, factor: float) -> "Norms":
        """Return the norms of the Jacobian times a number."""
        sizes = (self.frobenius, self.spectral, self.trace)
        logs = (self.log_frobenius, self.log_spectral, self.log_trace)
        if not min(sizes) < SMALLEST_NORMAL:
            return Norms.of([factor * size for size in sizes])
        factored = [size + log_of(factor) for size in logs]
        return Norms(*map(power, factored), *factored)


def log_of(value: float) -> float:
    """Return the natural logarithm, −∞ of 0 and NaN of NaN."""
    if value > 0.0:
        return log(value)
    return -inf if value == 0.0 else nan


def power(log_value: float) -> float:
    """Return e to a power, 0 or infinite where float64 ends."""
    return exp(log_value) if not log_value > 709.78 else inf


def norms(weights: Weights, slopes: Slopes = 1.0) -> Norms:
    """Return the norms of J·diag(d) for weights of shape (n,)."""
    parts = split(weights)
    return Norms.of((frobenius(parts, slopes), spectral(parts, slopes), trace(parts, slopes)))


def norms_from_logs(
    log_weights: Floats, log_rest: float, winner: int | None, log_slopes: Floats | float
) -> Norms:
    """Return the norms of J·diag(d) where weights or slopes are below float64's normal numbers.

    Args:
        log_weights: ln p of the keys, shape (n,).
        log_rest: ln(1 − p_w).
        winner: The key w, or None if it is the sink.
        log_slopes: ln d, shape (n,), or one for all.
    """
    with np.errstate(all="ignore"):
        log_q = log_weights - log_rest
        columns = log_q + log_slopes
        if winner is not None:
            columns[winner] += log_rest
            log_q[winner] = -inf
        scale = float(columns.max())
        if -inf in (scale, log_rest):
            return Norms.of((0.0, 0.0, 0.0))
        t = np.exp(columns - scale)
        c = exp(log_rest)
        apart = Deflated(np.exp(log_q), 1.0 - c, c, winner)
    sizes = (_frobenius(apart, t), largest_singular_value(apart, t), _trace(apart, t))
    return Norms.of(sizes, log_rest + scale)


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
    return _of_apart(_frobenius, split(weights), slopes)


def spectral(weights: Weights, slopes: Slopes = 1.0) -> float:
    """Return ‖J·diag(d)‖_2 for weights of shape (n,); at most 1/2 if every slope is 1.

    >>> round(spectral(np.array([0.5, 0.5, 0.0])), 15)
    0.5
    """
    return _of_apart(largest_singular_value, split(weights), slopes)


def _of_apart(size: Callable[[Deflated, Floats], float], parts: Split, slopes: Slopes) -> float:
    """Return a size of J·diag(d) from that of J/(1 − p_w) and t = d·q, d·p_w at the winner."""
    if not parts.rest > 0.0:
        return parts.top * parts.rest
    apart = _apart(parts)
    t = apart.q.copy()
    if apart.winner is not None:
        t[apart.winner] = apart.p
    t *= slopes
    return parts.total * parts.rest * size(apart, t)


def _frobenius(apart: Deflated, t: Floats) -> float:
    factors = apart.q * (-2.0 * apart.c)
    factors += 1.0 + apart.power_sum
    if apart.winner is not None:
        factors[apart.winner] = 1.0 + apart.squares
    # Scaled, so that no square underflows.
    scale = float(t.max())
    if scale > 0.0:
        t = t / scale
    factors *= np.square(t)
    return scale * sqrt(factors.sum())


def _trace(apart: Deflated, t: Floats) -> float:
    return float((t * (1.0 - apart.c * apart.q)).sum())


def _apart(parts: Split) -> Deflated:
    """Return the weights, made to sum to 1, with the largest taken out."""
    winner = parts.winner if parts.winner < parts.n_keys else None
    q = parts.weights.copy()
    if winner is not None:
        q[winner] = 0.0
    q /= parts.rest
    return Deflated(q, parts.top / parts.total, parts.rest / parts.total, winner)
