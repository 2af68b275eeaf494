"""A block of cells: writing into it, its runs, and its differences from another."""

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
