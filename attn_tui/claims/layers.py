"""Claims about whole heads and layers: rank, singular values, gradients by W, the first row."""

from collections.abc import Iterator
from math import exp, sqrt

import numpy as np

from attn_tui.claims.claim import Case, Curve, Evidence, Opened, Picture, Stated, Trial, claim
from attn_tui.compute.errors import InputError
from attn_tui.compute.head import Head, row_weights
from attn_tui.compute.logit_map import PLAIN, LogitMap
from attn_tui.compute.mask import Mask
from attn_tui.compute.number import Number
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Floats, normalised
from attn_tui.compute.stream import stream
from attn_tui.compute.sweep.rows import DrawnWeights, rows
from attn_tui.files.draft import Draft


def normals(trial: Trial, key: int, *shape: int) -> Floats:
    """Return independent standard normal numbers of a trial; other keys, other numbers."""
    return stream(trial.seed, key).standard_normal(shape)


def check_size(trial: Trial, least: int = 2, **most: int) -> None:
    """Raise InputError where matrices would be too large, or too small to say anything."""
    for name, limit in most.items():
        if not least <= getattr(trial, name) <= limit:
            problem = f"{getattr(trial, name):,} will not do for this claim"
            raise InputError(name, problem, f"{least} to {limit:,}")


def projected(trial: Trial, key: int, gain: float = 1.0) -> Floats:
    """Return a weight matrix, shape (d_k, d_k), that makes unit variances the gain squared."""
    return normals(trial, key, trial.d_k, trial.d_k) * (gain / sqrt(trial.d_k))


def geometric(name: str, values: Floats) -> Evidence:
    """Return the geometric mean of positive numbers, shape (draws,), with its error."""
    logs = Number.mean(np.log(values).tolist())
    mean = exp(logs.value)
    return Evidence(name, mean, mean * logs.standard_error)


def average(name: str, values: Floats) -> Evidence:
    """Return the mean of numbers, shape (draws,), with its error."""
    return Evidence.of(name, Number.mean(values.tolist()))


LAYERS = 8

ROUNDING = 1e-12
"""Differences between tokens that are smaller than this are those of float64."""


def residuals(trial: Trial, scale: Scale, n_keys: int, layers: int) -> Floats:
    """Return ‖X − mean‖_F/‖X‖_F before layers of attention alone and after each of them.

    The mean is the tokens' average, a rank of 1. X begins standard normal, and the entries of
    W_q, W_k and W_v are normal of variance 1/d_k, new in each layer.

    Returns:
        Shape (layers + 1, draws).
    """
    found = np.empty((layers + 1, trial.draws))
    for draw in range(trial.draws):
        tokens = normals(trial, 100 * draw, n_keys, trial.d_k)
        for layer in range(layers + 1):
            spread = tokens - tokens.mean(axis=0)
            found[layer, draw] = np.linalg.norm(spread) / np.linalg.norm(tokens)
            of_q, of_k, of_v = (
                tokens @ projected(trial, 100 * draw + 3 * layer + part) for part in (1, 2, 3)
            )
            tokens = Head(of_q, of_k, of_v, scale.logit_map(trial.d_k, n_keys)).output
    return found


@claim(
    "L-13",
    source="Dong et al. 2021, arXiv 2103.03404",
    says="Without skip connections attention loses rank doubly exponentially with depth.",
    right="With 1/√d_k it does: tokens differ by less than a millionth after three layers. With no "
    "scale each token at first copies one other, .8 of the differences are left after three "
    "layers, and the collapse comes later: near the seventh for 32 tokens.",
    topics=("training", "scale rules"),
    formula="‖X − 1x̄ᵀ‖_F/‖X‖_F",
    condition="where logits are small enough for nearly even weights, as 1/√d_k makes them",
    varies={"seed": 1, "d_k": 64, "n": 32, "draws": 6},
)
def rank_collapse(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Pass random tokens through layers of attention with and without a scale."""
    check_size(trial, d_k=256, n=256, draws=32)
    curves = []
    for rule, words in (("inverse-sqrt", "1/√d_k"), ("none", "no scale")):
        found = residuals(trial, Scale(rule), trial.n, LAYERS)
        means = [
            geometric(f"‖X − mean‖_F/‖X‖_F after layer {layer}", found[layer])
            for layer in (3, 2, 1)
        ]
        yield Case(
            f"{words}, n = {trial.n:,}, d_k = {trial.d_k:,}", means[0].value < 1e-3,
            tuple(means),
        )  # fmt: skip
        over = [float(np.exp(np.log(each).mean())) for each in found if each.min() > ROUNDING]
        curves.append(Curve(words, tuple(map(float, range(len(over)))), tuple(over)))
    yield Picture(
        "what is left of the differences between tokens, ‖X − mean‖_F/‖X‖_F",
        "layers", tuple(curves), log_y=True,
    )  # fmt: skip


@claim(
    "L-12",
    source="Hong & Lee, EMNLP 2025",
    says="As attention concentrates, the spectral norm of the weights grows, so gradients explode.",
    right="‖A‖₂ grows, at n = 256 from 1.00 to 2.1 as σ goes from 0.1 to 16, and never exceeds "
    "√n. The gradient by the logits rises with it at first, then falls: mean ‖J‖_F is .063, .30 "
    "at σ = 4, .14 at σ = 16.",
    topics=("gradients", "softmax"),
    formula="‖A‖₂ ≤ √n, ‖J‖_F ≤ ½",
    condition="as long as few rows are saturated: up to about σ = 4 at n = 256",
    varies={"seed": 1, "n": 256, "draws": 6},
)
def concentration(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Widen the logits of a square of weights, and follow its norm and that of J."""
    check_size(trial, n=512, draws=32)
    logit_stds = (0.1, 1.0, 4.0, 16.0)
    norms = np.array([_norms(trial, draw, logit_stds) for draw in range(trial.draws)])
    for low, high in ((0, 2), (2, 3)):
        by_logits, of_weights = (norms[:, high, part] / norms[:, low, part] for part in (1, 0))
        stds = f"σ = {logit_stds[low]:g} to {logit_stds[high]:g}"
        grown = average(f"mean ‖J‖_F, so many times as large from {stds}", by_logits)
        yield Case(
            f"n = {trial.n:,}, {stds}",
            grown.value > 1.0 and float(of_weights.mean()) > 1.0,
            (
                grown,
                average(f"‖A‖₂, so many times as large from {stds}", of_weights),
                average(f"mean ‖A‖₂ at σ = {logit_stds[high]:g}", norms[:, high, 0]),
                average(f"mean ‖J‖_F at σ = {logit_stds[high]:g}", norms[:, high, 1]),
            ),
        )  # fmt: skip
    both = [tuple(norms[:, :, part].mean(axis=0).tolist()) for part in (0, 1)]
    yield Picture(
        "norms of the weights and of their gradient by the logits",
        "σ, the standard deviation of the logits",
        (Curve("‖A‖₂", logit_stds, both[0]), Curve("mean ‖J‖_F", logit_stds, both[1])),
        log_x=True, log_y=True,
    )  # fmt: skip


def _norms(trial: Trial, draw: int, logit_stds: tuple[float, ...]) -> list[tuple[float, float]]:
    """Return ‖A‖₂ and the mean of ‖J‖_F over the rows of A, for each σ."""
    z = normals(trial, draw, trial.n, trial.n)
    given, unknown = rows(z, np.zeros_like(z)), np.full(trial.n, np.nan)
    return [
        (
            float(singular_values(row_weights(std * z))[0]),
            float(np.exp(DrawnWeights(given, np.full(trial.n, std), unknown).jacobian()).mean()),
        )
        for std in logit_stds
    ]


def singular_values(matrix: Floats) -> Floats:
    """Return the singular values of a matrix, the largest first; small ones to 1e-8 of that.

    Source: roots of the eigenvalues of AᵀA, which costs a fifth of a singular value decomposition.
    """
    squares = np.linalg.eigvalsh(matrix.T @ matrix)[::-1]
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


@claim(
    "L-14",
    source="Naderi et al., arXiv 2410.07799",
    says="A random matrix of attention weights has one singular value near 1, and then a gap.",
    right="So it has, for independent normal logits: the rows sum to 1, and "
    "the bulk of the other values ends at 2√((e^(σ²) − 1)/n), .082 at n = 1024 and σ = 1. "
    "A few stray above it.",
    topics=("softmax", "training"),
    formula="s₁ ≈ 1, then 2√((e^(σ²) − 1)/n) at most",
    varies={"seed": 1, "n": 1024},
)
def spectral_gap(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Compare the singular values of random weights with the edge of their bulk."""
    check_size(trial, least=32, n=1024)
    n = trial.n
    found = singular_values(row_weights(normals(trial, 0, n, n)))
    # A few leave the bulk, whose edge is as blurred as n^(−2/3).
    inside = 1 + max(1, n // 100)
    edge = 2.0 * sqrt((exp(1.0) - 1.0) / n)
    first = Evidence("largest singular value", float(found[0]), exact=1.0)
    second = Evidence("second singular value", float(found[1]))
    bulk = Evidence(f"singular value {inside}", float(found[inside - 1]), exact=edge)
    yield Case(
        f"independent normal logits, σ = 1, n = {n:,}",
        first.is_near(1.0, within=10.0 / n)
        and bulk.is_near(edge, within=5.0 * n ** (-2.0 / 3.0))
        and second.value < 0.75 * first.value,
        (first, second, bulk),
    )
    places = range(1, min(n, 100) + 1)
    yield Picture(
        f"singular values of {n:,} × {n:,} random weights", "place, from the largest",
        (Curve("singular values", tuple(map(float, places)), tuple(found[: len(places)].tolist())),
         Curve("edge of the bulk", (1.0, float(len(places))), (edge, edge))),
        log_x=True, log_y=True,
    )  # fmt: skip


@claim(
    "L-21",
    source="T5 (a comment in mesh-tensorflow)",
    says="Dividing by √d_k may as well be folded into the initialisation of W_q.",
    right="The weights come out the same, but ∂L/∂W_q is √d_k times as large, so one step of "
    "gradient descent moves the logits d_k times as far: training is another.",
    topics=("scale rules", "training"),
    formula="∂L/∂W_q: √d_k times",
    condition="for the forward pass at initialisation",
    stated={"ratio of gradients": 1.0},
    varies={"seed": 1, "d_k": 64, "n": 32},
)
def folded_scale(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare a head that divides its scores with one whose W_q was divided."""
    check_size(trial, 1, d_k=1024, n=1024)
    n, d_k, root = trial.n, trial.d_k, sqrt(trial.d_k)
    tokens, upstream = normals(trial, 0, n, d_k), normals(trial, 1, n, d_k)
    of_q, of_k, of_v = (projected(trial, part) for part in (2, 3, 4))
    kept, folded = (
        Head(tokens @ matrix, tokens @ of_k, tokens @ of_v, logits)
        for matrix, logits in ((of_q, LogitMap(1.0 / root)), (of_q / root, PLAIN))
    )
    apart = float(np.abs(kept.weights - folded.weights).max())
    yield Case(
        "the forward pass", apart < 1e-9, (Evidence("largest difference of p", apart, stated=0.0),)
    )
    steps = [tokens.T @ head.gradients(upstream)[0] for head in (kept, folded)]
    moves = [
        float(np.linalg.norm(head.map.multiplier * (tokens @ step) @ head.keys.T))
        for head, step in zip((kept, folded), steps, strict=True)
    ]
    sizes = [float(np.linalg.norm(step)) for step in steps]
    ratio = Evidence(
        "‖∂L/∂W_q‖, folded over divided", sizes[1] / sizes[0],
        stated=stated["ratio of gradients"], exact=root,
    )  # fmt: skip
    yield Case(
        "the gradient", ratio.is_as_stated,
        (ratio, Evidence(
            "change of the logits by one step of gradient descent, folded over divided",
            moves[1] / moves[0], exact=float(d_k))),
    )  # fmt: skip


GAIN = 10.0
"""q and k that training has enlarged: logits of standard deviation 100."""


@claim(
    "L-9",
    source="Kimi K2, arXiv 2507.20534",
    says="Multiplying W_q and W_k by √(τ/S_max) each, where the largest logit S_max exceeds τ, "
    "brings the largest logit to τ.",
    right="Exactly, on the batch S_max was found on, and for any head by itself. On another batch "
    "the largest is only near τ; QK-norm undoes the change; a W_k that two heads share is "
    "multiplied twice. Of how concentrated the weights are it says nothing.",
    topics=("scale rules", "training"),
    formula="√γW_q, √γW_k, γ = min(1, τ/S_max)",
    condition="on the batch it was found on, without QK-norm and where heads share no W_k",
    stated={"τ": 100.0},
    varies={"seed": 1, "d_k": 64, "n": 64},
)
def clipped_logits(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Clip W_q and W_k by the largest logit, and look for the largest logit again."""
    check_size(trial, 1, d_k=1024, n=1024)
    cap = stated["τ"]
    batch, other = (normals(trial, part, trial.n, trial.d_k) for part in (0, 1))
    of_q, second_q, of_k = (projected(trial, part, GAIN) for part in (2, 3, 4))
    share = clip(largest_logit(batch, of_q, of_k), cap)
    for where, tokens in (("the same batch", batch), ("another batch", other)):
        yield _clipped(
            where, cap, largest_logit(tokens, of_q, of_k),
            largest_logit(tokens, sqrt(share) * of_q, sqrt(share) * of_k),
        )  # fmt: skip
    before = largest_logit(batch, of_q, of_k, GAIN)
    share = clip(before, cap)
    after = largest_logit(batch, sqrt(share) * of_q, sqrt(share) * of_k, GAIN)
    yield _clipped(f"the same batch, QK-norm with gains of {GAIN:g}", cap, before, after)
    before = largest_logit(batch, of_q, of_k)
    share, second = clip(before, cap), clip(largest_logit(batch, second_q, of_k), cap)
    after = largest_logit(batch, sqrt(share) * of_q, sqrt(share * second) * of_k)
    yield _clipped("the same batch, two heads with one W_k", cap, before, after)


def largest_logit(tokens: Floats, of_q: Floats, of_k: Floats, norm_gain: float = 0.0) -> float:
    """Return the largest logit of tokens under 1/√d_k; with a gain above 0, that of QK-norm."""
    q, k = tokens @ of_q, tokens @ of_k
    if norm_gain:
        q, k = normalised(q) * norm_gain, normalised(k) * norm_gain
    return float(Head(q, k, k, Scale().logit_map(q.shape[1], len(k))).logits.max())


def clip(largest: float, cap: float) -> float:
    """Return γ, what W_q·W_k is multiplied by so that no logit exceeds a cap."""
    return cap / largest if largest > cap else 1.0


def _clipped(where: str, cap: float, before: float, after: float) -> Case:
    found = Evidence("largest logit, clipped", after, stated=cap)
    return Case(where, found.is_as_stated, (found, Evidence("largest logit before", before)))


def _causal(trial: Trial) -> Opened:
    text = "\n".join(["12, -3, 5, 1"] * 4)
    setup = Setup(trial.d_k, Scale(sink=0.0), mask=Mask(causal=True))
    return Opened("explore", Draft(text, setup))


@claim(
    "L-27",
    source="onnxruntime/mobius, issue 548",
    says="The first row of causal attention cannot show that the scale is wrong.",
    right="It sees one key, whose weight is 1 whatever m is. With a sink that key shares its "
    "weight with the sink, in a ratio of e^(m·s) to e^b, and so it shows m.",
    topics=("scale rules", "softmax"),
    formula="p = 1; with a sink 1/(1 + e^(b − m·s))",
    condition="without a sink",
    varies={"seed": 1, "d_k": 64, "n": 4},
    opens=_causal,
)
def first_row(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare the first row of causal attention under 1/√d_k and with no scale."""
    check_size(trial, 1, d_k=65_536, n=64)
    queries, keys = (normals(trial, part, trial.n, trial.d_k) for part in (0, 1))
    for where, sink in (("no sink", None), ("a sink at b = 0", 0.0)):
        found = [
            Head(queries, keys, keys, Scale(rule, sink=sink).logit_map(trial.d_k, 1), causal=True)
            for rule in ("inverse-sqrt", "none")
        ]
        divided, plain = (float(head.weights[0, 0]) for head in found)
        exact = [
            1.0 if sink is None else 1.0 / (1.0 + exp(sink - float(head.logits[0, 0])))
            for head in found
        ]
        yield Case(
            where, abs(divided - plain) < 1e-9,
            (Evidence("p of the first row's key, m = 1/√d_k", divided, exact=exact[0]),
             Evidence("p of the first row's key, m = 1", plain, exact=exact[1])),
        )  # fmt: skip
