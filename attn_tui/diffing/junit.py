"""The difference of two captures as JUnit XML: a test for each layer."""

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from attn_tui.compute.text import BLANKS, visible
from attn_tui.diffing.difference import DiffReport
from attn_tui.diffing.sentences import both_sides, name

_ELEMENTS = {"differs": "failure", "cannot tell": "error"}
"""The JUnit element of each verdict; any other verdict passes."""


def junit(difference: DiffReport) -> str:
    """Return the XML of a suite with a test for each layer."""
    port = difference.port or difference.reference
    attributes = {
        "name": visible(port.capture.paths[0]),
        "time": str(round(difference.elapsed, 3)),
        "tests": str(len(difference.layers)),
    }
    suite = Element("testsuite", attributes)
    kinds: list[str] = []
    for layer in difference.layers:
        test = SubElement(suite, "testcase", classname="attention", name=name(layer))
        kind = _ELEMENTS.get(layer.verdict)
        if kind:
            kinds.append(kind)
            message = f"{layer.verdict}: {both_sides(layer)}"
            SubElement(test, kind, message=visible(message))
    suite.set("failures", str(kinds.count("failure")))
    suite.set("errors", str(kinds.count("error")))
    SubElement(suite, "system-out").text = visible(str(difference), "\n" + BLANKS)
    indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suite, "unicode")}\n'
