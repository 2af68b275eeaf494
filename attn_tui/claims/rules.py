"""Claims about scale rules, caps, sinks and norms: which of them keeps softmax from saturating."""

from collections.abc import Iterator
from math import exp, sqrt

import numpy as np

from attn_tui.claims.claim import Case, Evidence, Stated, claim
from attn_tui.claims.opening import explored
from attn_tui.claims.trial import Trial
from attn_tui.compute.logits import slopes
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Floats, Products
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


@claim(
    "L-6",
    source="Henry et al. 2020, arXiv 2010.04245",
    says="Normalising q and k to length 1 keeps softmax from saturating arbitrarily.",
    right="It bounds the logits by the learned gain g, so the largest weight by "
    "1/(1 + (n − 1)e^(−2g)). At n = 1024 that is .72 % for g = 1, and all but 4.3e-15 for g = 20.",
    topics=("scale rules", "softmax"),
    formula="max p ≤ 1/(1 + (n − 1)e^(−2g))",
    condition="as long as the learned gain stays well below ½·ln n",
    varies={"n": 1024},
    opens=explored(f"a: 1{', -1' * 15}\nb: 20{', -20' * 15}"),
)
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


@claim(
    "L-7",
    source="models with QK-RMSnorm in each head and 1/√d_k",
    says="Normalised in each head, logits are bounded by √d_k, so softmax cannot saturate.",
    right="The bound leaves a gap of 2√d_k between two keys. At d_k = 128 one key can have .99998 "
    "of the weight, even among 131,072.",
    topics=("scale rules", "softmax"),
    formula="max p ≤ 1/(1 + (n − 1)e^(−2√d_k))",
    varies={"d_k": 128},
    opens=explored(lambda trial: f"a: {trial.d_k}" + f", {-trial.d_k}" * 15, scale=Scale()),
)
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


@claim(
    "L-8",
    source="Gemma 2 report, as often stated",
    says="Capping the logits at 50 keeps softmax from saturating.",
    right="A cap bounds logits, not weights: between 50 and −50 the loser has e^(−100) of the "
    "winner's weight, 3.7e-44. Where it caps, the gradient through the cap has vanished too.",
    topics=("scale rules", "softmax"),
    formula="z = 50·tanh(m·s/50), p ≥ e^(−100)/n",
    stated={"cap": 50.0},
    varies={"n": 2},
    opens=explored("a: 1000, -1000", scale=Scale("none", softcap=50.0)),
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


@claim(
    "L-19",
    source="softmax₁ (E. Miller 2023); the sinks of gpt-oss",
    says="One more key that has no value, a sink, lets a head attend to nothing.",
    right="To almost nothing as long as the sink outweighs all keys together. Keys at −10 beside a "
    "sink at 0: five keep 2.3e-4 of the weight, 100,000 keep .82.",
    topics=("scale rules", "length"),
    formula="Σp = Σe^z/(e^b + Σe^z)",
    condition="while n is small against e^(b − z)",
    varies={"n": 100_000},
    opens=explored(
        f"a5: -10{', -10' * 4}\na500: -10{', -10' * 499}", scale=Scale("none", sink=0.0)
    ),
)
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


@claim(
    "L-23",
    source="YaRN: Peng et al. 2023, arXiv 2309.00071",
    says="For a context extended by a factor f, √(1/t) = 0.1·ln f + 1, where 1/t multiplies the "
    "logits.",
    right="So the rule has it: logits are multiplied by 1.2965 at f = 4, 1.6314 at 16 and 1.8739 "
    "at 40, DeepSeek-V3's. That this suits models best was found by trying, and is not tried here.",
    topics=("scale rules", "length"),
    formula="m·√d_k = (0.1·ln f + 1)²",
    stated={"slope": 0.1},
    varies={"d_k": 64},
    opens=explored("a: 0, 8, 16", scale=Scale("yarn", (("factor", 4.0),))),
)
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
