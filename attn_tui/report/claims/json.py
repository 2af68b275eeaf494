"""What came of claims, as strict JSON; ``docs/json.md`` explains each field."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from attn_tui.claims.answer import Answer
from attn_tui.claims.claim import Finding
from attn_tui.files.codec import experiment_to_plain, report_text
from attn_tui.files.draft import parse
from attn_tui.files.plain import named


def render(findings: Iterable[tuple[Finding, float]], seed: int) -> Iterator[str]:
    """Yield the text of findings and the seconds each took, piece by piece."""
    claims = [_finding(finding, seconds) for finding, seconds in findings]
    yield from report_text({"seed": seed, "claims": claims})


def render_answer(answer: Answer) -> Iterator[str]:
    """Yield the text of the one claim that was asked; what it took is not known."""
    finding = answer.finding
    plain = {
        "experiment": experiment_to_plain(answer.experiment),
        "seed": finding.trial.seed,
        "claims": [_finding(finding, 0.0)],
    }
    yield from report_text(plain)


def _finding(finding: Finding, seconds: float) -> dict[str, Any]:
    claim, trial = finding.claim, finding.trial
    opened = claim.opens(trial) if claim.opens else None
    return {
        "id": claim.id,
        "source": claim.source,
        "claim": claim.says,
        "verdict": finding.verdict,
        "basis": claim.basis,
        "right": claim.right,
        "formula": claim.formula or None,
        "topics": claim.topics,
        "condition": finding.condition or None,
        "trial": named(trial, claim.controls),
        "evidence": [
            {"case": case.where, "holds": case.holds} | asdict(evidence)
            for case in finding.cases
            for evidence in case.evidence
        ],
        "instrument": opened.instrument if opened else None,
        "experiment": experiment_to_plain(parse(opened.draft)) if opened else None,
        "seconds": round(seconds, 4),
    }
