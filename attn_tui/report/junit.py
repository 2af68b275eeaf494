"""Verdicts as JUnit XML, which continuous integration shows."""

from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from attn_tui.compute.text import BLANKS, visible

ELEMENTS = {"differs": "failure", "fails": "failure", "cannot tell": "error"}
"""The JUnit element of each verdict; any other verdict passes."""

KINDS = ("failure", "error", "skipped")


@dataclass(frozen=True)
class JunitTest:
    """A test of a suite.

    Attributes:
        group: What it belongs to.
        name: Its name.
        kind: One of `KINDS`, or empty if it passes.
        message: Why it does not pass.
    """

    group: str
    name: str
    kind: str = ""
    message: str = ""


def junit(name: str, tests: Iterable[JunitTest], output: str, elapsed: float | None = None) -> str:
    """Return the XML of a suite.

    Args:
        name: The name of the suite.
        tests: Its tests.
        output: What was printed.
        elapsed: The seconds it took, if they are known.
    """
    suite = Element("testsuite", {"name": visible(name)})
    if elapsed is not None:
        suite.set("time", f"{elapsed:.3f}")
    every = [*tests]
    for test in every:
        case = SubElement(suite, "testcase", classname=visible(test.group), name=test.name)
        if test.kind:
            SubElement(case, test.kind, message=visible(test.message))
    suite.set("tests", str(len(every)))
    for kind, count in zip(KINDS, ("failures", "errors", "skipped"), strict=True):
        suite.set(count, str(sum(test.kind == kind for test in every)))
    SubElement(suite, "system-out").text = visible(output, "\n" + BLANKS)
    indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suite, "unicode")}\n'
