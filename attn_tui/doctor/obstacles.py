"""Why nothing can be told of a head, and what would help, in sentences."""

from attn_tui.compute.fit.case import NO_SCORES
from attn_tui.compute.numbers import general, rough_percent
from attn_tui.compute.scale import whole_dimension
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.verdict import UNEXPLAINED, rows_off
from attn_tui.doctor.words import assumed_text

ALL = 0.995
"""Who misses so much of an output gives nothing of it."""
IS_BEFORE = "is `out` what attention gave, before the projection?"
MOST_A = 10_000
"""A larger 1/m² is within a millionth of some whole number by chance, in 2 of 100 fits."""


def obstacle(finding: Finding) -> str:
    """Return why nothing can be told about a head, and what would help."""
    explanation, judgement = finding.explanation, finding.judgement
    if assumed := assumed_text(finding):
        agrees = "agrees" if "multiplier" in finding.comparable.stated else "fits"
        return f"{agrees} if {assumed}; --assume {judgement.assumes} grants it"
    if judgement.reason != UNEXPLAINED:
        return judgement.reason
    if some := only_some(finding):
        return some
    candidate = explanation.candidate
    nearest = min(explanation.residual, candidate.residual)
    m = candidate.model.multiplier
    if not candidate.residual <= explanation.residual:
        m = finding.comparable.model.multiplier
    if nearest >= ALL:
        return f"{UNEXPLAINED}, and none comes near it: {IS_BEFORE}"
    a = whole_dimension(m)
    text = general(m, 4) if a is None or a > MOST_A else f"1/√{a}"
    return f"{UNEXPLAINED}; the closest, m = {text}, misses {rough_percent(nearest)} of it"


def only_some(finding: Finding) -> str:
    """Return that only some rows are not as promised, or an empty text."""
    return rows_off(finding) if finding.judgement.reason == UNEXPLAINED else ""


def silence(finding: Finding) -> str:
    """Return why another m of a head would not have shown, and what might show it."""
    reason, counts = finding.judgement.reason, finding.explanation.counts
    if reason == NO_SCORES:
        return f"another m would not have shown: {reason}"
    seen = len(finding.explanation.rows) + counts.padding + counts.spoilt
    if seen < finding.shape.n_queries:
        return f"another m would not have shown, {reason}: try --rows all, or a longer text"
    return f"another m would not have shown, {reason}: try a longer text"
