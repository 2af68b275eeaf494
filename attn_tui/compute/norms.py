"""Norms of the Jacobian of softmax in O(n) time and memory, never through an n×n matrix.

∂p/∂s = J·diag(d), where d_j = ∂z_j/∂s_j are the slopes. Let w be the key or sink with the largest
weight, c = 1 − p_w, and q_j = p_j/c for the others (0 at w). Then every norm is c times a number
of order d, so none underflows before c·d does. Weights rounded to a format sum to T instead of 1;
J is then T² times the J of p/T.

The largest singular value comes from a secular equation, in O(n) per step. With w taken out
(`Deflated`), J/c is diag(q) − c·qqᵀ − p_w(q e_wᵀ + e_w qᵀ) + p_w e_w e_wᵀ, and nothing in it
cancels. Its square between two diag(d) has the squared singular values as eigenvalues. It is a
diagonal t² = (dq)² plus C between two sides (u, v) = (t, tq), bordered by the row of w. Key w and
the key with the largest t are kept and all others are eliminated, so that the largest eigenvalue μ
is where the largest eigenvalue of a 2×2 matrix N(μ) is 0. Above the others' largest eigenvalue,
that of N falls and is convex, so Newton's method from the left rises to the root and never passes
it; bisection brings it into that range.

Source: Golub 1973, SIAM Review 15 (2), for secular equations; inertia of Schur complements.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, inf, log, nan, sqrt

import numpy as np

from attn_tui.compute.arrays import Floats, blocks
from attn_tui.compute.numbers import SMALLEST_NORMAL
from attn_tui.compute.weights import Split, Weights, split

_EPS = float(np.finfo(np.float64).eps)

_MOST_STEPS = 100
"""Limit of iterations: more than bisection alone needs; Newton's method takes about six."""


@dataclass(frozen=True, eq=False)
class Deflated:
    """Weights with the largest, which may be the sink's, taken out.

    Attributes:
        q: p_j/c for every key but the winner, where it is 0; shape (n,).
        p: The largest weight p_w.
        c: 1 − p_w.
        winner: The key that has it, or None if it is the sink's.
    """

    q: Floats
    p: float
    c: float
    winner: int | None

    @property
    def squares(self) -> float:
        """Σq²."""
        return float(np.square(self.q).sum())

    @property
    def power_sum(self) -> float:
        """Σp² over the keys."""
        return self.c**2 * self.squares + (0.0 if self.winner is None else self.p**2)


def largest_singular_value(weights: Deflated, t: Floats) -> float:
    """Return ‖(J/c)·diag(d)‖_2 for slopes d ≥ 0, given t = d·q, d·p_w at the winner; shape (n,)."""
    scale = float(t.max())
    if not 0.0 < scale < inf:
        return scale
    t = t / scale
    winner_t = 0.0
    if weights.winner is not None:
        winner_t, t[weights.winner] = float(t[weights.winner]), 0.0
    q, p, c, squares = weights.q, weights.p, weights.c, weights.squares
    power_sum = weights.power_sum
    first = int(t.argmax())
    t1, q1 = float(t[first]), float(q[first])
    t_squared = np.square(t, out=t)
    border = winner_t * winner_t * (1.0 + squares)
    # The squared norms of all columns, whose sum is the squared Frobenius norm.
    sizes = q * (-2.0 * c)
    sizes += 1.0 + power_sum
    sizes *= t_squared
    high, size = border + float(sizes.sum()), float(sizes[first])
    del sizes
    t_squared[first] = 0.0
    second = int(t_squared.argmax())
    # With v = t(q − r), where r is the q of the key with the next largest t, only the sum without
    # q − r diverges near its pole, and nothing cancels.
    r = float(q[second])
    core = power_sum - 2.0 * c * r
    # The block of the kept keys, and how u and v enter their rows, as columns; both (2, 2).
    side = t1 * np.array([1.0, q1 - r])
    link = winner_t * np.array([c * squares - p - r, -1.0])
    kept = np.array([[border, link @ side], [link @ side, size]])
    links = np.column_stack([link, [core * side[0] - c * side[1], -c * side[0]]])

    def of_others(mu: float) -> tuple[float, float]:
        """Return the largest eigenvalue of N(μ), infinite below the others', and its slope."""
        sums = np.zeros((2, 3))
        for block in blocks(q.size):
            shifted, poles = q[block] - r, t_squared[block]
            gaps = mu - poles
            terms = poles / gaps
            for row in sums:
                # No dot products: starting the threads of BLAS costs more than it saves here.
                moment = terms * shifted
                row += terms.sum(), moment.sum(), np.multiply(moment, shifted, out=moment).sum()
                terms /= gaps
        (g0, g1, g2), falls = sums[0].tolist(), sums[1]
        determinant = (1.0 + c * g1) ** 2 - g0 * (core + c * c * g2)
        if not determinant > 0.0:
            return inf, -inf
        # Γ(1 − CΓ)⁻¹ and (1 − CΓ)⁻¹ for Γ = [[g0, g1], [g1, g2]], multiplied out.
        spread = g0 * g2 - g1 * g1
        corner = g1 - c * spread
        pressed = np.array([[g0, corner], [corner, g2 - core * spread]]) / determinant
        inverse = np.array(
            [[1.0 + c * g1, core * g1 - c * g2], [-c * g0, 1.0 - core * g0 + c * g1]]
        )
        values, vectors = np.linalg.eigh(kept + links.T @ pressed @ links)
        through = inverse @ (links @ vectors[:, 1]) / determinant
        fall = through @ falls[[[0, 1], [1, 2]]] @ through
        return float(values[1] - mu), float(-1.0 - fall)

    low = max(float(np.linalg.eigvalsh(kept)[1]), float(t_squared[second]) * (1.0 + 4.0 * _EPS))
    high = max(high, low) * (1.0 + 8.0 * _EPS)
    mu = low
    for _ in range(_MOST_STEPS):
        if high - low <= 4.0 * _EPS * high:
            break
        value, slope = of_others(mu)
        if value > 0.0:
            low = mu
        else:
            high = mu
        step = mu - value / slope if value < inf else inf
        if value > 0.0:
            # Next to a pole, steps are short even far from the root, so they have a least length.
            step = max(step, mu * (1.0 + 4.0 * _EPS))
        elif abs(step - mu) <= 2.0 * _EPS * mu:
            low = step
            break
        mu = step if low < step < high else sqrt(low * high)
        if not low < mu < high:
            break
    return scale * sqrt(low)


Slopes = Floats | float
"""d_j for each key, shape (n,), or one number for all keys."""


@dataclass(frozen=True, eq=False)
class Norms:
    """Norms of a Jacobian, and their natural logarithms, known even where the norms underflow.

    Attributes:
        frobenius: Root of the sum of the squares of all entries.
        spectral: Largest singular value.
        trace: Sum of the diagonal.
        log_frobenius: ln of the Frobenius norm; −∞ where it is exactly 0.
        log_spectral: ln of the largest singular value; likewise.
        log_trace: ln of the trace; likewise.
    """

    frobenius: float
    spectral: float
    trace: float
    log_frobenius: float
    log_spectral: float
    log_trace: float

    @classmethod
    def of(cls, sizes: Sequence[float], log_scale: float = 0.0) -> "Norms":
        """Return three norms, each multiplied by e^log_scale."""
        logs = [log_of(size) + log_scale for size in sizes]
        return cls(*(map(power, logs) if log_scale else sizes), *logs)

    def times(self, factor: float) -> "Norms":
        """Return the norms of the Jacobian multiplied by a factor."""
        sizes = (self.frobenius, self.spectral, self.trace)
        logs = (self.log_frobenius, self.log_spectral, self.log_trace)
        if not min(sizes) < SMALLEST_NORMAL:
            return Norms.of([factor * size for size in sizes])
        factored = [size + log_of(factor) for size in logs]
        return Norms(*map(power, factored), *factored)


def log_of(value: float) -> float:
    """Return the natural logarithm; −∞ for 0, NaN for NaN or a negative number."""
    if value > 0.0:
        return log(value)
    return -inf if value == 0.0 else nan


def power(log_value: float) -> float:
    """Return e to a power; 0 or infinite outside the range of float64."""
    return exp(log_value) if not log_value > 709.78 else inf


def norm_of_logs(logs: Floats) -> tuple[float, float]:
    """Return the Euclidean norm of numbers and its ln, from ln of their sizes, shape (n,)."""
    most = float(logs.max())
    if most == -inf:
        return 0.0, -inf
    with np.errstate(all="ignore"):
        log_size = most + float(np.log(np.linalg.norm(np.exp(logs - most))))
    return power(log_size), log_size


def norms(weights: Weights, slopes: Slopes = 1.0) -> Norms:
    """Return the norms of J·diag(d) for weights of shape (n,)."""
    parts = split(weights)
    return Norms.of((frobenius(parts, slopes), spectral(parts, slopes), trace(parts, slopes)))


def norms_from_logs(
    log_weights: Floats, log_rest: float, winner: int | None, log_slopes: Floats | float
) -> Norms:
    """Return the norms of J·diag(d) where weights or slopes are below float64's normal range.

    Args:
        log_weights: ln p of the keys, shape (n,).
        log_rest: ln(1 − p_w).
        winner: The key w, or None if it is the sink.
        log_slopes: ln d, shape (n,), or one number for all keys.
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
    terms = parts.without()
    terms *= parts.weights
    terms *= slopes
    return float(terms.sum())


def frobenius(weights: Weights, slopes: Slopes = 1.0) -> float:
    """Return ‖J·diag(d)‖_F for weights of shape (n,); at most 1/2 if every slope is 1.

    Column j has the norm d_j p_j √((1 − p_j)² + Σ p_i² − p_j²), and 1 − 2p_j ≥ 0 for every key
    except the winner.

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
    """Return a norm of J·diag(d) from that of J/(1 − p_w) and t = d·q, or d·p_w at the winner."""
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
    # Scaled so that no square underflows.
    scale = float(t.max())
    if scale > 0.0:
        t = t / scale
    factors *= np.square(t)
    return scale * sqrt(factors.sum())


def _trace(apart: Deflated, t: Floats) -> float:
    return float((t * (1.0 - apart.c * apart.q)).sum())


def _apart(parts: Split) -> Deflated:
    """Return the weights, normalised to sum to 1, with the largest taken out."""
    winner = parts.winner if parts.winner < parts.n_keys else None
    q = parts.weights.copy()
    if winner is not None:
        q[winner] = 0.0
    q /= parts.rest
    return Deflated(q, parts.top / parts.total, parts.rest / parts.total, winner)
