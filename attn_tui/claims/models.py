"""Claims about models, decided by what their configurations say."""

from collections.abc import Callable, Iterator
from math import sqrt

import numpy as np

from attn_tui.claims.claim import Case, Curve, Evidence, Opened, Picture, Stated, claim
from attn_tui.claims.opening import explored
from attn_tui.claims.trial import Trial
from attn_tui.compute.models import MODELS, Model
from attn_tui.compute.scale import RULES


def opened(name: str) -> Callable[[Trial], Opened]:
    """Return what opens a drawn row at the d_k and the scale of a model."""
    model, draw = MODELS[name], "n = 64, seed = 1, vectors = 1"
    return explored(draw, model.d_k, model.scale, "drawn", model=name)


def _all() -> list[Model]:
    return [*MODELS.values()]


@claim(
    "S2-1",
    says="Queries and keys have the dimension d_model of the model, such as 512 or 1,024.",
    right="Each head has its own, of dimension d_k: 64 to 256 in the models listed here, whose "
    "d_model runs from 512 to 16,384.",
    topics=("models", "formula"),
    formula="q, k ∈ ℝ^d_k, one pair for each head",
    basis="table",
    opens=opened("llama-3.1-405b"),
)
def dimension(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Count the models whose d_k is their d_model."""
    models = _all()
    same = sum(each.d_k == each.d_model for each in models)
    yield Case(
        f"the {len(models)} models listed",
        same == len(models),
        (
            Evidence("models whose d_k is d_model", same, stated=len(models)),
            Evidence("largest d_k", max(each.d_k for each in models)),
            Evidence("smallest d_model", min(each.d_model for each in models)),
            Evidence("largest d_model", max(each.d_model for each in models)),
        ),
    )


def power(models: list[Model]) -> float:
    """Return the power of d_model by which d_k grows from model to model, by least squares."""
    x = np.log([each.d_model for each in models])
    y = np.log([each.d_k for each in models])
    away = x - x.mean()
    # From the first, so that equal d_k give 0 and no rounding.
    return float(away @ (y - y[0]) / (away @ away))


_FAMILY = ("llama-2-7b", "llama-2-70b", "llama-3.1-405b")


@claim(
    "S2-21",
    says="Bigger and deeper models need it more, as the dimension grows from 512 to 1,024 to "
    "2,048.",
    right="What grows is d_model. The d_k of a head hardly does: 128 in Llama 2 of 7 B and of 70 "
    "B and in Llama 3.1 of 405 B. The divisor √d_k is 8 to 16 in all the models listed.",
    topics=("models", "scale rules"),
    formula="√d_k, not √d_model",
    basis="table",
    stated={"power": 1.0},
    opens=opened("llama-3.1-405b"),
)
def bigger(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Fit d_k as a power of d_model, over all the models and over one family."""
    models, family = _all(), [MODELS[name] for name in _FAMILY]
    names = ", ".join(each.title for each in family)
    for where, some in ((f"the {len(models)} models listed", models), (names, family)):
        grows = Evidence("power of d_model that d_k grows by", power(some), stated=stated["power"])
        # Half the power, d_k ∝ √d_model, would still be growth with the model.
        holds = grows.value >= stated["power"] / 2.0
        ends = [sqrt(end([each.d_k for each in some])) for end in (min, max)]
        least, most = ends
        evidence = grows, Evidence("least √d_k", least), Evidence("largest √d_k", most)
        yield Case(where, holds, evidence)
    ordered = sorted(models, key=lambda each: each.d_model)
    x = tuple(float(each.d_model) for each in ordered)
    curve = Curve("d_k", x, tuple(float(each.d_k) for each in ordered))
    yield Picture(
        "d_k of the models listed", "d_model", (curve, Curve("d_model", x, x)), True, True
    )


@claim(
    "S2-22",
    says="Without scaling softmax is too sharp, gradients come near 0, and the model is hard to "
    "train.",
    right="Most models do shrink their scores. T5, GPT-Neo and Gemma 4 divide by nothing and were "
    "trained all the same: small weights at the start, or QK-norm, keep scores small.",
    topics=("models", "training", "scale rules"),
    formula="z = m·s, m = 1 in T5, GPT-Neo and Gemma 4",
    condition="where neither the initialisation nor QK-norm keeps scores small",
    basis="table",
    opens=opened("t5-small"),
)
def without_scaling(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Sort the models by rule, and see which of them make scores smaller."""
    models = _all()
    for rule in RULES:
        some = [each for each in models if each.scale.rule == rule]
        if not some:
            continue
        largest = max(each.scale.multiplier(each.d_k, 512) for each in some)
        titles = ", ".join(each.title for each in some[:3]) + (" …" if len(some) > 3 else "")
        evidence = (
            Evidence("largest m of theirs", largest),
            Evidence("models", len(some)),
            Evidence("of these with QK-norm", sum(each.scale.qk_norm for each in some)),
        )
        yield Case(f"m = {RULES[rule].formula}: {titles}", largest < 1.0, evidence)
