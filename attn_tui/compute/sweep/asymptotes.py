"""What statistics of drawn vectors tend to as logits grow, and where logits condense."""

from functools import lru_cache
from math import erfc, exp, inf, log, sqrt

import numpy as np

from attn_tui.compute.log_scale import D_K
from attn_tui.compute.scale import Scale


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


def condensation_d_k(scale: Scale, n_keys: int) -> float | None:
    """Return the d_k at which σ reaches σ_c, or None if it does not from 1 to 65,536.

    Between whole numbers, ln σ is taken as straight over ln d_k, which it is for powers of d_k.

    >>> round(condensation_d_k(Scale("none"), 512), 4)
    12.4766
    >>> condensation_d_k(Scale("inverse-sqrt"), 512)
    """
    target = log(condensation_std(n_keys))

    def excess(d_k: int) -> float:
        return log(logit_std(scale, n_keys, d_k)) - target

    low, high = D_K.minimum, D_K.maximum
    if (excess(low) < 0.0) == (excess(high) < 0.0):
        return None
    start = excess(low) < 0.0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if (excess(middle) < 0.0) == start else (low, middle)
    share = excess(low) / (excess(low) - excess(high))
    return exp((1.0 - share) * log(low) + share * log(high))


def condensation_n(scale: Scale, d_k: int) -> float:
    """Return the number of keys at which σ_c reaches σ, by the multiplier at n = 2; e^{σ²/2}.

    >>> round(condensation_n(Scale("none"), 8), 3)
    54.598
    """
    exponent = logit_std(scale, 2, d_k) ** 2 / 2.0
    return exp(exponent) if exponent < 700.0 else inf


def condensed(n_keys: int, logit_std: float) -> float | None:
    """Return r = σ_c/σ, or None up to condensation, where r ≥ 1.

    To leading order E[Σp²] ≈ 1 − r, so E[tr J] ≈ r, and E[‖J‖_F²] ≈ r(1 − r)/3.
    """
    r = condensation_std(n_keys) / logit_std
    return r if r < 1.0 else None
