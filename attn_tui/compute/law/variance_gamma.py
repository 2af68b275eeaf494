"""The exact law of q·k for standard normal entries: the variance-gamma law.

Given q, q·k is normal with variance R = ‖q‖², and R has the chi-square law with d = d_k degrees of
freedom. With correlation ρ between q_i and k_i, it is normal with mean ρR and variance (1 − ρ²)R.
Source of the law: Madan, Carr & Chang 1998, European Finance Review 2 (1).
"""

from collections.abc import Callable, Iterable
from math import erf, erfc, exp, expm1, inf, lgamma, log, log1p, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from attn_tui.compute.arrays import Floats

_ABSCISSAS, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def stirling_rest(a: float) -> float:
    """Return ln Γ(a) less Stirling's (a − ½) ln a − a + ½ ln 2π, accurate even for large a.

    >>> round(stirling_rest(1.0), 12)
    0.081061466795
    """
    if a < 16.0:
        return lgamma(a) - ((a - 0.5) * log(a) - a + 0.5 * log(2.0 * pi))
    inverse = 1.0 / (a * a)
    series = 1 / 12 - inverse * (
        1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse * (1 / 1188)))
    )
    return series / a


def mean_root(d: int) -> float:
    """Return E[√R] for R of the chi-square law with d degrees of freedom: √2·Γ((d+1)/2)/Γ(d/2).

    >>> mean_root(2) == sqrt(pi / 2)
    True
    """
    if d <= 32:
        return sqrt(2.0) * exp(lgamma((d + 1) / 2) - lgamma(d / 2))
    a = d / 2
    rest = stirling_rest(a + 0.5) - stirling_rest(a)
    return sqrt(d) * exp(a * log1p(0.5 / a) - 0.5 + rest)


def nodes(d: int, breaks: Iterable[float] = (), depth: float = 42.0) -> tuple[Floats, Floats]:
    """Return nodes R and weights w, both of shape (M,), with Σ w = 1 and E[g(R)] = Σ w·g(R).

    With R = d·e^u, the density of u is proportional to exp(−d/2·(e^u − 1 − u)), which is smooth
    and has one peak. It is covered by panels of 16 Gauss–Legendre nodes, each no wider than the
    peak.

    Args:
        d: Degrees of freedom, at least 1.
        breaks: Values of R where g bends or jumps; they become edges of panels.
        depth: Nodes extend to where the density of u has fallen to e^−depth of its peak.
    """
    half = d / 2
    reach = depth / half
    low, high = _where(reach, -1.0 - reach), _where(reach, log1p(reach) + 2.0)
    width = min(1.0, 1.0 / sqrt(half))
    count = int(np.ceil((high - low) / width))
    inside = [log(r / d) for r in breaks if r > 0.0]
    edges = np.union1d(np.linspace(low, high, count + 1), [u for u in inside if low < u < high])
    middles, halves = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    u = (middles[:, None] + halves[:, None] * _ABSCISSAS).ravel()
    weights = (halves[:, None] * _WEIGHTS).ravel() * np.exp(-half * (np.expm1(u) - u))
    return d * np.exp(u), weights / weights.sum()


def _where(level: float, end: float) -> float:
    """Return the u between 0 and an end at which e^u − 1 − u reaches a level, or just beyond it."""
    low, high = 0.0, end
    for _ in range(50):
        middle = (low + high) / 2
        if expm1(middle) - middle < level:
            low = middle
        else:
            high = middle
    return high


_DEPTH = 42.0
"""Integrands are followed to where they have fallen to e^−42 of their largest value."""

_AT_ONCE = 2**9
"""Places at which the density is computed at once, each from about 500 numbers."""


def mean_size(d: int, correlation: float = 0.0) -> float:
    """Return E|q·k|; 2Γ((d+1)/2)/(√π Γ(d/2)) without correlation.

    >>> round(mean_size(2), 12)
    1.0
    """
    if correlation == 0.0:
        return sqrt(2.0 / pi) * mean_root(d)
    if abs(correlation) == 1.0:
        return float(d)
    squares, weights = nodes(d)
    spread = np.sqrt((1.0 - correlation**2) * squares)
    mean = correlation * squares
    ratio = mean / spread
    sizes = spread * sqrt(2.0 / pi) * np.exp(-np.square(ratio) / 2.0)
    sizes += mean * _applied(erf, ratio / sqrt(2.0))
    return float(weights @ sizes)


def coverage(bound: float, d: int, correlation: float = 0.0) -> float:
    """Return the probability that |q·k| is at most a bound.

    >>> round(coverage(2 * sqrt(2.0), 2), 4)
    0.9409
    """
    if not bound > 0.0:
        return 0.0
    share = _inside(bound, d, abs(correlation), 42.0)
    return share if share > 1e-3 else _inside(bound, d, abs(correlation), 700.0)


def outside(bound: float, d: int) -> float:
    """Return the probability that |q·k| exceeds a bound, without correlation.

    It keeps its precision even where it is far too small to be computed as 1 − `coverage`.

    >>> f"{outside(10.0, 2):.6e}"
    '4.539993e-05'
    """
    squares, weights = nodes(d, (), 700.0)
    with np.errstate(under="ignore", divide="ignore"):
        return float(weights @ _applied(erfc, bound / np.sqrt(2.0 * squares)))


def _inside(bound: float, d: int, size: float, depth: float) -> float:
    """Return the coverage from nodes that extend to e^−depth, as small as the coverage itself."""
    if size == 1.0:
        squares, weights = nodes(d, (bound,), depth)
        return float(weights[squares <= bound].sum())
    narrow = 1.0 - size**2
    bends: list[float] = []
    if size > 0.0:
        # Around this R the probability of being inside falls from 1 to 0.
        middle = bound / size
        width = sqrt(narrow * middle) / size
        bends = [middle + width * steps for steps in (-8, -4, -2, -1, 0, 1, 2, 4, 8)]
    squares, weights = nodes(d, bends, depth)
    spread = np.sqrt(2.0 * narrow * squares)
    with np.errstate(divide="ignore"):
        low, high = (bound + size * squares) / spread, (bound - size * squares) / spread
    # Far out both erf are 1 up to rounding, so their difference is taken from erfc.
    beyond = _applied(erfc, -high) - _applied(erfc, low)
    inside = np.where(high < 0.0, beyond, _applied(erf, high) + _applied(erf, low))
    return float(weights @ inside) / 2.0


def density(x: ArrayLike, d: int, correlation: float = 0.0) -> Floats:
    """Return the density of q·k at x, of any shape; infinite at 0 if d is 1.

    Without correlation it is |x|^ν K_ν(|x|)/(2^ν √π Γ(d/2)) with ν = (d − 1)/2.

    >>> density([0.0, 1.0], 2).round(6).tolist()
    [0.5, 0.18394]
    """
    with np.errstate(under="ignore", over="ignore"):
        return np.exp(log_density(x, d, correlation))


def log_density(x: ArrayLike, d: int, correlation: float = 0.0) -> Floats:
    """Return the natural logarithm of `density`, even where that underflows."""
    values = np.asarray(x, dtype=np.float64)
    if abs(correlation) == 1.0:
        return _log_chi_square(values * correlation, d)
    narrow = 1.0 - correlation**2
    flat = np.abs(values).ravel() / narrow
    logs = np.empty(flat.size)
    for start in range(0, flat.size, _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        logs[part] = _log_symmetric(flat[part], d)
    if correlation != 0.0:
        logs += (d / 2 - 1.0) * log(narrow) + correlation * values.ravel() / narrow
    return logs.reshape(values.shape)


def _log_symmetric(x: Floats, d: int) -> Floats:
    """Return the logarithm of the density without correlation at x ≥ 0, shape (n,).

    With R = r·e^u, the integrand of ∫ N(x; 0, R) dP(R) is exp(−ψ(u)) times a factor that does not
    depend on u, where r = ν + √(ν² + x²) is the peak and
    ψ(u) = r/2·(e^u − 1 − u) + x²/2r·(e^−u − 1 + u). The trapezoidal rule converges exponentially
    for such an integrand.
    """
    nu = (d - 1) / 2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        size = np.hypot(nu, x)
        peak = nu + size
        share = x * (x / peak)
        right, left = peak[:, None] / 2, share[:, None] / 2

        def fall(u: Floats) -> Floats:
            return right * (np.expm1(u) - u) + left * (np.expm1(-u) + u)

        low, high = _edge(fall, x.size, -700.0), _edge(fall, x.size, 700.0)
        step = np.minimum(0.25, 0.7 / np.sqrt(size))[:, None]
        count = int(np.ceil(((high - low) / step).max(initial=0.0, where=peak[:, None] > 0.0))) + 1
        u = low + (high - low) * (np.arange(count + 1) / count)
        area = np.exp(-fall(u)).sum(axis=1) * ((high - low) / count)[:, 0]
        logs = (
            (nu * np.log1p((share - 1.0) / d) if nu else 0.0)
            + (0.5 - share)
            + np.log(area)
            - (log(2.0 * pi) + log(2.0) / 2.0 + stirling_rest(d / 2))
        )
    return np.where(peak > 0.0, logs, inf)


def _edge(fall: Callable[[Floats], Floats], rows: int, end: float) -> Floats:
    """Return a u for each row beyond which the fall exceeds `_DEPTH`, shape (rows, 1)."""
    low, high = np.zeros((rows, 1)), np.full((rows, 1), end)
    for _ in range(20):
        middle = (low + high) / 2
        inside = fall(middle) < _DEPTH
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return high


def _log_chi_square(x: Floats, d: int) -> Floats:
    """Return the logarithm of the chi-square density, which is that of q·q; −∞ below 0."""
    half = d / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = x / d
        logs = half * (np.log(ratio) - (ratio - 1.0)) - np.log(x)
        logs += log(half / (2.0 * pi)) / 2 - stirling_rest(half)
    at_zero = {1: inf, 2: -log(2.0)}.get(d, -inf)
    return np.where(x > 0.0, logs, np.where(x == 0.0, at_zero, -inf))


def _applied(function: Callable[[float], float], values: Floats) -> Floats:
    return np.fromiter(map(function, values.tolist()), np.float64, values.size)
