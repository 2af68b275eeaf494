"""Claims about rows of weights that saturate: what dies with them, and what does not."""

from collections.abc import Iterator
from dataclasses import replace
from math import exp, inf, log

import numpy as np
from numpy.typing import NDArray

from attn_tui.claims.claim import Case, Curve, Evidence, Picture, Stated, claim
from attn_tui.claims.drawn_rows import check_cost, logs_at_std, mean, median, row_logs, summary
from attn_tui.claims.opening import explored
from attn_tui.claims.trial import Trial
from attn_tui.claims.typical import RULE, swept_rows
from attn_tui.compute.evaluation import evaluate
from attn_tui.compute.logit_map import LogitMap
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.stream import stream
from attn_tui.compute.sweep.asymptotes import mean_largest
from attn_tui.compute.sweep.readouts import ROWS
from attn_tui.compute.sweep.settings import Statistic
from attn_tui.library import softmax, statistics

Numbers = NDArray[np.float64]

_ROWS = {"seed": 1, "n": 64, "draws": 1000}


def _rows_at(trial: Trial, statistic: Statistic, rule: str) -> Numbers:
    """Return ln of a statistic of rows drawn at a trial's d_k, shape (draws,)."""
    return row_logs(trial, statistic, rule, (trial.d_k,))[trial.d_k]


@claim(
    "S0-10",
    says="Small gradients of softmax slow training down or stop it.",
    right="They stop what goes through softmax, to Q and K. V has a way of its own: with one "
    "winning key ∂L/∂V is larger than with spread-out weights.",
    topics=("gradients", "training"),
    formula="∂L/∂V = pᵀ·∂L/∂o, ‖∂L/∂V‖_F = ‖p‖·‖∂L/∂o‖; ∂L/∂q = m·Kᵀ·J·V·∂L/∂o",
    condition="of what goes through softmax, to Q and K",
    varies={"seed": 1, "d_k": 4096, "n": 64, "draws": 1000},
    opens=swept_rows(statistic="query_gradient"),
)
def small_gradients(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare the gradients by q and by V of rows that saturate with those of rows that do not."""
    by_query = [_rows_at(trial, "query_gradient", rule) for rule in ("none", RULE)]
    traces = [_rows_at(trial, "trace", rule) for rule in ("none", RULE)]
    # Σp² = 1 − tr J, and ‖∂L/∂V‖_F is its root for ‖∂L/∂o‖ = 1.
    by_values = [0.5 * np.log1p(-np.exp(logs)) for logs in traces]
    for symbol, pair in (("∂L/∂q", by_query), ("∂L/∂V", by_values)):
        found = [
            median(f"median ‖{symbol}‖, {side}", logs)
            for side, logs in zip(("unscaled", "scaled"), pair, strict=True)
        ]
        where = f"{symbol}, n = {trial.n:,}, d_k = {trial.d_k:,}"
        yield Case(where, found[0].value < found[1].value, tuple(found))


_STDS = tuple(2.0**power for power in range(-3, 7))
_PAIRS = ((0.125, 2.0), (4.0, 32.0))
"""Standard deviations of logits: those of a picture, and of them two small and two large ones."""


@claim(
    "S1-11",
    says="The larger the variance of the scores, the smaller the gradients as a whole.",
    right="From 5 keys on ‖∂p/∂z‖_F first rises, up to a standard deviation σ of about 3 at 64 "
    "keys. Then it falls: its mean as a power of σ, its median exponentially. "
    "Rows tied at the top keep theirs.",
    topics=("gradients", "softmax"),
    formula="E[tr ∂p/∂z] → E[max of n normals]/σ; ‖∂p/∂z‖_2 = 1/(2 + e^−100m) at m·(100, 100, 0)",
    condition="where logits spread by 3 or more and none tie at the top",
    varies=_ROWS,
    opens=swept_rows(statistic="jacobian"),
)
def larger_variance(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Sweep the standard deviation of normal logits, and the scale of a tie."""
    symbol = "‖∂p/∂z‖_F"
    check_cost(trial.n, trial.draws, len(_STDS))
    every = {std: logs_at_std(trial, std) for std in _STDS}
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


@claim(
    "S1-13",
    says="What prevents exploding gradients is softmax itself, which normalises.",
    right="It bounds its own derivative: ‖∂p/∂z‖_2 ≤ 1/2. But ∂L/∂q also carries m, K and V, and "
    "unscaled it has no bound: among many rows the largest grows as √d_k.",
    topics=("gradients", "softmax"),
    formula="∂L/∂q = m·Kᵀ·J·V·∂L/∂o, ‖J‖_2 ≤ 1/2",
    condition="of ∂p/∂z, softmax's own derivative",
    varies=_ROWS,
    opens=swept_rows(statistic="query_gradient"),
)
def bounded(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Compare the largest gradients among unscaled rows at two d_k, of which one is 64 times."""
    d_ks = (4, 16, 64, 256, 1024, 4096)
    curves = []
    statistic: Statistic
    for statistic, symbol, bound in (
        ("jacobian", "‖∂p/∂z‖_F", 0.5), ("query_gradient", "‖∂L/∂q‖", inf)
    ):  # fmt: skip
        logs = row_logs(trial, statistic, "none", d_ks)
        sizes = {d_k: exp(float(logs[d_k].max())) for d_k in d_ks}
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


SATURATED = 0.99
"""A row saturates where one weight exceeds this."""


@claim(
    "S2-15",
    says="After scaling, softmax does not saturate and gradients are normal.",
    right="Rows of random q and k do not. Trained logits grow past that: at d_k = 64 a "
    "score that leads by 400 still takes all the weight.",
    topics=("softmax", "gradients", "training"),
    formula="z = s/√d_k has σ = 1 at initialisation",
    condition="while q and k are as random as at initialisation",
    varies={"seed": 1, "d_k": 64, "n": 64, "draws": 1000},
    opens=explored("trained: 0, 0, 400", 64, Scale(), wrt="logits"),
)
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


@claim(
    "L-10",
    source="Dehghani et al. 2023, ViT-22B, arXiv 2302.05442",
    says="Uncontrolled growth of attention logits makes the weights almost one-hot.",
    right="That is so of typical rows. Keys whose logits tie share the weight however large "
    "the logits are.",
    topics=("softmax", "training"),
    formula="max p = 1/(1 + Σ e^−gap)",
    condition="where the largest logit leads by several units",
    varies={"seed": 1, "d_k": 4096, "n": 64, "draws": 1000},
    opens=swept_rows(statistic="max_weight"),
)
def one_hot(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Look at drawn rows of large logits, and at ties."""
    weight = median("median max p", _rows_at(trial, "max_weight", "none"))
    entropy = median("median entropy in nats", _rows_at(trial, "entropy", "none"))
    yield Case(
        f"drawn rows, unscaled, n = {trial.n:,}, d_k = {trial.d_k:,}",
        weight.value > SATURATED,
        (weight, entropy),
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


@claim(
    "L-20",
    source="Bernhard 2023, arXiv 2311.09406",
    says="Dividing the scores by the sum of the lengths of the keys avoids vanishing gradients "
    "better than dividing by √d_k.",
    right="It makes them much smaller: the sum is about n·√d_k, so that the weights are uniform "
    "and ∂p/∂s has a factor of 1/(n·√d_k).",
    topics=("gradients", "scale rules"),
    formula="m = 1/Σ‖k_j‖ ≈ 1/(n·√d_k)",
    varies={"seed": 1, "d_k": 64, "n": 512, "draws": 300},
)
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
