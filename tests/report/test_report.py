"""What all reports have in common: the layout as text, and the contents of JSON and CSV."""

import csv as csv_module
from collections.abc import Sequence
from io import StringIO
from math import inf, nan
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from attn_tui.compute.sample import Number
from attn_tui.report.forms import csv, json
from attn_tui.report.report import (
    Column,
    Fact,
    Facts,
    Lines,
    Report,
    ReportPart,
    Section,
    Table,
    data,
    listed,
    records,
    same,
)
from attn_tui.report.rows import cells
from attn_tui.report.text import shortened, text, wrapped
from tests.documented import read

HOSTILE = "\x1b[31mred\x1b[0m \u202eevil\n"
WIDE = "漢字🎉"


def table(*columns: Column, **given: Any) -> Table:
    """Return a table with as many rows as its first column."""
    given.setdefault("rows", np.arange(3))
    return Table(columns, **given)


def column(title: str, values: Sequence[Any], **given: Any) -> Column:
    return Column(title, listed(values), **given)


def as_text(*parts: ReportPart, width: int = 80, headline: str = "", title: str = "") -> list[str]:
    return "".join(text(Report(title, parts, headline=headline), width)).splitlines()


def as_json(*parts: ReportPart, headline: str = "") -> Any:
    return read("".join(json(Report("", parts, headline=headline))))


def as_csv(*parts: ReportPart, chosen: str) -> list[list[str]]:
    written = "".join(csv(Report("", parts, csv=chosen)))
    return [*csv_module.reader(StringIO(written))]


# Text


def test_blocks_stand_apart_by_one_blank_line_and_what_json_alone_holds_leaves_none() -> None:
    lines = as_text(
        data({"seed": 7}),
        Facts([Fact("", (3,), "hidden"), Fact("scores", ("typed",))]),
        Section("a: 2 keys", [data({"n": 2}), "A reason.", Lines(["  1", "  2"])]),
        table(column("", [1, 2, 3], path="n")),
        headline="Key 2 takes all. The rest is 0.",
    )
    assert lines == [
        "Key 2 takes all.",
        "The rest is 0.",
        "",
        "scores     typed",
        "",
        "a: 2 keys",
        "",
        "A reason.",
        "",
        "  1",
        "  2",
    ]


def test_columns_stand_in_line_whatever_names_from_outside_hold() -> None:
    names = ["plain", WIDE, shortened(HOSTILE, 20)]
    lines = as_text(
        table(
            column("name", names, left=True),
            column("weight", [0.5, -1234.5, 1e-30]),
            column(shortened(WIDE * 9, 12), [1, 22_000, 3]),
        )
    )
    assert len({cells(line) for line in lines}) == 1
    # The second column ends at the same cell in every line.
    numbers = ("weight", "0.5", "−1,234.5", "1e-30")
    pairs = zip(lines, numbers, strict=True)
    assert len({cells(line.partition(number)[0] + number) for line, number in pairs}) == 1
    wide = as_text(table(column("name", ["a", WIDE, "b"], left=True), column("n", [1, 2, 3])))
    assert len({cells(line) for line in wide}) == 1
    assert all(line.isprintable() for line in lines)
    assert r"\x1b[31mred" in "\n".join(lines)
    assert lines[2].split()[1:] == ["−1,234.5", "22,000"]


def test_what_a_terminal_would_obey_is_spelled_out_wherever_it_stands() -> None:
    for part in ["title", "headline", "fact", "head", "cell", "note"]:
        texts = dict.fromkeys(("title", "headline", "fact", "head", "cell", "note"), "plain")
        texts[part] = HOSTILE
        lines = as_text(
            Facts([Fact(texts["fact"], (texts["fact"],))]),
            Facts([Fact(texts["fact"], ("a", "b"))], (texts["head"], "b"), (None, None)),
            table(
                column(texts["head"], [texts["cell"]] * 3),
                title=texts["title"],
                notes=[texts["note"]],
            ),
            headline=texts["headline"],
        )
        assert "\n".join(lines).count(r"\x1b[31m") >= 1
        assert all(line.isprintable() for line in lines)


def test_where_there_is_no_room_columns_of_the_highest_rank_go_first_and_no_number_is_cut() -> None:
    columns = [
        column("first", ["1" * 30] * 3),
        column("last", ["2" * 30] * 3, rank=2),
        column("second", ["3" * 30] * 3, rank=1),
    ]
    assert as_text(table(*columns), width=95)[0].split() == ["first", "last", "second"]
    assert as_text(table(*columns), width=80)[0].split() == ["first", "second"]
    assert as_text(table(*columns), width=40)[1].split() == ["1" * 30]
    assert as_text(table(*columns), width=20)[1] == "1" * 30


def test_a_number_has_its_error_and_its_exact_value_beside_it() -> None:
    numbers = [Number(64.0312, 0.0917, 64.0), Number(2.5, 0.1), Number(nan, nan, 3.0)]
    lines = as_text(table(column("variance", numbers)))
    assert [line.split() for line in lines] == [
        ["variance", "±", "error", "exact"],
        ["64.031", "±", "0.092", "64"],
        ["2.50", "±", "0.10", "–"],
        ["–", "3"],
    ]
    single = as_text(Facts([Fact("spread", (numbers[0],), unit="nats")]))
    assert single == ["spread     64.031 ± 0.092, exact 64 nats"]


@example("漢漢漢 漢漢漢", 10)
@given(st.text(alphabet="ab 漢🎉é%9\x1b", max_size=200), st.integers(4, 80))
def test_wrapped_lines_fit_and_lose_nothing(words: str, width: int) -> None:
    lines = wrapped(words, width)
    assert all(cells(line) <= width for line in lines)
    expected = "".join(words.split(" ")).replace("\x1b", r"\x1b")
    assert "".join(line.replace(" ", "") for line in lines) == expected


# JSON


def test_json_has_what_has_a_name_where_its_path_leads() -> None:
    plain = as_json(
        data({"experiment": {"d_k": 64}, "bound.scaled": 2.0}),
        Facts([Fact("label", ("text alone",))]),
        Section(
            "a",
            [
                Facts([Fact("H", (1.5, 2.5), "entropy")], ("u", "s"), ("unscaled", "scaled")),
                Facts([Fact("H", (1.5, 2.5), "entropy")], ("u", "s"), (None, "differences")),
                table(column("w", [0.1, 0.2, 0.3], path="scaled.gradient.scores")),
            ],
            "vectors[]",
            "Key 2 takes it.",
        ),
        Section("b", [data({"name": "b"})], "vectors[]"),
        Section("of the same", [data({"seed": 1})]),
        headline="First.",
    )
    assert plain == {
        "schema": "attn-tui/1",
        "headline": "First.",
        "experiment": {"d_k": 64},
        "bound": {"scaled": 2.0},
        "vectors": [
            {
                "headline": "Key 2 takes it.",
                "unscaled": {"entropy": 1.5},
                "scaled": {"entropy": 2.5, "gradient": {"scores": [0.1, 0.2, 0.3]}},
                "differences": {"entropy": 2.5},
            },
            {"name": "b"},
        ],
        "seed": 1,
    }


def test_an_empty_table_leaves_no_title() -> None:
    empty = table(column("d_k", [1, 2, 3]), rows=np.arange(0), title="A title over nothing")
    assert as_text(empty) == []


def test_rows_of_csv_are_made_once_as_they_are_written() -> None:
    made: list[int] = []

    def record(entry: int) -> dict[str, int]:
        made.append(entry)
        return {"one": entry, "other": -entry}

    part = records(range(3), ("one", "other"), record, "t")
    assert not made
    assert as_csv(part, chosen="t") == [["one", "other"], ["0", "0"], ["1", "-1"], ["2", "-2"]]
    assert made == [0, 1, 2]


@given(st.lists(st.floats(), min_size=1, max_size=20))
def test_json_and_csv_hold_every_digit(values: list[float]) -> None:
    own = table(column("", values, path="v", name="v"), rows=np.arange(len(values)), csv="t")
    spelled = {"NaN": nan, "Infinity": inf, "-Infinity": -inf}
    back = [spelled[item] if isinstance(item, str) else item for item in as_json(own)["v"]]
    np.testing.assert_array_equal(back, values)
    rows = as_csv(own, chosen="t")
    np.testing.assert_array_equal([float(row[0]) for row in rows[1:]], values)


# CSV


def test_csv_is_one_table_under_one_line_of_names_and_quotes_what_it_must() -> None:
    def part(name: str) -> Section:
        own = [
            Column("", same(name), name="vector"),
            column("key", [0, 1, 2], name="key"),
            column("text alone", [1, 2, 3]),
            column("", [None, True, 0.5], name="value"),
        ]
        return Section(name, [table(*own, csv="keys"), table(*own, csv="other")], "vectors[]")

    rows = as_csv(part('a,"b"\nc'), part(WIDE), chosen="keys")
    assert rows == [
        ["vector", "key", "value"],
        ['a,"b"\nc', "0", ""],
        ['a,"b"\nc', "1", "true"],
        ['a,"b"\nc', "2", "0.5"],
        [WIDE, "0", ""],
        [WIDE, "1", "true"],
        [WIDE, "2", "0.5"],
    ]
