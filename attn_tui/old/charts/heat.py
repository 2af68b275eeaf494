"""Heat maps: shaded cells between the heads of rows and columns, one with the cursor."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import NamedTuple

from attn_tui.charts.glyphs import FALLS, NAN, RULE, SHADES
from attn_tui.old.charts.grid import Grid
from attn_tui.report.rows import Row


def signed_role(value: float, shade: int) -> str:
    """Return the role of a cell with a sign."""
    if isnan(value):
        return "muted"
    if not shade:
        return "zero"
    return f"{'negative' if value < 0.0 else 'positive'}{shade}"


def signed_fill(value: float, shade: int) -> str:
    """Return what such a cell is filled with: what is below 0 looks another way without colour."""
    if isnan(value):
        return NAN
    if value < 0.0 and shade:
        return FALLS[shade - 1]
    return SHADES[shade]


class Cell(NamedTuple):
    """A cell.

    Attributes:
        shade: From 0, none, to 4.
        text: What is written in its middle.
        role: Its role.
        fill: What it is filled with, where that is not its shade.
    """

    shade: int
    text: str
    role: str
    fill: str = ""


@dataclass(frozen=True)
class Place:
    """Where the cells of a map stand.

    Attributes:
        rows: How many rows of cells there are.
        columns: How many columns of them.
        gutter: Columns left of the cells, which hold the heads of rows.
        body: Columns of a cell; one more is between two.
        tall: Rows of a cell.
    """

    rows: int
    columns: int
    gutter: int
    body: int
    tall: int

    @classmethod
    def fit(
        cls, shape: tuple[int, int], size: tuple[int, int], gutter: int, most: tuple[int, int]
    ) -> "Place":
        """Return where so many rows and columns stand, as large as they can be.

        Args:
            shape: How many rows and columns of cells there are.
            size: Columns and rows there are for them, gutter included.
            gutter: Columns left of the cells.
            most: Columns and rows that a cell takes at most.
        """
        (rows, columns), (width, height) = shape, size
        body = min((width - gutter) // columns - 1, most[0])
        return cls(rows, columns, gutter, body, min(height // rows, most[1]))

    def left(self, column: int) -> int:
        """Return the first column of a cell."""
        return self.gutter + column * (self.body + 1)

    def at(self, x: int, y: int) -> tuple[int, int] | None:
        """Return the row and the column of cells at a place, counted from the first; or None."""
        row, column = y // self.tall, (x - self.gutter) // (self.body + 1)
        inside = 0 <= row < self.rows and 0 <= column < self.columns
        return (row, column) if inside else None


@dataclass(frozen=True)
class HeatMap:
    """A map of cells.

    Attributes:
        cells: Row by row.
        rows: What stands before each row.
        columns: What stands above each column.
        corner: What stands where these meet.
        cursor: The row and the column of the cell with the cursor.
        below: Whether the heads of columns stand below them.
        line: Where a line crosses each row: at so many columns from the middle of the first, or
            None.
    """

    cells: Sequence[Sequence[Cell]]
    rows: Sequence[str]
    columns: Sequence[str]
    corner: str
    cursor: tuple[int, int]
    below: bool = False
    line: Sequence[float | None] = ()

    def drawn(self, place: Place, width: int) -> tuple[Row, ...]:
        """Return the rows of cells, and that of the heads of columns above or below them."""
        grid = Grid(width, len(self.cells) * place.tall)
        for row, cells in enumerate(self.cells):
            there = range(row * place.tall, (row + 1) * place.tall)
            middle = there[(place.tall - 1) // 2]
            role = "cursor" if row == self.cursor[0] else "label"
            grid.put(0, middle, self.rows[row].rjust(place.gutter - 2), role)
            texts = []
            for column, cell in enumerate(cells):
                left = place.left(column)
                for y in there:
                    fill = cell.fill or (SHADES[cell.shade] if cell.shade else " ")
                    grid.put(left, y, fill * place.body, cell.role)
                start = left + (place.body - len(cell.text)) // 2
                grid.put(start, middle, cell.text, cell.role)
                texts.append(range(start, start + len(cell.text)))
            line = self._line(row, place, texts)
            for y in there:
                if line is not None:
                    grid.put(line, y, RULE, "strong")
                if row == self.cursor[0]:
                    left = place.left(self.cursor[1])
                    grid.put(left - 1, y, "[", "cursor")
                    grid.put(left + place.body, y, "]", "cursor")
        heads = self._heads(place, width)
        return (*grid.rows(), *heads) if self.below else (*heads, *grid.rows())

    def _heads(self, place: Place, width: int) -> tuple[Row, ...]:
        """Return the heads of columns, as many as fit, that of the cursor first."""
        grid, here = Grid(width, 1), self.cursor[1]
        if len(self.corner) <= place.gutter:
            grid.put(0, 0, self.corner.rjust(place.gutter - 2), "label")
        for column in sorted(range(len(self.columns)), key=lambda at: (at != here, at)):
            text, role = self.columns[column], "cursor" if column == here else "label"
            start = place.left(column) + (place.body - len(text)) // 2
            grid.put_if_free(max(start, place.gutter), 0, text, role)
        return grid.rows()

    def _line(self, row: int, place: Place, texts: Sequence[range]) -> int | None:
        """Return the column of the line: beside what is written in a cell, on its own side."""
        crossing = self.line[row] if self.line else None
        if crossing is None:
            return None
        found = int(place.gutter + place.body / 2 + crossing * (place.body + 1))
        for column, text in enumerate(texts):
            if found in text:
                return text.start - 1 if crossing < column else text.stop
        return found
