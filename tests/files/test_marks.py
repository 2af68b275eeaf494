"""Decimal commas and marks of thousands are refused where they are as likely as lists."""

import re
from collections.abc import Iterable

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from attn_tui.commands.line import show
from attn_tui.compute.errors import InputError
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Products
from attn_tui.files.draft import Draft, parse
from attn_tui.files.grammar import named, read_entries
from attn_tui.files.history import Question
from attn_tui.files.sources import score_text, source_of
from tests.test_cli_line import given_by

GROUPING = "\u00a0\u2005\u2006\u2007\u2008\u2009\u200a\u202f"
"""No-break, thin and other narrow blanks, by which digits are grouped."""


def read(text: str) -> list[list[float]]:
    return [vector.scores.tolist() for vector in named(read_entries(text))]


def refused(text: str) -> str:
    with pytest.raises(InputError) as caught:
        read(text)
    assert caught.value.field == "scores"
    assert str(caught.value).isprintable()
    return str(caught.value)


def ways(message: str) -> list[list[list[float]]]:
    """Return what each way to write it, as an error names them, is read as."""
    return [read(way) for way in re.findall(r"'([^']+)'", message.partition("expected")[2])]


@pytest.mark.parametrize(
    ("text", "word", "meanings"),
    [
        ("1,5;2,5", "1,5", ([1.5], [1, 5])),
        ("1,5 2,5 3", "1,5", ([1.5], [1, 5])),
        ("3; -1,5", "-1,5", ([-1.5], [-1, 5])),
        ("x: 1,5\t2,5", "1,5", ([1.5], [1, 5])),
        ("1,5, 2,5", "1,5", ([1.5], [1, 5])),
        ("(0,5; 2)", "0,5", ([0.5], [0, 5])),
        ("1,5e3 -inf", "1,5e3", ([1500], [1, 5000])),
        ("1.234,5", "1.234,5", ([1234.5], [1.234, 5])),
        ("1,234.5 2", "1,234.5", ([1234.5], [1, 234.5])),
        ("1,234 5,678", "1,234", ([1.234], [1234], [1, 234])),
        ("1,234 5.6", "1,234", ([1234], [1, 234])),
        ("5\u00a0678", r"5\xa0678", ([5678], [5, 678])),
        ("-1\u2009234\u2009567.5, 2", r"-1\u2009234\u2009567.5", ([-1234567.5], [-1, 234, 567.5])),
        ("[1, 5\u202f678]", r"5\u202f678", ([5678], [5, 678])),
    ],
)
def test_a_word_that_may_be_one_number_or_several_is_refused_with_its_meanings(
    text: str, word: str, meanings: Iterable[list[float]]
) -> None:
    message = refused(text)
    assert f"'{word}' may be one number or " in message
    assert ways(message) == [[meaning] for meaning in meanings]


@pytest.mark.parametrize(
    ("text", "vectors"),
    [
        ("1,2,3", [[1, 2, 3]]),
        ("1;2", [[1, 2]]),
        ("100, 120, 150", [[100, 120, 150]]),
        ("100,120,150", [[100, 120, 150]]),
        ("100 120 150", [[100, 120, 150]]),
        ("100,120, 150", [[100, 120, 150]]),
        ("1,5", [[1, 5]]),
        ("1,5\n2,5", [[1, 5], [2, 5]]),
        ("0.123,0.456", [[0.123, 0.456]]),
        ("0.123,5", [[0.123, 5]]),
        ("100,100.2", [[100, 100.2]]),
        ("1.234,5,6", [[1.234, 5, 6]]),
        ("1,2,3;4,5,6", [[1, 2, 3], [4, 5, 6]]),
        ("1,2,3; 4,5,6;", [[1, 2, 3], [4, 5, 6]]),
        ("[1 2; 3 4;]", [[1, 2], [3, 4]]),
        ("1;2;3;", [[1, 2, 3]]),
        ("1 2; 3", [[1, 2, 3]]),
        ("1.5,2.5 3", [[1.5, 2.5, 3]]),
        ("[1,2;3,4]", [[1, 2], [3, 4]]),
        ("tensor((1,2,\n3,4))", [[1, 2, 3, 4]]),
        ("[[1.234,5],\n[1,234.5]]", [[1.234, 5], [1, 234.5]]),
        ("１，５；２，５", [[1, 5], [2, 5]]),
        ("1，5 2、5", [[1, 5, 2, 5]]),
        ("1\u00a02\u30003", [[1, 2, 3]]),
        ("1\u00a02\u00a0345", [[1, 2, 345]]),
        ("0\u00a0678", [[0, 678]]),
        ("1\u30000００", [[1, 0]]),
    ],
)
def test_a_plain_list_is_never_refused(text: str, vectors: list[list[float]]) -> None:
    assert read(text) == vectors


def test_rows_of_queries_and_keys_may_stand_on_one_line() -> None:
    for text in ("q: 1,0;0,1\nK: 1,5;2,5", "q：1，0；0，1\nK：1，5；2，5"):
        source = source_of(text)
        assert isinstance(source, Products)
        assert source.queries.tolist() == [[1, 0], [0, 1]]
        assert source.keys.tolist() == [[1, 5], [2, 5]]
    with pytest.raises(InputError, match=r"keys, line 2: '1,5' may be one number or two"):
        source_of("q: 1,0\nK: 1,5 2,5")


NUMBERS = st.lists(
    st.one_of(
        st.integers(-(10**6), 10**6).map(float),
        st.floats(allow_nan=False, allow_infinity=False),
        st.just(float("-inf")),
    ),
    min_size=1,
    max_size=6,
)


@given(
    numbers=NUMBERS, between=st.sampled_from([", ", " ", "\t", ";", "; ", " ; ", "，", "\u3000"])
)
def test_a_list_without_commas_inside_its_words_comes_back_as_it_was(
    numbers: list[float], between: str
) -> None:
    assert read(between.join(map(score_text, numbers))) == [numbers]


@example(numbers=[1.234, 5.0])
@example(numbers=[1.0, 234.5])
@given(numbers=NUMBERS)
def test_a_list_with_commas_alone_is_refused_only_if_it_may_be_one_number_with_both_marks(
    numbers: list[float],
) -> None:
    text = ",".join(map(score_text, numbers))
    if re.fullmatch(r"-?[1-9]\d{0,2}\.\d{3},\d+", text):
        assert "may be one number or two" in refused(text)
    else:
        assert read(text) == [numbers]


@given(
    words=st.lists(
        st.tuples(st.integers(-(10**6), 10**6), st.integers(0, 10**6)), min_size=2, max_size=6
    ),
    between=st.sampled_from([" ", ";", "; ", "\t", ", "]),
)
def test_decimal_commas_are_never_read_as_a_list(
    words: list[tuple[int, int]], between: str
) -> None:
    text = between.join(f"{whole},{part}" for whole, part in words)
    message = refused(text)
    first = f"{words[0][0]},{words[0][1]}"
    assert f"'{first}' may be one number or two" in message
    assert [float(first.replace(",", "."))] in [way[0] for way in ways(message)]


@given(
    number=st.integers(1_000, 10**9),
    mark=st.sampled_from(GROUPING),
    others=st.sampled_from(["", ", 1", " 2.5", ";3"]),
)
def test_digits_grouped_by_a_narrow_blank_are_never_read_as_a_list(
    number: int, mark: str, others: str
) -> None:
    message = refused(f"{number:,}".replace(",", mark) + others)
    assert ways(message)[0] == [[float(number)]]


@given(numbers=NUMBERS.filter(lambda numbers: len(numbers) > 1))
@example(numbers=[1.234, 5.0])
@example(numbers=[1.0, 234.5])
def test_the_line_that_brings_scores_back_can_be_read(numbers: list[float]) -> None:
    assume(any(number > float("-inf") for number in numbers))
    draft = Draft(", ".join(map(score_text, numbers)), Setup())
    line = show(Question(draft, parse(draft)))
    assert source_of(given_by("show", line)["scores"][0].strip()).names == ("a",)
