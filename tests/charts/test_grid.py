import pytest

from attn_tui.charts.grid import ASCII, BLOCKS, Glyphs, Grid
from attn_tui.charts.rows import plain


@pytest.mark.parametrize("row", [-1, 2, 10**9])
def test_text_in_a_row_that_is_not_there_is_not_written(row: int) -> None:
    grid = Grid(5, 2)
    grid.put(0, row, "text", "label")
    assert not grid.put_if_free(0, row, "text", "label")
    assert plain(grid.rows()) == "\n"


@pytest.mark.parametrize("glyph", [BLOCKS, ASCII])
def test_the_bars_of_the_two_sides_have_no_glyph_in_common(glyph: Glyphs) -> None:
    assert not set(glyph.unscaled) & set(glyph.scaled)


@pytest.mark.parametrize("glyph", [BLOCKS, ASCII])
def test_a_rule_leaves_a_mark_of_its_own_where_a_curve_crosses_it(glyph: Glyphs) -> None:
    grid = Grid(3, 2)
    grid.put(0, 1, "***", "series0")
    grid.put_rule(1, glyph, "cursor")
    assert glyph.crossing not in "*" + glyph.rule
    assert grid.rows() == (
        ((" ", "text"), (glyph.rule, "cursor"), (" ", "text")),
        ((f"*{glyph.crossing}*", "series0"),),
    )
