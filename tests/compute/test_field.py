"""Fields: kinds read their own output, refuse other text by name, and step within their range."""

import subprocess
import sys
from dataclasses import replace
from math import log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_tui.compute.errors import InputError
from attn_tui.compute.field import (
    fields_of,
    number,
    one_of,
    or_none,
    parse_whole,
    parse_wholes,
    span,
    switch,
    whole,
    wholes,
)
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.setup import FIELDS, Setup
from attn_tui.instruments import INSTRUMENTS, load
from attn_tui.sweep.command import n_changes

SETTINGS = [load(instrument.settings) for instrument in INSTRUMENTS]


EVERY = [
    *FIELDS.values(),
    *(field for part in SETTINGS for field in fields_of(part).values()),
]


def test_a_field_reads_what_it_writes_and_its_step_will_do() -> None:
    for field in EVERY:
        kind = field.kind
        kind.check(field.key, field.default)
        for steps in (0, 1, -1, 7):
            value = kind.step(field.default, steps)
            assert kind.parse(field.key, kind.text(value)) == value
            assert kind.shown(value)
            assert kind.expected
            assert Setup().changed(field, lambda _, value=value: value).value(field) == value  # type: ignore[misc]


def test_a_kind_reads() -> None:
    for kind, text, value in [
        (whole(1, 9), " 7 ", 7),
        (number(-1.0, 1.0), "−0.5", -0.5),
        (or_none(number(), "none"), "none", None),
        (or_none(number(), "none"), "", None),
        (one_of({"d_k": "", "n": ""}), "d-k", "d_k"),
        (FIELDS["arithmetic"].kind, "fused", "softmax"),
        (switch(), "YES", True),
        (span(1, 64), "2:8", (2, 8)),
        (wholes(1, 64, 3), "8, 2 2", (8, 2)),
    ]:
        assert kind.parse("it", text) == value


def test_a_kind_refuses_by_name_and_says_what_would_do() -> None:
    for kind, text, message in [
        (whole(1, 9), "10", "'10' will not do; expected a whole number from 1 to 9"),
        (whole(1, 9), "x", "'x' is not a whole number; expected a whole number from 1 to 9"),
        (whole(0), "-1", "'-1' will not do; expected a whole number from 0"),
        (number(-1.0, 1.0), "none", "'none' is not a number; expected a number from −1 to 1"),
        (number(above=0.0), "0", "'0' will not do; expected a number above 0"),
        (number(), "nan", "'nan' will not do; expected a number"),
        (one_of({"a": "", "b": ""}), "c", "'c' will not do; expected one of a, b"),
        (switch(), "maybe", "'maybe' will not do; expected yes or no"),
        (span(1, 64), "8", "'8' is not a range; expected two whole numbers from 1 to 64"),
        (span(1, 64), "8:2", "'8:2' will not do; expected two whole numbers"),
        (span(1, 64), "8:8", "'8:8' is empty"),
        (span(1, 64), "0:8", "'0:8' will not do"),
        (wholes(1, 64, 3), "1,2,3,4", "will not do; expected at most 3 whole numbers from 1 to 64"),
        (wholes(1, 64), "2,,4", "entry 2 of '2,,4' is empty; expected whole numbers from 1 to 64"),
    ]:
        with pytest.raises(InputError) as caught:
            kind.parse("it", text)
        assert message in str(caught.value)
        assert caught.value.field == "it"


def test_a_field_belongs_to_the_part_of_the_setup_that_declares_it() -> None:
    setup = Setup().changed(FIELDS["softcap"], lambda _: 50.0)
    assert setup == replace(Setup(), scale=replace(Setup().scale, softcap=50.0))
    assert setup.value(FIELDS["softcap"]) == 50.0
    with pytest.raises(InputError, match="softcap: '0' will not do"):
        setup.changed(FIELDS["softcap"], lambda _: 0.0)


@pytest.mark.parametrize(
    ("text", "wanted", "changes"),
    [
        ("1,024", "number", {"n": 1024}),
        ("2:64", "range", {"n_range": (2, 64)}),
        ("64", "range", {"n": 64, "n_range": (64, 64)}),
        ("2:64@8", "range", {"n_range": (2, 64), "n": 8}),
        ("2, 8", "list", {"n": 2, "crossover_n": (2, 8)}),
    ],
)
def test_n_is_a_number_a_range_or_a_list(text: str, wanted: Any, changes: dict[str, Any]) -> None:
    assert n_changes(text, wanted) == changes


@pytest.mark.parametrize(
    ("text", "wanted", "message"),
    [
        ("2:8", "number", "n: a range is not one number"),
        ("2,8", "number", "n: '2,8' is not a whole number"),
        ("2,8", "range", "n: '2,8' is not a whole number"),
        ("8:2", "range", "n: '8:2' will not do"),
        ("2:8", "list", "n: '2:8' is a range"),
        ("1", "list", "n: '1' will not do; expected whole numbers from 2 to 100,000"),
        ("", "list", "n: '' is not a whole number"),
    ],
)
def test_n_that_is_something_else_is_refused(text: str, wanted: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        n_changes(text, wanted)
    assert str(caught.value).startswith(message)


def test_fields_need_neither_numpy_nor_click() -> None:
    modules = {field.owner.__module__ for field in EVERY}
    code = (
        f"import sys\nfrom importlib import import_module\n"
        f"for name in {sorted(modules)}: import_module(name)\n"
        "print(sorted({'numpy', 'click', 'textual', 'plotext'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_whole_numbers_may_be_written_in_many_ways() -> None:
    for text, value in [
        (" 1024 ", 1024), ("−3", -3), ("1,024", 1024), ("1_000_000", 10**6), ("12 345", 12_345),
        ("1e6", 10**6), ("10^8", 10**8), ("3·10^8", 3 * 10**8), ("2**63", 2**63), ("-3·2^4", -48),
    ]:  # fmt: skip
        assert parse_whole("n", text) == value
    assert parse_whole("n", "9" * 10_000) > 10**40


def test_what_is_no_whole_number_is_refused() -> None:
    for text in ("", "x", "1.5", "2,8", "1,24", "1,000_000", "1e-3", "3^4", "٣", "0x10", "1\n000"):
        with pytest.raises(
            InputError, match="is not a whole number; expected one such as 1024"
        ) as caught:
            parse_whole("n", text)
        assert caught.value.field == "n"


def test_digits_grouped_by_a_no_break_blank_are_not_two_whole_numbers() -> None:
    assert parse_wholes("n", "2, 8\t512;\u30001024") == (2, 8, 512, 1024)
    for text in ("1\u00a0256", "2, 1\u202f256"):
        with pytest.raises(InputError, match="256' is not a whole number"):
            parse_wholes("n", text)


@given(st.integers(1, 65_536))
def test_every_whole_number_has_its_place(value: int) -> None:
    assert D_K.to_fraction(value) == pytest.approx(log(value) / log(65_536))
    assert D_K.parse(f" {value} ") == D_K.parse(f"{value:,}") == value
    assert D_K.kind.shown(value) == f"{value:,}"


def test_stops_rise_from_end_to_end_with_at_most_four_an_octave() -> None:
    stops = D_K.stops
    assert stops[:14] == (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 80, 96)
    assert list(stops) == sorted(set(stops))
    assert (stops[0], stops[-1]) == (1, 65_536)
    assert {2**power for power in range(17)} <= set(stops)


def test_stepping_up_meets_every_stop_and_stepping_down_too() -> None:
    up, down = [1], [65_536]
    for _ in D_K.stops[1:]:
        up.append(D_K.step(up[-1], 1))
        down.append(D_K.step(down[-1], -1))
    assert tuple(up) == D_K.stops
    assert tuple(down) == D_K.stops[::-1]


def test_a_refusal_is_one_safe_line() -> None:
    with pytest.raises(InputError) as caught:
        D_K.parse("\x1b[31m\n" + "7" * 10_000)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 120
