"""Claims about scale rules, caps, sinks and norms: which of them keeps softmax from saturating."""

from collections.abc import Iterator
from math import exp, sqrt

import numpy as np

from attn_tui.claims.claim import Case, Evidence, Stated
from attn_tui.claims.trial import Trial
from attn_tui.compute.arrays import Floats
from attn_tui.compute.logits import slopes
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Products
from attn_tui.library import softmax

SATURATED = 0.99
"""A row whose largest weight exceeds this is called saturated."""


def one_above(top: float, n_keys: int) -> Floats:
    """Return the row in which one key is at the top and all others at its negative, shape (n,)."""
    row = np.full(n_keys, -top)
    row[0] = top
    return row


def one_ahead(top: float, n_keys: int) -> float:
    """Return the largest weight that logits from −top to top can give one of n keys."""
    return 1.0 / (1.0 + (n_keys - 1) * exp(-2.0 * top))


def normalised_to_length_1(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Find the largest weight that cosines times a gain allow."""
    for gain in (1.0, 20.0):
        weights = softmax(one_above(gain, trial.n))
        largest = Evidence("largest possible weight", float(weights[0]))
        exact = one_ahead(gain, trial.n)
        rest = Evidence("weight left to all other keys", float(weights[1:].sum()),
                        exact=(trial.n - 1) * exp(-2.0 * gain) * exact)  # fmt: skip
        yield Case(
            f"g = {gain:g}, n = {trial.n:,}", largest.value < SATURATED,
            (rest, Evidence(largest.name, largest.value, exact=exact)),
        )  # fmt: skip


def normalised_in_each_head(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Give one key the direction of q and all others the opposite one."""
    n_keys, scale = 131_072, Scale(qk_norm=True)
    query = np.arange(1.0, trial.d_k + 1.0)
    pair = Products(query[None], np.stack([query, -query])).vectors(Setup(trial.d_k, scale))[0]
    row = pair.scores[np.minimum(np.arange(n_keys), 1)]
    weights = softmax(row, trial.d_k)
    exact = one_ahead(sqrt(trial.d_k), n_keys)
    largest = Evidence("largest possible weight", float(weights[0]), exact=exact)
    yield Case(
        f"d_k = {trial.d_k:,}, n = {n_keys:,}",
        largest.value < SATURATED,
        (
            largest,
            Evidence("weight left to all other keys", float(weights[1:].sum())),
            Evidence("largest logit", float(row[0]) / sqrt(trial.d_k), exact=sqrt(trial.d_k)),
        ),
    )


def capped(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Cap scores of ±1000."""
    cap = stated["cap"]
    weights = softmax(one_above(1000.0, trial.n), scale=Scale("none", softcap=cap))
    scale = Scale("none", softcap=cap).logit_map(trial.d_k, trial.n)
    rest = Evidence("weight left to all other keys", float(weights[1:].sum()),
                    exact=(trial.n - 1) * exp(-2.0 * cap) * one_ahead(cap, trial.n))  # fmt: skip
    yield Case(
        f"scores ±1000, {trial.n:,} keys", rest.value > 1.0 - SATURATED,
        (rest, Evidence("largest weight", float(weights[0])),
         Evidence("∂z/∂s where the score is 1000", float(slopes(np.array([1000.0]), scale)[0]))),
    )  # fmt: skip


def attending_to_nothing(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Add up what few and many unwanted keys keep beside a sink."""
    for n_keys in (5, trial.n):
        weights = softmax(np.full(n_keys, -10.0), scale=Scale("none", sink=0.0))
        sizes = n_keys * exp(-10.0)
        kept = Evidence(
            "weight of all keys together", float(weights.sum()), exact=sizes / (1.0 + sizes)
        )
        alone = Evidence("the same without a sink", float(softmax(np.full(n_keys, -10.0)).sum()))
        small = kept.value < 1.0 - SATURATED
        yield Case(f"{n_keys:,} keys at −10, sink at 0", small, (kept, alone))


def extended_context(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Take from logits what they were multiplied by besides 1/√d_k."""
    score = 8.0
    for factor, printed in ((4.0, 1.2965), (16.0, 1.6314), (40.0, 1.8739)):
        scale = Scale("yarn", (("factor", factor),))
        odds = np.log(softmax([score, 0.0], trial.d_k, scale))
        found = float(odds[0] - odds[1]) * sqrt(trial.d_k) / score
        root = stated["slope"] * float(np.log(factor)) + 1.0
        times = Evidence("logits times √d_k over scores", found, stated=printed, exact=root * root)
        yield Case(
            f"f = {factor:g}",
            times.is_near(times.exact) and times.is_near(printed, within=1e-4),
            (times, Evidence("√(1/t)", sqrt(found), stated=root)),
        )
