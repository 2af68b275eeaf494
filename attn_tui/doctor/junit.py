"""What the doctor says, as the XML of JUnit that continuous integration shows."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from attn_tui.captures.disk import place_of
from attn_tui.compute.errors import InputError
from attn_tui.compute.visible import BLANKS, visible

_ELEMENTS = {"differs": "failure", "cannot tell": "error", "no expectation": "skipped"}
"""What a verdict is there; any other passes."""


@dataclass(frozen=True)
class Case:
    """One head.

    Attributes:
        batch: Its sequence.
        layer: Its layer.
        head: Its number.
        verdict: What is said of it.
        text: What differs, or why nothing can be told.
        failed: Whether a condition of --fail-if holds of it.
    """

    batch: int
    layer: int
    head: int
    verdict: str
    text: str
    failed: bool = False


def junit(name: str, cases: Iterable[Case], text: str, seconds: float) -> str:
    """Return the XML of a suite with a test for each head.

    Args:
        name: Of the capture.
        cases: Its heads.
        text: The whole report.
        seconds: It took.
    """
    suite = Element("testsuite", {"name": visible(name), "time": f"{seconds:.3f}"})
    counts = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    plural = {"failure": "failures", "error": "errors", "skipped": "skipped"}
    for case in cases:
        counts["tests"] += 1
        sequence = f"sequence {case.batch}, head {case.head}"
        test = SubElement(suite, "testcase", {"classname": f"layer {case.layer}", "name": sequence})
        kind = "failure" if case.failed else _ELEMENTS.get(case.verdict)
        if kind:
            counts[plural[kind]] += 1
            message = visible(f"{case.verdict}: {case.text}" if case.text else case.verdict)
            SubElement(test, kind, {"message": message})
    suite.attrib.update({key: str(count) for key, count in counts.items()})
    SubElement(suite, "system-out").text = visible(text, "\n" + BLANKS)
    indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suite, "unicode")}\n'


def save(path: str, xml: str) -> None:
    """Write XML to a file, in place of what is there.

    Raises:
        InputError: With field ``"junit"``, if that cannot be.
    """
    try:
        with open(os.path.expanduser(path), "w", encoding="utf-8") as file:
            file.write(xml)
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or "it has no such name"
        raise InputError("junit", problem, "a file that can be written", place_of(path)) from None
