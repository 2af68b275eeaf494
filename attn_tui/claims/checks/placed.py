"""Claims about another scale, or the scale in another place: what √d_k is confused with."""

from collections.abc import Callable, Iterator, Mapping
from math import log, sqrt

import numpy as np

from attn_tui.claims.checks.assumptions import multiplier
from attn_tui.claims.checks.layers import check_size, normals
from attn_tui.claims.checks.samples import SIDES, check_cost, median, row_logs, sampled, variance_of
from attn_tui.claims.claim import Case, ClaimCurves, Evidence, StatedNumbers
from attn_tui.claims.trial import Trial
from attn_tui.compute.arrays import Floats
from attn_tui.compute.heads.head import row_weights
from attn_tui.compute.sample import Number
from attn_tui.compute.scale import NONE, Scale
from attn_tui.library import dot_law, drawn, softmax

D_MODEL = 768

AS_WELL = 0.1
"""One rule does as well as another if the median row has as many keys, to this share."""


def of_embeddings(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Multiply embeddings of standard deviation 1/√d_model, or do not, before W_q and W_k."""
    raw = sampled(dot_law(trial.d_k), trial).variance
    times = Evidence.of("variance, embeddings × √d_model", raw, stated["variance"])
    plain = Evidence.of("variance, embeddings as they are", raw.times(float(D_MODEL) ** -2))
    divided = Evidence.of(
        "the first, divided by √d_k",
        raw.times(multiplier("inverse-sqrt", trial.d_k) ** 2),
    )
    where = f"d_model = {D_MODEL}, d_k = {trial.d_k:,}, weights of variance 1/d_model"
    yield Case.as_stated(where, times, plain, divided)


def of_model(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Count the keys that the median row uses under 1/√d_k and under 1/√d_model."""
    model = Scale("fixed", (("a", float(D_MODEL)),))
    rows = row_logs(trial, "effective_keys", (Scale(), model), (trial.d_k,))
    by_head = median("effective keys, divided by √d_k", rows[Scale(), trial.d_k])
    by_model = median("effective keys, divided by √d_model", rows[model, trial.d_k])
    ratio = Evidence("σ of the logits by √d_model", sqrt(trial.d_k / D_MODEL), stated=1.0)
    holds = by_model.is_close(by_head.value, sigmas=0.0, within=AS_WELL)
    where = f"d_model = {D_MODEL}, d_k = {trial.d_k:,}, n = {trial.n:,}"
    yield Case(where, holds, (by_model, by_head, ratio))


def of_fixed_heads(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Divide the logits under 1/d_k by those under 1/√d_k, key by key."""
    scores = drawn(trial.d_k, trial.n, trial.seed)[0]
    logits = {}
    for rule in ("inverse", "inverse-sqrt"):
        logs = np.log(softmax(scores, trial.d_k, Scale(rule)))
        logits[rule] = logs - logs[0]
    ratios = logits["inverse"][1:] / logits["inverse-sqrt"][1:]
    apart = float(ratios.max() / ratios.min())
    evidence = (
        Evidence("largest over least ratio of two differences", apart, exact=1.0),
        Evidence("the ratio", float(np.median(ratios)), exact=trial.d_k**-0.5),
    )
    yield Case(f"d_k = {trial.d_k:,}, n = {trial.n:,}", apart > 1.0 + 1e-6, evidence)


def after_softmax(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Multiply the weights of drawn rows, instead of their scores."""
    scores, m = drawn(trial.d_k, trial.n, trial.seed)[0], multiplier("inverse-sqrt", trial.d_k)
    after = softmax(scores) * m
    rows = row_logs(trial, "max_weight", [*SIDES.values()], (trial.d_k,))
    # A factor after the softmax leaves the shares of a row as they are.
    share = median("largest share of the median row, scaled after", rows[NONE, trial.d_k])
    usual = median("the same, scaled before", rows[Scale(), trial.d_k])
    total = Evidence("sum of a row, scaled after", float(after.sum()), stated=1.0, exact=m)
    where = f"drawn rows, d_k = {trial.d_k:,}, n = {trial.n:,}"
    yield Case.as_stated(where, total, share, usual)


FEATURES: Mapping[str, Callable[[Floats], Floats]] = {
    "ReLU": lambda x: np.maximum(x, 0.0),
    "elu + 1": lambda x: np.where(x > 0.0, x + 1.0, np.exp(np.minimum(x, 0.0))),
}
"""The features φ of linear attention, by name, each a function of every entry."""

ROUNDED = 1e-12
"""The largest change of a weight that rounding makes."""

KERNEL = "features that stand for e^(q·k)"
"""Those of Performer, of which there are infinitely many here."""


def linear_weights(feature: str, queries: Floats, keys: Floats) -> Floats:
    """Return the weights of linear attention, shape (draws, n): φ(q)·φ(k) over their sum.

    Args:
        feature: The name of φ, or `KERNEL`.
        queries: The queries, shape (draws, d_k).
        keys: The keys of each, shape (draws, n, d_k).
    """
    if feature == KERNEL:
        return row_weights(np.vecdot(keys, queries[:, None]))
    phi = FEATURES[feature]
    products = np.vecdot(phi(keys), phi(queries)[:, None])
    weights: Floats = products / products.sum(axis=1, keepdims=True)
    return weights


def linear(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Count the keys that linear attention uses with 1/√d_k and without, for three features."""
    check_cost(trial.n, trial.draws, 8 * trial.d_k)
    queries = normals(trial, 1, trial.draws, trial.d_k)
    keys = normals(trial, 2, trial.draws, trial.n, trial.d_k)
    # Half of the scale for each of q and k: a feature acts on either by itself.
    half = trial.d_k**-0.25
    for feature in (*FEATURES, KERNEL):
        plain = linear_weights(feature, queries, keys)
        divided = linear_weights(feature, half * queries, half * keys)
        counts = [
            median(f"effective keys, {name}", -np.vecdot(p, np.log(np.where(p > 0.0, p, 1.0))))
            for name, p in (("q·k as it is", plain), ("divided by √d_k", divided))
        ]
        change = float(np.abs(divided - plain).max() / plain.max())
        # Where a scale cancels, the rest is what float64 rounds.
        change = 0.0 if change < ROUNDED else change
        changed = Evidence("largest change of a weight, as a share of the largest", change)
        needed = not counts[1].is_close(counts[0].value, sigmas=0.0, within=AS_WELL)
        where = f"{feature}, d_k = {trial.d_k:,}, n = {trial.n:,}"
        yield Case(where, needed, (*counts, changed))


def additive_spreads(trial: Trial, width: int, size: float) -> Floats:
    """Return by how much the scores of two keys of a query differ, over √2, shape (draws,).

    Scores are wᵀ·tanh(a + b) with a of the query and b of the key: their variance across the keys,
    which alone softmax sees, is that of what is returned. The entries of a and b are standard
    normal, those of w normal of standard deviation ``size``.
    """
    differences = np.zeros(trial.draws)
    for first in range(0, width, 64):
        shape = trial.draws, min(64, width - first)
        w, a, b, c = (normals(trial, 4 * first + part, *shape) for part in range(4))
        differences += np.vecdot(size * w, np.tanh(a + b) - np.tanh(a + c))
    return differences / sqrt(2.0)


def additive(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Compute by which power of the width additive scores spread, for two sizes of w."""
    check_size(trial, draws=20_000)
    widths, curves = (16, 64, 256, 1024), {}
    for where, of_width in (("variance 1/h", lambda h: h**-0.5), ("variance 1", lambda h: 1.0)):
        spreads = []
        for width in widths:
            differences = additive_spreads(trial, width, of_width(width))
            spread = variance_of(differences, 3.0, float(differences.var()))
            root = sqrt(spread.value)
            spreads.append(Number(root, spread.standard_error / (2.0 * root)))
        least, most = spreads[0], spreads[-1]
        rise = log(widths[-1] / widths[0])
        error = sqrt(sum((size.standard_error / size.value) ** 2 for size in (least, most))) / rise
        power = Evidence(
            f"power of h that scores spread by, h = {widths[0]} to {widths[-1]:,}",
            log(most.value / least.value) / rise, error, stated["power"],
        )  # fmt: skip
        grows = power.is_close(stated["power"], within=0.1)
        last = Evidence.of(f"σ across the keys of a query, h = {widths[-1]:,}", most)
        yield Case(f"entries of w of {where}", grows, (power, last))
        curves[f"w of {where}"] = [size.value for size in spreads]
    yield ClaimCurves("σ of additive scores", "h", widths, curves, log="xy")
