"""Claims that texts make by worked examples: listings, a masked row, a scale moved elsewhere."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from attn_tui.claims.claim import Case, Evidence, Stated
from attn_tui.claims.trial import Trial
from attn_tui.compute.evaluation import Evaluation, evaluate
from attn_tui.compute.logit_map import PLAIN, Wrt
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.stream import stream
from attn_tui.library import gradient, softmax, statistics

Numbers = NDArray[np.float64]

LISTED = (100.0, 120.0, 150.0)
_LISTED_TEXT, _D_K = "a: 100, 120, 150", 1024

_FLOAT32 = Precision("float32")
_ULPS = 4 * 2.0**-23
"""A few units in the last place of float32, as a share: sums may be added up in another order."""


def ten_twenty_thirty(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare each weight to two decimals."""
    p = softmax([10, 20, 30]).tolist()
    found = [Evidence(name, p[int(name[-1])], stated=value) for name, value in stated.items()]
    holds = all(abs(each.value - (each.stated or 0.0)) < 0.005 for each in found)
    yield Case("z = (10, 20, 30), to two decimals", holds, tuple(found))


def listed(scale: Scale, precision: Precision = _FLOAT32) -> Evaluation:
    """Return softmax of the listings' scores at their d_k."""
    return evaluate(np.array(LISTED), scale.logit_map(_D_K, len(LISTED)), precision)


def as_listed(where: str, names: str, single: Numbers, double: Numbers, stated: Stated) -> Case:
    """Return whether numbers found in float32 are those that a listing prints.

    Args:
        where: The situation.
        names: What they are, with braces for the key.
        single: In float32.
        double: In float64.
        stated: What is printed; that with the same names is used.
    """
    found = tuple(
        Evidence(name, one, stated=stated[name], exact=other)
        for name, one, other in zip(
            map(names.format, range(single.size)), single.tolist(), double.tolist(), strict=True
        )
    )
    return Case(where, all(each.is_near(each.stated, within=_ULPS) for each in found), found)


def listed_weights(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Run the listing in float32."""
    for name, scale in (("unscaled", Scale("none")), ("scaled", Scale())):
        single, double = (listed(scale, each).weights() for each in (_FLOAT32, Precision()))
        where = f"(100, 120, 150) in float32, {name}"
        yield as_listed(where, name + " p_{}", single, double, stated)


def listed_gradient(scale: Scale, wrt: Wrt = "scores") -> tuple[Numbers, Numbers]:
    """Return ∂p_0/∂s of the listings' scores from weights in float32, and in float64."""
    single, double = (listed(scale, each).gradient(0, wrt) for each in (_FLOAT32, Precision()))
    return single, double


def unscaled_gradient(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Run the listing in float32."""
    found = listed_gradient(Scale("none"))
    yield as_listed("(100, 120, 150), weights in float32, unscaled", "∂p_0/∂s_{}", *found, stated)


def scaled_gradient(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Run the listing in float32, and look at the same gradient by the logits."""
    found = listed_gradient(Scale())
    case = as_listed(
        "(100, 120, 150), weights in float32, divided by 32", "∂p_0/∂s_{}", *found, stated
    )  # fmt: skip
    by_logit, _ = listed_gradient(Scale(), "logits")
    apart = Evidence("∂p_0/∂z_0, by the logits", float(by_logit[0]), exact=32 * float(found[0][0]))
    yield Case(case.where, case.holds, (*case.evidence, apart))


def gain(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare gradients unscaled and scaled: the one shown, all of them, those of close scores."""
    shown = (
        float(gradient(LISTED, of=0, d_k=_D_K, scale=rule)[0]) for rule in ("none", "inverse-sqrt")
    )
    yield _gain("(100, 120, 150), what the listing shows", "∂p_0/∂s_0", shown, stated["gain"])
    for scores in (LISTED, (100.0, 147.0, 150.0), (100.0, 150.0, 150.0)):
        sizes = (
            statistics(scores, d_k=_D_K, scale=rule).frobenius for rule in ("none", "inverse-sqrt")
        )
        yield _gain("({:g}, {:g}, {:g}), all keys".format(*scores), "‖∂p/∂s‖_F", sizes)


def _gain(where: str, of: str, sizes: Iterable[float], stated: float | None = None) -> Case:
    unscaled, scaled = sizes
    factor = Evidence(f"{of}, scaled over unscaled", scaled / unscaled, stated=stated)
    return Case(where, scaled > unscaled, (factor, Evidence(f"{of}, unscaled", unscaled)))


_HIDING = -1e6

VALUES = 4
"""So many components have the values that a loss reads."""


def minus_a_million(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Mask one key, and all, each way."""
    plain, whole = Precision(), np.array([2.03, 0.48, 1.01, 0.0])
    one, every, added = whole.copy(), np.full(4, _HIDING), whole + _HIDING
    one[1] = _HIDING
    half = Precision("float16")
    for where, scores, meant, precision, key in (
        ("key 1 of four replaced by −1e6", one, one, plain, 1),
        ("the same in float16", one, one, half, 1),
        ("all four replaced by −1e6", every, every, plain, 0),
        ("−1e6 added to all four", added, whole, plain, 0),
        ("the same in float32", added, whole, Precision("float32"), 0),
        ("all four replaced, in float16", every, every, half, 0),
    ):
        p = evaluate(scores, PLAIN, precision).weights()
        lost = int(np.isnan(p).sum())
        if lost:
            yield Case(where, False, (Evidence("weights that are NaN, of four", float(lost)),))
            continue
        exact = float(softmax(meant)[key])
        name = f"weight of key {key}, which is masked"
        masked = Evidence(name, float(p[key]), stated=0.0, exact=exact)
        yield Case(where, masked.value < 1e-12, (masked,))


def simulated_loss(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Take ∂L/∂s of a loss that is the first weight, and of one that reads drawn values."""
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
        yield Case(where, of_row.is_as_stated, (of_row, Evidence("‖∂L/∂s‖", size)))


def absorbed(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Divide scores by 8, and instead values by 8."""
    scores, values = np.array([2.0, 4.0, 6.0, 8.0]), np.array([1.0, 2.0, 3.0, 4.0])
    scaled, sharp = softmax(scores / 8.0), softmax(scores)
    output = Evidence("p(z)·(V/8)", float(sharp @ (values / 8.0)), stated=float(scaled @ values))
    spread = [
        Evidence(f"entropy of {name} in nats", statistics(z).entropy)
        for name, z in (("p(z)", scores), ("p(z/8)", scores / 8.0))
    ]
    where = "z = (2, 4, 6, 8), V = (1, 2, 3, 4), stated: p(z/8)·V"
    yield Case(where, output.is_as_stated, (output, *spread))
