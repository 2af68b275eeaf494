"""Claims made by worked examples: listings, a masked row, a scale moved elsewhere."""

from collections.abc import Iterator

import numpy as np

from attn_tui.claims.checks.samples import SIDES
from attn_tui.claims.claim import Case, Evidence, StatedNumbers
from attn_tui.claims.trial import Trial
from attn_tui.compute.arrays import Floats
from attn_tui.compute.evaluation import Evaluation, evaluate
from attn_tui.compute.numbers import general
from attn_tui.compute.precision import Precision
from attn_tui.compute.sample import stream
from attn_tui.compute.scale import NONE, PLAIN, Scale
from attn_tui.library import gradient, softmax, statistics

LISTED = (100.0, 120.0, 150.0)
_D_K, _FLOAT32 = 1024, Precision("float32")

_ULPS = 4 * 2.0**-23
"""A few units in the last place of float32, relative, as the order of summation may differ."""


def ten_twenty_thirty(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare each weight to two decimals."""
    weights = softmax([10, 20, 30])
    evidence = [
        Evidence(name, float(p), stated=value)
        for p, (name, value) in zip(weights, stated.items(), strict=True)
    ]
    holds = bool((np.abs(weights - [*stated.values()]) < 0.005).all())
    yield Case("z = (10, 20, 30), to two decimals", holds, tuple(evidence))


def listed(scale: Scale, precision: Precision = _FLOAT32) -> Evaluation:
    """Return the evaluation of the listings' scores at their d_k."""
    return evaluate(np.array(LISTED), scale.logit_map(_D_K, len(LISTED)), precision)


def as_listed(
    where: str,
    symbol: str,
    single: Floats,
    double: Floats,
    stated: StatedNumbers,
    *besides: Evidence,
) -> Case:
    """Return the case of whether numbers computed in float32 are those that a listing prints.

    Args:
        where: The situation.
        symbol: The symbol of the numbers; with ``_`` and the key it names the printed number.
        single: The numbers in float32.
        double: The numbers in float64.
        stated: The printed numbers.
        besides: Further evidence.
    """
    evidence = [
        Evidence(
            f"{symbol}_{key}", float(one), stated=stated[f"{symbol}_{key}"], exact=float(other)
        )
        for key, (one, other) in enumerate(zip(single, double, strict=True))
    ]
    holds = all(number.is_close(number.stated, within=_ULPS) for number in evidence)
    return Case(f"(100, 120, 150), weights in float32, {where}", holds, (*evidence, *besides))


def listed_weights(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Run the listing in float32."""
    for side, scale in SIDES.items():
        single, double = (
            listed(scale, precision).weights() for precision in (_FLOAT32, Precision())
        )
        yield as_listed(side, f"{side} p", single, double, stated)


def unscaled_gradient(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Run the listing in float32."""
    single, double = (
        listed(NONE, precision).gradient(0, "scores") for precision in (_FLOAT32, Precision())
    )
    yield as_listed("unscaled", "∂p_0/∂s", single, double, stated)


def scaled_gradient(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Run the listing in float32, and compute the same gradient by the logits."""
    single, double = (
        listed(Scale(), precision).gradient(0, "scores") for precision in (_FLOAT32, Precision())
    )
    by_logit = float(listed(Scale()).gradient(0, "logits")[0])
    apart = Evidence("∂p_0/∂z_0, by the logits", by_logit, exact=32.0 * float(single[0]))
    yield as_listed("divided by 32", "∂p_0/∂s", single, double, stated, apart)


def gain(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare unscaled with scaled gradients: one entry, all entries, and close scores."""
    by_rule = [gradient(LISTED, of=0, d_k=_D_K, scale=scale)[0] for scale in SIDES.values()]
    yield _gain("(100, 120, 150), what the listing shows", "∂p_0/∂s_0", by_rule)
    for scores in (LISTED, (100.0, 147.0, 150.0), (100.0, 150.0, 150.0)):
        by_rule = [statistics(scores, d_k=_D_K, scale=scale).frobenius for scale in SIDES.values()]
        yield _gain(f"({', '.join(map(general, scores))}), all keys", "‖∂p/∂s‖_F", by_rule)


def _gain(where: str, of: str, by_rule: list[float]) -> Case:
    unscaled, scaled = map(float, by_rule)
    factor = Evidence(f"{of}, scaled over unscaled", scaled / unscaled)
    return Case(where, scaled > unscaled, (factor, Evidence(f"{of}, unscaled", unscaled)))


_HIDING = -1e6

VALUES = 4
"""The number of components of the values that a loss uses."""


def minus_a_million(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Mask one key and all keys, in each way."""
    unmasked = np.array([2.03, 0.48, 1.01, 0.0])
    one, every, added = unmasked.copy(), np.full(4, _HIDING), unmasked + _HIDING
    one[1] = _HIDING
    some, less = unmasked.copy(), np.full(4, -1e4)
    some[1] = -1e4
    for where, scores, meant, number_format, key in (
        ("key 1 of four replaced by −1e6", one, one, "float64", 1),
        ("the same in float16", one, one, "float16", 1),
        ("key 1 replaced by −10,000, in float16", some, some, "float16", 1),
        ("all four replaced by −1e6", every, every, "float64", 0),
        ("all four replaced by −10,000, in float16", less, less, "float16", 0),
        ("−1e6 added to all four", added, unmasked, "float64", 0),
        ("the same in float32", added, unmasked, "float32", 0),
        ("all four replaced, in float16", every, every, "float16", 0),
    ):
        p = evaluate(scores, PLAIN, Precision(number_format)).weights()
        exact, name = float(softmax(meant)[key]), f"weight of key {key}, which is masked"
        masked = Evidence(name, float(p[key]), stated=0.0, exact=exact)
        lost = Evidence("weights that are NaN, of four", float(np.isnan(p).sum()))
        # NaN is never below the threshold.
        yield Case(where, masked.value < 1e-12, (lost,) if lost.value else (masked,))


def simulated_loss(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compute ∂L/∂s for a loss that is the first weight, and for one that uses drawn values."""
    rows = np.array([gradient(LISTED, of=key, d_k=_D_K, wrt="scores") for key in range(3)])
    values = stream(trial.seed).standard_normal((3, VALUES))
    of_values = values @ stream(trial.seed, 1).standard_normal(VALUES)
    for where, upstream in (
        ("a loss that is p_0", np.array([1.0, 0.0, 0.0])),
        (f"a loss by V of {VALUES} drawn components", of_values),
    ):
        size = float(np.linalg.norm(upstream @ rows))
        share = abs(float(upstream[0])) * float(np.linalg.norm(rows[0])) / size
        of_row = Evidence("the part of ∂p_0 in ‖∂L/∂s‖", share, stated=stated["share"])
        yield Case.as_stated(where, of_row, Evidence("‖∂L/∂s‖", size))


def absorbed(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Divide the scores by 8, and then the values instead."""
    scores, values = np.array([2.0, 4.0, 6.0, 8.0]), np.array([1.0, 2.0, 3.0, 4.0])
    scaled, sharp = softmax(scores / 8.0), softmax(scores)
    yield Case.as_stated(
        "z = (2, 4, 6, 8), V = (1, 2, 3, 4), stated: p(z/8)·V",
        Evidence("p(z)·(V/8)", float(sharp @ (values / 8.0)), stated=float(scaled @ values)),
        Evidence("entropy of p(z) in nats", statistics(scores).entropy),
        Evidence("entropy of p(z/8) in nats", statistics(scores / 8.0).entropy),
    )
