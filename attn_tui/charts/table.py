"""Numbers in columns, and pages of text, drawn into cells."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from textwrap import wrap

from attn_tui.charts.cells import Cells

Spans = Sequence[tuple[str, str]]
"""Texts with the kind of each: what its colour is called."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        head: What stands above it.
        texts: A text a row.
        kind: What its colour is called.
        left: Whether texts begin on the left.
        rank: Columns of a higher rank are left out first where there is no room.
    """

    head: str
    texts: Sequence[str]
    kind: str = "text"
    left: bool = False
    rank: int = 0

    @property
    def width(self) -> int:
        """Cells of its longest text."""
        return max(map(len, (self.head, *self.texts)))


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of texts, with two blanks between them; no text is ever cut.

    Columns and notes that have no room are left out; rows that have none are counted.

    Attributes:
        columns: From the left.
        cursor: The row that is marked, if any.
        notes: Lines below.
    """

    columns: Sequence[Column]
    cursor: int | None = None
    notes: Sequence[str] = ()

    def fitting(self, width: int) -> list[Column]:
        """Return the columns there is room for, perhaps none."""
        kept = [*self.columns]
        while kept and sum(column.width + 2 for column in kept) - 2 > width:
            # Of one rank the last is left out first.
            place = max(range(len(kept)), key=lambda place: (kept[place].rank, place))
            del kept[place]
        return kept

    def height(self, columns: int) -> int:
        """Return the lines of heads, rows and notes in a width."""
        notes = self._wrapped(columns)
        rows = max((len(column.texts) for column in self.fitting(columns - 2)), default=0)
        return 1 + rows + (len(notes) + 1 if notes else 0)

    def _wrapped(self, columns: int) -> list[str]:
        """Return the lines of the notes in a width."""
        wrapped = partial(wrap, width=max(columns - 2, 1), break_long_words=False)
        return [line for note in self.notes for line in wrapped(note)]

    def draw(self, columns: int, lines: int, colours: Mapping[str, str]) -> Cells:
        """Draw heads and rows; of more rows than there is room for, those about the cursor."""
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
        shown = range(first, min(first + max(room, 1), n_rows))
        start = 2
        for column in kept:
            self._write(cells, start, 0, column, column.head, colours["muted"])
            for line, row in enumerate(shown, 1):
                self._write(cells, start, line, column, column.texts[row], colours[column.kind])
            start += column.width + gap
        if self.cursor is not None and self.cursor in shown:
            cells.write(0, 1 + self.cursor - first, "▸", colours["accent"])
        hidden = f"and {n_rows - len(shown):,} more"
        is_told = self.cursor is None and len(shown) < n_rows and len(hidden) <= columns - 2
        if is_told:
            cells.write(2, len(shown) + 1, hidden, colours["muted"])
        for line, note in enumerate(notes, len(shown) + 2 + is_told):
            cells.write(2, line, note, colours["muted"])
        return cells

    @staticmethod
    def _write(cells: Cells, start: int, line: int, column: Column, text: str, colour: str) -> None:
        place = start if column.left else start + column.width - len(text)
        cells.write(place, line, text, colour)


@dataclass(frozen=True, eq=False)
class Page:
    """A text in lines of spans.

    Attributes:
        rows: From a width to the lines.
        kinds: What the kinds of spans are called among the colours; ``text`` unless named.
    """

    rows: Callable[[int], Sequence[Spans]]
    kinds: Mapping[str, str] = field(default_factory=dict)

    def height(self, columns: int) -> int:
        """Return the lines it has in a width."""
        return len(self.rows(columns))

    def draw(self, columns: int, lines: int, colours: Mapping[str, str]) -> Cells:
        """Draw as many lines as there is room for."""
        cells = Cells(columns, lines)
        for line, spans in enumerate(self.rows(columns)[:lines]):
            place = 0
            for text, kind in spans:
                cells.write(place, line, text, colours[self.kinds.get(kind, "text")])
                place += len(text)
        return cells
