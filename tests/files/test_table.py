"""Tables as spreadsheets and programs write them: with row numbers and with commas in numbers."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attn_tui.commands.program import program
from attn_tui.compute.errors import InputError
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Products
from attn_tui.files.draft import open_draft, parse
from attn_tui.files.formats import read_vectors
from attn_tui.files.sources import source_of

LEFT_OUT = "the first column of 'table.csv' has no name and counts the rows: it is left out"


def read(folder: Path, table: str) -> dict[str, list[float]]:
    path = folder / "table.csv"
    path.write_text(table, newline="")
    return {entry.name: list(entry.scores) for entry in read_vectors(str(path))}


def refused(folder: Path, table: str) -> str:
    with pytest.raises(InputError) as caught:
        read(folder, table)
    return str(caught.value)


@pytest.mark.parametrize(
    ("table", "vectors"),
    [
        (",a,b\n0,1.0,2.0\n1,3.0,4.0\n2,5.0,6.0\n", {"a": [1, 3, 5], "b": [2, 4, 6]}),
        ('"","a"\n"1",1.5\n"2",2.5\n', {"a": [1.5, 2.5]}),
        (";a\n0;1,5\n1;2,5\n", {"a": [1.5, 2.5]}),
        ("Unnamed: 0,a\n0,3\n1,4\n", {"a": [3, 4]}),
        (",0,1\n0,1.5,2.5\n1,3.5,4.5\n", {"0": [1.5, 3.5], "1": [2.5, 4.5]}),
    ],
)
def test_a_first_column_without_a_name_that_counts_is_left_out(
    tmp_path: Path, table: str, vectors: dict[str, list[float]]
) -> None:
    assert read(tmp_path, table) == vectors
    source = source_of(f"@{tmp_path / 'table.csv'}")
    assert source.note == LEFT_OUT


@pytest.mark.parametrize(
    ("table", "first"),
    [
        (",a\n1,5\n3,6\n", [1, 3]),
        (",a\n2,5\n3,6\n", [2, 3]),
        (",a\n1,5\n0,6\n", [1, 0]),
        ("i,a\n0,5\n1,6\n", [0, 1]),
        ("0,5\n1,6\n", [0, 5]),
    ],
)
def test_a_column_that_has_a_name_or_does_not_count_stays(
    tmp_path: Path, table: str, first: list[float]
) -> None:
    (tmp_path / "table.csv").write_text(table)
    source = source_of(f"@{tmp_path / 'table.csv'}")
    assert [vector.n_keys for vector in source.vectors(Setup())] == [2, 2]
    assert source.vectors(Setup())[0].scores.tolist() == first
    assert source.note == ""


def test_a_column_without_a_name_stays_where_it_is_not_the_first(tmp_path: Path) -> None:
    assert read(tmp_path, "a,\n5,0\n6,1\n") == {"a": [5, 6], "": [0, 1]}


def test_what_is_left_out_is_said_in_each_form_of_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text(",a,b\n0,1,2\n1,3,4\n")
    for command in ("show", "attention"):
        text = CliRunner().invoke(program, [command, "@table.csv"])
        assert LEFT_OUT in " ".join(text.stdout.split())
        assert text.stderr == ""
        for form in ("--json", "--csv"):
            result = CliRunner().invoke(program, [command, "@table.csv", form])
            assert result.stderr == f"attn-tui: {LEFT_OUT}\n"
    vectors = json.loads(CliRunner().invoke(program, ["show", "@table.csv", "--json"]).stdout)
    assert [vector["name"] for vector in vectors["experiment"]["vectors"]] == ["a", "b"]


def test_rows_of_keys_have_no_row_numbers_either(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(",k[0],k[1]\n0,1,2\n1,3,4\n")
    source = source_of(f"q: 1, 0\nK: @{tmp_path / 'table.csv'}")
    assert isinstance(source, Products)
    assert source.keys.tolist() == [[1, 3], [2, 4]]
    assert source.note == LEFT_OUT


def test_an_open_file_keeps_what_was_left_out(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(",a\n0,1\n1,3\n")
    draft = open_draft(str(tmp_path / "table.csv"), Setup())
    assert parse(draft).source.note == LEFT_OUT
    assert parse(draft.with_text("a: 1, 3")).source.note == ""


@pytest.mark.parametrize(
    ("table", "vectors"),
    [
        ("a;b\n1,5;2,5\n3,5;-4\n", {"a": [1.5, 3.5], "b": [2.5, -4]}),
        ("1,5;2,5\n", {"": [1.5, 2.5]}),
        ("a\tb\n1,5\t2,5\n", {"a": [1.5], "b": [2.5]}),
        ("a, in m;b\n1;2\n1,5;2\n", {"a, in m": [1, 1.5], "b": [2, 2]}),
        ('"a";"b"\n"1,5";"-0,25e1"\n', {"a": [1.5], "b": [-2.5]}),
        ("a;b\n1.234,5;2\n1.000;3\n", {"a": [1234.5, 1000], "b": [2, 3]}),
        ("a;b\n1,234.5;2\n1,000;3\n", {"a": [1234.5, 1000], "b": [2, 3]}),
        ("a;b\n1,234;0,5\n", {"a": [1.234], "b": [0.5]}),
        ("a;b\n1.234;2.5\n", {"a": [1.234], "b": [2.5]}),
        ("a,b\n1.5,2.5\n", {"a": [1.5], "b": [2.5]}),
    ],
)
def test_a_comma_inside_a_cell_is_read_where_it_can_mean_one_thing_only(
    tmp_path: Path, table: str, vectors: dict[str, list[float]]
) -> None:
    assert read(tmp_path, table) == vectors


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("a;b\n1,234;5,678\n", "line 2: '1,234' may be 1.234 or 1234; expected 1.234 or 1234 in"),
        ("a\tb\n1\t5\n-1,234\t5\n", "line 3: '-1,234' may be -1.234 or -1234; expected"),
        ("a;b\n1,5;2.5\n", "line 2: '2.5' has other decimal and thousands marks than the rest"),
        ("a;b\n1,5;2\n1,234.5;2\n", "line 3: '1,234.5' has other decimal and thousands marks"),
        ("a;b\n1,234.5;2\n2,5;1\n", "line 3: '2,5' has other decimal and thousands marks"),
        ("x\n1,5\n2,5\n", "its head has 1 cells and its rows 2"),
        ('"1,5","2,5"\n3,4\n', "could not convert string '1,5'"),
    ],
)
def test_a_comma_inside_a_cell_is_refused_where_it_may_mean_two_things(
    tmp_path: Path, table: str, message: str
) -> None:
    assert message in refused(tmp_path, table)


@given(
    rows=st.lists(
        st.lists(st.decimals(-(10**9), 10**9, places=2), min_size=2, max_size=2),
        min_size=1,
        max_size=5,
    ),
    delimiter=st.sampled_from([";", "\t"]),
    has_points=st.booleans(),
    is_counted=st.booleans(),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_table_of_a_spreadsheet_is_read_as_it_was_meant(
    tmp_path: Path,
    rows: list[list[float]],
    delimiter: str,
    has_points: bool,
    is_counted: bool,
) -> None:
    swapped = str.maketrans(".,", ",.") if has_points else str.maketrans(".", ",", ",")
    lines = [delimiter.join(f"{cell:,}".translate(swapped) for cell in row) for row in rows]
    head = delimiter.join("ab")
    if is_counted:
        head = delimiter + head
        lines = [f"{number}{delimiter}{line}" for number, line in enumerate(lines)]
    found = read(tmp_path, "\n".join([head, *lines]))
    assert list(found) == ["a", "b"]
    assert np.array_equal(np.array([*found.values()]).T, np.array(rows, dtype=float))
