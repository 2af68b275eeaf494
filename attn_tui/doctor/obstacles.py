"""Why nothing can be told of heads, and what would help, in sentences that hold for each."""

from collections.abc import Sequence
from functools import partial

from attn_tui.compute.fit.case import NO_SCORES
from attn_tui.compute.numbers import general, interval, rough_percent
from attn_tui.compute.scale import whole_dimension
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.verdict import UNEXPLAINED, rows_off
from attn_tui.doctor.words import assumed_text

ALL = 0.995
"""Who misses so much of an output gives nothing of it."""
IS_BEFORE = "is `out` what attention gave, before the projection?"
MOST_A = 10_000
"""A larger 1/m² is within a millionth of some whole number by chance, in 2 of 100 fits."""


def obstacle(findings: Sequence[Finding]) -> str:
    """Return why nothing can be told about heads of one group, and what would help."""
    judgement = findings[0].judgement
    if assumed := assumed_text(findings[0]):
        agrees = "agrees" if "multiplier" in findings[0].comparable.stated else "fits"
        return f"{agrees} if {assumed}; --assume {judgement.assumes} grants it"
    if judgement.reason != UNEXPLAINED:
        return judgement.reason
    if some := rows_off(findings):
        return some
    nearest = [_nearest(finding) for finding in findings]
    shares = [share for _, share in nearest]
    if min(shares) >= ALL:
        return f"{UNEXPLAINED}, and none comes near it; {IS_BEFORE}"
    multipliers = [m for m, _ in nearest]
    text = interval(min(multipliers), max(multipliers), _multiplier)
    missed = interval(min(shares), max(shares), partial(rough_percent, places=3))
    return f"{UNEXPLAINED}; the closest, m = {text}, misses {missed} of it"


def _nearest(finding: Finding) -> tuple[float, float]:
    """Return the m that comes nearest to the output of a head, and which share of it is missed."""
    explanation = finding.explanation
    candidate = explanation.candidate
    if candidate.residual <= explanation.residual:
        return candidate.model.multiplier, candidate.residual
    return finding.comparable.model.multiplier, explanation.residual


def _multiplier(m: float) -> str:
    """Return a multiplier, as a root if it is that of a whole number."""
    a = whole_dimension(m)
    return general(m, 4) if a is None or a > MOST_A else f"1/√{a}"


def silence(finding: Finding) -> str:
    """Return why another m of a head would not have shown, and what might show it."""
    reason, counts = finding.judgement.reason, finding.explanation.counts
    if reason == NO_SCORES:
        return f"another m would not have shown: {reason}"
    seen = len(finding.explanation.rows) + counts.padding + counts.spoilt
    if seen < finding.shape.n_queries:
        return f"another m would not have shown, {reason}: try --rows all, or a longer text"
    return f"another m would not have shown, {reason}: try a longer text"
