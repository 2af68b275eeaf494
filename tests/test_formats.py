"""Numbers for people are written in `attn_tui.compute.numbers` alone."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import attn_tui

PACKAGE = Path(attn_tui.__file__).parent
HOME = "compute/numbers.py"

EXACT = {
    "compute/scale.py: formula": "a formula names parameters as they are typed",
    "diagnosis/page.py: _chart": "coordinates of a picture",
    "diagnosis/page.py: _head": "coordinates of a picture",
    "doctor/reproduce.py: _text": "a script, which computes with what is written",
    "engine/condition.py: text": "a condition, which `parse_condition` reads",
    "heads/report.py: printed": "rounds a number for JSON",
    "report/junit.py: junit": "JUnit's seconds, which programs read",
}
"""Who writes numbers of text that programs read, with the reason."""

OF_A_FLOAT = re.compile(r"[gGeEfF%]$")
REPLACED = re.compile(r"\{[^{}]*:[^{}]*[gGeEfF%]\}")
"""What `str.format` fills with a float."""


def formats(tree: ast.AST, inside: str = "") -> Iterator[tuple[str, int]]:
    """Yield where floats are formatted: the function, and the line."""
    for node in ast.iter_child_nodes(tree):
        name = node.name if isinstance(node, ast.FunctionDef) else inside
        if is_format(node):
            yield name, getattr(node, "lineno", 0)
        yield from formats(node, name)


def is_format(node: ast.AST) -> bool:
    """Return whether a node formats a float, or writes − in place of -."""
    if isinstance(node, ast.FormattedValue) and isinstance(node.format_spec, ast.JoinedStr):
        last = node.format_spec.values[-1]
        return isinstance(last, ast.Constant) and bool(OF_A_FLOAT.search(str(last.value)))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    if isinstance(called, ast.Name):
        return called.id == "format"
    if not isinstance(called, ast.Attribute):
        return False
    if called.attr == "format" and isinstance(called.value, ast.Constant):
        return bool(REPLACED.search(str(called.value.value)))
    texts = [part.value for part in node.args if isinstance(part, ast.Constant)]
    is_minus = called.attr == "replace" and texts == ["-", "−"]
    return is_minus or called.attr.startswith("format_float")


def modules() -> list[str]:
    return [path.relative_to(PACKAGE).as_posix() for path in sorted(PACKAGE.rglob("*.py"))]


def test_a_number_for_people_is_written_in_one_place() -> None:
    elsewhere: dict[str, int] = {}
    for module in modules():
        if module == HOME:
            continue
        for function, line in formats(ast.parse((PACKAGE / module).read_text(encoding="utf-8"))):
            elsewhere.setdefault(f"{module}: {function}", line)
    assert elsewhere.keys() - EXACT.keys() == set(), elsewhere
    # Who no longer writes a number needs no leave.
    assert EXACT.keys() - elsewhere.keys() == set()


@pytest.mark.parametrize(
    "code",
    [
        'f"{x:.3g}"', 'f"{x:,.0f}"', 'f"{x:{width}.2f}"', 'f"{x:.{n}e}"', 'f"{x:.0%}"',
        '"{:g} keys".format(x)', '"%.2f" % x', 'format(x, ".3f")', 'f"{n:,}".replace("-", "−")',
    ],
)  # fmt: skip
def test_every_way_to_format_a_float_is_found(code: str) -> None:
    assert [*formats(ast.parse(code))]


@pytest.mark.parametrize("code", ['f"{n:,}"', 'f"{text:>9}"', 'f"{date:%H:%M}"', "n % 2"])
def test_whole_numbers_and_texts_are_left_alone(code: str) -> None:
    assert not [*formats(ast.parse(code))]
