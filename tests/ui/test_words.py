"""Matching by words."""

import pytest

from attn_tui.ui.places import value_behind
from attn_tui.ui.words import Grade, Query

NAMES = ("Gemma-2-9B", "model Gemma-2-9B", "head of 256")
ABOUT = "d_k 256 · 16 heads"


@pytest.mark.parametrize(
    ("typed", "fit"),
    [
        ("gemma-2-9b", Grade.EXACT), ("GEMMA 2 9B", Grade.EXACT), ("gemma29b", Grade.EXACT),
        ("gemma 2", Grade.BEGUN), ("9b gem", Grade.BEGUN), ("gemma2", Grade.BEGUN),
        ("mod 9", Grade.BEGUN), ("16", Grade.DESCRIBED), ("gemma heads", Grade.DESCRIBED),
        ("gemma head", Grade.BEGUN),
        # Letters inside words, words that are only begun in the description, and no word at all.
        ("emma", Grade.NOT), ("gma", Grade.NOT), ("gemma 1", Grade.NOT), ("-", Grade.NOT),
        ("", Grade.NOT), ("m", Grade.EXACT), ("/m", Grade.EXACT), ("M", Grade.BEGUN),
    ],
)  # fmt: skip
def test_each_typed_word_begins_a_word_of_a_name_or_is_one_of_the_description(
    typed: str, fit: Grade
) -> None:
    assert Query.of(typed).fit(NAMES, ABOUT, ("m",)) is fit


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("T 0.5", "0.5"), ("t=0.5", "0.5"), ("T = 0.5", "0.5"), ("softmax temperature 2", "2"),
        ("softmax-temperature 2", "2"), ("set T to 2", "2"), ("temperature:T=0.5", ""),
        ("T", ""), ("T=", ""), ("0.5", ""), ("too 2", ""), ("T a=b", "a=b"),
    ],
)  # fmt: skip
def test_a_value_stands_behind_the_whole_name(typed: str, value: str) -> None:
    assert value_behind(["T", "Softmax temperature"], typed) == value


def test_what_is_typed_is_marked_where_it_stands() -> None:
    line = "model: Gemma-2-9B"
    spans = Query.of("gemma2").spans(line), Query.of("9 gem").spans(line)
    assert [[line[i:j] for i, j in own] for own in spans] == [["Gemma-2"], ["9", "Gem"]]
    assert Query.of("√ d").spans("1/sqrt(d_k)") == [(2, 8)]
