"""A block of cells: writing into it, its runs, and its differences from another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from attn_tui.charts.cells import Cells


def test_what_is_written_beyond_the_block_is_left_out() -> None:
    cells = Cells(5, 2)
    cells.write(-2, 0, "abcd", "#112233")
    cells.write(3, 1, "wxyz")
    cells.write(0, 2, "no line")
    cells.write(9, 0, "no column")
    assert cells.text() == "cd\n   wx"


def test_a_run_ends_where_a_colour_or_what_is_behind_it_does() -> None:
    cells = Cells(6, 1)
    cells.write(0, 0, "ab", "#112233")
    cells.write(2, 0, "cd")
    cells.backgrounds[0, 3] = "#445566"
    assert [*cells.runs(0)] == [
        ("ab", "#112233", ""), ("c", "", ""), ("d", "", "#445566"), ("  ", "", ""),
    ]  # fmt: skip


def test_differences_span_all_cells_of_a_line_that_differ_and_no_others() -> None:
    before, now = Cells(8, 4), Cells(8, 4)
    assert now.differences(before) == []
    now.write(2, 1, "a")
    now.write(5, 1, "b")
    now.backgrounds[2, 0] = "#445566"
    now.colours[3, 7] = "#112233"
    assert now.differences(before) == [(1, 2, 6), (2, 0, 1), (3, 7, 8)]


def test_a_wide_character_takes_two_cells_and_a_combining_one_none() -> None:
    cells = Cells(8, 1)
    cells.write(1, 0, "猫e\u0301b")
    assert [*cells.characters[0]] == [" ", "猫", "", "e\u0301", "b", " ", " ", " "]
    assert not cells.is_free(2, 0, 1)
    assert cells.is_free(5, 0, 3)


def test_a_character_that_is_cut_is_left_out_whole() -> None:
    cells = Cells(4, 2)
    cells.write(-1, 0, "猫ab")
    cells.write(1, 1, "a猫猫")
    assert cells.text() == " ab\n a猫"
    cells = Cells(6, 1)
    cells.write(0, 0, "猫坐上")
    cells.write(3, 0, "x")
    assert cells.text() == "猫 x上"
    cells.put(Cells(1, 1), 4, 0)
    assert cells.text() == "猫 x"


def test_what_is_painted_anew_holds_whole_characters() -> None:
    before, now = Cells(6, 1), Cells(6, 1)
    before.write(1, 0, "猫坐")
    now.write(1, 0, "猫坐")
    now.colours[0, 2] = "#112233"
    assert now.differences(before) == [(0, 1, 3)]
    now = Cells(6, 1)
    now.write(1, 0, "猫x")
    assert now.differences(before) == [(0, 3, 5)]


LETTERS = st.text("a猫é\u0301\u0903한👩\u200d🔬☰ ", max_size=6)


@given(st.lists(st.tuples(st.integers(-4, 12), LETTERS, st.sampled_from(["", "#112233"]))))
def test_whatever_is_written_a_line_is_as_wide_as_the_block(
    writes: list[tuple[int, str, str]],
) -> None:
    cells = Cells(10, 1)
    for column, text, colour in writes:
        cells.write(column, 0, text, colour)
    assert sum(cell_len(text) for text, _, _ in cells.runs(0)) == 10


@pytest.mark.parametrize("size", [(0, 2), (2, 0), (0, 0)])
def test_a_block_without_room_has_nothing_to_draw_and_nothing_that_differs(
    size: tuple[int, int],
) -> None:
    cells = Cells(*size)
    cells.write(0, 0, "key 2")
    assert cells.differences(Cells(*size)) == []
    assert not any(text for line in range(size[1]) for text, _, _ in cells.runs(line))
