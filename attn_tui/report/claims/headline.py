"""What is said first of a claim: its verdict, and what is right."""

from attn_tui.claims.claim import Claim, Finding
from attn_tui.report.claims.text import WORDS, tried_text
from attn_tui.report.headline import Headline


def headline(claim: Claim, finding: Finding | None) -> Headline:
    """Return the verdict, and what is right as far as there is room for whole sentences.

    Args:
        claim: The claim.
        finding: What came of it; nothing while it is tried.
    """
    if finding is None:
        return Headline.fitting((f"{claim.id} is tried …",), (f"{claim.id} is tried …",))
    tried = tried_text(finding)
    verdict = f"{claim.id} {WORDS[finding.verdict]}{tried}"
    condition = finding.condition
    only = f"{claim.id} holds only {condition}{tried}" if condition else verdict
    sentences = claim.right.split(". ")
    rights = [". ".join(sentences[:count]).rstrip(".") for count in range(len(sentences), 0, -1)]
    starts = dict.fromkeys((only, verdict))
    said = [f"{start}. {right}." for start in starts for right in rights if right]
    shorts = [*said, *(f"{start}." for start in starts)]
    return Headline.fitting(shorts, shorts)
