"""Claims about one head: changes to W_q and W_k, and its first row."""

from collections.abc import Iterator
from dataclasses import replace
from math import exp, sqrt

import numpy as np

from attn_tui.claims.checks.layers import check_size, normals, projected
from attn_tui.claims.claim import Case, ClaimCurves, Evidence, StatedNumbers
from attn_tui.claims.trial import Trial
from attn_tui.compute.arrays import Floats
from attn_tui.compute.heads.head import Head, row_weights
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.numbers import general
from attn_tui.compute.scale import Scale
from attn_tui.compute.source import normalised


def folded_scale(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Compare a head that divides its scores with one that has the divisor in W_q."""
    check_size(trial, 1, d_k=512, n=512)
    apart, gradients, moves, of_adam, of_adafactor = folded_over_divided(trial)
    same = Evidence("largest difference of p", apart, stated=0.0)
    yield Case("the forward pass", apart < 1e-9, (same,))
    change = "change of z by a {}, folded over divided"
    adafactor = Evidence(change.format("step of Adafactor"), of_adafactor, stated=1.0, exact=1.0)
    yield Case.as_stated("a step in proportion to the weights", adafactor)
    name, root = "‖∂L/∂W_q‖, folded over divided", sqrt(trial.d_k)
    ratio = Evidence(name, gradients, stated=stated["ratio of gradients"], exact=root)
    descent = Evidence(change.format("gradient step"), moves, exact=float(trial.d_k))
    adam = Evidence(change.format("step of Adam"), of_adam, exact=root)
    yield Case.as_stated("the gradient", ratio, descent, adam)
    d_ks = [2**power for power in range(2, 9)]
    comparisons = [folded_over_divided(replace(trial, d_k=d_k)) for d_k in d_ks]
    curves = {
        "‖∂L/∂W_q‖": [comparison[1] for comparison in comparisons],
        "change of the logits in a step": [comparison[2] for comparison in comparisons],
        "the same with Adam": [comparison[3] for comparison in comparisons],
        "with Adafactor": [comparison[4] for comparison in comparisons],
    }
    title = "1/√d_k folded into W_q, over the same after QKᵀ"
    yield ClaimCurves(title, "d_k", d_ks, curves, log="xy")


def folded_over_divided(trial: Trial) -> tuple[float, float, float, float, float]:
    """Compare two heads that differ only in where 1/√d_k is: in W_q, or after QKᵀ.

    Their weights are the same, so the same ∂L/∂z reaches the logits of both.

    Returns:
        The largest difference of their weights; and four ratios, of the first head to the second:
        the norm of ∂L/∂W_q, that of the change of the logits by a step along it, by the first step
        of Adam, which moves every entry by the same amount, and by a step of Adafactor, which is in
        proportion to the root mean square of W_q.
    """
    n, d_k, root = trial.n, trial.d_k, sqrt(trial.d_k)
    tokens, upstream = normals(trial, 0, n, d_k), normals(trial, 1, n, n)
    of_q, keys = projected(trial, 2), tokens @ projected(trial, 3)
    folded, divided = tokens @ (of_q / root) @ keys.T, tokens @ of_q @ keys.T / root
    # z = X·W_q·Kᵀ, or that over √d_k: by the chain rule, ∂L/∂W_q = Xᵀ·∂L/∂z·K, or that over √d_k.
    of_folded, of_divided = tokens.T @ (upstream @ keys), tokens.T @ (upstream / root @ keys)
    moves = tokens @ of_folded @ keys.T, tokens @ of_divided @ keys.T / root
    adams = tokens @ np.sign(of_folded) @ keys.T, tokens @ np.sign(of_divided) @ keys.T / root
    relative = _in_proportion(of_q / root, of_folded), _in_proportion(of_q, of_divided)
    adafactors = tokens @ relative[0] @ keys.T, tokens @ relative[1] @ keys.T / root
    return (
        float(np.abs(row_weights(folded) - row_weights(divided)).max()),
        float(np.linalg.norm(of_folded) / np.linalg.norm(of_divided)),
        float(np.linalg.norm(moves[0]) / np.linalg.norm(moves[1])),
        float(np.linalg.norm(adams[0]) / np.linalg.norm(adams[1])),
        float(np.linalg.norm(adafactors[0]) / np.linalg.norm(adafactors[1])),
    )


def _in_proportion(parameters: Floats, gradient: Floats) -> Floats:
    """Return a step along a gradient that is as large as the parameters, as Adafactor takes it."""
    return gradient * (np.linalg.norm(parameters) / np.linalg.norm(gradient))


GAIN = 10.0
"""The gain of q and k enlarged by training, with logits of standard deviation 100."""


def clipped_logits(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Clip W_q and W_k by the largest logit, and compute the largest logit again."""
    check_size(trial, 1, d_k=512, n=512)
    cap = stated["τ"]
    of_q, second_q, of_k = (projected(trial, part, GAIN) for part in (1, 2, 3))
    one, another = (normals(trial, part, trial.n, trial.d_k) for part in (10, 11))
    before, normed = largest_logit(one, of_q, of_k), largest_logit(one, of_q, of_k, GAIN)
    q, k = (sqrt(clip(before, cap)) * matrix for matrix in (of_q, of_k))
    normed_q, normed_k = (sqrt(clip(normed, cap)) * matrix for matrix in (of_q, of_k))
    twice_k = sqrt(clip(largest_logit(one, second_q, of_k), cap)) * k
    for where, unclipped, clipped in (
        ("the same batch", before, largest_logit(one, q, k)),
        ("another batch", largest_logit(another, of_q, of_k), largest_logit(another, q, k)),
        (f"the same batch, QK-norm with gains of {general(GAIN)}", normed,
         largest_logit(one, normed_q, normed_k, GAIN)),
        ("the same batch, two heads with one W_k", before, largest_logit(one, q, twice_k)),
    ):  # fmt: skip
        largest = Evidence("largest logit, clipped", clipped, stated=cap)
        yield Case.as_stated(where, largest, Evidence("largest logit before", unclipped))


def largest_logit(tokens: Floats, of_q: Floats, of_k: Floats, norm_gain: float = 0.0) -> float:
    """Return the largest logit of tokens under 1/√d_k; with QK-norm if there is a gain."""
    q, k = tokens @ of_q, tokens @ of_k
    if norm_gain:
        q, k = normalised(q) * norm_gain, normalised(k) * norm_gain
    model = HeadModel.of(Scale().logit_map(q.shape[1], len(k)))
    return float(Head(q, k, k, model).logits.max())


def clip(largest: float, cap: float) -> float:
    """Return γ, the factor for W_q·W_k that keeps all logits within a cap."""
    return cap / largest if largest > cap else 1.0


def first_row(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare the first row of causal attention under 1/√d_k with that without a scale."""
    check_size(trial, 1, d_k=65_536, n=64)
    queries, keys = (normals(trial, part, trial.n, trial.d_k) for part in (0, 1))
    for where, sink, size in (("no sink", None, 0.0), ("a sink at b = 0", 0.0, 1.0)):
        evidence = []
        for rule, words in (("inverse-sqrt", "m = 1/√d_k"), ("none", "m = 1")):
            model = HeadModel.of(Scale(rule, sink=sink).logit_map(trial.d_k, 1), HeadMask("causal"))
            head = Head(queries, keys, keys, model)
            weight, exact = head.weights[0, 0], 1.0 / (1.0 + size * exp(-head.logits[0, 0]))
            name = f"p of the first row's key, {words}"
            evidence.append(Evidence(name, float(weight), exact=exact))
        yield Case(where, abs(evidence[0].value - evidence[1].value) < 1e-9, tuple(evidence))
