"""What came of claims, as text of at most 80 columns: one in full, or a line each."""

from collections.abc import Iterator
from math import nan
from textwrap import wrap
from typing import Any

from attn_tui.claims.claim import VERDICTS, Evidence, Finding
from attn_tui.compute.field import fields_of
from attn_tui.compute.number import Number
from attn_tui.report.head import line
from attn_tui.report.measured import exact, with_error
from attn_tui.report.numbers import general
from attn_tui.report.rows import WIDTH, cells, fitted, plain
from attn_tui.report.table import Column, laid

WORDS = {
    "holds": "holds",
    "conditional": "holds on a condition",
    "false": "is false",
    "wording": "is a slip of wording",
}
"""What a verdict says of a claim."""

BASES = {
    "computed": "computed here",
    "table": "looked up in the table of models",
    "text": "explained, not computed",
}

_ID, _VERDICT, _TIME = 6, 12, 7


def verdict_text(finding: Finding) -> str:
    """Return the verdict as the first sentence of a report, with what it rests on."""
    return f"{finding.claim.id} {WORDS[finding.verdict]} ({BASES[finding.claim.basis]})."


def render(finding: Finding) -> Iterator[str]:
    """Yield the text of a claim and what came of it, piece by piece."""
    claim = finding.claim
    yield verdict_text(finding) + "\n"
    yield line("claim", claim.says)
    yield line("", f"– {claim.source}")
    if finding.condition:
        yield line("holds only", finding.condition)
    if claim.right:
        yield line("right is", claim.right)
    if claim.formula:
        yield line("formula", claim.formula)
    if claim.controls:
        yield line("tried with", trial_text(finding))
    for case in finding.cases:
        yield "\n"
        said = "it holds" if case.holds else "it does not hold"
        yield "\n".join(wrap(f"{case.where}: {said}", WIDTH)) + "\n"
        yield from laid(evidence_columns(case.evidence), WIDTH).text()


def trial_text(finding: Finding) -> str:
    """Say what a claim was tried with: ``seed 1, d_k 64, draws 1,000``."""
    kind: Any = type(finding.trial)
    fields = fields_of(kind)
    return ", ".join(
        f"{fields[name].label} {getattr(finding.trial, name):,}" for name in finding.claim.controls
    )


def evidence_columns(evidence: tuple[Evidence, ...]) -> tuple[Column, ...]:
    """Return numbers beside what the claim states and what is exact, where that is known."""
    columns = [
        Column("", tuple((each.name, "text") for each in evidence), left=True),
        Column("found", tuple((found_text(each), "text") for each in evidence)),
    ]
    for title, values in (
        ("stated", [each.stated for each in evidence]),
        ("exact", [each.exact for each in evidence]),
    ):
        if any(value is not None for value in values):
            texts = (beside_text(each, value) for each, value in zip(evidence, values, strict=True))
            columns.append(Column(title, tuple((text, "muted") for text in texts)))
    return tuple(columns)


def found_text(evidence: Evidence) -> str:
    """Return a number with its standard error, where it was drawn."""
    if not evidence.standard_error:
        return general(evidence.value, 6)
    return with_error(Number(evidence.value, evidence.standard_error))


def beside_text(evidence: Evidence, value: float | None) -> str:
    """Return what a number is held against, as text as long as its error leaves meaning."""
    if value is None:
        return ""
    return exact(Number(evidence.value, evidence.standard_error or nan, value))


def summary_line(finding: Finding, seconds: float) -> str:
    """Return a claim in a line: its id, its verdict, the deciding number and the time it took."""
    head = f"{finding.claim.id:<{_ID - 1}} {finding.verdict:<{_VERDICT}}"
    room = WIDTH - cells(head) - _TIME - 1
    row = fitted([(deciding_text(finding, room), "text")], room)
    return f"{head}{plain([row]).ljust(room)}{seconds:{_TIME - 1}.2f} s\n"


def deciding_text(finding: Finding, width: int) -> str:
    """Return the number that decided, of the case that goes against the claim where one does."""
    if not finding.cases:
        return f"({BASES[finding.claim.basis]})"
    case = next((each for each in finding.cases if not each.holds), finding.cases[0])
    evidence = case.evidence[0]
    stated = "" if evidence.stated is None else f", stated {beside_text(evidence, evidence.stated)}"
    number = f"{found_text(evidence)}{stated}"
    texts = (f"{case.where}: {evidence.name} {number}", f"{evidence.name} {number}", number)
    return next((text for text in texts if cells(text) <= width), number)


def total_line(findings: list[Finding], seconds: float) -> str:
    """Return how many claims there are of each verdict, and how long they took."""
    counts = {name: sum(each.verdict == name for each in findings) for name in VERDICTS}
    parts = [f"{count} {name}" for name, count in counts.items() if count]
    noun = "claim" if len(findings) == 1 else "claims"
    return f"{len(findings)} {noun}: {', '.join(parts)}; {seconds:.1f} s\n"
