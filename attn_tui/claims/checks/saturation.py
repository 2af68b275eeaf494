"""Claims about rows of weights that saturate: which gradients vanish, and which do not."""

from collections.abc import Iterator
from dataclasses import replace
from math import exp, inf, log, nan, sqrt

import numpy as np

from attn_tui.claims.checks.samples import (
    SATURATED,
    check_cost,
    logs_at_stds,
    mean,
    median,
    medians,
    row_logs,
    sides,
    summary,
)
from attn_tui.claims.claim import Case, ClaimCurves, Evidence, StatedNumbers
from attn_tui.claims.trial import Trial
from attn_tui.compute.arrays import Floats
from attn_tui.compute.evaluation import evaluate
from attn_tui.compute.numbers import general, interval
from attn_tui.compute.precision import Precision
from attn_tui.compute.sample import stream
from attn_tui.compute.scale import NONE, LogitMap
from attn_tui.compute.sweep.exact import condensation_std, mean_largest
from attn_tui.compute.sweep.readouts import ROWS
from attn_tui.compute.sweep.settings import SweepStatistic
from attn_tui.library import softmax, statistics


def _tie(scores: str) -> Case:
    """Return the case of whether a row saturates if two keys tie at the top."""
    tied = Evidence("max p", float(softmax([1000.0, 1000.0, 0.0]).max()), exact=0.5)
    return Case(f"{scores} (1000, 1000, 0)", tied.value > SATURATED, (tied,))


def small_gradients(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare the gradients by q and V of rows that saturate with those of rows that do not."""
    weight, _ = medians("max p", sides(trial, "max_weight"))
    # Σp² = 1 − tr J, and ‖∂L/∂V‖_F is its root for ‖∂L/∂o‖ = 1.
    traces = sides(trial, "trace").items()
    by_values = {side: 0.5 * np.log1p(-np.exp(logs)) for side, logs in traces}
    for symbol, logs in (("∂L/∂q", sides(trial, "query_gradient")), ("∂L/∂V", by_values)):
        unscaled, scaled = medians(f"‖{symbol}‖", logs)
        holds = unscaled.value < scaled.value if weight.value > SATURATED else None
        where = f"{symbol}, n = {trial.n:,}, d_k = {trial.d_k:,}"
        yield Case(where, holds, (unscaled, scaled, weight))


def extreme_weights(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Compute the largest weight and the effective keys of unscaled rows, and of a tie."""
    d_ks = (1, 4, 16, 64, 256, 1024, 4096)
    weights = row_logs(trial, "max_weight", (NONE,), d_ks)
    keys = row_logs(trial, "effective_keys", (NONE,), d_ks)
    for d_k in (4, 4096):
        weight = median("median max p, unscaled", weights[NONE, d_k])
        effective = median("median effective keys, unscaled", keys[NONE, d_k])
        where = f"drawn rows, n = {trial.n:,}, d_k = {d_k:,}"
        yield Case(where, weight.value > SATURATED, (weight, effective))
    yield _tie("scores")
    curves = {
        "max p": [summary(logs).median for logs in weights.values()],
        "effective keys": [summary(logs).median for logs in keys.values()],
    }
    title = f"medians of unscaled rows, n = {trial.n:,}"
    yield ClaimCurves(title, "d_k", d_ks, curves, log="xy")


def larger_variance(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Vary the standard deviation of normal logits, and the scale of a tie."""
    symbol, stds = "‖∂p/∂z‖_F", [2.0**power for power in range(-3, 7)]
    every = logs_at_stds(trial, stds)
    sizes = {std: logs[ROWS["jacobian"]] for std, logs in every.items()}
    for kind, of, low, high in (
        ("mean", mean, 0.125, 2.0),
        ("mean", mean, 4.0, 32.0),
        ("median", median, 4.0, 32.0),
    ):
        wide, narrow = (
            of(f"{kind} {symbol} at σ = {general(std)}", sizes[std]) for std in (high, low)
        )
        where = f"{kind} over rows, n = {trial.n:,}, σ from {interval(low, high)}"
        yield Case(where, wide.value < narrow.value, (wide, narrow))
    large, small = (
        Evidence(
            f"‖∂p/∂z‖_2 at {general(m)}·(100, 100, 0)",
            statistics([100.0 * m, 100.0 * m, 0.0], wrt="logits").spectral,
            exact=1.0 / (2.0 + exp(-100.0 * m)),
        )
        for m in (1.0, 0.01)
    )
    yield Case("a tie, m from 0.01 to 1", large.value < small.value, (large, small))
    largest = mean_largest(trial.n)
    curves = {
        f"mean {symbol}": [summary(sizes[std]).mean for std in stds],
        f"median {symbol}": [summary(sizes[std]).median for std in stds],
        "mean tr ∂p/∂z": [summary(every[std][ROWS["trace"]]).mean for std in stds],
        # A limit for large σ.
        "m_n/σ": [largest / std if std > 4.0 else nan for std in stds],
    }
    title = f"∂p/∂z of {trial.n:,} normal logits"
    yield ClaimCurves(title, "standard deviation of the logits", stds, curves, log="xy")


def bounded(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Compare the largest gradients among unscaled rows at two d_k, a factor of 64 apart."""
    d_ks, curves = (4, 16, 64, 256, 1024, 4096), {}
    kinds: tuple[tuple[SweepStatistic, str, float], ...] = (
        ("jacobian", "‖∂p/∂z‖_F", 0.5),
        ("query_gradient", "‖∂L/∂q‖", inf),
    )
    for statistic, symbol, bound in kinds:
        rows = row_logs(trial, statistic, (NONE,), d_ks)
        sizes = {d_k: exp(logs.max()) for (_, d_k), logs in rows.items()}
        curves[f"largest {symbol}"] = [*sizes.values()]
        name = f"largest {symbol} of {trial.draws:,} rows, d_k = "
        large, small = (Evidence(f"{name}{d_k:,}", sizes[d_k]) for d_k in (4096, 64))
        holds = large.value <= min(2.0 * small.value, bound)
        yield Case(f"{symbol}, unscaled, n = {trial.n:,}", holds, (large, small))
    title = f"largest gradients of {trial.draws:,} unscaled rows, n = {trial.n:,}"
    yield ClaimCurves(title, "d_k", d_ks, curves, log="xy")


def after_scaling(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Check drawn rows, and a row that one key dominates."""
    weight = median("median max p", sides(trial, "max_weight")["scaled"])
    size = median("median ‖∂p/∂z‖_F", sides(trial, "jacobian")["scaled"])
    uniform = Evidence("‖∂p/∂z‖_F of equal weights", statistics(np.zeros(trial.n)).frobenius)
    where = f"drawn rows, scaled, n = {trial.n:,}, d_k = {trial.d_k:,}"
    holds = weight.value < SATURATED and size.value > uniform.value / 2.0
    yield Case(where, holds, (weight, size, uniform))
    row = statistics([0.0, 0.0, 400.0], 64, wrt="logits")
    evidence = Evidence("max p", row.max_weight), Evidence("‖∂p/∂z‖_F", row.frobenius)
    yield Case("scores (0, 0, 400), scaled, d_k = 64", row.max_weight < SATURATED, evidence)


GROWN = 10.0
"""Logits count as grown without control from this many times √(2 ln n) in spread."""


def one_hot(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Check drawn rows of large logits, and ties."""
    weight = median("median max p", sides(trial, "max_weight")["unscaled"])
    entropy = median("median entropy in nats", sides(trial, "entropy")["unscaled"])
    spread = Evidence("σ(z) over √(2 ln n)", sqrt(trial.d_k) / condensation_std(trial.n))
    holds = weight.value > SATURATED if spread.value >= GROWN else None
    where = f"drawn rows, unscaled, n = {trial.n:,}, d_k = {trial.d_k:,}"
    yield Case(where, holds, (weight, entropy, spread))
    yield _tie("logits")


def gradients_by_length(trial: Trial) -> tuple[Floats, Floats, Floats]:
    """Return ln ‖∂p/∂s‖_F for scores over Σ‖k_j‖ and over √d_k, and ln(e^H/n) for the former.

    Each is taken over drawn rows and has shape (draws,).

    Raises:
        InputError: If there are too many rows.
    """
    check_cost(trial.n * trial.d_k, trial.draws, 1)
    logs = np.empty((3, trial.draws))
    for row in range(trial.draws):
        vectors = stream(trial.seed, row).standard_normal((1 + trial.n, trial.d_k))
        query, keys = vectors[0], vectors[1:]
        total = float(np.linalg.norm(keys, axis=1).sum())
        by_length, by_root = (
            evaluate(keys @ query, LogitMap(m), Precision()) for m in (1.0 / total, trial.d_k**-0.5)
        )
        sizes = (evaluation.frobenius("scores")[1] for evaluation in (by_length, by_root))
        logs[:, row] = *sizes, by_length.entropy - log(trial.n)
    return logs[0], logs[1], logs[2]


_FEW = 60
"""The most rows drawn for each number of keys in a picture."""


def by_key_lengths(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Compare the median gradient by the scores under both divisors."""
    by_length, by_root, uniform = gradients_by_length(trial)
    evidence = (
        median("median ‖∂p/∂s‖_F, scores over Σ‖k_j‖", by_length),
        median("median ‖∂p/∂s‖_F, scores over √d_k", by_root),
        mean("mean e^H/n, scores over Σ‖k_j‖", uniform),
    )
    where = f"n = {trial.n:,}, d_k = {trial.d_k:,}"
    yield Case(where, evidence[0].value > evidence[1].value, evidence)
    few, n_keys = replace(trial, draws=min(trial.draws, _FEW)), (2, 8, 32, 128, 512)
    of_n = [gradients_by_length(replace(few, n=n)) for n in n_keys]
    curves = {
        "over Σ‖k_j‖": [summary(logs).median for logs, _, _ in of_n],
        "scaled": [summary(logs).median for _, logs, _ in of_n],
    }
    title = f"median ‖∂p/∂s‖_F, d_k = {trial.d_k:,}"
    yield ClaimCurves(title, "number of keys", n_keys, curves, log="xy")
