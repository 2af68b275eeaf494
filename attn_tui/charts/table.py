"""Tables of numbers and pages of text, drawn into cells."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from textwrap import wrap

from attn_tui.charts.cells import Cells
from attn_tui.report.report import Table
from attn_tui.report.rows import cells as cells_of
from attn_tui.report.text import TextColumn, text_columns

ARROWS = {(False, False): " ", (True, False): "↑", (False, True): "↓", (True, True): "↕"}
"""The sign of rows without room, by whether there are some above and some below."""

Spans = Sequence[tuple[str, str]]
"""Texts, each with its kind, which is the name of its colour."""


@dataclass(frozen=True, eq=False)
class TableDrawing:
    """Columns of texts, two to six blanks apart; no text is ever cut.

    Columns and notes that do not fit are left out; rows that do not fit are counted.

    Attributes:
        columns: The columns, from the left.
        cursor: The row to mark, if any.
        notes: Lines below the rows.
    """

    columns: Sequence[TextColumn]
    cursor: int | None = None
    notes: Sequence[str] = ()

    @staticmethod
    def of(table: Table, cursor: int | None = None) -> "TableDrawing":
        """Return the drawing of a table of a report, with one line of headings."""
        columns = [
            replace(column, title=f"{column.above}, {column.title}") if column.above else column
            for column in text_columns(table, table.rows)
        ]
        return TableDrawing(columns, cursor, table.notes)

    def fitting(self, width: int) -> list[TextColumn]:
        """Return the columns that fit a width, possibly none."""
        kept = [*self.columns]
        while kept and sum(column.width + 2 for column in kept) - 2 > width:
            # Within a rank, the last column goes first.
            place = max(range(len(kept)), key=lambda place: (kept[place].rank, place))
            del kept[place]
        return kept

    def height(self, columns: int) -> int:
        """Return the height in lines of heads, rows and notes at a width."""
        notes = self._wrapped(columns)
        rows = max((len(column.texts) for column in self.fitting(columns - 2)), default=0)
        return 1 + rows + (len(notes) + 1 if notes else 0)

    def _wrapped(self, columns: int) -> list[str]:
        """Return the notes as lines that fit a width."""
        wrapped = partial(wrap, width=max(columns - 2, 1), break_long_words=False)
        return [line for note in self.notes for line in wrapped(note)]

    def draw(self, columns: int, lines: int, colours: Mapping[str, str]) -> Cells:
        """Draw heads and rows: those around the cursor if there are too many.

        Then an arrow beside the heads says where more are.
        """
        cells = Cells(columns, lines)
        kept = self.fitting(columns - 2)
        spare = columns - 2 - sum(column.width for column in kept)
        gap = min(max(spare // max(len(kept) - 1, 1), 2), 6)
        n_rows = max((len(column.texts) for column in kept), default=0)
        notes = self._wrapped(columns)
        if lines < len(notes) + 3 or max(map(len, notes), default=0) > columns - 2:
            notes = []
        room = lines - 1 - (len(notes) + 1 if notes else 0)
        if self.cursor is None and n_rows > room:
            room -= 1
        first = min(max((self.cursor or 0) - room // 2, 0), max(n_rows - room, 0))
        visible_rows = range(first, min(first + max(room, 1), n_rows))
        start = 2
        for column in kept:
            self._write(cells, start, 0, column, column.title, colours["muted"])
            for line, row in enumerate(visible_rows, 1):
                self._write(cells, start, line, column, column.texts[row], colours[column.kind])
            start += column.width + gap
        if self.cursor is not None and self.cursor in visible_rows:
            cells.write(0, 1 + self.cursor - first, "▸", colours["accent"])
            hidden_ones = visible_rows.start > 0, visible_rows.stop < n_rows
            cells.write(0, 0, ARROWS[hidden_ones], colours["muted"])
        hidden = f"and {n_rows - len(visible_rows):,} more"
        has_note = self.cursor is None and len(visible_rows) < n_rows and len(hidden) <= columns - 2
        if has_note:
            cells.write(2, len(visible_rows) + 1, hidden, colours["muted"])
        for line, note in enumerate(notes, len(visible_rows) + 2 + has_note):
            cells.write(2, line, note, colours["muted"])
        return cells

    @staticmethod
    def _write(
        cells: Cells, start: int, line: int, column: TextColumn, text: str, colour: str
    ) -> None:
        place = start if column.left else start + column.width - cells_of(text)
        cells.write(place, line, text, colour)


@dataclass(frozen=True, eq=False)
class Page:
    """A text in lines of spans.

    Attributes:
        rows: Returns the lines for a width.
        kinds: The name of the colour of each kind of span; ``text`` for those not listed.
    """

    rows: Callable[[int], Sequence[Spans]]
    kinds: Mapping[str, str] = field(default_factory=dict)

    def height(self, columns: int) -> int:
        """Return the height in lines at a width."""
        return len(self.rows(columns))

    def draw(self, columns: int, lines: int, colours: Mapping[str, str]) -> Cells:
        """Draw as many lines as fit."""
        cells = Cells(columns, lines)
        for line, spans in enumerate(self.rows(columns)[:lines]):
            place = 0
            for text, kind in spans:
                cells.write(place, line, text, colours[self.kinds.get(kind, "text")])
                place += cells_of(text)
        return cells
