"""Claims about rows of weights that saturate: what dies with them, and what does not."""

from collections.abc import Iterator
from dataclasses import replace
from math import exp, inf, log, sqrt

import numpy as np
from numpy.typing import NDArray

from attn_tui.claims.checks.crossover import RULE
from attn_tui.claims.checks.drawn_rows import (
    check_cost,
    logs_at_stds,
    mean,
    median,
    row_logs,
    summary,
)
from attn_tui.claims.claim import Case, Curve, Evidence, Picture, Stated
from attn_tui.claims.trial import Trial
from attn_tui.compute.evaluation import evaluate
from attn_tui.compute.logit_map import LogitMap
from attn_tui.compute.precision import Precision
from attn_tui.compute.stream import stream
from attn_tui.compute.sweep.asymptotes import condensation_std, mean_largest
from attn_tui.compute.sweep.readouts import ROWS
from attn_tui.compute.sweep.settings import Statistic
from attn_tui.library import softmax, statistics

Numbers = NDArray[np.float64]


SATURATED = 0.99
"""A row saturates where one weight exceeds this."""


def _rows_at(trial: Trial, statistic: Statistic, rule: str) -> Numbers:
    """Return ln of a statistic of rows drawn at a trial's d_k, shape (draws,)."""
    return row_logs(trial, statistic, (rule,), (trial.d_k,))[rule, trial.d_k]


def _both_sides(trial: Trial, statistic: Statistic) -> tuple[Numbers, Numbers]:
    """Return ln of a statistic of the same rows unscaled and scaled, each of shape (draws,)."""
    logs = row_logs(trial, statistic, ("none", RULE), (trial.d_k,))
    return logs["none", trial.d_k], logs[RULE, trial.d_k]


def small_gradients(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare the gradients by q and by V of rows that saturate with those of rows that do not."""
    weight = median("median max p, unscaled", _both_sides(trial, "max_weight")[0])
    is_saturated = weight.value > SATURATED
    by_query, traces = _both_sides(trial, "query_gradient"), _both_sides(trial, "trace")
    # Σp² = 1 − tr J, and ‖∂L/∂V‖_F is its root for ‖∂L/∂o‖ = 1.
    by_values = tuple(0.5 * np.log1p(-np.exp(logs)) for logs in traces)
    for symbol, pair in (("∂L/∂q", by_query), ("∂L/∂V", by_values)):
        unscaled, scaled = (
            median(f"median ‖{symbol}‖, {side}", logs)
            for side, logs in zip(("unscaled", "scaled"), pair, strict=True)
        )
        where = f"{symbol}, n = {trial.n:,}, d_k = {trial.d_k:,}"
        holds = unscaled.value < scaled.value if is_saturated else None
        yield Case(where, holds, (unscaled, scaled, weight))


def extreme_weights(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Follow the largest weight and the effective keys of unscaled rows, and take a tie."""
    d_ks = (1, 4, 16, 64, 256, 1024, 4096)
    weights = row_logs(trial, "max_weight", ("none",), d_ks)
    keys = row_logs(trial, "effective_keys", ("none",), d_ks)
    for d_k in (4, 4096):
        weight = median("median max p, unscaled", weights["none", d_k])
        effective = median("median effective keys, unscaled", keys["none", d_k])
        where = f"drawn rows, n = {trial.n:,}, d_k = {d_k:,}"
        yield Case(where, weight.value > SATURATED, (weight, effective))
    tied = Evidence("max p", float(softmax([1000.0, 1000.0, 0.0]).max()), exact=0.5)
    yield Case("scores (1000, 1000, 0)", tied.value > SATURATED, (tied,))
    curves = (
        Curve.of("max p", d_ks, [summary(logs).median for logs in weights.values()]),
        Curve.of("effective keys", d_ks, [summary(logs).median for logs in keys.values()]),
    )
    title = f"medians of unscaled rows, n = {trial.n:,}"
    yield Picture(title, "d_k", curves, log_x=True, log_y=True)


CLEARLY = 1.1
"""A number so many times another is clearly the larger one."""


def more_effective_keys(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare the effective keys of rows, scaled and unscaled, of many keys and of two."""
    for row in (trial, replace(trial, n=2, d_k=2)):
        unscaled, scaled = (
            median(f"median effective keys, {side}", logs)
            for side, logs in zip(
                ("unscaled", "scaled"), _both_sides(row, "effective_keys"), strict=True
            )
        )
        where = f"drawn rows, n = {row.n:,}, d_k = {row.d_k:,}"
        yield Case(where, scaled.value > CLEARLY * unscaled.value, (scaled, unscaled))


_STDS = tuple(2.0**power for power in range(-3, 7))
_PAIRS = ((0.125, 2.0), (4.0, 32.0))
"""Standard deviations of logits: those of a picture, and of them two small and two large ones."""


def larger_variance(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Sweep the standard deviation of normal logits, and the scale of a tie."""
    symbol = "‖∂p/∂z‖_F"
    every = logs_at_stds(trial, _STDS)
    found = {std: logs[ROWS["jacobian"]] for std, logs in every.items()}
    for kind, of, (low, high) in (
        ("mean", mean, _PAIRS[0]), ("mean", mean, _PAIRS[1]), ("median", median, _PAIRS[1])
    ):  # fmt: skip
        two = [of(f"{kind} {symbol} at σ = {std:g}", found[std]) for std in (high, low)]
        where = f"{kind} over rows, n = {trial.n:,}, σ from {low:g} to {high:g}"
        yield Case(where, two[0].value < two[1].value, tuple(two))
    tied = [
        Evidence(
            f"‖∂p/∂z‖_2 at {m:g}·(100, 100, 0)",
            statistics([100 * m, 100 * m, 0.0], wrt="logits").spectral,
            exact=1.0 / (2.0 + exp(-100.0 * m)),
        )
        for m in (1.0, 0.01)
    ]
    yield Case("a tie, m from 0.01 to 1", tied[0].value < tied[1].value, tuple(tied))
    rows = [summary(found[std]) for std in _STDS]
    traces = tuple(summary(logs[ROWS["trace"]]).mean for logs in every.values())
    late = [std for std in _STDS if std > 4.0]
    yield Picture(
        f"∂p/∂z of {trial.n:,} normal logits",
        "standard deviation of the logits",
        (
            Curve(f"mean {symbol}", _STDS, tuple(each.mean for each in rows)),
            Curve(f"median {symbol}", _STDS, tuple(each.median for each in rows)),
            Curve("mean tr ∂p/∂z", _STDS, traces),
            Curve("m_n/σ", tuple(late), tuple(mean_largest(trial.n) / std for std in late)),
        ),
        log_x=True, log_y=True,
    )  # fmt: skip


def bounded(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Compare the largest gradients among unscaled rows at two d_k, of which one is 64 times."""
    d_ks = (4, 16, 64, 256, 1024, 4096)
    curves = []
    statistic: Statistic
    for statistic, symbol, bound in (
        ("jacobian", "‖∂p/∂z‖_F", 0.5), ("query_gradient", "‖∂L/∂q‖", inf)
    ):  # fmt: skip
        logs = row_logs(trial, statistic, ("none",), d_ks)
        sizes = {d_k: exp(float(logs["none", d_k].max())) for d_k in d_ks}
        name = f"largest {symbol}"
        curves.append(Curve(name, tuple(map(float, d_ks)), tuple(sizes.values())))
        far, near = (
            Evidence(f"{name} of {trial.draws:,} rows, d_k = {d_k:,}", sizes[d_k])
            for d_k in (4096, 64)
        )
        holds = far.value <= min(2.0 * near.value, bound)
        where = f"{symbol}, unscaled, n = {trial.n:,}"
        yield Case(where, holds, (far, near))
    yield Picture(
        f"largest gradients of {trial.draws:,} unscaled rows, n = {trial.n:,}", "d_k",
        tuple(curves), log_x=True, log_y=True,
    )  # fmt: skip


def after_scaling(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Look at drawn rows, and at a row with a winner."""
    weight = median("median max p", _rows_at(trial, "max_weight", RULE))
    size = median("median ‖∂p/∂z‖_F", _rows_at(trial, "jacobian", RULE))
    uniform = Evidence("‖∂p/∂z‖_F of equal weights", statistics(np.zeros(trial.n)).frobenius)
    yield Case(
        f"drawn rows, scaled, n = {trial.n:,}, d_k = {trial.d_k:,}",
        weight.value < SATURATED and size.value > uniform.value / 2.0,
        (weight, size, uniform),
    )
    scores = [0.0, 0.0, 400.0]
    found = statistics(scores, 64, wrt="logits")
    yield Case(
        "scores (0, 0, 400), scaled, d_k = 64",
        found.max_weight < SATURATED,
        (Evidence("max p", found.max_weight), Evidence("‖∂p/∂z‖_F", found.frobenius)),
    )


GROWN = 10.0
"""Logits have grown without control where they spread by so many times √(2 ln n)."""


def one_hot(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Look at drawn rows of large logits, and at ties."""
    weight = median("median max p", _rows_at(trial, "max_weight", "none"))
    entropy = median("median entropy in nats", _rows_at(trial, "entropy", "none"))
    spread = sqrt(trial.d_k) / condensation_std(trial.n)
    yield Case(
        f"drawn rows, unscaled, n = {trial.n:,}, d_k = {trial.d_k:,}",
        weight.value > SATURATED if spread >= GROWN else None,
        (weight, entropy, Evidence("σ(z) over √(2 ln n)", spread)),
    )
    tied = float(softmax([1000.0, 1000.0, 0.0]).max())
    evidence = Evidence("max p", tied, exact=0.5)
    yield Case("logits (1000, 1000, 0)", tied > SATURATED, (evidence,))


def gradients_by_length(trial: Trial) -> tuple[Numbers, Numbers, Numbers]:
    """Return ln ‖∂p/∂s‖_F of drawn rows, divided by Σ‖k_j‖ and by √d_k, and ln(e^H/n) of the first.

    Each has shape (draws,). Given q, a key is its normal part along q and χ² across it.

    Raises:
        InputError: If there are too many rows.
    """
    check_cost(trial.n, trial.draws, 20)
    found = np.empty((3, trial.draws))
    for row in range(trial.draws):
        random = stream(trial.seed, row)
        along, across = random.standard_normal(trial.n), np.zeros(trial.n)
        query = np.sqrt(random.chisquare(trial.d_k))
        if trial.d_k > 1:
            across = random.chisquare(trial.d_k - 1, trial.n)
        total = float(np.sqrt(along**2 + across).sum())
        scores = query * along
        by_length = evaluate(scores, LogitMap(1.0 / total), Precision())
        by_root = evaluate(scores, LogitMap(trial.d_k**-0.5), Precision())
        sizes = (each.frobenius("scores")[1] for each in (by_length, by_root))
        found[:, row] = *sizes, by_length.entropy - log(trial.n)
    return found[0], found[1], found[2]


_NS, _FEW = (2, 8, 32, 128, 512), 60
"""The numbers of keys of a picture, and how many rows are drawn at each at most."""


def by_key_lengths(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Compare the median gradient by the scores under both divisors."""
    by_length, by_root, uniform = gradients_by_length(trial)
    found = (
        median("median ‖∂p/∂s‖_F, scores over Σ‖k_j‖", by_length),
        median("median ‖∂p/∂s‖_F, scores over √d_k", by_root),
        mean("mean e^H/n, scores over Σ‖k_j‖", uniform),
    )
    where = f"n = {trial.n:,}, d_k = {trial.d_k:,}"
    yield Case(where, found[0].value > found[1].value, found)
    few = replace(trial, draws=min(trial.draws, _FEW))
    of_n = [gradients_by_length(replace(few, n=n))[:2] for n in _NS]
    names = ("scores over Σ‖k_j‖", "scores over √d_k")
    curves = (
        Curve(name, tuple(map(float, _NS)), tuple(summary(logs).median for logs in column))
        for name, column in zip(names, zip(*of_n, strict=True), strict=True)
    )
    title = f"median ‖∂p/∂s‖_F, d_k = {trial.d_k:,}"
    yield Picture(title, "number of keys", tuple(curves), log_x=True, log_y=True)
