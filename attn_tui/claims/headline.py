"""The headline of Claims: the claim in its own words, and the verdict in a sentence."""

from attn_tui.claims.claim import Claim, ClaimVerdict, TriedClaim
from attn_tui.report.words import LONGEST

UNCHANGED: dict[ClaimVerdict, str] = {
    "holds": "It holds.",
    "conditional": "It holds only {condition}.",
    "false": "It is false.",
    "wording": "It is a slip of wording.",
    "undecided": "{draws} draws cannot decide it.",
    "inapplicable": "It does not apply here, where its premise is not met.",
}
"""The sentences for the verdict of a claim's own trial."""

CHANGED: dict[ClaimVerdict, str] = {
    "holds": "It holds now, at {place}.",
    "conditional": "Now, at {place}, it holds in some cases only.",
    "false": "It does not hold now, at {place}.",
    "undecided": "{draws} draws cannot decide it, at {place}.",
    "inapplicable": "It does not apply now: at {place} its premise is not met.",
}
"""The sentences for a verdict that differs from that of the claim's own trial."""

SHORT = "It holds on a condition."
"""The sentence to use if the condition is too long."""


def headline(claim: Claim, finding: TriedClaim | None = None) -> str:
    """Return a claim in its own words and the verdict; without a finding, that it is tried."""
    says = f"“{claim.says}”"
    if finding is None:
        return f"{says} It is tried …"
    verdict = finding.verdict
    place = ", ".join(f"{name} = {value:,}" for name, value in finding.changes.items())
    is_new = place and verdict != claim.verdict
    sentence = (CHANGED if is_new else UNCHANGED)[verdict].format(
        condition=finding.condition, place=place, draws=f"{finding.trial.draws:,}"
    )
    text = f"{says} {sentence}"
    return text if len(text) <= LONGEST else f"{says} {SHORT}"
