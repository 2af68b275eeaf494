"""What Dot products found, as text and as JSON."""

import csv
import json
import re
from dataclasses import replace
from functools import lru_cache
from io import StringIO
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from attn_tui.report.dots import csv as dots_csv
from attn_tui.report.dots import json as dots_json
from attn_tui.report.dots import text as dots

from attn_tui.compute.dots.answer import Answer, answer
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.number import Number
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.vector import Vector
from attn_tui.report.measured import deviations, exact, with_error
from attn_tui.report.progress import Pace, bar
from tests.asking import asking

DOCS = Path(__file__).parents[3] / "docs" / "json.md"

QUESTIONS: dict[str, tuple[int, Scale, Settings]] = {
    "normal": (64, Scale(), Settings()),
    "largest shifts, tied": (65_536, Scale(), Settings(mean_q=1e6, mean_k=1e6, tied=True)),
    "largest shift": (65_536, Scale("none"), Settings(mean_q=-1e6)),
    "one die": (1, Scale("inverse"), Settings("die", samples=1)),
    "constant": (8, Scale(), Settings("coins", correlation=1.0, tied=True)),
    "uniform": (3, Scale("temperature"), Settings("uniform", correlation=-0.5, mean_k=0.1)),
    "no lattice": (3, Scale(), Settings("coins", mean_q=2**0.5, mean_k=3**0.5, samples=99)),
    "no rows": (2, Scale("inverse"), Settings(d_ks=())),
    "far above 1": (64, parse_scale("temperature:T=1e-308"), Settings()),
    "far below 1": (64, parse_scale("temperature:T=1e300"), Settings()),
    "capped": (2, Scale(softcap=50.0), Settings(correlation=-1.0)),
}


@lru_cache
def answered(name: str) -> Answer:
    d_k, scale, settings = QUESTIONS[name]
    vector = Vector("a", [1.0, 2.0])  # type: ignore[arg-type]
    (*_, found) = answer(asking(vector, setup=Setup(d_k, scale).put(settings)))
    return found


def text_of(name: str) -> str:
    return "".join(dots.render(answered(name)))


def plain_of(name: str) -> dict[str, Any]:
    def refuse(token: str) -> None:
        raise AssertionError(token)

    text = "".join(dots_json.render(answered(name)))
    plain: dict[str, Any] = json.loads(text, parse_constant=refuse)
    return plain


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_line_is_wider_than_80_columns_and_no_number_is_cut(name: str) -> None:
    text = text_of(name)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text


def test_the_report_says_what_was_drawn_and_what_it_shows() -> None:
    text = text_of("normal")
    for part in (
        "samples    100,000; seed 1 (NumPy PCG64, standard_gamma and standard_normal)",
        "of q and k standard normal; components independent of each other",
        "unscaled q·k ± error",
        "variance σ²                  64.62 ± 0.29       64      1.0096 ± 0.0046        1",
        "within ±2√d_k = ±16",
        "4 Different products know nothing of each other, so all cross terms are 0.",
        "√Var(q·k) = √64",
        "8.038 ± 0.018      8\n",
        "1,024  100,000      1025.8 ± 4.6   1024       ±64  0.95501 ± 0.00066  0.954447",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("largest shifts, tied", "d_k² times that of one product, not d_k times: the spread grows"),
        ("largest shift", "Nothing is divided here. Dividing by √d_k would leave 1e+12 at every"),
        ("one die", "One draw has no spread"),
        ("one die", "Dice are never negative, so one product does not average 0."),
        ("constant", "It is one number every time: nothing varies."),
        ("constant", "q·k is always the same number here"),
        ("far above 1", "What is ∞ is more than 1.8e308, the largest number that float64 holds."),
        ("far above 1", "∞ ± 1.8e+306 ∞ mean size"),
        ("far above 1", "Var(m·q·k) = (1e+308)²·64"),
        ("far below 1", "makes 0 is less than 4.9e-324, the least number that float64 holds."),
        ("far below 1", "Var(m·q·k) = (1e-300)²·64"),
        ("capped", "Not applied here: soft cap"),
        ("no rows", "a variance that shrinks as 1/d_k. Dividing by √d_k would leave 1 at"),
    ],
)
def test_sentences_follow_the_question(name: str, said: str) -> None:
    assert said in " ".join(text_of(name).split())


@pytest.mark.parametrize("name", QUESTIONS)
def test_only_numbers_that_leave_float64_need_a_reason(name: str) -> None:
    assert ("that float64 holds" in " ".join(text_of(name).split())) == name.startswith("far ")


@pytest.mark.parametrize("name", QUESTIONS)
def test_json_has_every_readout_on_both_sides_and_asks_the_same_again(name: str) -> None:
    plain, found = plain_of(name), answered(name)
    begin = ["schema", "experiment", "headline", "samples", "seed", "generator"]
    assert list(plain)[: len(begin)] == begin
    names = ["mean", "variance", "standard_deviation", "mean_size", "kurtosis", "coverage"]
    for side in ("unscaled", "scaled"):
        assert list(plain[side]) == names
        assert all(
            list(each) == ["value", "standard_error", "exact"] for each in plain[side].values()
        )
    assert plain["samples"] == found.drawn
    assert sum(plain["histogram"]["counts"]) <= found.drawn
    assert len(plain["table"]) == len(found.table)
    from attn_tui.files.codec import experiment_from_plain

    assert experiment_from_plain(plain).setup == found.experiment.setup


def test_json_has_full_precision_and_null_for_what_is_not_known() -> None:
    plain, found = plain_of("no lattice"), answered("no lattice")
    assert plain["unscaled"]["coverage"]["exact"] is None
    assert plain["histogram"]["curves"]["exact"] is None
    assert plain["scaled"]["variance"]["value"] == found.scaled.variance.value
    assert plain_of("one die")["unscaled"]["variance"]["value"] == "NaN"


@pytest.mark.parametrize("name", QUESTIONS)
def test_csv_has_the_numbers_of_json_one_a_line(name: str) -> None:
    rows = list(csv.DictReader(StringIO("".join(dots_csv.render(answered(name))))))
    plain = plain_of(name)

    def cells(number: dict[str, Any]) -> list[str]:
        return ["" if number[each] is None else str(number[each]) for each in number]

    expected = [
        [*place, str(plain["bound"][side]), statistic, *cells(number)]
        for side, m in (("unscaled", 1.0), ("scaled", plain["multiplier"]))
        for place in [
            ("readouts", str(answered(name).law.d_k), str(plain["samples"]), side, str(m))
        ]
        for statistic, number in plain[side].items()
    ] + [
        [*place, str(row["bound"]), statistic, *cells(row[statistic])]
        for row in plain["table"]
        for place in [("table", str(row["d_k"]), str(row["samples"]), "unscaled", "1.0")]
        for statistic in ("variance", "coverage")
    ]
    columns = [each for each in dots_csv.COLUMNS if each != "seed"]
    assert [[row[column] for column in columns] for row in rows] == expected
    assert {row["seed"] for row in rows} == {str(plain["seed"])}
    assert set(dots_csv.COLUMNS) <= set(re.findall(r"`([^`]+)`", DOCS.read_text("utf-8")))


def test_every_field_of_json_is_documented() -> None:
    documented = set(re.findall(r"`([^`]+)`", DOCS.read_text("utf-8")))
    numbers = {"value", "standard_error", "exact"}

    def fields(plain: object, path: str = "") -> set[str]:
        if isinstance(plain, list):
            return set().union(*(fields(item, f"{path}[]") for item in plain))
        if not isinstance(plain, dict) or set(plain) == numbers:
            return set()
        inner = {f"{path}.{name}".lstrip("."): item for name, item in plain.items()}
        return set(inner).union(*(fields(item, name) for name, item in inner.items()))

    found = {
        re.sub(r"^scaled\.", "unscaled.", name)
        for case in QUESTIONS
        for name in fields(plain_of(case))
        if not name.startswith("experiment.")
    }
    assert found <= documented
    assert numbers <= documented


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Number(64.0312, 0.0917), "64.031 ± 0.092"),
        (Number(-0.00401, 0.0995), "−0.00 ± 0.10"),
        (Number(-0.04, 0.0332), "−0.040 ± 0.033"),
        (Number(1234567.8, 1234.0), "1234568 ± 1234"),
        (Number(8.6e21, 3.8e19), "8.600e+21 ± 3.8e+19"),
        (Number(1e-9, 2e-11), "1.000e-09 ± 2.0e-11"),
        (Number(5.0, 0.0), "5 ± 0"),
        (Number(5.0, nan), "5 ± NaN"),
        (Number(nan, nan), "NaN ± NaN"),
        (Number(inf, 1.0), "∞ ± 1.0"),
        (Number(0.0, 2.5), "0.0 ± 2.5"),
    ],
)
def test_a_value_has_the_digits_that_its_error_leaves(number: Number, text: str) -> None:
    if number.value == inf:
        assert with_error(number).startswith("∞ ± ")
    elif text.startswith("−0.00 "):
        assert with_error(number) == "0.00 ± 0.10"
    else:
        assert with_error(number) == text


@pytest.mark.parametrize("width", range(12, 30))
@pytest.mark.parametrize("value", [1e-30, -6.5536e16, 0.123456, -1e300, 0.0, nan])
@pytest.mark.parametrize("error", [1e-40, 2.9e8, 0.01, 1e290, nan, 0.0])
def test_a_value_with_its_error_fits(value: float, error: float, width: int) -> None:
    assert len(with_error(Number(value, error), width)) <= width


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Number(25.52611, 0.00019, 25.526073921), "25.52607"),
        (Number(1.00481, 0.0023, 1.0), "1"),
        (Number(9.0, 0.5, 2.0**0.5), "1.41421"),
        (Number(0.797743, 0.00006, 0.79769009), "0.797690"),
        (Number(-0.8, 0.01, -0.79769009), "−0.797690"),
        (Number(0.8, 0.01, 0.1 + 0.2), "0.3"),
        (Number(2e-9, 1e-10, 1.00000004e-9), "1.00000e-09"),
        (Number(1234567.8, 1234.0, 1234321.49), "1234321"),
        (Number(8.6e21, 3.8e12, 8.600000000123e21), "8.6000000001e+21"),
        (Number(nan, nan, 2.0 / 3.0), "0.666667"),
        (Number(0.1, 1e-9, 0.0), "0"),
        (Number(1.0, 1e-300, 1.0 / 3.0), "0.333333333333333"),
    ],
)
def test_an_exact_value_has_no_fewer_digits_than_the_sampled_one(number: Number, text: str) -> None:
    assert exact(number) == text
    assert len(exact(number, 8)) <= 8


def test_what_is_not_known_is_a_dash_and_says_no_deviation() -> None:
    assert exact(Number(1.0, 0.1)) == "–"
    assert deviations(Number(1.0, 0.1)) is None
    assert deviations(Number(1.0, nan, 2.0)) is None
    assert deviations(Number(1.0, 0.25, 2.0)) == 4.0


def test_the_pace_says_how_far_and_how_long() -> None:
    pace = Pace(1000, 200, 10.0)
    assert pace.text(200, 10.0) == "20 %, 200 of 1,000"
    assert pace.text(400, 12.0) == "40 %, 400 of 1,000, 6 s left"
    assert pace.text(1000, 99.0) == "100 %, 1,000 of 1,000"
    assert bar(0.5, 4) == "━━──"
    assert bar(2.0, 4) == "━━━━"


def test_no_heading_stands_over_no_rows() -> None:
    said = "".join(dots.render(replace(answered("normal"), table=())))
    assert "Over d_k" not in said
    assert "\n\n\n" not in said


def test_a_zero_with_a_tiny_error_is_written_as_others_are() -> None:
    assert with_error(Number(0.0, 5.8e-15)) == "0 ± 5.8e-15"
