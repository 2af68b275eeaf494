"""A grid of cells that charts are drawn on."""

from collections.abc import Iterator, Mapping, Sequence

from attn_tui.charts.glyphs import BAND, CURSOR
from attn_tui.report.rows import Row, Span


class Grid:
    """A grid of single-width characters with roles; column 0, row 0 is at the top left."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._grid: list[list[Span]] = [[(" ", "text")] * width for _ in range(height)]

    def put(self, column: int, row: int, text: str, role: str) -> None:
        """Write text from a cell to the right; what falls outside is left out."""
        if 0 <= row < self.height and column < self.width:
            seen = text[max(-column, 0) : self.width - column]
            start = max(column, 0)
            self._grid[row][start : start + len(seen)] = [(each, role) for each in seen]

    def put_if_free(self, column: int, row: int, text: str, role: str) -> bool:
        """Write text whole, moved inside its row, if it and its sides are blank; say whether."""
        if not 0 <= row < self.height:
            return False
        start = max(0, min(column, self.width - len(text)))
        around = self._grid[row][max(0, start - 1) : start + len(text) + 1]
        if len(text) > self.width or any(character != " " for character, _ in around):
            return False
        self.put(start, row, text, role)
        return True

    def put_rule(self, column: int, role: str) -> None:
        """Draw a thin line down a column, behind what is drawn there."""
        for row in range(self.height):
            if self._grid[row][column][0] in (" ", BAND):
                self.put(column, row, CURSOR, role)

    def lay_over(self, curves: "Grid", filled: Mapping[tuple[int, int], float]) -> None:
        """Put what is drawn on another grid of the same size over this one, and keep bars whole.

        A bar keeps the cells at its end that it fills by a quarter or more: what is drawn there is
        at its end too. Deeper inside, and beyond it, the other grid is seen.

        Args:
            curves: The other grid.
            filled: Which part of a cell is filled by a bar, by column and row.
        """
        for row, line in enumerate(curves._grid):
            for column, cell in enumerate(line):
                ends = filled.get((column, row - 1), 0.0) < 1.0
                if cell[0] != " " and not (ends and filled.get((column, row), 0.0) >= 0.25):
                    self._grid[row][column] = cell

    def rows(self) -> tuple[Row, ...]:
        """Return the grid as rows, neighbours of one role joined."""
        return tuple(tuple(_joined(line)) for line in self._grid)


def _joined(line: Sequence[Span]) -> Iterator[Span]:
    """Yield the cells of a line, neighbours of one role as one text."""
    text, role = "", line[0][1] if line else ""
    for character, its in line:
        if its != role:
            yield text, role
            text, role = "", its
        text += character
    if text:
        yield text, role
