"""The samples of checks, which are q·k and rows of weights; and evidence computed from them."""

from collections.abc import Mapping, Sequence
from math import hypot, log, sqrt

import numpy as np
from numpy.typing import NDArray

from attn_tui.claims.claim import Evidence
from attn_tui.claims.trial import Trial
from attn_tui.compute.arrays import Floats
from attn_tui.compute.dots.draws import Draws, Streams
from attn_tui.compute.dots.moments import PowerSums, Readouts, read
from attn_tui.compute.errors import InputError
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.sample import Number
from attn_tui.compute.scale import NONE, Scale
from attn_tui.compute.sweep.draws import cost, unit_logs, unit_rows, units
from attn_tui.compute.sweep.points import Summary, summarise
from attn_tui.compute.sweep.readouts import READOUTS, ROWS, log_statistics
from attn_tui.compute.sweep.settings import SweepStatistic

SATURATED = 0.99
"""A row is saturated if its largest weight exceeds this."""

SIDES = {"unscaled": NONE, "scaled": Scale()}
"""The rule on each side of a comparison."""

_MOST, _STREAMS = 500_000_000, 5_000
"""The most numbers processed for a claim, which takes some seconds; and how many of them cost as
much as starting the streams of a row."""

# q·k


def sampled(law: DotLaw, trial: Trial) -> Readouts:
    """Return the statistics of the q·k drawn in a trial; draws at another d_k are independent."""
    draws, sums, left = Draws(law, Streams(trial.seed, law.d_k)), PowerSums(), trial.draws
    while left:
        count = min(left, draws.at_once)
        sums += PowerSums.of(draws.take(count), law)
        left -= count
    return read(sums, law)


def rows_of_scores(d_k: int, n: int, trial: Trial) -> Floats:
    """Return scores of n keys with one query, shape (draws, n): ‖q‖ times standard normals.

    They are unscaled, and follow exactly the law of normal entries.
    """
    streams = Streams(trial.seed, d_k, n)
    norms = np.sqrt(2.0 * streams[0].standard_gamma(d_k / 2, trial.draws))
    scores: Floats = norms[:, None] * streams[1].standard_normal((trial.draws, n))
    return scores


def variance_of(values: Floats, kurtosis: float, exact: float) -> Number:
    """Return the variance of a sample, shape (draws,), from a law of known kurtosis."""
    count = values.size
    spread = max(kurtosis - (count - 3) / (count - 1), 0.0)
    return Number(float(values.var(ddof=1)), exact * sqrt(spread / count), exact)


def share(flags: NDArray[np.bool_]) -> Number:
    """Return the share of true values, with an error that is above 0 even for shares 0 and 1."""
    part, count = float(flags.mean()), flags.size
    return Number(part, sqrt(max(part * (1.0 - part), 1.0 / count) / count))


def over(name: str, one: Number, other: Number, stated: float | None = None) -> Evidence:
    """Return the ratio of two independent numbers as evidence, with its error to first order."""
    error = hypot(one.standard_error / one.value, other.standard_error / other.value)
    exact = one.exact / other.exact if one.exact and other.exact else None
    ratio = one.value / other.value
    return Evidence(name, ratio, abs(ratio) * error, stated, exact)


def above(name: str, one: Number, other: Number) -> Evidence:
    """Return the difference of two independent numbers as evidence."""
    exact = None if one.exact is None or other.exact is None else one.exact - other.exact
    error = hypot(one.standard_error, other.standard_error)
    return Evidence(name, one.value - other.value, error, exact=exact)


def power(name: str, ends: tuple[int, int], numbers: Sequence[Number], stated: float) -> Evidence:
    """Return the power of d_k by which a number grows between two d_k, as evidence."""
    low, high = ends
    name, rise = f"{name}, {low:,} to {high:,}", log(high / low)
    ratio = over(name, numbers[-1], numbers[0])
    error = (ratio.standard_error or 0.0) / ratio.value
    exact = None if ratio.exact is None else log(ratio.exact) / rise
    return Evidence(name, log(ratio.value) / rise, error / rise, stated, exact)


# Rows of weights


def check_cost(n: int, draws: int, evaluations: int, d_k: int = 1) -> None:
    """Check that rows are not too many to evaluate this often, with q of d_k entries.

    Raises:
        InputError: If there are too many rows.
    """
    most = max(_MOST // (evaluations * cost(n, 1) + 3 * (n + d_k) + _STREAMS), 2)
    if draws > most:
        problem = f"{draws:,} rows of {n:,} keys are too many"
        raise InputError("draws", problem, f"at most {most:,}")


def row_logs(
    trial: Trial, statistic: SweepStatistic, rules: Sequence[Scale], d_ks: Sequence[int]
) -> dict[tuple[Scale, int], Floats]:
    """Return ln of a statistic of each drawn row, shape (draws,), for each rule and d_k.

    Raises:
        InputError: If there are too many rows.
    """
    check_cost(trial.n, trial.draws, len(d_ks) * len(rules), max(d_ks))
    multipliers = {(rule, d_k): rule.multiplier(d_k, trial.n) for rule in rules for d_k in d_ks}
    parts: dict[tuple[Scale, int], list[Floats]] = {place: [] for place in multipliers}
    # All evaluations of a unit together, so that its vectors are drawn only once.
    for unit in units(trial.seed, trial.n, trial.draws, tuple(sorted(d_ks))):
        for (rule, d_k), multiplier in multipliers.items():
            parts[rule, d_k].append(unit_logs(unit, d_k, multiplier)[ROWS[statistic]])
    factor = READOUTS[statistic].factor
    return {
        place: np.concatenate(parts[place]) + log(factor(multiplier, 1.0))
        for place, multiplier in multipliers.items()
    }


def sides(trial: Trial, statistic: SweepStatistic) -> dict[str, Floats]:
    """Return ln of a statistic of the same rows, shape (draws,), unscaled and under 1/√d_k."""
    logs = row_logs(trial, statistic, [*SIDES.values()], (trial.d_k,))
    return {side: logs[rule, trial.d_k] for side, rule in SIDES.items()}


def logs_at_stds(trial: Trial, logit_stds: Sequence[float]) -> dict[float, Floats]:
    """Return ln of statistics of rows of normal logits, for each standard deviation.

    Each has shape (statistics, draws), with a row for each of `ROWS`.

    Raises:
        InputError: If there are too many rows.
    """
    check_cost(trial.n, trial.draws, len(logit_stds))
    parts: dict[float, list[Floats]] = {std: [] for std in logit_stds}
    for unit in units(trial.seed, trial.n, trial.draws, ()):
        rows, unknown = unit_rows(unit), np.full(unit.size, np.nan)
        for std, logs in parts.items():
            logs.append(log_statistics(rows, np.full(unit.size, std), unknown))
    return {std: np.concatenate(logs, axis=1) for std, logs in parts.items()}


def summary(logs: Floats) -> Summary:
    """Return the summary of a statistic from its logarithms, shape (draws,)."""
    return summarise(logs[None])[0]


def median(name: str, logs: Floats) -> Evidence:
    """Return the median of a statistic as evidence, from its logarithms."""
    rows = summary(logs)
    return Evidence(name, rows.median, rows.median_standard_error)


def mean(name: str, logs: Floats) -> Evidence:
    """Return the mean of a statistic as evidence, from its logarithms."""
    rows = summary(logs)
    return Evidence(name, rows.mean, rows.mean_standard_error)


def medians(name: str, by_side: Mapping[str, Floats]) -> list[Evidence]:
    """Return the medians of a statistic, unscaled and scaled, as evidence."""
    return [median(f"median {name}, {side}", logs) for side, logs in by_side.items()]
