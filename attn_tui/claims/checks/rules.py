"""Claims about scale rules, caps, sinks and norms: which of them prevent saturation."""

from collections.abc import Iterator
from math import exp, sqrt, tanh

import numpy as np

from attn_tui.claims.checks.samples import SATURATED
from attn_tui.claims.checks.softmax import ABOUT_0
from attn_tui.claims.claim import Case, Evidence, StatedNumbers
from attn_tui.claims.trial import Trial
from attn_tui.compute.arrays import Floats
from attn_tui.compute.numbers import general
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.softmax import slopes
from attn_tui.compute.source import Products
from attn_tui.library import softmax


def one_above(top: float, n_keys: int) -> Floats:
    """Return a row with one key at ``top`` and all others at ``-top``, shape (n_keys,)."""
    row = np.full(n_keys, -top)
    row[0] = top
    return row


def one_ahead(weights: Floats, top: float) -> tuple[Evidence, Evidence]:
    """Return the largest weight of a row of `one_above`, and the rest, as evidence."""
    left = (weights.size - 1) * exp(-2.0 * top)
    largest, rest = float(weights[0]), float(weights[1:].sum())
    return (
        Evidence("largest possible weight", largest, exact=1.0 / (1.0 + left)),
        Evidence("weight left to all other keys", rest, exact=left / (1.0 + left)),
    )


def normalised_to_length_1(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Find the largest weight that cosines times a gain allow."""
    for gain in (1.0, 8.0, 20.0):
        largest, rest = one_ahead(softmax(one_above(gain, trial.n)), gain)
        holds = largest.value < SATURATED
        yield Case(
            f"g = {general(gain)}, n = {trial.n:,}", holds, (rest, largest, *_of_qk_norm(gain))
        )


def _of_qk_norm(gain: float) -> Iterator[Evidence]:
    """Yield the largest logit of QK-norm and 1/√d_k at d_k = 64, if it is that gain."""
    query = np.arange(1.0, 65.0)
    setup = Setup(64, Scale(qk_norm=True))
    scores = Products(query[None], query[None]).vectors(setup)[0].scores
    largest = float(scores[0]) / 8.0
    if abs(largest - gain) < 1e-9:
        yield Evidence("largest logit of QK-norm at d_k = 64, under 1/√d_k", largest, exact=8.0)


def normalised_in_each_head(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Point one key in the direction of q and all others in the opposite one."""
    n_keys, root = 131_072, sqrt(trial.d_k)
    query = np.arange(1.0, trial.d_k + 1.0)
    setup = Setup(trial.d_k, Scale(qk_norm=True))
    scores = Products(query[None], np.stack([query, -query])).vectors(setup)[0].scores
    weights = softmax(scores[np.minimum(np.arange(n_keys), 1)], trial.d_k)
    largest, rest = one_ahead(weights, root)
    logit = Evidence("largest logit", float(scores[0]) / root, exact=root)
    where = f"d_k = {trial.d_k:,}, n = {n_keys:,}"
    yield Case(where, largest.value < SATURATED, (largest, rest, logit))


def capped(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Cap scores of ±1000."""
    scale, top = Scale("none", softcap=stated["cap"]), 1000.0
    largest, rest = one_ahead(softmax(one_above(top, trial.n), scale=scale), stated["cap"])
    slope = float(slopes(np.array([top]), scale.logit_map(trial.d_k, trial.n))[0])
    evidence = (rest, largest, Evidence("∂z/∂s where the score is 1000", slope))
    where = f"scores ±1000, {trial.n:,} keys"
    yield Case(where, rest.value > 1.0 - SATURATED, evidence)


UNTOUCHED = 0.9
"""A soft cap hardly acts where it leaves this share of the slope or more."""

LENGTHENED = 10.0
"""How many times as large entries of q and k are made, to see what is left of a gradient."""


def capped_and_normalised(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Cap the largest logits that QK-norm allows, then see what each leaves of a gradient."""
    cap, root = stated["cap"], sqrt(trial.d_k)
    to_logits = Scale("none", softcap=cap).logit_map(trial.d_k, 2)
    query = np.arange(1.0, trial.d_k + 1.0)
    setup = Setup(trial.d_k, Scale(qk_norm=True))
    normalised = float(Products(query[None], query[None]).vectors(setup)[0].scores[0]) / root
    for gain in (1.0, 5.0):
        largest = gain * normalised
        slope = float(slopes(np.array([largest]), to_logits)[0])
        evidence = (
            Evidence(f"slope that a cap of {general(cap)} leaves of the largest logit", slope),
            Evidence("largest logit", largest, exact=gain * root),
            Evidence("the same, capped", cap * tanh(largest / cap)),
        )
        where = f"d_k = {trial.d_k:,}, QK-norm with a gain of {general(gain)}"
        yield Case(where, slope > UNTOUCHED, evidence)
    # The cosine of q and k is ½; QK-norm turns q alone, and takes its length off.
    length = LENGTHENED * root
    query, key = np.array([length, 0.0]), length * np.array([0.5, sqrt(0.75)])
    of_norm = (key - (key @ query) * query / length**2) * trial.d_k / length**2
    by_norm = float(np.hypot(*of_norm) / np.hypot(*key))
    by_cap = float(slopes(np.array([float(query @ key) / root]), to_logits)[0])
    left = (
        Evidence("share of ∂z/∂q that QK-norm leaves", by_norm, exact=sqrt(0.75) / LENGTHENED**2),
        Evidence(f"share of ∂z/∂q that a cap of {general(cap)} leaves", by_cap),
    )
    where = f"entries of q and k {general(LENGTHENED)} times as large, at a cosine of ½"
    yield Case(where, by_norm > ABOUT_0, left)


def attending_to_nothing(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Sum the weights that few and many unwanted keys keep beside a sink."""
    for n_keys in (5, trial.n):
        scores, sizes = np.full(n_keys, -10.0), n_keys * exp(-10.0)
        kept = float(softmax(scores, scale=Scale("none", sink=0.0)).sum())
        together = Evidence("weight of all keys together", kept, exact=sizes / (1.0 + sizes))
        alone = Evidence("the same without a sink", float(softmax(scores).sum()))
        where = f"{n_keys:,} keys at −10, sink at 0"
        yield Case(where, kept < 1.0 - SATURATED, (together, alone))


def extended_context(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compute from logits the factor applied to scores besides 1/√d_k."""
    score = 8.0
    for factor, mscale, printed in (
        (4.0, 1.0, 1.2965), (16.0, 1.0, 1.6314), (40.0, 1.0, 1.8739), (40.0, 0.707, 1.5896),
    ):  # fmt: skip
        scale = Scale("yarn", (("factor", factor), ("mscale", mscale)))
        first, second = np.log(softmax([score, 0.0], trial.d_k, scale)).tolist()
        multiple = (first - second) * sqrt(trial.d_k) / score
        root = stated["slope"] * mscale * float(np.log(factor)) + 1.0
        times = Evidence(
            "logits times √d_k over scores", multiple, stated=printed, exact=root * root
        )
        holds = times.is_close(times.exact) and times.is_close(printed, within=1e-4)
        by_formula = Evidence("√(1/t)", sqrt(multiple), stated=root)
        coefficient = "" if mscale == 1.0 else f", mscale {general(mscale)}"
        yield Case(f"f = {general(factor)}{coefficient}", holds, (times, by_formula))
