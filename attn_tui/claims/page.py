"""The ledger as a page to read and cite, ``docs/claims.md``: every claim and what came of it."""

from collections.abc import Iterator
from itertools import groupby

from attn_tui.claims.claim import Claim, Finding, try_claim
from attn_tui.claims.ledger import ledger, text_of
from attn_tui.claims.report import BASES, WORDS, numbers_of
from attn_tui.report.generated import Generated

HOLDS = {True: "yes", False: "no", None: "–"}


def page() -> Iterator[str]:
    """Yield the lines of the ledger, each claim tried as it is unless something else is asked."""
    for heading, claims in groupby(ledger().values(), _heading):
        yield f"## {heading}"
        yield ""
        for claim in claims:
            yield from _entry(try_claim(claim))


def _heading(claim: Claim) -> str:
    text = text_of(claim)
    return "Literature and courses" if text == "L" else f"{text}: {claim.source}"


def _entry(finding: Finding) -> Iterator[str]:
    claim = finding.claim
    where = f"{claim.source}: " if text_of(claim) == "L" else ""
    yield f"### {claim.id}: {WORDS[finding.verdict]}"
    yield ""
    yield f"> {where}{claim.says}"
    yield ""
    holds = f" Holds only {finding.condition}." if finding.condition else ""
    yield f"{finding.right}{holds} ({BASES[claim.basis].capitalize()}.)"
    yield ""
    if claim.formula:
        yield f"`{claim.formula}`"
        yield ""
    if finding.cases:
        yield "| where | holds | number | found | stated | exact |"
        yield "|---|---|---|---|---|---|"
        for case in finding.cases:
            for place, evidence in enumerate(case.evidence):
                first = ("", "") if place else (case.where, HOLDS[case.holds])
                row = (*first, evidence.name, *numbers_of(evidence))
                yield "| " + " | ".join(text.replace("|", "\\|") for text in row) + " |"
        yield ""
        yield f"`attn-tui claim {claim.id}`"
        yield ""


LEDGER = Generated("ledger", "attn_tui.claims.page docs/claims.md", page)

if __name__ == "__main__":
    LEDGER.write()
