"""A grid of cells that charts are drawn on."""

from collections.abc import Iterator, Sequence

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
