"""A probe as JUnit XML: a test for each call, and one for what calls show together."""

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from attn_tui.compute.text import BLANKS, visible
from attn_tui.probing.probed import ProbeDiagnosis

ELEMENTS = {"differs": "failure", "fails": "failure", "cannot tell": "error"}
"""The JUnit element of each verdict; any other verdict passes."""


def junit(diagnosis: ProbeDiagnosis, name: str) -> str:
    """Return the XML of a suite.

    Args:
        diagnosis: What was found.
        name: The name of the function.
    """
    suite = Element("testsuite", {"name": visible(name)})
    kinds: list[str] = []
    for call in diagnosis.cases:
        test = SubElement(suite, "testcase", classname=visible(name), name=call.inputs.text)
        kind = ELEMENTS.get(call.verdict)
        if kind:
            kinds.append(kind)
            SubElement(test, kind, message=visible(call.error or diagnosis.line))
    test = SubElement(suite, "testcase", classname=visible(name), name="all calls together")
    if diagnosis.faults:
        kinds.append("failure")
        text = "; ".join(fault.text for fault in diagnosis.faults)
        SubElement(test, "failure", message=visible(text))
    suite.set("tests", str(len(diagnosis.cases) + 1))
    suite.set("failures", str(kinds.count("failure")))
    suite.set("errors", str(kinds.count("error")))
    SubElement(suite, "system-out").text = visible(str(diagnosis), "\n" + BLANKS)
    indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suite, "unicode")}\n'
