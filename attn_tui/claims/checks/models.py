"""Claims about models, decided by their configurations."""

from collections.abc import Iterator, Sequence
from math import sqrt

import numpy as np

from attn_tui.claims.claim import Case, Evidence, StatedNumbers
from attn_tui.claims.trial import Trial
from attn_tui.compute.models import MODELS
from attn_tui.compute.rules import RULES


def dimension(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare d_k with d_model, for a single head and in the models listed."""
    alone = Evidence("d_k of one head of width 512", 512 // 1, stated=512.0)
    yield Case.as_stated("a model of one head", alone)
    d_ks = [model.d_k for model in MODELS.values()]
    widths = [model.d_model for model in MODELS.values()]
    same = sum(d_k == width for d_k, width in zip(d_ks, widths, strict=True))
    yield Case.as_stated(
        f"the {len(MODELS)} models listed",
        Evidence("models whose d_k is d_model", same, stated=len(MODELS)),
        Evidence("smallest d_k", min(d_ks)),
        Evidence("largest d_k", max(d_ks)),
        Evidence("smallest d_model", min(widths)),
        Evidence("largest d_model", max(widths)),
    )


def power(sizes: Sequence[int], d_ks: Sequence[int]) -> float:
    """Return the power of a size by which d_k grows between models, by least squares."""
    x, y = np.log(sizes), np.log(d_ks)
    away = x - x.mean()
    # Relative to the first, so that equal d_k give exactly 0.
    return float(away @ (y - y[0]) / (away @ away))


LAYERS = {"llama-2-7b": 32, "llama-2-70b": 80, "llama-3.1-405b": 126}
"""The numbers of layers of some models of one family."""


def bigger(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Fit d_k as a power of d_model, over all models and one family, and as one of its depth."""
    models = sorted(MODELS.values(), key=lambda model: model.d_model)
    family, depths = [MODELS[name] for name in LAYERS], [*LAYERS.values()]
    names = ", ".join(model.title for model in family)
    widths = [model.d_model for model in models]
    for where, size, some, sizes in (
        (f"the {len(models)} models listed", "d_model", models, widths),
        (f"wider: {names}", "d_model", family, [member.d_model for member in family]),
        (f"deeper: the same, {min(depths)} to {max(depths)} layers", "depth", family, depths),
    ):
        d_ks = [model.d_k for model in some]
        divisors = [1.0 / model.scale.multiplier(model.d_k, 512) for model in some]
        name = f"power of {size} that d_k grows by"
        growth = Evidence(name, power(sizes, d_ks), stated=stated["power"])
        evidence = (
            growth,
            Evidence("least √d_k", sqrt(min(d_ks))),
            Evidence("largest √d_k", sqrt(max(d_ks))),
            Evidence("least divisor in use", min(divisors)),
            Evidence("largest divisor in use", max(divisors)),
        )
        # Half the power, d_k ∝ √d_model, would still be growth with the model.
        yield Case(where, growth.value >= stated["power"] / 2.0, evidence)


def without_scaling(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Group the models by rule, and check which rules make scores smaller."""
    for rule in RULES:
        some = [model for model in MODELS.values() if model.scale.rule == rule]
        if not some:
            continue
        largest = max(model.scale.multiplier(model.d_k, 512) for model in some)
        titles = ", ".join(model.title for model in some[:3]) + (" …" if len(some) > 3 else "")
        evidence = (
            Evidence("largest m of theirs", largest),
            Evidence("models", len(some)),
            Evidence("of these with QK-norm", sum(model.scale.qk_norm for model in some)),
        )
        yield Case(f"m = {RULES[rule].formula}: {titles}", largest < 1.0, evidence)
