"""Why nothing can be told of a head, and what would help, in sentences."""

from attn_tui.compute.fit.case import NO_SCORES
from attn_tui.compute.scale import whole_dimension
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.verdict import UNEXPLAINED
from attn_tui.doctor.words import (
    FEW,
    assumed_text,
)
from attn_tui.report.numbers import general

ALL = 0.995
"""Who misses so much of an output gives nothing of it."""
MOST_A = 10_000
"""A larger 1/m² is within a millionth of some whole number by chance, in 2 of 100 fits."""
MOST_SOME = 0.5
"""Up to this share of wrong rows, the sentence speaks of these rows."""


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
        return f"{UNEXPLAINED}, and none comes near it"
    a = whole_dimension(m)
    text = general(m, 4) if a is None or a > MOST_A else f"1/√{a}"
    return f"{UNEXPLAINED}; the closest, m = {text}, misses {_share(nearest)} of it"


def only_some(finding: Finding) -> str:
    """Return that only some rows are not as promised, or an empty text."""
    if finding.judgement.reason != UNEXPLAINED:
        return ""
    counts = finding.explanation.counts
    wrong = counts.wrong
    is_promised = "multiplier" in finding.comparable.stated
    if not is_promised or not 0 < len(wrong) <= MOST_SOME * counts.compared:
        return ""
    rows = sorted(wrong)
    which = "row" if len(rows) == 1 else "rows"
    are = "is" if len(rows) == 1 else "are"
    few = ", ".join(f"{row:,}" for row in rows[:FEW])
    more = " …" if len(rows) > FEW else ""
    return (
        f"{len(rows):,} of {counts.compared:,} rows {are} not what is promised "
        f"({which} {few}{more}); the others are"
    )


def _share(share: float) -> str:
    return f"{100.0 * share:.2g} %"


def silence(finding: Finding) -> str:
    """Return why another m of a head would not have shown, and what might show it."""
    reason, counts = finding.judgement.reason, finding.explanation.counts
    if reason == NO_SCORES:
        return f"another m would not have shown: {reason}"
    seen = len(finding.explanation.rows) + counts.padding + counts.spoilt
    if seen < finding.shape.n_queries:
        return f"another m would not have shown, {reason}: try --rows all, or a longer text"
    return f"another m would not have shown, {reason}: try a longer text"
