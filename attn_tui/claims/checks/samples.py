"""What claims about q·k share: draws of it, ratios and differences of what is drawn."""

from math import hypot, sqrt

import numpy as np
from numpy.typing import NDArray

from attn_tui.claims.claim import Evidence
from attn_tui.claims.trial import Trial
from attn_tui.compute.dots.draws import Draws, Streams
from attn_tui.compute.dots.moments import Readouts, Sums, read
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.number import Number

Floats = NDArray[np.float64]


def sampled(law: DotLaw, trial: Trial) -> Readouts:
    """Return what the draws of a trial say of q·k; those at another d_k are independent."""
    draws, sums, left = Draws(law, Streams(trial.seed, law.d_k)), Sums(), trial.draws
    while left:
        count = min(left, draws.at_once)
        sums += Sums.of(draws.take(count), law)
        left -= count
    return read(sums, law)


def rows_of_scores(d_k: int, n: int, trial: Trial) -> Floats:
    """Return scores of n keys with one query, shape (draws, n): ‖q‖ times standard normals.

    They are unscaled, and exactly of the law of normal entries.
    """
    streams = Streams(trial.seed, d_k, n)
    norms = np.sqrt(2.0 * streams[0].standard_gamma(d_k / 2, trial.draws))
    scores: Floats = norms[:, None] * streams[1].standard_normal((trial.draws, n))
    return scores


def over(name: str, one: Number, other: Number, stated: float | None = None) -> Evidence:
    """Return one independent number over another as evidence, its error to first order."""
    error = hypot(one.standard_error / one.value, other.standard_error / other.value)
    exact = one.exact / other.exact if one.exact and other.exact else None
    ratio = one.value / other.value
    return Evidence(name, ratio, abs(ratio) * error, stated, exact)


def above(name: str, one: Number, other: Number) -> Evidence:
    """Return how far one independent number lies above another as evidence."""
    exact = None if one.exact is None or other.exact is None else one.exact - other.exact
    error = hypot(one.standard_error, other.standard_error)
    return Evidence(name, one.value - other.value, error, exact=exact)


def variance_of(values: Floats, kurtosis: float, exact: float) -> Number:
    """Return the variance of a sample, shape (draws,), of a law whose kurtosis is known."""
    count = values.size
    spread = max(kurtosis - (count - 3) / (count - 1), 0.0)
    return Number(float(values.var(ddof=1)), exact * sqrt(spread / count), exact)
