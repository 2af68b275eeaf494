import pytest

from attn_tui.old.charts.grid import Grid
from attn_tui.report.rows import plain


@pytest.mark.parametrize("row", [-1, 2, 10**9])
def test_text_in_a_row_that_is_not_there_is_not_written(row: int) -> None:
    grid = Grid(5, 2)
    grid.put(0, row, "text", "label")
    assert not grid.put_if_free(0, row, "text", "label")
    assert plain(grid.rows()) == "\n"
