"""Numbers in columns: a number is shown whole or not at all."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.charts.cells import Cells
from attn_tui.charts.table import TableDrawing
from attn_tui.report.text import TextColumn

COLOURS = {
    "text": "#e6e8ee", "muted": "#7a7d86", "accent": "#b9a3ff", "unscaled": "#e29d04",
}  # fmt: skip

LETTERS = "abcdefghij"


def words(cells: Cells) -> list[str]:
    return cells.text().split()


def table(n_rows: int = 3, cursor: int | None = None, notes: Sequence[str] = ()) -> TableDrawing:
    """Return a table with two columns: r0, r1, …, and wider numbers."""
    return TableDrawing(
        [
            TextColumn("row", [f"r{row}" for row in range(n_rows)], left=True),
            TextColumn("number", [f"{row}.{'5' * row}" for row in range(n_rows)], "unscaled"),
            TextColumn("remark", ["as_long_as_this"] * n_rows, "muted", left=True, rank=2),
        ],
        cursor,
        notes,
    )


def test_rows_that_have_no_room_are_counted_and_not_passed_over() -> None:
    lines = table(20).draw(60, 8, COLOURS).text().split("\n")
    assert [line.split()[0] for line in lines] == ["row", *(f"r{row}" for row in range(6)), "and"]
    assert lines[-1].strip() == "and 14 more"
    assert "an" not in table(20).draw(9, 8, COLOURS).text()
    whole = table(7).draw(60, 8, COLOURS).text()
    assert "r6" in whole
    assert "more" not in whole


def test_the_row_of_the_cursor_is_always_shown_and_marked() -> None:
    for cursor in [0, 1, 10, 18, 19]:
        for lines in range(2, 30):
            cells = table(20, cursor, ["a note"]).draw(60, lines, COLOURS)
            marked = [line for line in cells.text().split("\n") if line.startswith("▸")]
            assert [line.split()[1] for line in marked] == [f"r{cursor}"]
            head, *rows = cells.text().split("\n")
            has_first, has_last = (f"r{row}" in "\n".join(rows).split() for row in (0, 19))
            assert (head[0] in "↑↕") != has_first
            assert (head[0] in "↓↕") != has_last


TEXTS = st.text(LETTERS, min_size=1, max_size=24)


@settings(max_examples=50, derandomize=True)
@given(
    st.integers(1, 12).flatmap(
        lambda n: st.lists(
            st.builds(
                TextColumn,
                TEXTS,
                st.lists(TEXTS, min_size=n, max_size=n),
                st.sampled_from(["text", "unscaled"]),
                st.booleans(),
                st.integers(0, 2),
            ),
            min_size=1,
            max_size=6,
        )
    ),
    st.one_of(st.none(), st.integers(0, 11)),
    st.lists(st.lists(TEXTS, min_size=1).map(" ".join), max_size=3),
    st.integers(1, 120),
    st.integers(2, 30),
)
def test_no_text_is_ever_cut(
    columns: Sequence[TextColumn], cursor: int | None, notes: Sequence[str], width: int, lines: int
) -> None:
    drawing = TableDrawing(columns, cursor, notes)
    cells = drawing.draw(width, lines, COLOURS)
    whole = {"▸", *"↑↓↕", "and", "more", *map(str, range(13))}
    for column in columns:
        whole |= {column.title, *column.texts}
    whole |= {word for note in notes for word in note.split()}
    assert set(words(cells)) <= whole
    # As many columns are shown as fit, each from its head to its last row.
    kept = drawing.fitting(width - 2)
    assert cells.text().split("\n")[0].strip(" ↑↓↕").split() == [column.title for column in kept]
