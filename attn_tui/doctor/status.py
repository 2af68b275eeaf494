"""What a program ends with: by the verdict, and by conditions on numbers of heads."""

from collections.abc import Mapping, Sequence
from math import isfinite, nan

from attn_tui.compute.fit.explain import SHOWN
from attn_tui.compute.fit.model import Part
from attn_tui.doctor.report import Finding, Report
from attn_tui.doctor.verdict import Verdict
from attn_tui.engine.condition import Condition, parse_condition

STATUSES: Mapping[Verdict, int] = {
    "agrees": 0, "no expectation": 0, "differs": 1, "cannot tell": 3,
}  # fmt: skip

ESTIMATES: Mapping[str, Part] = {
    "multiplier": "multiplier", "value_scale": "value_scale", "softcap": "softcap", "sink": "sink",
}  # fmt: skip
"""Numbers that a condition may be about, besides the residual, which is a share."""


def parse(text: str) -> Condition:
    """Read a condition such as ``residual > 1 %``.

    Raises:
        InputError: With field ``"fail_if"``.
    """
    return parse_condition("fail_if", text, ("residual", *ESTIMATES), ("residual",))


def number(finding: Finding, name: str) -> float:
    """Return a number of a head as it was found; NaN where it was not."""
    if name == "residual":
        return finding.known.residual
    test = finding.known.test
    estimate = test.estimates.get(ESTIMATES[name]) if test.explains else None
    value = None if estimate is None else estimate.at(SHOWN).value
    return nan if value is None else value


def holding(finding: Finding, conditions: Sequence[Condition]) -> bool:
    """Return whether a condition holds of a head."""
    return any(condition.holds(number(finding, condition.statistic)) for condition in conditions)


def unknown(report: Report, condition: Condition) -> int:
    """Return of how many heads a number that a condition is about is not known."""
    return sum(not isfinite(number(finding, condition.statistic)) for finding in report.findings)


def status(report: Report, required: bool = False, strict: bool = False) -> int:
    """Return the exit status that a report stands for.

    Args:
        report: The report, of all heads.
        required: Whether an expectation is required.
        strict: Whether a layer that tells nothing of something needed is one too many.
    """
    if required and report.verdict == "no expectation":
        return 3
    code = STATUSES[report.verdict]
    return 3 if strict and not code and report.silent else code
