"""What widgets draw, without a screen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.color import Color

from attn_tui.charts.glyphs import in_ascii
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.vector import Vector
from attn_tui.old.tui.explore.table_rows import Marks, bar, key_table, title_row
from attn_tui.old.tui.theme import CONTRAST, contrast, legible
from attn_tui.old.tui.widgets.score_editor import end_of_change
from attn_tui.old.tui.widgets.slider import track
from attn_tui.report.numbers import fitted, weight_name
from attn_tui.report.rows import Row, length
from attn_tui.ui.terminal.guard import pasted
from tests.asking import answer_to


def text(row: Row) -> str:
    return "".join(span[0] for span in row)


@given(st.integers(1, 65_536), st.integers(1, 200))
def test_a_track_is_as_wide_as_asked_and_has_one_thumb(value: int, width: int) -> None:
    drawn = text(track(D_K, value, width))
    assert len(drawn) == width
    assert drawn.count("●") == 1


@given(st.integers(1, 65_535))
def test_the_thumb_never_moves_back(value: int) -> None:
    here, next_one = (text(track(D_K, each, 60)).index("●") for each in (value, value + 1))
    assert here <= next_one


def test_ticks_stand_at_their_values_and_make_room_for_the_thumb() -> None:
    width = 61
    drawn = text(track(D_K, 2, width))
    for value in (64, 512, 4096):
        middle = round(D_K.to_fraction(value) * (width - 1))
        left = drawn.index(str(value))
        assert left <= middle < left + len(str(value))
    assert "512" not in text(track(D_K, 512, width))


def test_a_bar_is_true_to_an_eighth_of_a_cell_and_never_exaggerates() -> None:
    assert bar(1.0, 4) == "████"
    assert bar(0.5, 4) == "██  "
    assert bar(1 / 32, 4) == "▏   "
    assert bar(1e-9, 4) == "    "
    assert bar(float("nan"), 4) == "    "
    assert in_ascii(bar(0.6, 4)) == "##| "
    assert bar(0.1249, 10) == bar(0.1251, 10)


@pytest.mark.parametrize(
    ("score", "shown"),
    [(100.0, "100"), (-1.5, "−1.5"), (1 / 3, "0.333333"), (-1e308, "−1e+308"), (1e-5, "1e-05")],
)
def test_a_score_keeps_the_digits_there_is_room_for(score: float, shown: str) -> None:
    assert fitted(score, 8).strip() == shown


@given(st.integers(20, 250), st.integers(1, 10**4), st.sampled_from(["", "weights", "gradient"]))
def test_columns_of_a_usual_width_fit(width: int, n_keys: int, narrow: str) -> None:
    found = answer_to(Vector("a", np.linspace(0.0, 9.0, n_keys)))
    keys = np.arange(max(n_keys - 5, 0), n_keys)
    rows, before = key_table(found, keys, width, Marks(n_keys - 1), narrow)
    assert len(rows) == keys.size + 1
    assert len({length(row) for row in rows}) == 1
    if width >= (80 if not narrow else 45):
        assert before <= length(rows[0]) <= width


def test_titles_are_cut_to_their_width() -> None:
    for width in range(30):
        assert length(title_row("a: weights p", width, focused=False)) == width
        assert length(title_row("注意力: weights p", width, focused=True)) == width
    assert weight_name(120) == "p₁₂₀"


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [("ab", "ab", 2), ("a1b", "ab", 1), ("ab", "a12b", 3), ("a, 15", "a, 150", 6), ("", "x", 1)],
)
def test_a_change_ends_behind_what_differs(old: str, new: str, place: int) -> None:
    assert end_of_change(old, new) == place


def test_pasted_text_keeps_its_lines_and_shows_what_cannot_be_seen() -> None:
    assert pasted("1,\t2\r\n3\r4") == "1, 2\n3\n4"
    assert pasted("\x1b[1m\x00\u202e\u00a0\x9b\u200d") == "\\x1b[1m\\x00\\u202e\u00a0\\x9b\\u200d"
    assert pasted("tensor([−1，2])") == "tensor([−1，2])"


colours = st.builds(Color, *[st.integers(0, 255)] * 3)


@given(colours, colours)
def test_every_colour_can_be_made_legible(colour: Color, background: Color) -> None:
    best = max(contrast(end, background) for end in (Color(0, 0, 0), Color(255, 255, 255)))
    assert contrast(legible(colour, background), background) >= min(CONTRAST, best)
