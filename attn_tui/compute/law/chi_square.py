"""Expectations over the chi-square law, by quadrature in the logarithm of its variable."""

from collections.abc import Iterable
from math import exp, expm1, lgamma, log, log1p, pi, sqrt

import numpy as np

from attn_tui.compute.arrays import Floats

_ABSCISSAS, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def stirling_rest(a: float) -> float:
    """Return ln Γ(a) less Stirling's (a − ½) ln a − a + ½ ln 2π, to full precision for large a.

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
    """Return nodes R and weights that sum to 1, so that E[g(R)] = Σ w·g(R); both of shape (M,).

    With R = d·e^u the density of u is proportional to exp(−d/2·(e^u − 1 − u)), smooth and with one
    peak; it is covered with panels of 16 Gauss–Legendre nodes, each no wider than the peak.

    Args:
        d: Degrees of freedom, at least 1.
        breaks: Values of R where g bends or jumps; a panel ends there.
        depth: Nodes reach to where the density of u has fallen to e to minus this.
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
    """Return a u between 0 and an end, on its far side, with e^u − 1 − u at the level."""
    near, far = 0.0, end
    for _ in range(50):
        middle = (near + far) / 2
        if expm1(middle) - middle < level:
            near = middle
        else:
            far = middle
    return far
