"""Exact means and medians over drawn vectors, by quadrature: no draw is made here.

Given q, the logits of a drawn vector are independent normal numbers of standard deviation
σ = m‖q‖, and ‖q‖² is χ² with d_k degrees of freedom.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import erf, erfc, exp, inf, log, pi, sqrt
from typing import Literal

import numpy as np
from numpy.polynomial import Chebyshev

from attn_tui.compute.arrays import Floats
from attn_tui.compute.law.variance_gamma import mean_root, nodes
from attn_tui.compute.log_scale import D_K, N_KEYS, LogScale
from attn_tui.compute.scale import Scale

Where = Literal["from", "up to", "everywhere", "nowhere"]
"""On which side of a place something holds, or that it does so on all of a range or nowhere."""


@lru_cache(maxsize=512)
def mean_largest(n_keys: int) -> float:
    """Return m_n = E[max of n independent standard normal numbers], n ≥ 1.

    ∫ x·n·φ(x)·Φ(x)^{n−1} dx by the trapezoidal rule, exact to rounding at this step.

    >>> [round(mean_largest(n), 5) for n in (2, 3, 8, 64, 512)]
    [0.56419, 0.84628, 1.4236, 2.34373, 3.0439]
    """
    x = np.arange(-160, 161) / 16.0
    # ln Φ(x), from the smaller tail.
    below = np.array([log(0.5 * erfc(-v / sqrt(2.0))) for v in x[x < 0.0]])
    above = np.log1p([-0.5 * erfc(v / sqrt(2.0)) for v in x[x >= 0.0]])
    logs = (n_keys - 1) * np.concatenate([below, above]) - 0.5 * x**2
    return float(n_keys * (x * np.exp(logs)).sum() / (16.0 * sqrt(2.0 * np.pi)))


def condensation_std(n_keys: int) -> float:
    """Return σ_c = √(2 ln n), beyond which a few of n keys hold most of the weight.

    Source: the random energy model, Derrida 1981, Phys. Rev. B 24 (5).

    >>> round(condensation_std(512), 4)
    3.5322
    """
    return sqrt(2.0 * log(n_keys))


def logit_std(scale: Scale, n_keys: int, d_k: int) -> float:
    """Return σ = m√d_k, about which the logits of a drawn vector spread."""
    return scale.multiplier(d_k, n_keys) * sqrt(d_k)


def condensation_d_k(scale: Scale, n_keys: int) -> tuple[float | None, Where]:
    """Return the d_k at which σ meets σ_c, and on which side of it σ ≥ σ_c.

    It is None where σ ≥ σ_c at every d_k from 1 to 65,536, or at none. Between whole numbers, ln σ
    is taken as straight over ln d_k, which it is for powers of d_k.

    >>> d_k, where = condensation_d_k(Scale("none"), 512)
    >>> round(d_k, 4), where
    (12.4766, 'from')
    >>> condensation_d_k(Scale("inverse-sqrt"), 512)
    (None, 'nowhere')
    """
    return _meeting(D_K, lambda d_k: _excess(scale, n_keys, d_k), log, exp)


def condensation_n(scale: Scale, d_k: int) -> tuple[float | None, Where]:
    """Return the number of keys at which σ meets σ_c, and on which side of it σ ≥ σ_c.

    It is None where σ ≥ σ_c at every n from 2 to 100,000, or at none. Between whole numbers
    ln(σ/σ_c) is taken as straight over ln ln n, which it is where m is a power of ln n: up to
    e^{σ²/2} where m does not depend on n, from e^{2/c²} where σ = c·ln n.

    >>> n, where = condensation_n(Scale("none"), 8)
    >>> round(n, 3), where
    (54.598, 'up to')
    >>> n, where = condensation_n(Scale("ssmax", (("a", 1.0),)), 8)
    >>> round(n, 3), where
    (7.389, 'from')
    """
    return _meeting(
        N_KEYS,
        lambda n_keys: _excess(scale, n_keys, d_k),
        lambda n: log(log(n)),
        lambda x: exp(exp(x)),
    )


def _excess(scale: Scale, n_keys: int, d_k: int) -> float:
    """Return ln(σ/σ_c)."""
    sigma = logit_std(scale, n_keys, d_k)
    return (log(sigma) if sigma > 0.0 else -inf) - log(condensation_std(n_keys))


def _meeting(
    scale: LogScale,
    excess: Callable[[int], float],
    along: Callable[[float], float],
    back: Callable[[float], float],
) -> tuple[float | None, Where]:
    """Return where a monotone function passes 0, and on which side of it that is not below 0.

    Args:
        scale: The whole numbers that are looked at.
        excess: The function.
        along: What it is taken as straight over between two of them.
        back: The inverse of that.
    """
    low, high = scale.minimum, scale.maximum
    starts, ends = excess(low) >= 0.0, excess(high) >= 0.0
    if starts == ends:
        return None, "everywhere" if starts else "nowhere"
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if (excess(middle) >= 0.0) == starts else (low, middle)
    share = excess(low) / (excess(low) - excess(high))
    return back((1.0 - share) * along(low) + share * along(high)), "up to" if starts else "from"


_LEAST_STD, _LARGEST_STD, _DEGREE = 0.02, 400.0, 100
"""Means over vectors are tabulated between these σ, by a polynomial of this degree in ln σ."""


@dataclass(frozen=True)
class Exact:
    """What a statistic of a drawn vector is exactly; None where no formula is known here."""

    mean: float | None = None
    median: float | None = None

    def times(self, factor: float) -> "Exact":
        """Return that of a number so many times as large."""
        mean = None if self.mean is None else factor * self.mean
        median = None if self.median is None else factor * self.median
        return Exact(mean, median)


@lru_cache(maxsize=512)
def query_norm_law(d_k: int) -> tuple[Floats, Floats]:
    """Return nodes r and weights w, shape (N,), with E f(‖q‖) = Σ w·f(r) for q of d_k entries.

    >>> r, w = query_norm_law(64)
    >>> float(round(w @ r**2, 9))
    64.0
    """
    squares, weights = nodes(d_k)
    return np.sqrt(squares), weights


def two_keys(of_gaps: Callable[[Floats], Floats], d_k: int, multiplier: float) -> Exact:
    """Return the mean and the median of a statistic of two keys.

    The gap of the two scores is √2·|q·k|.

    Args:
        of_gaps: The statistic of two logits so far apart, a monotone function.
        d_k: The length of q.
        multiplier: m.
    """
    gap = np.array(multiplier * sqrt(2.0) * median_size(d_k))
    return Exact(float(_over_gaps(of_gaps, d_k, multiplier).sum()), float(of_gaps(gap)))


def _over_gaps(of_gaps: Callable[[Floats], Floats], d_k: int, multiplier: float) -> Floats:
    """Return the parts of a mean over the gaps of two logits, one for each ‖q‖ of its law."""
    r, w = query_norm_law(d_k)
    # A normal number's size is e^t; its density there by the trapezoidal rule, from sizes on that
    # leave the logits together.
    t = np.arange(-30.0 - log(max(multiplier * r[-1], 1.0)), 3.3, 0.15)
    size = np.exp(t)
    v = np.exp(t - 0.5 * size**2)
    v /= v.sum()
    gaps = multiplier * sqrt(2.0) * np.multiply.outer(r, size)
    return np.asarray(w * (of_gaps(gaps) @ v))


def two_maxima(gaps: Floats) -> Floats:
    """Return the largest weight of two logits so far apart."""
    return np.asarray(1.0 / (1.0 + np.exp(-gaps)))


def two_entropies(gaps: Floats) -> Floats:
    """Return H in nats of two logits so far apart."""
    less = np.exp(-gaps)
    return np.asarray(np.log1p(less) + gaps * less / (1.0 + less))


def two_traces(gaps: Floats) -> Floats:
    """Return tr J = ‖J‖_F of two logits so far apart: two of four entries of size p_1p_2."""
    less = np.exp(-gaps)
    return np.asarray(2.0 * less / np.square(1.0 + less))


def mean_query_gradient(n_keys: int, d_k: int, multiplier: float) -> float | None:
    """Return E‖Kᵀ J v‖ over drawn vectors, or None for more than two keys.

    It is p_1p_2·‖k_1 − k_2‖·|v_1 − v_2| with E|v_1 − v_2| = 2/√π; the roles of q and k_1 − k_2, √2
    times as long, are exchanged.
    """
    if n_keys != 2:
        return None
    parts = _over_gaps(two_traces, d_k, multiplier)
    return float(parts @ query_norm_law(d_k)[0]) * sqrt(2.0 / pi)


def mean_logit_std(n_keys: int, d_k: int, multiplier: float) -> float:
    """Return the mean standard deviation of the logits: m·E‖q‖ times that of n normal numbers."""
    return multiplier * mean_root(d_k) * mean_root(n_keys - 1) / sqrt(n_keys)


@lru_cache(maxsize=512)
def median_size(d_k: int) -> float:
    """Return the median of |q·k| by bisection of its exact distribution, E erf(x/(√2‖q‖)).

    >>> round(median_size(2), 9) == round(log(2), 9)
    True
    """
    r, w = query_norm_law(d_k)
    law = list(zip(r.tolist(), w.tolist(), strict=True))
    low, high = 0.0, sqrt(d_k)
    for _ in range(54):
        x = 0.5 * (low + high)
        below = sum(b * erf(x / (sqrt(2.0) * a)) for a, b in law)
        low, high = (x, high) if below < 0.5 else (low, x)
    return x


def mean_trace(n_keys: int, d_k: int, multiplier: float) -> float | None:
    """Return E[tr J] over drawn vectors, or None where σ leaves what is tabulated."""
    return _over_queries(trace_at, n_keys, d_k, multiplier)


def mean_entropy(n_keys: int, d_k: int, multiplier: float) -> float | None:
    """Return E[H] in nats over drawn vectors, or None where σ leaves what is tabulated."""
    return _over_queries(entropy_at, n_keys, d_k, multiplier)


def _over_queries(
    mean_at: Callable[[int, float], float], n_keys: int, d_k: int, multiplier: float
) -> float | None:
    r, w = query_norm_law(d_k)
    stds = multiplier * r
    if stds[-1] > _LARGEST_STD:
        return None
    # At small σ a mean is a − cσ² + O(σ⁴).
    small, others = stds < _LEAST_STD, 1.0 - 1.0 / n_keys
    if mean_at is trace_at:
        flat, curvature = others, others / n_keys
    else:
        flat, curvature = log(n_keys), others / 2.0
    logs = np.log(np.where(small, 1.0, stds))
    values = np.where(small, flat - curvature * stds**2, np.exp(_table(mean_at, n_keys)(logs)))
    return float(w @ values)


@lru_cache(maxsize=32)
def _table(mean_at: Callable[[int, float], float], n_keys: int) -> Chebyshev:
    """Return ln of a mean as a polynomial in ln σ, which costs less than many quadratures."""
    domain = [log(_LEAST_STD), log(_LARGEST_STD)]
    return Chebyshev.interpolate(
        lambda logs: np.array([log(mean_at(n_keys, float(np.exp(x)))) for x in logs]),
        _DEGREE,
        domain=domain,
    )


def trace_at(n_keys: int, logit_std: float) -> float:
    """Return E[tr J] for n independent normal logits of standard deviation σ above 0.

    With S = Σ e^{z_i} and 1/S² = ∫ t e^{−tS} dt, E[Σ_{i≠j} p_i p_j] is an integral over
    τ = ln t of products of means over one key each:
    n(n−1)·∫ A(τ)²·φ(τ)^{n−2} dτ, A = E[e^{y − e^y}], φ = E[e^{−e^y}], y = τ + z.
    """
    step, _, linear, logs = _means_of_one(logit_std)
    terms = linear**2 * np.exp((n_keys - 2) * logs)
    return float(n_keys * (n_keys - 1) * step * terms.sum())


def log_sum_at(n_keys: int, logit_std: float) -> float:
    """Return E[ln Σ e^{z_i}] for n independent normal logits of standard deviation σ above 0."""
    step, alone, _, logs = _means_of_one(logit_std)
    return float(step * (alone - np.exp(n_keys * logs)).sum())


def entropy_at(n_keys: int, logit_std: float) -> float:
    """Return E[H] = E[ln S] − E[Σ p_i z_i], the last by the Stein identity σ²·E[tr J]."""
    return log_sum_at(n_keys, logit_std) - logit_std**2 * trace_at(n_keys, logit_std)


@lru_cache(maxsize=_DEGREE + 1)
def _means_of_one(logit_std: float) -> tuple[float, Floats, Floats, Floats]:
    """Return a step, and for τ at such steps e^{−e^τ}, A(τ) and ln φ(τ), each of shape (N,).

    A and 1 − φ are convolutions of e^{y − e^y} and 1 − e^{−e^y} with a normal density, by the
    trapezoidal rule, which is exact to rounding at this step for functions this smooth. No n is in
    them: what one table is made of, 15 MB, serves for every other.
    """
    step = min(0.25, logit_std / 1.5)
    reach = 9.0 * logit_std
    half = int(np.ceil(reach / step))
    tau = np.arange(-45.0 - reach, 5.0 + reach + step, step)
    y = tau[0] + step * np.arange(-half, tau.size + half)
    normal = np.exp(-0.5 * np.square(step * np.arange(-half, half + 1) / logit_std))
    normal /= normal.sum()
    powers = np.exp(np.minimum(y, 7.0))
    size = 1 << int(np.ceil(np.log2(y.size + normal.size)))
    kernel = np.fft.rfft(normal, size)
    linear, lacking = (
        np.fft.irfft(np.fft.rfft(part, size) * kernel, size)[2 * half : 2 * half + tau.size]
        for part in (powers * np.exp(-powers), -np.expm1(-powers))
    )
    with np.errstate(over="ignore"):
        alone = np.exp(-np.exp(tau))
    logs = np.log1p(-np.clip(lacking, 0.0, 1.0 - 1e-16))
    return step, alone, linear.copy(), logs
