"""A probe as JUnit XML: a test for each call, and one for what calls show together."""

from collections.abc import Iterator

from attn_tui.probing.probed import ProbeDiagnosis
from attn_tui.report import junit as report
from attn_tui.report.junit import ELEMENTS, JunitTest


def junit(diagnosis: ProbeDiagnosis, name: str) -> str:
    """Return the XML of a suite.

    Args:
        diagnosis: What was found.
        name: The name of the function.
    """
    return report.junit(name, _tests(diagnosis, name), str(diagnosis))


def _tests(diagnosis: ProbeDiagnosis, name: str) -> Iterator[JunitTest]:
    for call in diagnosis.cases:
        kind = ELEMENTS.get(call.verdict, "")
        yield JunitTest(name, call.inputs.text, kind, call.error or diagnosis.line)
    faults = "; ".join(fault.text for fault in diagnosis.faults)
    yield JunitTest(name, "all calls together", "failure" if faults else "", faults)
