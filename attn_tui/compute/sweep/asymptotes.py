"""What statistics of drawn vectors tend to as logits grow, and where logits condense."""

from collections.abc import Callable
from functools import lru_cache
from math import erfc, exp, inf, log, sqrt
from typing import Literal

import numpy as np

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
