"""Heat maps, whatever they are of."""

from hypothesis import given
from hypothesis import strategies as st

from attn_tui.charts.glyphs import RULE
from attn_tui.old.charts.heat import Cell, HeatMap, Place
from attn_tui.report.rows import plain
from tests.old.charts.cases import check_block, lines


@given(st.integers(1, 9), st.integers(1, 9), st.integers(24, 90), st.integers(9, 30), st.data())
def test_what_is_pointed_at_is_the_cell_that_is_drawn_there(
    n_rows: int, n_columns: int, width: int, height: int, data: st.DataObject
) -> None:
    at = data.draw(st.tuples(st.integers(0, n_rows - 1), st.integers(0, n_columns - 1)))
    place = Place.fit((n_rows, n_columns), (width, height), 5, (8, 3))
    cells = [[Cell(0, "", "zero")] * n_columns for _ in range(n_rows)]
    cells[at[0]][at[1]] = Cell(4, "+", "positive4")
    heads = [str(row) for row in range(n_rows)], [str(column) for column in range(n_columns)]
    rows = HeatMap(cells, *heads, "i\\j", at).drawn(place, width)
    check_block(rows, width, n_rows * place.tall + 1)
    marked = {
        place.at(x, y)
        for y, line in enumerate(lines(rows)[1:])
        for x, sign in enumerate(line)
        if sign in "█+"
    }
    assert marked == {at}
    assert plain(rows).count("[") == plain(rows).count("]") == place.tall


def test_a_line_stands_beside_what_is_written_on_its_own_side_of_a_cell() -> None:
    cells = [[Cell(0, "=", "zero")] * 3]
    place = Place(1, 3, 4, 3, 1)
    for crossing, drawn in ((0.9, f"{RULE}="), (1.0, f"={RULE}"), (1.5, f"= {RULE} =")):
        row = HeatMap(cells, ["2"], ["1", "4", "8"], "", (0, 0), line=[crossing]).drawn(place, 16)
        assert drawn in plain(row), plain(row)
