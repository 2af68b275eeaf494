"""The doctor's report as JUnit XML: a test for each head."""

from collections.abc import Iterator, Sequence

from attn_tui.doctor.group import groups
from attn_tui.doctor.report import DoctorReport
from attn_tui.doctor.sentences import statement
from attn_tui.doctor.status import holding
from attn_tui.doctor.text import render
from attn_tui.engine.condition import HeadCondition
from attn_tui.report import junit as written
from attn_tui.report.junit import ELEMENTS, JunitTest


def junit(report: DoctorReport, conditions: Sequence[HeadCondition] = ()) -> str:
    """Return the XML of a suite with a test for each head.

    Args:
        report: The report.
        conditions: The conditions of ``--fail-if``; a head for which one holds fails.
    """
    tests = _tests(report, conditions)
    return written.junit(report.capture.paths[0], tests, "".join(render(report)), report.elapsed)


def _tests(report: DoctorReport, conditions: Sequence[HeadCondition]) -> Iterator[JunitTest]:
    elements = ELEMENTS | {"no expectation": "skipped"}
    sentences = {
        finding.id: f"{group.verdict}: {statement(group)}"
        for group in groups(report)
        for finding in group.findings
    }
    for finding in report.findings:
        name = f"sequence {finding.id.batch}, head {finding.id.head}"
        kind = elements.get(finding.judgement.verdict, "")
        if holding(finding, conditions):
            kind = "failure"
        yield JunitTest(f"layer {finding.id.layer}", name, kind, sentences[finding.id])
