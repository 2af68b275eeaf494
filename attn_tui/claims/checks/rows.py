"""Claims about whole rows: empty ones, sums, the first key, one key ahead, a loss on top."""

from collections.abc import Iterator
from math import exp, inf, sqrt

import numpy as np

from attn_tui.claims.checks.layers import check_size
from attn_tui.claims.checks.samples import rows_of_scores
from attn_tui.claims.checks.softmax import ABOUT_0
from attn_tui.claims.claim import Case, ClaimCurves, Evidence, StatedNumbers
from attn_tui.claims.trial import Trial
from attn_tui.compute.arrays import Floats
from attn_tui.compute.evaluation import evaluate
from attn_tui.compute.heads.head import Head, row_weights
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.numbers import general
from attn_tui.compute.sample import Number, stream
from attn_tui.compute.scale import PLAIN, Scale
from attn_tui.compute.softmax import STABLE
from attn_tui.compute.sweep.exact import mean_trace
from attn_tui.library import softmax, statistics


def cross_entropy(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compute ∂L/∂z of L = −ln p_y through the weights, for a right and for a wrong answer."""
    logits = np.array([20.0, 0.0, 0.0])
    row = evaluate(logits, PLAIN, STABLE)
    p = row.weights()
    jacobian = Evidence("‖∂p/∂z‖_F", statistics(logits, wrt="logits").frobenius)
    for where, answer in (("the key with the weight is the answer", 0), ("another key is", 1)):
        is_answer = np.arange(3) == answer
        gradient = row.pulled_back(np.where(is_answer, -1.0 / p, 0.0), "logits")
        size, exact = float(np.linalg.norm(gradient)), float(np.linalg.norm(p - is_answer))
        of_loss = Evidence("‖∂L/∂z‖", size, exact=exact)
        yield Case(f"z = (20, 0, 0), {where}", size < ABOUT_0, (of_loss, jacobian))


def empty(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Take softmax of four masked keys, by each convention."""
    masked = np.full(4, -inf)
    with np.errstate(invalid="ignore"):
        naive = np.exp(masked - masked.max())
    for where, p in (
        ("0/0 is set to 0, as in scaled_dot_product_attention", softmax(masked)),
        ("e^(z − max z) over its sum, as in torch.softmax", naive / naive.sum()),
        ("−1e9 in place of −∞", softmax(np.full(4, -1e9))),
    ):
        lost = Evidence("weights that are NaN, of four", float(np.isnan(p).sum()))
        total = Evidence("sum of the weights", float(p.sum()), stated=0.0)
        yield Case(where, bool((p == 0.0).all()), (lost,) if lost.value else (total,))


def one_more(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Add 1 to the sum of e^(z − max z), and of e^z."""
    for logits in ((-10.0,) * 5, (10.0, 0.0, 0.0)):
        top = max(logits)
        of_top, right = (
            float(softmax(logits, scale=Scale("none", sink=sink)).sum()) for sink in (top, 0.0)
        )
        sizes = sum(exp(z - top) for z in logits)
        added = Evidence(
            "sum of the weights, 1 added after", of_top, stated=right, exact=sizes / (1.0 + sizes)
        )
        where = "z = ({})".format(", ".join(map(general, logits)))
        holds = added.is_close(right)
        yield Case(where, holds, (added, Evidence("sum of softmax₁", right)))


def first_key(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Average what causal rows give to key 0, and what it then adds to their outputs.

    It matters more than any other first key would only if it adds more than H_n/n.
    """
    check_size(trial, n=2048)
    n = trial.n
    alike = float((1.0 / np.arange(1.0, n + 1.0)).sum() / n)
    for where, lead, size in (
        ("all logits alike", 0.0, 1.0),
        ("key 0 ahead by 5, and its value small", 5.0, 0.01),
        ("key 0 ahead by 5, and its value as long as others", 5.0, 1.0),
    ):
        queries, keys = np.ones((n, 1)), np.zeros((n, 1))
        keys[0] = lead
        model = HeadModel.of(Scale("none").logit_map(1, 1), HeadMask("causal"))
        mean = float(Head(queries, keys, keys, model).weights[:, 0].mean())
        exact = float((exp(lead) / (exp(lead) + np.arange(n))).mean())
        weight = Evidence("mean weight of key 0", mean, exact=exact)
        added = Evidence("mean length of p₀·v₀, other values of length 1", size * mean)
        share = Evidence("H_n/n, that of equal logits", alike)
        # Rounding is no lead.
        matters = size * mean > alike * (1.0 + 1e-9)
        yield Case(f"{where}, n = {n:,}", matters, (weight, added, share))


FEW = 64
"""The keys of a short row, whose output a longer one is compared with."""


def output_variance(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Draw the output Σ p·v of values of variance 1, for few keys and for many."""
    check_size(trial, n=4096, draws=10_000)
    for words, m in (("m = 1/√d_k", 1.0 / sqrt(trial.d_k)), ("m = 1", 1.0)):
        few, many = (output_of(trial, n, m) for n in (FEW, trial.n))
        long = Evidence.of(f"variance of the output, n = {trial.n:,}", many)
        short = Evidence.of(f"variance of the output, n = {FEW}", few)
        yield Case(words, long.decisive < short.decisive / 2.0, (long, short))


def output_of(trial: Trial, n: int, m: float) -> Number:
    """Return the variance of one entry of the output of n keys, and the mean of Σp²."""
    weights = row_weights(m * rows_of_scores(trial.d_k, n, trial))
    outputs = np.vecdot(weights, stream(trial.seed, n, 3).standard_normal(weights.shape))
    squares = np.square(outputs)
    trace = mean_trace(n, trial.d_k, m)
    error = float(squares.std() / sqrt(squares.size))
    return Number(float(squares.mean()), error, None if trace is None else 1.0 - trace)


RATE = 0.1
"""The rate of dropout."""


def dropped(weights: Floats, trial: Trial) -> Floats:
    """Return weights, shape (draws, n), after dropout: some are 0, others 1/(1 − rate) times."""
    kept = stream(trial.seed, 7).random(weights.shape) >= RATE
    return kept * weights / (1.0 - RATE)


def with_dropout(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Sum many drawn rows of weights, each under a drawn mask of dropout.

    Rows differ: the sum of one in which a key has much of the weight varies most.
    """
    check_size(trial, n=1024, draws=10_000)
    logits = rows_of_scores(trial.d_k, trial.n, trial) / sqrt(trial.d_k)
    weights = row_weights(logits)
    sums = dropped(weights, trial).sum(axis=1)
    mean = Evidence.of("mean of the sum", Number.mean(sums.tolist()), 1.0)
    yield Case("on average", mean.is_close(1.0), (mean,))
    variances = RATE / (1.0 - RATE) * np.square(weights).sum(axis=1)
    total = Evidence(
        "standard deviation of the sum, all rows", float(sums.std()), stated=0.0,
        exact=sqrt(float(variances.mean())),
    )  # fmt: skip
    typical = Evidence("that of the median row", sqrt(float(np.median(variances))))
    over = Evidence.of("share of sums above 1", Number.mean((sums > 1.0 + 1e-9).tolist()))
    where = f"each row, dropout of {general(RATE)}, n = {trial.n:,}"
    yield Case(where, total.value < 1e-9, (total, typical, over))


def ahead(lead: float, n_keys: int) -> float:
    """Return the weight of one key that leads by some logits among equal others."""
    logits = np.zeros(n_keys)
    logits[0] = lead
    return float(softmax(logits)[0])


def one_key_ahead(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Let the number of keys grow beside one that leads."""
    lead, few, many = stated["lead"], trial.n, min(16 * trial.n, 100_000)
    weights = [
        Evidence(f"its weight, n = {n:,}", ahead(lead, n), exact=exp(lead) / (exp(lead) + n - 1.0))
        for n in (few, many)
    ]
    kept = Evidence("what is left of it", weights[1].value / weights[0].value, stated=1.0)
    where = f"ahead by {general(lead)}, n = {few:,} to {many:,}"
    yield Case(where, kept.value > 0.9, (kept, *weights))
    ns = [2**power for power in range(1, 17)]
    curves = {f"ahead by {general(g)}": [ahead(g, n) for n in ns] for g in (lead, 2.0 * lead)}
    yield ClaimCurves("weight of one key ahead of equal others", "n", ns, curves, log="x")
