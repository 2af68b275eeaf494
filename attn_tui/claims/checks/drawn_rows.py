"""Rows of weights that are drawn for a claim: each row's statistics, and what they cost."""

from collections.abc import Sequence
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from attn_tui.claims.claim import Evidence
from attn_tui.claims.trial import Trial
from attn_tui.compute.errors import InputError
from attn_tui.compute.number import Number
from attn_tui.compute.scale import parse_scale
from attn_tui.compute.sweep.draws import cost, unit_logs, unit_rows, units
from attn_tui.compute.sweep.readouts import READOUTS, ROWS, log_statistics
from attn_tui.compute.sweep.settings import Statistic
from attn_tui.compute.sweep.summary import Summary, summarise

Floats = NDArray[np.float64]

_MOST, _STREAMS = 500_000_000, 5_000
"""So many numbers are worked on for a claim at most, some seconds; and to begin the streams of a
row takes as long as so many."""


def check_cost(n: int, draws: int, evaluations: int, d_k: int = 1) -> None:
    """Check that rows can be evaluated so many times each, with q of d_k entries.

    Raises:
        InputError: If there are too many.
    """
    most = max(_MOST // (evaluations * cost(n, 1) + 3 * (n + d_k) + _STREAMS), 2)
    if draws > most:
        problem = f"{draws:,} rows of {n:,} keys are too many"
        raise InputError("draws", problem, f"at most {most:,}")


def row_logs(
    trial: Trial, statistic: Statistic, rules: Sequence[str], d_ks: Sequence[int]
) -> dict[tuple[str, int], Floats]:
    """Return ln of a statistic of each drawn row, shape (draws,), for each rule and d_k.

    Raises:
        InputError: If there are too many rows.
    """
    check_cost(trial.n, trial.draws, len(d_ks) * len(rules), max(d_ks))
    multipliers = {
        (rule, d_k): parse_scale(rule).multiplier(d_k, trial.n) for rule in rules for d_k in d_ks
    }
    parts: dict[tuple[str, int], list[Floats]] = {place: [] for place in multipliers}
    # Vectors are drawn once where all that is asked of a unit is asked together.
    for unit in units(trial.seed, trial.n, trial.draws, tuple(sorted(d_ks))):
        for (rule, d_k), multiplier in multipliers.items():
            parts[rule, d_k].append(unit_logs(unit, d_k, multiplier)[ROWS[statistic]])
    factor = READOUTS[statistic].factor
    return {
        place: np.concatenate(parts[place]) + log(factor(multiplier))
        for place, multiplier in multipliers.items()
    }


def logs_at_stds(trial: Trial, logit_stds: Sequence[float]) -> dict[float, Floats]:
    """Return ln of statistics of rows of normal logits, for each standard deviation.

    They have the shape (statistics, draws), with a row for each of `ROWS`.

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
    """Return the summary of rows from the logarithms, shape (draws,)."""
    return summarise(logs[None])[0]


def median(name: str, logs: Floats) -> Evidence:
    """Return a median of rows as evidence."""
    found = summary(logs)
    return Evidence(name, found.median, found.median_standard_error)


def mean(name: str, logs: Floats) -> Evidence:
    """Return a mean over rows as evidence."""
    found = summary(logs)
    return Evidence(name, found.mean, found.mean_standard_error)


def share(found: NDArray[np.bool_]) -> Number:
    """Return in what share of draws something is so."""
    part = float(found.mean())
    return Number(part, sqrt(part * (1.0 - part) / found.size))
