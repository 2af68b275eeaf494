"""The exit status, from the verdict and from conditions on numbers of heads."""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite, nan

from attn_tui.compute.fit.model import SHOWN
from attn_tui.compute.heads.head_model import Part
from attn_tui.compute.text import counted, listed
from attn_tui.doctor.difference import Verdict
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.report import DoctorReport
from attn_tui.doctor.words import WORDS
from attn_tui.engine.condition import HeadCondition, parse_condition

STATUSES: Mapping[Verdict, int] = {
    "agrees": 0, "no expectation": 0, "differs": 1, "cannot tell": 3,
}  # fmt: skip

ESTIMATES: Mapping[str, Part] = {
    "multiplier": "multiplier", "value_scale": "value_scale", "softcap": "softcap", "sink": "sink",
}  # fmt: skip
"""The numbers that a condition may test, besides the residual, which is a share."""


def parse(text: str) -> HeadCondition:
    """Read a condition such as ``residual > 1 %``.

    Raises:
        InputError: With field ``"fail_if"``.
    """
    return parse_condition("fail_if", text, ("residual", *ESTIMATES), ("residual",))


def number(finding: Finding, name: str) -> float:
    """Return a number that was found of a head; NaN if it is unknown."""
    if name == "residual":
        return finding.explanation.gap
    candidate = finding.explanation.candidate
    estimate = candidate.estimates.get(ESTIMATES[name]) if candidate.explains else None
    value = None if estimate is None else estimate.at(SHOWN).value
    return nan if value is None else value


def holding(finding: Finding, conditions: Sequence[HeadCondition]) -> bool:
    """Return whether any of the conditions holds for a head."""
    return any(condition.holds(number(finding, condition.statistic)) for condition in conditions)


def unknown(report: DoctorReport, condition: HeadCondition) -> int:
    """Return the number of heads for which the number that a condition tests is unknown."""
    return sum(not isfinite(number(finding, condition.statistic)) for finding in report.findings)


def status_notes(
    report: DoctorReport, required: bool, strict: bool, conditions: Sequence[HeadCondition]
) -> Iterator[str]:
    """Yield why the exit status is not that of the verdict, in phrases.

    Args:
        report: The report about all heads.
        required: Whether a missing expectation is status 3.
        strict: Whether a layer that is silent on a needed part is status 3.
        conditions: Those that make the status 1 where one holds for a head.
    """
    if STATUSES[report.verdict]:
        return
    for condition in conditions:
        count = sum(holding(finding, [condition]) for finding in report.findings)
        if count:
            yield f"status 1 by --fail-if '{condition.text}': so in {counted(count, 'head')}"
            return
    if required and report.verdict == "no expectation":
        yield "status 3 by --require: nothing promises m"
    elif strict and report.silent:
        parts = listed([WORDS[part] for part in dict.fromkeys(part for _, part in report.silent)])
        yield f"status 3 by --strict: another {parts} would not have shown"


def status(report: DoctorReport, required: bool = False, strict: bool = False) -> int:
    """Return the exit status of a report.

    Args:
        report: The report about all heads.
        required: Whether a missing expectation is status 3.
        strict: Whether a layer that is silent on a needed part is status 3.
    """
    if required and report.verdict == "no expectation":
        return 3
    code = STATUSES[report.verdict]
    return 3 if strict and not code and report.silent else code
