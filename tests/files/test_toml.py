"""TOML written by hand: what it says, and what is wrong with it."""

from pathlib import Path

import pytest

from attn_tui.compute.errors import InputError
from attn_tui.files.content import read_tables, tables_of

GOOD = """\
# Two of them.
[[claim]]
id = "one"
value = 3

[[claim]]
id = "two"

value = 4.5
"""


def test_each_table_knows_what_it_says_and_which_it_is() -> None:
    one, two = tables_of(GOOD, "mine.toml", "claim")
    assert (one.where, two.where) == ("'mine.toml', claim 1", "'mine.toml', claim 2")
    assert one.get("value", float) == 3.0
    assert two.get("note", str, "none") == "none"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no [[claim]]; expected one [[claim]] at least"),
        ("[claim]\nid = 1\n", "there is no [[claim]]; expected one [[claim]] at least"),
        ("[[claim]]\nid = \n", "invalid value (at line 2, column 6); expected TOML"),
        ("[[claim]]\n[[other]]\n", "'other' is unknown; expected [[claim]]"),
        ("[[claim]]\nid = " + "1" * 5000, "it is no TOML; expected TOML"),
        ("[[claim]]\nid = " + "[" * 5000, "it is no TOML; expected TOML"),
    ],
    ids=["nothing", "one", "broken", "other", "digits", "deep"],
)
def test_what_is_no_list_of_tables_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_tables(str(path), "claim")
    assert str(error.value).endswith(f"mine.toml': {message}")


def test_a_whole_number_that_no_float_holds_will_not_do() -> None:
    (table,) = tables_of(f"[[claim]]\nvalue = {10**400}\n", "mine.toml", "claim")
    with pytest.raises(InputError, match=r'claim 1: "value" is 1000.*; expected a finite'):
        table.get("value", float)


def test_what_stands_behind_a_key_is_checked() -> None:
    (table,) = tables_of("[[claim]]\nid = 1\nnmae = 2\n", "mine.toml", "claim")
    for check, message in (
        (lambda: table.get("id", str), '"id" is 1; expected a text in quotes'),
        (lambda: table.get("name", str), '"name" is missing; expected a text in quotes'),
        (lambda: table.know("id", "name"), "'nmae' is unknown; expected one of id, name"),
    ):
        with pytest.raises(InputError) as error:
            check()
        assert str(error.value).startswith(f"file, 'mine.toml', claim 1: {message}")


def test_a_file_that_is_not_there_or_no_text_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_tables(str(tmp_path / "none.toml"), "claim")
    (tmp_path / "long.toml").write_text("# " + "long " * 300_000)
    with pytest.raises(InputError, match="too large; expected at most 1,048,576 bytes"):
        read_tables(str(tmp_path / "long.toml"), "claim")
