"""The doctor's report as JUnit XML, which continuous integration shows."""

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from attn_tui.compute.text import BLANKS, visible
from attn_tui.doctor.group import groups
from attn_tui.doctor.report import DoctorReport
from attn_tui.doctor.sentences import statement
from attn_tui.doctor.status import holding
from attn_tui.doctor.text import render
from attn_tui.engine.condition import HeadCondition

_ELEMENTS = {"differs": "failure", "cannot tell": "error", "no expectation": "skipped"}
"""The JUnit element of each verdict; any other verdict passes."""


def junit(report: DoctorReport, conditions: Sequence[HeadCondition] = ()) -> str:
    """Return the XML of a suite with a test for each head.

    Args:
        report: The report.
        conditions: The conditions of ``--fail-if``; a head for which one holds fails.
    """
    sentences = {
        finding.id: f"{group.verdict}: {statement(group)}"
        for group in groups(report)
        for finding in group.findings
    }
    attributes = {"name": visible(report.capture.paths[0]), "time": f"{report.elapsed:.3f}"}
    suite = Element("testsuite", attributes)
    kinds: list[str] = []
    for finding in report.findings:
        name = f"sequence {finding.id.batch}, head {finding.id.head}"
        test = SubElement(suite, "testcase", classname=f"layer {finding.id.layer}", name=name)
        failed = holding(finding, conditions)
        kind = "failure" if failed else _ELEMENTS.get(finding.judgement.verdict)
        if kind:
            kinds.append(kind)
            SubElement(test, kind, message=visible(sentences[finding.id]))
    suite.set("tests", str(len(report.findings)))
    suite.set("failures", str(kinds.count("failure")))
    suite.set("errors", str(kinds.count("error")))
    suite.set("skipped", str(kinds.count("skipped")))
    SubElement(suite, "system-out").text = visible("".join(render(report)), "\n" + BLANKS)
    indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suite, "unicode")}\n'
