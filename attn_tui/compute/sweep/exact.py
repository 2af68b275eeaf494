"""Exact means and medians over drawn vectors, by quadrature and without drawing any.

Given q, the logits of a drawn vector are independent and normal with standard deviation
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
"""Whether a condition holds from a place on, up to it, on all of a range or nowhere."""


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
    """Return σ_c = √(2 ln n), above which a few of n keys hold most of the weight.

    Source: the random energy model, Derrida 1981, Phys. Rev. B 24 (5).

    >>> round(condensation_std(512), 4)
    3.5322
    """
    return sqrt(2.0 * log(n_keys))


def logit_std(scale: Scale, n_keys: int, d_k: int, spread: float = 1.0) -> float:
    """Return σ = m√d_k·σ_qσ_k, the typical standard deviation of the logits of a drawn vector.

    Args:
        scale: The rule.
        n_keys: n.
        d_k: The length of q.
        spread: σ_q·σ_k.
    """
    return scale.multiplier(d_k, n_keys) * spread * sqrt(d_k)


def condensation_d_k(scale: Scale, n_keys: int, spread: float = 1.0) -> tuple[float | None, Where]:
    """Return the d_k at which σ meets σ_c, and on which side of it σ ≥ σ_c.

    The d_k is None if σ ≥ σ_c at every d_k from 1 to 65,536, or at none. Between whole numbers,
    ln σ is interpolated linearly in ln d_k, which is exact if σ is a power of d_k.

    >>> d_k, where = condensation_d_k(Scale("none"), 512)
    >>> round(d_k, 4), where
    (12.4766, 'from')
    >>> condensation_d_k(Scale("inverse-sqrt"), 512)
    (None, 'nowhere')
    """
    return _meeting(D_K, lambda d_k: _excess(scale, n_keys, d_k, spread), log, exp)


def condensation_n(scale: Scale, d_k: int, spread: float = 1.0) -> tuple[float | None, Where]:
    """Return the number of keys at which σ meets σ_c, and on which side of it σ ≥ σ_c.

    The n is None if σ ≥ σ_c at every n from 2 to 100,000, or at none. Between whole numbers,
    ln(σ/σ_c) is interpolated linearly in ln ln n, which is exact if m is a power of ln n: logits
    condense up to n = e^{σ²/2} if m does not depend on n, and from n = e^{2/c²} if σ = c·ln n.

    >>> n, where = condensation_n(Scale("none"), 8)
    >>> round(n, 3), where
    (54.598, 'up to')
    >>> n, where = condensation_n(Scale("ssmax", (("a", 1.0),)), 8)
    >>> round(n, 3), where
    (7.389, 'from')
    """
    return _meeting(
        N_KEYS,
        lambda n_keys: _excess(scale, n_keys, d_k, spread),
        lambda n: log(log(n)),
        lambda x: exp(exp(x)),
    )


def _excess(scale: Scale, n_keys: int, d_k: int, spread: float) -> float:
    """Return ln(σ/σ_c)."""
    sigma = logit_std(scale, n_keys, d_k, spread)
    return (log(sigma) if sigma > 0.0 else -inf) - log(condensation_std(n_keys))


def _meeting(
    scale: LogScale,
    excess: Callable[[int], float],
    along: Callable[[float], float],
    back: Callable[[float], float],
) -> tuple[float | None, Where]:
    """Return where a monotone function passes 0, and on which side it is 0 or more.

    Args:
        scale: The range of whole numbers to search.
        excess: The function.
        along: A transform of its argument in which it is interpolated linearly.
        back: The inverse of that transform.
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
"""The range of σ in which means over vectors are tabulated, and the degree of the polynomials."""


@dataclass(frozen=True)
class Exact:
    """The exact mean and median of a statistic of a drawn vector; None where no formula is used."""

    mean: float | None = None
    median: float | None = None

    def times(self, factor: float) -> "Exact":
        """Return the mean and median of the statistic multiplied by a factor."""
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
        of_gaps: The statistic as a monotone function of the gap of the two logits.
        d_k: The length of q.
        multiplier: m.
    """
    gap = np.array(multiplier * sqrt(2.0) * median_size(d_k))
    return Exact(float(_over_gaps(of_gaps, d_k, multiplier).sum()), float(of_gaps(gap)))


def _over_gaps(of_gaps: Callable[[Floats], Floats], d_k: int, multiplier: float) -> Floats:
    """Return the terms of a mean over the gaps of two logits, one for each node of ‖q‖."""
    r, w = query_norm_law(d_k)
    # The absolute value of a normal number is e^t; t is integrated by the trapezoidal rule, from
    # where the gap is negligible.
    t = np.arange(-30.0 - log(max(multiplier * r[-1], 1.0)), 3.3, 0.15)
    size = np.exp(t)
    v = np.exp(t - 0.5 * size**2)
    v /= v.sum()
    gaps = multiplier * sqrt(2.0) * np.multiply.outer(r, size)
    return np.asarray(w * (of_gaps(gaps) @ v))


def two_maxima(gaps: Floats) -> Floats:
    """Return the larger weight of two logits, for each gap between them."""
    return np.asarray(1.0 / (1.0 + np.exp(-gaps)))


def two_entropies(gaps: Floats) -> Floats:
    """Return H in nats of two logits, for each gap between them."""
    less = np.exp(-gaps)
    return np.asarray(np.log1p(less) + gaps * less / (1.0 + less))


def two_traces(gaps: Floats) -> Floats:
    """Return tr J = ‖J‖_F = 2p_1p_2 of two logits, for each gap between them."""
    less = np.exp(-gaps)
    return np.asarray(2.0 * less / np.square(1.0 + less))


def mean_query_gradient(n_keys: int, d_k: int, multiplier: float) -> float | None:
    """Return E‖Kᵀ J v‖ over drawn vectors, or None for more than two keys.

    The norm is p_1p_2·‖k_1 − k_2‖·|v_1 − v_2|, with E|v_1 − v_2| = 2/√π. For the mean, q and
    k_1 − k_2, which is √2 times as long, exchange their roles.
    """
    if n_keys != 2:
        return None
    parts = _over_gaps(two_traces, d_k, multiplier)
    return float(parts @ query_norm_law(d_k)[0]) * sqrt(2.0 / pi)


def mean_logit_std(n_keys: int, d_k: int, multiplier: float) -> float:
    """Return the mean standard deviation of a vector's logits.

    It is m·E‖q‖ times the mean standard deviation of n standard normal numbers.
    """
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
    """Return E[tr J] over drawn vectors, or None where σ exceeds the tabulated range."""
    return _over_queries(trace_at, n_keys, d_k, multiplier)


def mean_entropy(n_keys: int, d_k: int, multiplier: float) -> float | None:
    """Return E[H] in nats over drawn vectors, or None where σ exceeds the tabulated range."""
    return _over_queries(entropy_at, n_keys, d_k, multiplier)


def _over_queries(
    mean_at: Callable[[int, float], float], n_keys: int, d_k: int, multiplier: float
) -> float | None:
    r, w = query_norm_law(d_k)
    stds = multiplier * r
    if stds[-1] > _LARGEST_STD:
        return None
    # At small σ the mean is flat − curvature·σ² + O(σ⁴).
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
    """Return ln of a mean as a polynomial in ln σ, which is cheaper than many quadratures."""
    domain = [log(_LEAST_STD), log(_LARGEST_STD)]
    return Chebyshev.interpolate(
        lambda logs: np.array([log(mean_at(n_keys, float(np.exp(x)))) for x in logs]),
        _DEGREE,
        domain=domain,
    )


def trace_at(n_keys: int, logit_std: float) -> float:
    """Return E[tr J] for n independent normal logits of standard deviation σ above 0.

    With S = Σ e^{z_i} and 1/S² = ∫ t e^{−tS} dt, E[Σ_{i≠j} p_i p_j] is an integral over
    τ = ln t of products of means over single keys:
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
    """Return E[H] = E[ln S] − E[Σ p_i z_i]; the last term is σ²·E[tr J] by Stein's identity."""
    return log_sum_at(n_keys, logit_std) - logit_std**2 * trace_at(n_keys, logit_std)


@lru_cache(maxsize=_DEGREE + 1)
def _means_of_one(logit_std: float) -> tuple[float, Floats, Floats, Floats]:
    """Return the step of τ, and e^{−e^τ}, A(τ) and ln φ(τ) at each τ, each of shape (N,).

    A and 1 − φ are convolutions of e^{y − e^y} and 1 − e^{−e^y} with a normal density. They are
    computed by the trapezoidal rule, which at this step is exact to rounding for functions this
    smooth. They do not depend on n, so the cached arrays, 15 MB, serve the tables of every n.
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
