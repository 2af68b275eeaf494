"""The ledger as a page to read and cite, ``docs/claims.md``: every claim and what came of it."""

from collections.abc import Iterator
from itertools import groupby

from attn_tui.claims.claim import Claim, Evidence, Finding, try_claim
from attn_tui.claims.ledger import ledger
from attn_tui.report.claims.sheet import BASES, beside_text, found_text
from attn_tui.report.generated import Generated


def page() -> Iterator[str]:
    """Yield the lines of the ledger, each claim tried as it is unless something else is asked."""
    for source, claims in groupby(ledger().values(), _text_of):
        yield f"## {source}"
        yield ""
        for claim in claims:
            yield from _entry(try_claim(claim))


def _text_of(claim: Claim) -> str:
    text = claim.id.partition("-")[0]
    return "Literature and courses" if text == "L" else f"{text}: {claim.source}"


def _entry(finding: Finding) -> Iterator[str]:
    claim = finding.claim
    where = f"{claim.source}: " if claim.id.startswith("L-") else ""
    yield f"### {claim.id}: {finding.verdict}"
    yield ""
    yield f"> {where}{claim.says}"
    yield ""
    holds = f" Holds only {finding.condition}." if finding.condition else ""
    yield f"{claim.right}{holds} ({BASES[claim.basis].capitalize()}.)"
    yield ""
    if claim.formula:
        yield f"`{claim.formula}`"
        yield ""
    if finding.cases:
        yield "| where | holds | number | found | stated | exact |"
        yield "|---|---|---|---|---|---|"
        for case in finding.cases:
            for index, evidence in enumerate(case.evidence):
                first = (case.where, "yes" if case.holds else "no") if index == 0 else ("", "")
                yield "| " + " | ".join(map(_cell, (*first, *_numbers(evidence)))) + " |"
        yield ""
        yield f"`attn-tui claim {claim.id}`"
        yield ""


def _numbers(evidence: Evidence) -> tuple[str, ...]:
    beside = (beside_text(evidence, value) for value in (evidence.stated, evidence.exact))
    return evidence.name, found_text(evidence), *beside


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


LEDGER = Generated("ledger", "attn_tui.report.claims.page docs/claims.md", page)

if __name__ == "__main__":
    LEDGER.write()
