"""Claims about the number of keys: what fades, or condenses, as there are more of them."""

from collections.abc import Iterator
from dataclasses import replace
from math import exp, hypot, inf, log, sqrt

import numpy as np

from attn_tui.claims.checks.drawn_rows import logs_at_stds, mean, row_logs, summary
from attn_tui.claims.checks.layers import check_size
from attn_tui.claims.claim import Case, Curve, Evidence, Picture, Stated
from attn_tui.claims.trial import Trial
from attn_tui.compute.head import row_weights
from attn_tui.compute.number import Number
from attn_tui.compute.scale import parse_scale
from attn_tui.compute.stream import stream
from attn_tui.compute.sweep.asymptotes import condensation_n, condensation_std
from attn_tui.compute.sweep.exact import entropy_at, trace_at
from attn_tui.compute.sweep.readouts import ROWS
from attn_tui.library import softmax


def diffuse(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Count the effective keys among few and many."""
    for n_keys in (2, 64, 1024, 8192):
        rows = replace(trial, n=n_keys)
        rules = ("inverse-sqrt", "none")
        keys = row_logs(rows, "effective_keys", rules, (trial.d_k,))
        divided, plain = (keys[rule, trial.d_k] - log(n_keys) for rule in rules)
        weights = row_logs(rows, "max_weight", rules, (trial.d_k,))
        largest = weights["inverse-sqrt", trial.d_k]
        spread = mean("mean e^H/n, m = 1/√d_k", divided)
        yield Case(
            f"n = {n_keys:,}, d_k = {trial.d_k:,}",
            spread.value > 0.5 or spread.is_near(0.5),
            (
                spread,
                mean("mean largest weight, m = 1/√d_k", largest),
                mean("mean e^H/n, m = 1", plain),
            ),
        )


def effective_keys(trial: Trial, logit_std: float, first_std: float) -> tuple[Evidence, ...]:
    """Return e^(mean H) of a trial's rows over that of rows of 512 keys, and either of these.

    Args:
        trial: How many keys and rows, of which seed.
        logit_std: The standard deviation of the logits.
        first_std: That of the logits of 512 keys.
    """
    long, short = (
        _mean_entropy(replace(trial, n=n), std)
        for n, std in ((trial.n, logit_std), (FIRST, first_std))
    )
    apart = Number(
        long.value - short.value,
        hypot(long.standard_error, short.standard_error),
        (long.exact or 0.0) - (short.exact or 0.0),
    )
    return (
        _power(f"e^(mean H), n over {FIRST:,}", apart, 1.0),
        _power("e^(mean H)", long),
        _power(f"e^(mean H), n = {FIRST:,}", short),
    )


def _mean_entropy(trial: Trial, logit_std: float) -> Number:
    """Return the mean H of a trial's rows, whose logits have a standard deviation."""
    drawn = summary(logs_at_stds(trial, (logit_std,))[logit_std][ROWS["entropy"]])
    return Number(drawn.mean, drawn.mean_standard_error, entropy_at(trial.n, logit_std))


def _power(name: str, entropy: Number, stated: float | None = None) -> Evidence:
    """Return e to the power of a sampled number."""
    value = exp(entropy.value)
    exact = None if entropy.exact is None else exp(entropy.exact)
    return Evidence.of(name, Number(value, value * entropy.standard_error, exact), stated)


LENGTHS = [1 << power for power in range(6, 21)]
FIRST = 512


def log_length(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Compare the effective keys of long rows with those of 512 under the rule."""
    first = log(stated["length"])
    for logit_std in (1.0, 3.0):
        found = effective_keys(trial, logit_std * log(trial.n) / first, logit_std)
        plain = exp(entropy_at(trial.n, logit_std) - entropy_at(FIRST, logit_std))
        yield Case(
            f"σ = {logit_std:g} at 512 keys, n = {trial.n:,}", _is_alike(found[0].decisive),
            (*found, Evidence("ratio without the rule", plain)),
        )  # fmt: skip
    yield Picture(
        "e^(mean H), logits multiplied by ln n/ln 512", "n, the number of keys",
        tuple(
            Curve.of(f"σ = {std:g}", LENGTHS, [
                exp(entropy_at(n_keys, std * log(n_keys) / first)) for n_keys in LENGTHS
            ])
            for std in (1.0, 2.0, 3.0, 4.0)
        ),
        log_x=True, log_y=True, mark=512.0,
    )  # fmt: skip


def scalable_softmax(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Compare the effective keys of long rows, and of far longer ones, with those of 512."""
    scale = parse_scale(f"ssmax:{stated['a']!r}")
    std_of = {n: scale.multiplier(1, n) for n in (FIRST, trial.n, FAR, *LENGTHS)}
    found = effective_keys(trial, std_of[trial.n], std_of[FIRST])
    plain = exp(entropy_at(trial.n, 1.0) - entropy_at(FIRST, 1.0))
    yield Case(
        f"n = {trial.n:,}", _is_alike(found[0].decisive),
        (*found, Evidence("ratio for 1/√d_k", plain)),
    )  # fmt: skip
    far = exp(entropy_at(FAR, std_of[FAR]) - entropy_at(FIRST, std_of[FIRST]))
    yield Case(
        f"n = {FAR:,}", _is_alike(far),
        (Evidence(f"e^(mean H), n over {FIRST:,}", far, stated=1.0),
         Evidence("e^(mean H)", exp(entropy_at(FAR, std_of[FAR]))),
         Evidence("σ over √(2 ln n)", std_of[FAR] / condensation_std(FAR))),
    )  # fmt: skip
    yield Picture(
        "e^(mean H) of normal logits", "n, the number of keys",
        (Curve.of("σ = a·ln n", LENGTHS, [exp(entropy_at(n, std_of[n])) for n in LENGTHS]),
         Curve.of("σ = 1", LENGTHS, [exp(entropy_at(n, 1.0)) for n in LENGTHS])),
        log_x=True, log_y=True, mark=condensation_n(scale, 1)[0],
    )  # fmt: skip


FAR = 10_000_000


def _is_alike(ratio: float) -> bool:
    return 2.0 / 3.0 < ratio < 1.5


def condensation(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Compare the mean of Σp² on both sides of σ_c with its limit."""
    far = 10**9
    for n_keys in (trial.n, far):
        below, at, above = (
            Evidence(f"mean Σp² at {words}, {limit:g} as n → ∞", concentrated(n_keys, times))
            for words, times, limit in (
                ("½σ_c", 0.5, 0.0), ("σ_c", 1.0, 0.0),
                ("2σ_c", 2.0, 0.5),
            )
        )  # fmt: skip
        yield Case(f"n = {n_keys:,}", _limit_error(n_keys) < 0.05, (below, above, at))
    times = [0.25 * step for step in range(1, 17)]
    curves = [
        Curve.of(f"n = {n:,}", times, [concentrated(n, each) for each in times])
        for n in dict.fromkeys((trial.n, 4096, far))
    ]
    limit = Curve.of("n → ∞", times, [max(0.0, 1.0 - 1.0 / each) for each in times])
    yield Picture("mean Σp²", "σ/σ_c", (*curves, limit), mark=1.0)


def concentrated(n_keys: int, times: float) -> float:
    """Return E Σp² of normal logits of a standard deviation so many times √(2 ln n)."""
    return 1.0 - trace_at(n_keys, times * condensation_std(n_keys))


def _limit_error(n_keys: int) -> float:
    return max(abs(concentrated(n_keys, 0.5)), abs(concentrated(n_keys, 2.0) - 0.5))


def bounded_logits(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Look for weights as far from 1/n as logits within a range allow."""
    reach = stated["range"]
    for n_keys in dict.fromkeys((64, 4096, trial.n)):
        one = np.zeros(n_keys)
        one[0] = reach
        largest, least = (float(softmax(row)[0]) * n_keys for row in (one, -one))
        even = softmax(reach * stream(trial.seed, n_keys).random(n_keys)) * n_keys
        yield Case(
            f"n = {n_keys:,}, range {reach:g}",
            exp(-reach) <= min(least, even.min()) and max(largest, even.max()) <= exp(reach),
            (
                Evidence("largest n·p, one key above all others", largest,
                         exact=n_keys * exp(reach) / (exp(reach) + n_keys - 1)),
                Evidence("least n·p, one key below all others", least,
                         exact=n_keys / (1 + (n_keys - 1) * exp(reach))),
                Evidence("largest n·p of logits drawn evenly", float(even.max())),
            ),
        )  # fmt: skip


def entropy_bound(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Search for logits of a length whose entropy is least."""
    check_size(trial, n=4096)
    for size in (4.0, 10.0):
        bound = least_entropy(trial.n, size)
        found = Evidence("least H found", searched(trial, size), exact=bound)
        evidence = [found]
        if size == 4.0:
            keys, entropy = within_range(trial.n, size)
            name = f"least H if logits differ by at most 4: {keys:,} keys on top"
            evidence.append(Evidence(name, entropy))
        yield Case(f"‖z‖₂ = {size:g}, n = {trial.n:,}", found.value >= bound - 1e-9, (*evidence,))
    sizes = [0.5 * step for step in range(1, 41)]
    yield Picture(
        f"least H of {trial.n:,} logits, in nats", "‖z‖₂",
        (Curve.of("bound", sizes, [least_entropy(trial.n, each) for each in sizes]),),
    )  # fmt: skip


def least_entropy(n_keys: int, size: float) -> float:
    """Return the least H in nats of n logits whose Euclidean norm is at most a size."""
    b = size * sqrt(n_keys / (n_keys - 1))
    x = (n_keys - 1) * exp(-b)
    return float(np.log1p(x)) + b * x / (1.0 + x)


STARTS, STEPS = 16, 300


def searched(trial: Trial, size: float) -> float:
    """Return the least H of logits of a length, by steps down its gradient from random places.

    The gradient is ∂H/∂z_i = −p_i(ln p_i + H); half of the places begin near a single key.
    """
    draw, least = stream(trial.seed, 0), inf
    z = draw.standard_normal((STARTS, trial.n))
    z[np.arange(0, STARTS, 2), draw.integers(trial.n, size=STARTS // 2)] += 2.0 * sqrt(trial.n)
    for step in range(STEPS):
        z *= size / np.linalg.norm(z, axis=1, keepdims=True)
        p = row_weights(z)
        logs = np.log(p)
        entropy = -(p * logs).sum(axis=1, keepdims=True)
        least = min(least, float(entropy.min()))
        slope = p * (logs + entropy)
        slope /= np.linalg.norm(slope, axis=1, keepdims=True)
        z += 0.5 * size * 0.95**step * slope
    return least


def within_range(n_keys: int, reach: float) -> tuple[int, float]:
    """Return how many of n logits are on top of a range where H is least, and this H in nats.

    All others are at its bottom.
    """
    on_top = np.arange(1, n_keys)
    share = on_top / (on_top + (n_keys - on_top) * exp(-reach))
    entropy = -share * np.log(share / on_top)
    entropy -= (1.0 - share) * np.log((1.0 - share) / (n_keys - on_top))
    return int(on_top[entropy.argmin()]), float(entropy.min())
