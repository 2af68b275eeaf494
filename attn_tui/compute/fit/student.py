"""Quantiles of Student's t, with NumPy only."""

from functools import lru_cache
from math import exp, log, pi, sqrt, tan

import numpy as np

STEPS = 20_000
"""Places at which the tail is known."""


@lru_cache(maxsize=1 << 16)
def t_quantile(confidence: float, df: float) -> float:
    """Return t with P(|T| ≤ t) = confidence, to four digits or more.

    With t = √df/tan φ the density along φ is sinᵈᶠ⁻¹ φ, of which tails are sums along ln φ.

    Args:
        confidence: Above 0; 1 less it may be as small as 1e-12.
        df: Degrees of freedom, 5 or more.

    >>> round(t_quantile(0.95, 5.0), 4)
    2.5706
    """
    tail = max(1.0 - confidence, 1e-15)
    # The tail up to φ is less than 2·φᵈᶠ/df, so that it is tiny where the grid begins.
    least = min(log(tail) / df - 3.0, -10.0)
    along = np.linspace(least, log(pi / 2), STEPS)
    density = np.exp(df * along + (df - 1.0) * np.log(np.sinc(np.exp(along) / pi)))
    sums = np.maximum(np.cumsum(density[1:] + density[:-1]), 1e-300)
    return sqrt(df) / tan(exp(np.interp(log(tail * sums[-1]), np.log(sums), along[1:])))
