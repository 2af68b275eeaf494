from collections.abc import Callable

import pytest

from attn_tui.charts.glyphs import CURSOR, SCALED, SHADES, UNSCALED, in_ascii
from attn_tui.old.charts.grid import Grid
from attn_tui.report.rows import plain


@pytest.mark.parametrize("row", [-1, 2, 10**9])
def test_text_in_a_row_that_is_not_there_is_not_written(row: int) -> None:
    grid = Grid(5, 2)
    grid.put(0, row, "text", "label")
    assert not grid.put_if_free(0, row, "text", "label")
    assert plain(grid.rows()) == "\n"


@pytest.mark.parametrize("drawn", [str, in_ascii])
def test_the_bars_of_the_two_sides_have_no_glyph_in_common(drawn: Callable[[str], str]) -> None:
    assert not set(drawn(UNSCALED)) & set(drawn(SCALED))
    assert len(set(drawn(SHADES))) == 5


def test_a_rule_hides_nothing_that_is_drawn() -> None:
    grid = Grid(3, 2)
    grid.put(0, 1, "***", "scaled")
    grid.put_rule(1, "cursor")
    assert grid.rows() == (
        ((" ", "text"), (CURSOR, "cursor"), (" ", "text")),
        (("***", "scaled"),),
    )


def test_a_curve_in_ascii_lies_where_its_dots_do_and_rises_as_they_do() -> None:
    assert in_ascii("⠉⠒⠤⣀") == "'--."
    assert in_ascii("⢣⡜⡇⢸⣀⣤⣶") == "\\/||..:"


def test_a_dot_that_multiplies_is_kept_in_ascii_and_one_that_is_drawn_is_not() -> None:
    assert in_ascii("m·q·k = m·√d_k, B···A ·") == "m·q·k = m·√d_k, B...A ."
