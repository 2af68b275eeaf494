"""Claims about the number of keys: how weights fade or condense as it grows."""

from collections.abc import Iterator
from dataclasses import replace
from math import exp, inf, log, sqrt

import numpy as np

from attn_tui.claims.checks.layers import check_size
from attn_tui.claims.checks.samples import mean, sides
from attn_tui.claims.claim import Case, ClaimCurves, Evidence, StatedNumbers
from attn_tui.claims.trial import Trial
from attn_tui.compute.heads.head import row_weights
from attn_tui.compute.numbers import general
from attn_tui.compute.sample import stream
from attn_tui.compute.scale import parse_scale
from attn_tui.compute.sweep.exact import condensation_n, condensation_std, entropy_at, trace_at
from attn_tui.library import softmax


def diffuse(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare the effective keys of rows with few and with many keys."""
    for n_keys in (2, 64, 1024, 8192):
        rows = replace(trial, n=n_keys)
        keys = sides(rows, "effective_keys")
        spread = mean("mean e^H/n, m = 1/√d_k", keys["scaled"] - log(n_keys))
        largest = mean("mean largest weight, m = 1/√d_k", sides(rows, "max_weight")["scaled"])
        plain = mean("mean e^H/n, m = 1", keys["unscaled"] - log(n_keys))
        holds = spread.value > 0.5 or spread.is_close(0.5)
        yield Case(f"n = {n_keys:,}, d_k = {trial.d_k:,}", holds, (spread, largest, plain))


LENGTHS = [1 << power for power in range(6, 21)]
"""The numbers of keys in a picture."""

FIRST, FAR = 512, 10_000_000
"""The length that others are compared with; and one that is far longer."""


def effective(n_keys: int, logit_std: float) -> float:
    """Return e^(mean H) of n normal logits with a standard deviation, by quadrature."""
    return exp(entropy_at(n_keys, logit_std))


def _kept(where: str, n_keys: int, logit_std: float, first_std: float, *others: Evidence) -> Case:
    """Return the case of whether n keys have about as many effective keys as 512 have.

    Args:
        where: The situation.
        n_keys: n.
        logit_std: The standard deviation of the logits.
        first_std: The standard deviation of the logits of 512 keys.
        others: Further evidence.
    """
    long, short = effective(n_keys, logit_std), effective(FIRST, first_std)
    evidence = (
        Evidence(f"e^(mean H), n over {FIRST:,}", long / short, stated=1.0),
        Evidence("e^(mean H)", long),
        Evidence(f"e^(mean H), n = {FIRST:,}", short),
        *others,
    )
    return Case(where, 2.0 / 3.0 < long / short < 1.5, evidence)


def log_length(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Compare the effective keys of long rows with those of 512 under the rule."""
    first, n = log(stated["length"]), trial.n
    for std in (1.0, 3.0):
        plain = Evidence("ratio without the rule", effective(n, std) / effective(FIRST, std))
        where = f"σ = {general(std)} at 512 keys, n = {n:,}"
        yield _kept(where, n, std * log(n) / first, std, plain)
    curves = {
        f"σ = {general(std)}": [effective(n, std * log(n) / first) for n in LENGTHS]
        for std in (1.0, 2.0, 3.0, 4.0)
    }
    title = "e^(mean H), logits multiplied by ln n/ln 512"
    yield ClaimCurves(title, "n, the number of keys", LENGTHS, curves, log="xy", mark=512.0)


def scalable_softmax(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Compare the effective keys of long rows, and of far longer ones, with those of 512."""
    scale = parse_scale(f"ssmax:{stated['a']!r}")
    std_of = {n: scale.multiplier(1, n) for n in (FIRST, trial.n, FAR, *LENGTHS)}
    for n in (trial.n, FAR):
        spread = Evidence("σ over √(2 ln n)", std_of[n] / condensation_std(n))
        plain = Evidence("ratio for 1/√d_k", effective(n, 1.0) / effective(FIRST, 1.0))
        yield _kept(f"n = {n:,}", n, std_of[n], std_of[FIRST], spread, plain)
    curves = {
        "σ = a·ln n": [effective(n, std_of[n]) for n in LENGTHS],
        "σ = 1": [effective(n, 1.0) for n in LENGTHS],
    }
    mark, _ = condensation_n(scale, 1)
    title = "e^(mean H) of normal logits"
    yield ClaimCurves(title, "n, the number of keys", LENGTHS, curves, log="xy", mark=mark)


def concentrated(n_keys: int, times: float) -> float:
    """Return E Σp² of normal logits whose standard deviation is a multiple of √(2 ln n)."""
    return 1.0 - trace_at(n_keys, times * condensation_std(n_keys))


def condensation(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Compare the mean of Σp² on both sides of σ_c with its limit."""
    far = 10**9
    for n_keys in (trial.n, far):
        below, critical, above = (
            Evidence(f"mean Σp² at {words}, {general(limit)} as n → ∞", concentrated(n_keys, times))
            for words, times, limit in (("½σ_c", 0.5, 0.0), ("σ_c", 1.0, 0.0), ("2σ_c", 2.0, 0.5))
        )
        holds = max(abs(below.value), abs(above.value - 0.5)) < 0.05
        yield Case(f"n = {n_keys:,}", holds, (below, above, critical))
    times = [0.25 * step for step in range(1, 17)]
    curves = {f"n = {n:,}": [concentrated(n, x) for x in times] for n in (trial.n, 4096, far)}
    curves["n → ∞"] = [max(0.0, 1.0 - 1.0 / factor) for factor in times]
    yield ClaimCurves("mean Σp²", "σ/σ_c", times, curves, mark=1.0)


def bounded_logits(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Find the weights farthest from 1/n that logits within a range allow."""
    reach = stated["range"]
    for n in dict.fromkeys((64, 4096, trial.n)):
        one = np.zeros(n)
        one[0] = reach
        largest, least = (float(softmax(row)[0]) * n for row in (one, -one))
        even = softmax(reach * stream(trial.seed, n).random(n)) * n
        above, below = (exp(side) / (exp(side) + n - 1) * n for side in (reach, -reach))
        evidence = (
            Evidence("largest n·p, one key above all others", largest, exact=above),
            Evidence("least n·p, one key below all others", least, exact=below),
            Evidence("largest n·p of logits drawn evenly", float(even.max())),
        )
        holds = exp(-reach) <= min(least, even.min()) and max(largest, even.max()) <= exp(reach)
        yield Case(f"n = {n:,}, range {general(reach)}", holds, evidence)


def entropy_bound(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Search for logits of a given norm with the least entropy, and take those within a range."""
    check_size(trial, n=4096)
    keys, entropy = within_range(trial.n, 4.0)
    ranged = Evidence(f"least H if logits differ by at most 4: {keys:,} keys on top", entropy)
    for size, besides in ((4.0, (ranged,)), (10.0, ())):
        bound = least_entropy(trial.n, size)
        least = Evidence("least H found", searched(trial, size), exact=bound)
        where = f"‖z‖₂ = {general(size)}, n = {trial.n:,}"
        yield Case(where, least.value >= bound - 1e-9, (least, *besides))
    sizes = [0.5 * step for step in range(1, 41)]
    curves = {"bound": [least_entropy(trial.n, size) for size in sizes]}
    yield ClaimCurves(f"least H of {trial.n:,} logits, in nats", "‖z‖₂", sizes, curves)


def least_entropy(n_keys: int, size: float) -> float:
    """Return the least H in nats of n logits whose Euclidean norm is at most a size."""
    b = size * sqrt(n_keys / (n_keys - 1))
    x = (n_keys - 1) * exp(-b)
    return float(np.log1p(x)) + b * x / (1.0 + x)


STARTS, STEPS = 16, 300


def searched(trial: Trial, size: float) -> float:
    """Return the least H of logits of a given norm, by gradient descent from random points.

    The gradient is ∂H/∂z_i = −p_i(ln p_i + H); half of the starting points favour a single key.
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
    """Return how many of n logits are at the top of a range where H is least, and that H in nats.

    All other logits are at the bottom of the range.
    """
    on_top = np.arange(1, n_keys)
    share = on_top / (on_top + (n_keys - on_top) * exp(-reach))
    entropy = -share * np.log(share / on_top)
    entropy -= (1.0 - share) * np.log((1.0 - share) / (n_keys - on_top))
    return int(on_top[entropy.argmin()]), float(entropy.min())
