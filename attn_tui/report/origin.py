"""Where scores come from and what d_k does to them, in words for each kind of source."""

from collections.abc import Iterator
from dataclasses import replace
from functools import singledispatch
from math import sqrt

import numpy as np

from attn_tui.captures.source import Captured
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.numbers import general, quantity
from attn_tui.compute.sample import Number
from attn_tui.compute.scale import Scale, scale_of
from attn_tui.compute.setup import UNIT_SPREAD, Setup, Spread
from attn_tui.compute.source import Drawn, Products, Source, Typed, Vector
from attn_tui.compute.text import listed, visible
from attn_tui.report.masks import hiding_texts, mask_name
from attn_tui.report.miss import RULE, SAID, doubt_text, m_text, miss_text, reconstruction_text

MOST_NORMS = 3
"""The most queries whose norms are listed."""


def origin(experiment: Experiment) -> str:
    """Return one line that says where the scores come from and what d_k does to them."""
    return noted(_origin(experiment.source, experiment), experiment.source)


def noted(text: str, source: Source) -> str:
    """Return a text about a source, and what was left out of its files."""
    return f"{text}; {source.note}" if source.note else text


@singledispatch
def _origin(source: Source, experiment: Experiment) -> str:
    return source.kind


@_origin.register
def _(source: Typed, experiment: Experiment) -> str:
    n_keys = max(vector.n_attended for vector in experiment.vectors)
    return f"typed: d_k moves {what_d_k_moves(experiment.setup.scale, n_keys)}"


@_origin.register
def _(source: Products, experiment: Experiment) -> str:
    normalised = ", normalised" if experiment.setup.scale.normalises else ""
    return f"from q and K{normalised}: d_k = {source.d_k:,} is their length"


@_origin.register
def _(source: Captured, experiment: Experiment) -> str:
    batch, layer, head = source.place
    where = f"layer {layer}, head {head}"
    if batch > 0:
        where = f"sequence {batch}, {where}"
    if source.row is not None:
        where = f"{where}, row {source.row:,}"
    path = visible(source.paths[0])
    if source.layout:
        path = f"{path}, read as {source.layout}"
    if experiment.setup.scale.normalises:
        path = f"{path}, normalised"
    parts = [f"captured: {where} of {path}", _masking(source, experiment)]
    scale = experiment.setup.scale
    missed = missed_text(source, scale)
    if missed:
        parts.append(missed)
    elif scale.logit_map(source.d_k, 2).multiplier == (source.multiplier or source.d_k**-0.5):
        parts.append(doubt_text(source.reconstruction.doubt))
    if source.supposed:
        parts.append("its queries are taken as those of the last keys")
    if source.bias is not None:
        parts.append("its bias is added to the logits")
    parts += _asked_of(source, scale, bool(missed))
    parts += map(str, source.odd)
    return "; ".join(part for part in parts if part)


def _masking(source: Captured, experiment: Experiment) -> str:
    """Return what masks the scores of a captured head, and how that is known."""
    reconstruction, mask = source.reconstruction, mask_words(source)
    by_fit = (
        f"no mask was captured: {reconstruction_text(reconstruction, mask, with_m=False)}, "
        "found by the doctor's fit"
    )
    if source.seen is not None:
        return "masked as captured"
    if source.causal is None:
        return by_fit
    if experiment.setup.mask.causal is not source.causal:
        return "no mask was captured: masked as asked"
    if reconstruction.how == "fit":
        return by_fit
    if reconstruction.how == "assumed":
        return "no mask was captured: assumed causal"
    if reconstruction.fits:
        return f"no mask was captured: {mask}, as {SAID[reconstruction.by]}"
    return f"no mask was captured: {mask} is nearest, and does not explain the output"


def _asked_of(source: Captured, scale: Scale, is_missed: bool) -> Iterator[str]:
    """Yield which parts of a head's own scale are in the question, and which are not."""
    fitted = None
    if source.multiplier and not is_missed:
        fitted = scale_of(source.multiplier, source.d_k)
    parts: dict[str, tuple[object, object]] = {
        m_text(source.reconstruction): (fitted, Scale(scale.rule, scale.arguments)),
        "soft cap": (source.reconstruction.softcap, scale.softcap),
        "sink": (source.sink, scale.sink),
    }
    captured_parts = {name: pair for name, pair in parts.items() if pair[0] is not None}
    present_names = [
        name for name, (captured, present) in captured_parts.items() if captured == present
    ]
    if present_names:
        verb = "takes" if len(present_names) == 1 else "take"
        yield f"its {listed(present_names)} {verb} part"
    for name in captured_parts:
        if name not in present_names:
            yield f"its {name} is not asked"


def mask_words(source: Captured) -> str:
    """Return the mask of a captured head in words, as far as it is known."""
    if source.mask is not None:
        return ", ".join([mask_name(replace(source.mask, offset=0)), *hiding_texts(source.mask)])
    return {None: "the captured mask", True: "causal", False: "no mask"}[source.causal]


def missed_text(source: Captured, scale: Scale) -> str:
    """Return by how much 1/√d_k misses the output, and the m that fits; or an empty text.

    The text is empty if the question asks for another rule.
    """
    if source.miss is None or scale.multiplier(source.d_k, 2) != Scale().multiplier(source.d_k, 2):
        return ""
    reconstruction = source.reconstruction
    miss = f"misses the {reconstruction.by} by {miss_text(source.miss)}"
    if source.multiplier is None:
        how = reconstruction_text(reconstruction, mask_words(source), with_m=False)
        return f"m = {RULE}, {how} {miss}"
    return f"m = {RULE} {miss}; {m_text(reconstruction)} by the doctor's fit"


@_origin.register
def _(source: Drawn, experiment: Experiment) -> str:
    d_k = experiment.setup.d_k
    what = f"at d_k = {d_k:,}, n = {source.n_keys:,}, seed {source.seed}"
    if lead := experiment.setup.lead:
        what += f", key 0 ahead by g = {general(lead)}"
    if experiment.setup.scale.normalises:
        return f"drawn: q, k ~ N(0,1), normalised, {what}: |s| ≤ {d_k:,}"
    spread, shown = experiment.setup.spread, range(min(source.count, MOST_NORMS))
    norms = [quantity(spread.q * source.query_norm(d_k, index)) for index in shown]
    more = ", …" if source.count > MOST_NORMS else ""
    return f"drawn: {entries_law(spread)} {what}, ‖q‖ = {', '.join(norms)}{more}"


def entries_law(spread: Spread) -> str:
    """Return the law of the entries of drawn q and k: ``q, k ~ N(0,1)``, perhaps multiplied.

    >>> entries_law(Spread(2.0))
    'q, k ~ N(0,1), times σ_q = 2 and σ_k = 1,'
    """
    plain = "q, k ~ N(0,1)"
    if spread == UNIT_SPREAD:
        return plain
    return f"{plain}, times σ_q = {general(spread.q)} and σ_k = {general(spread.k)},"


def scores_law(spread: Spread) -> str:
    """Return the law of scores given q: ``N(0, ‖q‖²)``, or with σ_k where it is not 1."""
    return "N(0, ‖q‖²)" if spread.k == 1.0 else "N(0, σ_k²‖q‖²)"


def what_d_k_moves(scale: Scale, n_keys: int) -> str:
    """Return what d_k changes when the scores are typed."""
    return "only the divisor" if scale.uses_d_k(n_keys) else "nothing in this rule"


def lead_law(setup: Setup) -> str:
    """Return what a lead does to the score of key 0, to follow a law; empty without a lead."""
    if not setup.lead:
        return ""
    lead = general(setup.lead)
    if setup.scale.normalises:
        return f"; key 0 has g + {lead} in place of g"
    return f"; that of key 0 is {lead}·{'‖q‖' if setup.sigma_k == 1.0 else 'σ_k‖q‖'} more"


@singledispatch
def law(source: Source, setup: Setup) -> str:
    """Return the law of the scores in words, or an empty text if they have none."""
    return ""


@law.register
def _(source: Drawn, setup: Setup) -> str:
    if setup.scale.normalises:
        return (
            "scores are independent, s = d_k·g/√(g² + χ²), the cosine of q and k times d_k: g is "
            "standard normal, χ² has d_k − 1 degrees of freedom; their standard deviation is "
            f"√d_k = {quantity(setup.d_k**0.5)}{lead_law(setup)} ({source.GENERATOR})"
        )
    which = "its q" if source.count == 1 else "the q of a vector"
    spread, variance, root = setup.spread, "d_k", "√d_k"
    if spread.scores != 1.0:
        variance, root = "σ_q²σ_k²·d_k", "σ_qσ_k√d_k"
    return (
        f"given {which}, scores are independent {scores_law(spread)}; over all q their variance is "
        f"{variance}, their standard deviation {root} = "
        f"{quantity(spread.scores * setup.d_k**0.5)}{lead_law(setup)} ({source.GENERATOR})"
    )


@singledispatch
def spread(source: Source, setup: Setup, index: int, vector: Vector) -> tuple[str, Number] | None:
    """Return the symbol of the spread of a vector's scores, and their root mean square; or None."""
    return None


@spread.register
def _(source: Drawn, setup: Setup, index: int, vector: Vector) -> tuple[str, Number] | None:
    scores = vector.scores[1:] if setup.lead else vector.scores
    scores = scores[scores > -np.inf]
    if not scores.size:
        return None
    d_k = setup.d_k
    if setup.scale.normalises:
        # A cosine has the mean fourth power 3/(d_k(d_k + 2)).
        name, exact, relative = "√d_k", sqrt(d_k), sqrt((d_k - 1) / (d_k + 2))
    else:
        name = "‖q‖" if setup.spread.k == 1.0 else "σ_k‖q‖"
        exact, relative = setup.spread.scores * source.query_norm(d_k, index), 1.0
    error = exact * relative / sqrt(2.0 * scores.size)
    return name, Number(float(np.sqrt(np.square(scores).mean())), error, exact)
