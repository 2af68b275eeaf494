"""Numbers of a head that ``--fail-if`` may be about."""

from collections.abc import Sequence
from math import isfinite, nan

from attn_tui.compute.fit.explain import SHOWN
from attn_tui.compute.fit.model import Part
from attn_tui.doctor.report import Finding
from attn_tui.engine.condition import Condition, parse_condition

NUMBERS = ("residual", "multiplier", "value_scale", "softcap", "sink")
"""What these numbers are called; a residual is a share."""


def parse(text: str) -> Condition:
    """Read a condition such as ``residual > 1 %``.

    Raises:
        InputError: With field ``"fail_if"``.
    """
    return parse_condition("fail_if", text, NUMBERS, ("residual",))


def number(finding: Finding, name: str) -> float:
    """Return a number of a head as it was found; NaN where it was not."""
    if name == "residual":
        return finding.known.residual
    parts: dict[str, Part] = {
        "multiplier": "multiplier", "value_scale": "value_scale", "softcap": "softcap",
        "sink": "sink",
    }  # fmt: skip
    test = finding.known.test
    estimate = test.estimates.get(parts[name]) if test.explains else None
    value = None if estimate is None else estimate.at(SHOWN).value
    return nan if value is None else value


def holding(finding: Finding, conditions: Sequence[Condition]) -> bool:
    """Return whether a condition holds of a head."""
    return any(each.holds(number(finding, each.statistic)) for each in conditions)


def unknown(finding: Finding, conditions: Sequence[Condition]) -> bool:
    """Return whether a number that a condition is about is not known of a head."""
    return any(not isfinite(number(finding, each.statistic)) for each in conditions)
