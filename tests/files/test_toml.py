"""TOML written by hand: what it says, and where an error is."""

from pathlib import Path

import pytest

from attn_tui.compute.errors import InputError
from attn_tui.files.toml import read_tables, tables_of

GOOD = """\
# Two of them.
[[claim]]
id = "one"
value = 3

[[claim]]
id = "two"

value = 4.5
"""


def test_each_table_knows_its_lines() -> None:
    one, two = tables_of(GOOD, "mine.toml", "claim")
    assert (one.line, dict(one.lines)) == (2, {"id": 3, "value": 4})
    assert (two.line, dict(two.lines)) == (6, {"id": 7, "value": 9})
    assert one.get("value", float) == 3.0
    assert two.get("note", str, "none") == "none"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: there is no [[claim]]; expected one [[claim]] at least"),
        ("[claim]\nid = 1\n", "line 2: there is no [[claim]]; expected one [[claim]] at least"),
        ("[[claim]]\nid = \n", "line 2: invalid value; expected TOML"),
        ("[[claim]]\nid = 1\nid = 2\n", "line 3: cannot overwrite a value; expected TOML"),
        ("[[claim]]\n[[other]]\n", "line 2: 'other' is unknown; expected [[claim]]"),
        ('[[claim]]\nid = "', "line 2: unterminated string; expected TOML"),
        ("[[claim]]\nid = " + "1" * 5000, "line 2: it is no TOML; expected TOML"),
    ],
)
def test_what_is_no_list_of_tables_names_the_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        tables_of(text, "mine.toml", "claim")
    assert str(error.value) == f"file, 'mine.toml', {message}"


def test_a_whole_number_that_no_float_holds_will_not_do() -> None:
    (table,) = tables_of(f"[[claim]]\nvalue = {10**400}\n", "mine.toml", "claim")
    with pytest.raises(InputError, match="line 2: value will not do; expected a finite number"):
        table.get("value", float)


def test_what_stands_behind_a_key_is_checked() -> None:
    (table,) = tables_of("[[claim]]\nid = 1\nnmae = 2\n", "mine.toml", "claim")
    for check, message in (
        (lambda: table.get("id", str), "line 2: id will not do; expected a text in quotes"),
        (
            lambda: table.get("name", str),
            "line 1: name is missing; expected a line name = …",
        ),
        (lambda: table.know("id", "name"), "line 3: 'nmae' is unknown; expected one of id, name"),
    ):
        with pytest.raises(InputError) as error:
            check()
        assert message in str(error.value)


def test_a_header_inside_a_text_is_not_taken_for_one() -> None:
    text = '[[claim]]\nsays = """\n[[claim]]\n"""\nid = 1\n'
    (table,) = tables_of(text, "mine.toml", "claim")
    assert table.values["id"] == 1


def test_a_file_that_is_not_there_or_no_text_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_tables(str(tmp_path / "none.toml"), "claim")
    (tmp_path / "long.toml").write_text("# " + "long " * 300_000)
    with pytest.raises(InputError, match="too long"):
        read_tables(str(tmp_path / "long.toml"), "claim")
