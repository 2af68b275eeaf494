from pathlib import Path

from click.testing import CliRunner

from benchmarks.lines import code_lines, main

BASE = '''"""A docstring
of two lines."""

import os
from sys import (
    path,
)

# A comment.
VALUE = [
    1,  # With a comment.

    2,
]
"""What the value is."""
TEXT = """One
two"""


class Base:
    """A docstring."""

    def name(self) -> str:
        # A comment.
        return "base"
'''
DERIVED = """from program.base import Base as Other

class Middle(Other):
    a = 1

class Last(Middle, Other, int):
    b = 2
"""


def test_lines_of_code_are_those_without_text_comment_blank_and_import() -> None:
    lines = BASE.splitlines()
    assert [lines[number - 1] for number in sorted(code_lines(BASE))] == [
        *("VALUE = [", "    1,  # With a comment.", "    2,", "]"),
        *('TEXT = """One', 'two"""'),
        *("class Base:", "    def name(self) -> str:", '        return "base"'),
    ]


def test_a_class_has_each_line_it_inherits_once(tmp_path: Path) -> None:
    folder = tmp_path / "program"
    (folder / "room").mkdir(parents=True)
    (folder / "base.py").write_text(BASE)
    (folder / "room" / "derived.py").write_text(DERIVED)
    output = CliRunner().invoke(main, [str(folder), "--top", "2"]).output
    assert output.splitlines() == [
        "      9  program",
        "      4  program.room",
        "     13  in all",
        "",
        "   code     all  class, with what it inherits",
        "      7      10  program.room.derived.Last",
        "      5       8  program.room.derived.Middle",
    ]
