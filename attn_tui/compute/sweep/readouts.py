"""The statistics of drawn vectors: their names, how they are computed, and their exact values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log, log2

import numpy as np

from attn_tui.compute.arrays import Floats
from attn_tui.compute.setup import UNIT_SPREAD, Spread
from attn_tui.compute.sweep.exact import (
    Exact,
    mean_entropy,
    mean_logit_std,
    mean_query_gradient,
    mean_trace,
    two_entropies,
    two_keys,
    two_maxima,
    two_traces,
)
from attn_tui.compute.sweep.rows import DrawnVectors, DrawnWeights
from attn_tui.compute.sweep.settings import STATISTICS, SweepStatistic

At = Callable[[int, int, float], float | None]
"""A function of n, d_k and m to a number, or None where there is no number."""


@dataclass(frozen=True)
class Readout:
    """One statistic; its name in JSON and on the command line is in `settings.Statistic`.

    Attributes:
        symbol: Its symbol in a formula.
        words: Its description, with its unit.
        short: Its name in a word or two.
        logs: Computes its natural logarithms from drawn weights, without the factor.
        factor: A factor as a function of m and σ_k, which multiplies e^``logs`` and all that is
            derived from it. Statistics that share ``logs`` are computed once.
        bound: An upper bound as a function of n, or None.
        two: The statistic for two keys as a monotone function of the gap between their logits, or
            None if it is not one; without the factor, as ``mean``.
        mean: Its exact mean, if known; for two keys it follows from ``two`` instead.
    """

    symbol: str
    words: str
    short: str
    logs: Callable[[DrawnWeights], Floats]
    factor: Callable[[float, float], float] = lambda m, sigma_k: 1.0
    bound: Callable[[int], float | None] = lambda n_keys: None
    two: Callable[[Floats], Floats] | None = None
    mean: At = lambda n_keys, d_k, m: None


_ENTROPY = Readout(
    "H", "the entropy of the weights, in nats", "entropy",
    DrawnWeights.entropy, bound=log, two=two_entropies, mean=mean_entropy,
)  # fmt: skip

_JACOBIAN = Readout(
    "‖J‖_F", "the Frobenius norm of J = ∂p/∂z, weights by logits", "Jacobian by z",
    DrawnWeights.jacobian, bound=lambda n_keys: 0.5, two=two_traces,
)  # fmt: skip

READOUTS: Mapping[SweepStatistic, Readout] = {
    "max_weight": Readout(
        "max p", "the largest weight of a key", "largest weight",
        DrawnWeights.max_weight, bound=lambda n_keys: 1.0, two=two_maxima,
    ),
    "entropy": _ENTROPY,
    "effective_keys": Readout(
        "e^H", "the effective number of keys", "effective keys",
        DrawnWeights.effective_keys, bound=float, two=lambda gaps: np.exp(two_entropies(gaps)),
    ),
    "jacobian": _JACOBIAN,
    "gradient": replace(
        _JACOBIAN, symbol="‖∂p/∂s‖_F", short="gradient by s",
        words="the Frobenius norm of ∂p/∂s = m·J, weights by scores",
        factor=lambda m, sigma_k: m, bound=lambda n_keys: None,
    ),
    "trace": Readout(
        "tr J", "the trace of J = ∂p/∂z, 1 − Σp²", "trace of J",
        DrawnWeights.trace, bound=lambda n_keys: 1.0, two=two_traces, mean=mean_trace,
    ),
    "query_gradient": Readout(
        "‖∂L/∂q‖", "the norm of ∂L/∂q = m·Kᵀ·J·V·∂L/∂o, with V·∂L/∂o ~ N(0, I)", "gradient by q",
        DrawnWeights.query_gradient, factor=lambda m, sigma_k: m * sigma_k,
        mean=mean_query_gradient,
    ),
    "entropy_bits": replace(
        _ENTROPY, symbol="H bits", words="the entropy of the weights, in bits",
        short="entropy in bits", factor=lambda m, sigma_k: 1.0 / log(2.0), bound=log2,
    ),
    "logit_std": Readout(
        "σ(z)", "the standard deviation of a vector's n logits", "spread of the logits",
        DrawnWeights.logit_std, two=lambda gaps: gaps / 2.0, mean=mean_logit_std,
    ),
    "lead_weight": Readout(
        "p₀", "the weight of key 0, the one that leads", "weight of key 0",
        DrawnWeights.lead_weight, bound=lambda n_keys: 1.0,
        # Without a lead all keys are alike.
        mean=lambda n_keys, d_k, m: 1.0 / n_keys,
    ),
}  # fmt: skip
"""Every statistic by its name, in the order of `settings.STATISTICS`."""

assert tuple(READOUTS) == STATISTICS

_DRAWN = tuple(dict.fromkeys(readout.logs for readout in READOUTS.values()))

ROWS: Mapping[SweepStatistic, int] = {
    name: _DRAWN.index(readout.logs) for name, readout in READOUTS.items()
}
"""The row of `log_statistics` from which each statistic is computed, by its factor."""


def log_statistics(
    vectors: DrawnVectors, logit_std: Floats, across: Floats, sink: float | None = None
) -> Floats:
    """Return the logarithms of statistics without their factors, in the rows given by `ROWS`.

    Args:
        vectors: B vectors.
        logit_std: σ = m‖q‖ of each vector, shape (B,), at least 0.
        across: χ² with d_k − 1 degrees of freedom for each vector, shape (B,), at least 0, or NaN.
        sink: The logit of a sink, which takes part in the weight of key 0 alone; None for none.

    >>> from attn_tui.compute.sweep.rows import rows
    >>> two = rows(np.array([[0.0, 1.0]]), np.array([[0.0, 1.0]]))
    >>> np.exp(log_statistics(two, np.array([0.0]), np.array([0.0]))).round(4)[:3]
    array([[0.5   ],
           [0.6931],
           [2.    ]])
    """
    weights = DrawnWeights(vectors, logit_std, across, sink)
    return np.array([logs(weights) for logs in _DRAWN])


@lru_cache(maxsize=4096)
def exact(
    statistic: SweepStatistic,
    n_keys: int,
    d_k: int,
    multiplier: float,
    spread: Spread = UNIT_SPREAD,
) -> Exact:
    """Return the exact mean and median of a statistic over drawn vectors, as far as known.

    Args:
        statistic: The statistic.
        n_keys: n, at least 2.
        d_k: The length of q.
        multiplier: m; above 1e300 it is taken as 1e300, which saturates just the same.
        spread: How widely q and k are spread.
    """
    readout, m = READOUTS[statistic], min(multiplier, 1e300)
    # Weights see the product of m, σ_q and σ_k alone.
    of_weights = min(m * spread.scores, 1e300)
    if n_keys == 2 and readout.two:
        value = two_keys(readout.two, d_k, of_weights)
    else:
        value = Exact(readout.mean(n_keys, d_k, of_weights))
    return value.times(readout.factor(m, spread.k))
