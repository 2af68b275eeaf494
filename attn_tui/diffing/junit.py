"""The difference of two captures as JUnit XML: a test for each layer."""

from attn_tui.diffing.difference import DiffReport
from attn_tui.diffing.sentences import both_sides, name
from attn_tui.report import junit as report
from attn_tui.report.junit import ELEMENTS, JunitTest


def junit(difference: DiffReport) -> str:
    """Return the XML of a suite with a test for each layer."""
    port = difference.port or difference.reference
    tests = [
        JunitTest(
            "attention", name(layer), ELEMENTS.get(layer.verdict, ""),
            f"{layer.verdict}: {both_sides(layer)}",
        )
        for layer in difference.layers
    ]  # fmt: skip
    return report.junit(port.capture.paths[0], tests, str(difference), difference.elapsed)
