"""Claims that texts make by worked examples: listings, a masked row, a scale moved elsewhere."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from attn_tui.claims.claim import Case, Evidence, Stated, claim
from attn_tui.claims.opening import explored
from attn_tui.claims.trial import Trial
from attn_tui.compute.evaluation import Evaluation, evaluate
from attn_tui.compute.logit_map import PLAIN, Wrt
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.library import gradient, softmax, statistics

Numbers = NDArray[np.float64]

LISTED = (100.0, 120.0, 150.0)
_LISTED_TEXT, _D_K = "a: 100, 120, 150", 1024

_FLOAT32 = Precision("float32")
_ULPS = 4 * 2.0**-23
"""A few units in the last place of float32, as a share: sums may be added up in another order."""


@claim(
    "S2-13",
    says="softmax(10, 20, 30) is about (0, 0, 1).",
    right="It is: 2.1e-9, 4.5e-5 and 0.99995.",
    topics=("softmax",),
    stated={"p_0": 0.0, "p_1": 0.0, "p_2": 1.0},
    opens=explored("a: 10, 20, 30", wrt="logits"),
)
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


@claim(
    "S2-16",
    says="softmax of (100, 120, 150) is (1.9e-22, 9.4e-14, 1), and (0.131, 0.245, 0.625) after "
    "dividing by 32.",
    right="It is, to the last places of float32, in which the listing was run.",
    topics=("softmax", "precision"),
    formula="softmax(s) beside softmax(s/√1024)",
    stated={
        "unscaled p_0": 1.9287498933537385e-22,
        "unscaled p_1": 9.357622912219837e-14,
        "unscaled p_2": 1.0,
        "scaled p_0": 0.13090753555297852,
        "scaled p_1": 0.24456748366355896,
        "scaled p_2": 0.6245249509811401,
    },
    opens=explored(_LISTED_TEXT, _D_K, Scale(), wrt="logits", precision=_FLOAT32),
)
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


@claim(
    "S2-18",
    says="Unscaled, the gradient of the first weight is "
    "(1.9e-22, −1.8e-35, −1.9e-22) at (100, 120, 150).",
    right="It is, to the last places of float32.",
    topics=("gradients", "precision"),
    formula="∂p_0/∂s_j = p_0(δ_0j − p_j)",
    stated={
        "∂p_0/∂s_0": 1.9287498933537385e-22,
        "∂p_0/∂s_1": -1.8048514720778033e-35,
        "∂p_0/∂s_2": -1.9287498933537385e-22,
    },
    opens=explored(_LISTED_TEXT, _D_K, of=0, wrt="scores", precision=_FLOAT32),
)
def unscaled_gradient(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Run the listing in float32."""
    found = listed_gradient(Scale("none"))
    yield as_listed("(100, 120, 150), weights in float32, unscaled", "∂p_0/∂s_{}", *found, stated)


@claim(
    "S2-19",
    says="Divided by 32, the gradient of the first weight is (0.0036, −0.0010, −0.0026).",
    right="It is, with respect to the raw scores, which includes the factor 1/32. With respect "
    "to the logits it is 32 times as large: 0.114, −0.032, −0.082.",
    topics=("gradients", "precision"),
    formula="∂p_0/∂s = m ∂p_0/∂z, m = 1/32",
    stated={
        "∂p_0/∂s_0": 0.0035553360357880592,
        "∂p_0/∂s_1": -0.0010004914365708828,
        "∂p_0/∂s_2": -0.002554844366386533,
    },
    opens=explored(_LISTED_TEXT, _D_K, Scale(), of=0, wrt="scores", precision=_FLOAT32),
)
def scaled_gradient(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Run the listing in float32, and look at the same gradient by the logits."""
    found = listed_gradient(Scale())
    case = as_listed(
        "(100, 120, 150), weights in float32, divided by 32", "∂p_0/∂s_{}", *found, stated
    )  # fmt: skip
    by_logit, _ = listed_gradient(Scale(), "logits")
    apart = Evidence("∂p_0/∂z_0, by the logits", float(by_logit[0]), exact=32 * float(found[0][0]))
    yield Case(case.where, case.holds, (*case.evidence, apart))


@claim(
    "S2-20",
    says="Scaling turns gradients near 0 into normal ones, as the listing's gain of 1.8e19 shows.",
    right="The listing shows the key of least weight; all of ∂p/∂s gains a factor of 6.8e10. "
    "Where the two largest scores are close, dividing by 32 makes it smaller instead: "
    "two keys gain only if they are more than 4.84 apart.",
    topics=("gradients", "scale rules"),
    formula="∂p/∂s = m·J(m·s): J grows, m shrinks",
    condition="where the largest score leads by far",
    stated={"gain": 1.843337e19},
    opens=explored(
        f"{_LISTED_TEXT}\nclose: 100, 147, 150\ntied: 100, 150, 150",
        _D_K,
        Scale(),
        of=0,
        wrt="scores",
    ),
)
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


@claim(
    "L-5",
    source="d2l.ai, Attention Scoring Functions",
    says="Masking with −1,000,000 makes the masked weights vanish.",
    right="It does if a key that is not masked is left and its score is replaced. A row of which "
    "every key is replaced becomes uniform; adding −1e6 to a whole row changes nothing; and in "
    "float16 −1e6 is −∞, so that such a row is NaN.",
    topics=("softmax", "precision"),
    formula="softmax(s − c) = softmax(s)",
    condition="where a key of the row is left unmasked",
    opens=explored("one: 2, -1e6, 1, 0\nall: -1e6, -1e6, -1e6, -1e6", wrt="logits"),
)
def minus_a_million(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Mask one key, and all, each way."""
    one, every = np.array([2.0, _HIDING, 1.0, 0.0]), np.full(4, _HIDING)
    added = np.array([2.0, 0.5, 1.0, 0.0]) + _HIDING
    halves = Precision("float16")
    for where, scores, precision, key in (
        ("key 1 of four replaced by −1e6", one, Precision(), 1),
        ("the same in float16", one, halves, 1),
        ("all four replaced by −1e6", every, Precision(), 0),
        ("−1e6 added to all four", added, Precision(), 0),
        ("all four replaced, in float16", every, halves, 0),
    ):
        p = evaluate(scores, PLAIN, precision).weights()
        lost = int(np.isnan(p).sum())
        if lost:
            yield Case(where, False, (Evidence("weights that are NaN, of four", float(lost)),))
            continue
        exact = float(softmax(scores - scores.max())[key])
        masked = Evidence(
            f"weight of key {key}, which is masked", float(p[key]), stated=0.0, exact=exact
        )
        yield Case(where, masked.value < 1e-12, (masked,))


@claim(
    "L-26",
    source="a text copied from comments on kexue.fm 11126, not literature",
    says="The scale can be left out and absorbed into V.",
    right="Into Q or K, not into V: softmax is not linear. Dividing V by 8 leaves "
    "the weights as sharp as they were.",
    topics=("scale rules", "softmax"),
    formula="p(z)·V/8 ≠ p(z/8)·V, but (q/8)·k = (q·k)/8",
    opens=explored("a: 2, 4, 6, 8", None, Scale(), wrt="logits"),
)
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
