"""Whole numbers from text."""

import pytest

from attn_tui.compute.errors import InputError
from attn_tui.compute.whole import parse_whole, parse_wholes
from tests.pairs import with_rows


def test_whole_numbers_may_be_written_in_many_ways() -> None:
    for text, number in [
        ("7", 7),
        (" 1024 ", 1024),
        ("+1024", 1024),
        ("-3", -3),
        ("−3", -3),
        ("1,024", 1024),
        ("1_000_000", 10**6),
        ("12 345", 12_345),
        ("1e6", 10**6),
        ("1E+3", 1000),
        ("10^8", 10**8),
        ("3·10^8", 3 * 10**8),
        ("3*10**2", 300),
        ("1e30", 10**30),
        ("2^20", 2**20),
        ("2**63", 2**63),
        ("-3·2^4", -48),
    ]:
        assert parse_whole("n", text) == number


def test_what_is_no_whole_number_is_refused() -> None:
    for text in ("", "x", "1.5", "2,8", "1,24", "1,000_000", "1e-3", "3^4", "٣", "0x10", "1\n000"):
        with pytest.raises(
            InputError, match="is not a whole number; expected one such as 1024"
        ) as caught:
            parse_whole("n", text)
        assert caught.value.field == "n"


def test_however_many_digits_there_are() -> None:
    assert parse_whole("n", "9" * 10_000) > 10**40


def test_a_list_keeps_each_number_once() -> None:
    assert parse_wholes("n", " 8,2; 512 2 1e3") == (8, 2, 512, 1000)
    assert parse_wholes("n", "") == ()


@with_rows(
    ("text", "problem"),
    [("2,,4", "entry 2"), ("2,", "entry 2"), ("2,x", "'x'"), ("8,1,024", "'024' in '8,1,024'")],
)
def test_an_entry_that_will_not_do_is_named(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        parse_wholes("n", text)
