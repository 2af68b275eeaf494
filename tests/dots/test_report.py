"""The report of Dot products: every number with its error and exact value, in three forms."""

import csv as csv_module
from functools import lru_cache
from io import StringIO
from typing import Any

import numpy as np
import pytest

from attn_tui.compute.dots.answer import Answer, answer
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Vector
from attn_tui.dots.headline import headline
from attn_tui.dots.report import COLUMNS, READOUTS, report
from attn_tui.files.codec import experiment_from_plain
from attn_tui.files.plain import plain_number
from attn_tui.report.forms import csv, json
from attn_tui.report.text import text
from tests.asking import asking
from tests.documented import read

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
    experiment = asking(Vector("a", np.array([1.0, 2.0])), setup=Setup(d_k, scale).put(settings))
    *_, last = answer(experiment)
    return last


@lru_cache
def text_of(name: str) -> str:
    return "".join(text(report(answered(name))))


def flat(name: str) -> str:
    return " ".join(text_of(name).split())


@lru_cache
def plain_of(name: str) -> Any:
    return read("".join(json(report(answered(name)))))


def test_no_line_is_wider_than_80_columns_and_no_number_is_cut() -> None:
    for name in QUESTIONS:
        sentence = headline(answered(name).experiment)
        assert flat(name).startswith(sentence)
        assert plain_of(name)["headline"] == sentence
        lines = text_of(name).splitlines()
        assert max(map(len, lines)) <= 80
        assert not any("…" in line for line in lines)
        assert all(line.isprintable() and line == line.rstrip() for line in lines)
        assert "\n\n\n" not in text_of(name)


def test_the_text_says_what_was_drawn_and_every_number_with_its_error_and_exact_value() -> None:
    for part in (
        "samples    100,000; seed 1 (NumPy PCG64, standard_gamma and standard_normal)",
        "of q and k standard normal; components independent of each other",
        "                          q·k ± error     exact      m·q·k ± error     exact\n",
        "variance σ²                64.62 ± 0.29        64    1.0096 ± 0.0046         1\n",
        "±2√d_k is ±16, and for m·q·k ±m times that, ±2.",
        "4 Different products know nothing of each other, so all cross terms are 0.",
        "√Var(q·k) = √64",
        "8.038 ± 0.018      8\n",
        "1,024  100,000       ±64     1,025.8 ± 4.6  1,024  0.95501 ± 0.00066  0.954447\n",
    ):
        assert part in text_of("normal")


def test_what_is_odd_has_its_reason() -> None:
    for name, phrase in [
        ("largest shift", "Nothing is divided here. Dividing by √d_k would leave 1e12 at every"),
        ("one die", "One draw has no spread"),
        ("constant", "q·k is always the same number here"),
        ("no lattice", "What is not known exactly, –, is so because"),
        ("far above 1", "What is ∞ is more than 1.8e308, the largest number that float64 holds."),
        ("far above 1", "Var(m·q·k) = (1e308)²·64"),
        ("far below 1", "makes 0 is less than 4.9e-324, the least number that float64 holds."),
        ("capped", "Not applied here: soft cap"),
    ]:
        assert phrase in flat(name)
    assert "What is not known exactly" not in flat("normal")


def test_json_has_every_readout_on_both_sides_and_asks_the_same_again() -> None:
    for name in QUESTIONS:
        plain, result = plain_of(name), answered(name)
        for side, numbers in (("unscaled", result.unscaled), ("scaled", result.scaled)):
            assert list(plain[side]) == [*READOUTS]
            for statistic in READOUTS:
                number = getattr(numbers, statistic)
                assert list(plain[side][statistic]) == ["value", "standard_error", "exact"]
                exact = plain[side][statistic]["exact"]
                assert exact == (
                    number.exact if number.exact is None else plain_number(number.exact)
                )
        assert plain["samples"] == result.drawn
        assert sum(plain["histogram"]["counts"]) <= result.drawn
        assert len(plain["table"]) == len(result.table)
        assert experiment_from_plain(plain).setup == result.experiment.setup
    plain = plain_of("no lattice")
    assert plain["unscaled"]["coverage"]["exact"] is None
    assert plain["histogram"]["curves"]["exact"] is None
    assert plain_of("one die")["unscaled"]["variance"]["value"] == "NaN"


@pytest.mark.parametrize("name", QUESTIONS)
def test_csv_has_the_numbers_of_json_one_a_line(name: str) -> None:
    written = "".join(csv(report(answered(name))))
    assert written.splitlines()[0] == ",".join(COLUMNS)
    rows = [*csv_module.DictReader(StringIO(written))]
    plain = plain_of(name)

    def cells(number: dict[str, Any]) -> list[str]:
        return ["" if number[part] is None else str(number[part]) for part in number]

    d_k, samples = str(answered(name).law.d_k), str(plain["samples"])
    expected = [
        [
            "readouts",
            d_k,
            samples,
            side,
            str(m),
            str(plain["bound"][side]),
            statistic,
            *cells(number),
        ]
        for side, m in (("unscaled", 1.0), ("scaled", plain["multiplier"]))
        for statistic, number in plain[side].items()
    ] + [
        [
            *("table", str(row["d_k"]), str(row["samples"]), "unscaled", "1.0", str(row["bound"])),
            *(statistic, *cells(row[statistic])),
        ]
        for row in plain["table"]
        for statistic in ("variance", "coverage")
    ]
    columns = [column for column in COLUMNS if column != "seed"]
    assert [[row[column] for column in columns] for row in rows] == expected
    assert {row["seed"] for row in rows} == {str(plain["seed"])}
