"""What the doctor says of a capture or of a call, as a value for Python."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from attn_tui.compute.fit.estimates import Interval
from attn_tui.compute.fit.model import SHOWN
from attn_tui.compute.heads.head_model import SCALARS, Part
from attn_tui.doctor import json as doctor_json
from attn_tui.doctor.difference import Difference, Verdict
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.group import groups
from attn_tui.doctor.report import DoctorReport
from attn_tui.doctor.sentences import statement, verdict_line, why
from attn_tui.doctor.text import render
from attn_tui.report.report import Report

UNKNOWN = Interval(None, None, None)
"""The interval of a number that nothing tells."""


@dataclass(frozen=True)
class DiagnosedHead:
    """What the doctor says of one head.

    Attributes:
        batch: The number of its sequence.
        layer: The number of its layer; of arrays 0.
        head: Its number in the layer.
        verdict: ``"agrees"``, ``"differs"``, ``"cannot tell"``, ``"no expectation"``, or
            ``"silent"``, where another m would not have shown.
        multiplier: m: value, low and high of its 95 % interval; None where nothing tells.
        softcap: The cap, likewise; no value is no cap.
        sink: The sink's logit, likewise; no value is no sink.
        value_scale: c in out = c·p·V, likewise.
        promised: The promised m, or None.
        residual: ‖out − promised‖/‖out‖, over the rows that were compared.
        rounding: The residual that rounding alone would leave.
        differences: What is not as promised, each with its cause.
        sentence: What the doctor says of it and of heads like it.
    """

    batch: int
    layer: int
    head: int
    verdict: Verdict
    multiplier: Interval
    softcap: Interval
    sink: Interval
    value_scale: Interval
    promised: float | None
    residual: float
    rounding: float
    differences: tuple[Difference, ...]
    sentence: str

    def row(self) -> dict[str, Any]:
        """Return its numbers by name, without objects, as for a row of a table."""
        row: dict[str, Any] = {
            "batch": self.batch, "layer": self.layer, "head": self.head, "verdict": self.verdict,
        }  # fmt: skip
        for part in SCALARS:
            interval: Interval = getattr(self, part)
            row |= {
                part: interval.value, f"{part}_low": interval.low, f"{part}_high": interval.high,
            }  # fmt: skip
        return row | {
            "promised": self.promised,
            "residual": self.residual,
            "rounding": self.rounding,
            "differs": ", ".join(dict.fromkeys(one.part for one in self.differences)),
            "cause": "; ".join(filter(None, (one.cause for one in self.differences))),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis:
    """What the doctor says: it prints what ``attn-tui doctor`` prints.

    Attributes:
        report: The doctor's report, with all that is known of each head.
    """

    report: DoctorReport

    @property
    def verdict(self) -> Verdict:
        """``"agrees"``, ``"differs"``, ``"cannot tell"`` or ``"no expectation"``."""
        return self.report.verdict

    @property
    def line(self) -> str:
        """The verdict and what it rests on, in one line to paste into an issue."""
        return verdict_line(self.report)

    @property
    def why(self) -> tuple[str, ...]:
        """The sentences behind the verdict, the most important first."""
        return (self.line.partition(": ")[2], *why(self.report))

    @cached_property
    def heads(self) -> tuple[DiagnosedHead, ...]:
        """The heads, layer by layer."""
        return tuple(_heads(self.report))

    def rows(self) -> list[dict[str, Any]]:
        """Return a dict for each head, as pandas and polars make a table of."""
        return [head.row() for head in self.heads]

    def to_dict(self) -> dict[str, Any]:
        """Return what ``attn-tui doctor --json`` prints, as ``docs/json.md`` explains it."""
        plain: dict[str, Any] = json.loads("".join(doctor_json.render(self.report)))
        return plain

    def to_report(self) -> Report:
        """Return the headline, the numbers and a table of heads as the report of the house."""
        from attn_tui.diagnosis.report import report_of

        return report_of(self)

    def __str__(self) -> str:
        return "".join(render(self.report)).rstrip("\n")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.line}>"

    def _repr_html_(self) -> str:
        """Return the verdict, the heads and m with its intervals, for a notebook."""
        from attn_tui.diagnosis.page import html

        return html(self.line, self.heads, str(self))


def _heads(report: DoctorReport) -> Iterator[DiagnosedHead]:
    """Yield what is said of each head of a report."""
    sentences = {
        finding.id: statement(group) for group in groups(report) for finding in group.findings
    }
    for finding in report.findings:
        explanation = finding.explanation
        is_promised = "multiplier" in finding.comparable.stated
        numbers = {part: _interval(finding, part) for part in SCALARS}
        yield DiagnosedHead(
            finding.id.batch, finding.id.layer, finding.id.head, finding.judgement.verdict,
            numbers["multiplier"], numbers["softcap"], numbers["sink"], numbers["value_scale"],
            finding.comparable.model.multiplier if is_promised else None,
            float(explanation.gap), float(explanation.gap_rounding),
            finding.judgement.differences, sentences[finding.id],
        )  # fmt: skip


def _interval(finding: Finding, part: Part) -> Interval:
    """Return a number of a head with its 95 % interval, if its model explains the head."""
    candidate = finding.explanation.candidate
    estimate = candidate.estimates.get(part) if candidate.explains else None
    if estimate is None:
        return UNKNOWN
    interval = estimate.at(SHOWN)
    ends = (interval.value, interval.low, interval.high)
    return Interval(*(None if end is None else float(end) for end in ends))
