"""A block of terminal cells: each has a character, its colour and its background.

Columns are counted as the terminal does: a wide character takes two cells, of which the second is
empty, and a combining one takes none and shares the cell before it. None is ever cut in half.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from attn_tui.report.rows import between, in_cells

Run = tuple[str, str, str]
"""A text, its colour and its background; an empty colour is the widget's own."""


class Cells:
    """The cells that a chart is drawn into, line by line from the top.

    Attributes:
        characters: Shape (lines, columns); empty for the second cell of a wide character.
        colours: Shape (lines, columns): ``#rrggbb``, or empty for the widget's own.
        backgrounds: The colours behind the characters, in the same form.
    """

    def __init__(self, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        self.characters = _filled(lines, columns, " ")
        self.colours = _filled(lines, columns, "")
        self.backgrounds = _filled(lines, columns, "")

    def copy(self) -> "Cells":
        """Return a copy, to draw on."""
        copy = Cells(0, 0)
        copy.columns, copy.lines = self.columns, self.lines
        copy.characters = self.characters.copy()
        copy.colours, copy.backgrounds = self.colours.copy(), self.backgrounds.copy()
        return copy

    def write(self, column: int, line: int, text: str, colour: str = "") -> None:
        """Write a text, starting at a cell; the part outside the block is left out."""
        parts = in_cells(text)
        start, stop = max(column, 0), min(column + len(parts), self.columns)
        if 0 <= line < self.lines and start < stop:
            self._part(start, line)
            self._part(stop, line)
            self.characters[line, start:stop] = between(parts, start - column, stop - column)
            self.colours[line, start:stop] = colour

    def put(self, other: "Cells", column: int, line: int) -> None:
        """Copy another block into this one with its top left corner at a cell; it must fit."""
        lines, columns = slice(line, line + other.lines), slice(column, column + other.columns)
        for edge in (columns.start, columns.stop):
            for row in range(lines.start, lines.stop):
                self._part(edge, row)
        self.characters[lines, columns] = other.characters
        self.colours[lines, columns] = other.colours
        self.backgrounds[lines, columns] = other.backgrounds

    def _part(self, column: int, line: int) -> None:
        """Blank a wide character that has cells on both sides of a column."""
        characters = self.characters[line]
        if not 0 < column < self.columns or characters[column]:
            return
        start = stop = column
        while start and not characters[start]:
            start -= 1
        while stop < self.columns and not characters[stop]:
            stop += 1
        characters[start:stop] = " "

    def is_free(self, column: int, line: int, length: int) -> bool:
        """Return whether this many cells of a line are inside the block and blank."""
        inside = 0 <= line < self.lines and column >= 0 and column + length <= self.columns
        return inside and bool((self.characters[line, column : column + length] == " ").all())

    def has_room(self, column: int, line: int, length: int) -> bool:
        """Return whether a text this long may stand here: free, and no other text touches it."""
        if column < 0 or column + length > self.columns:
            return False
        before, after = max(column - 1, 0), min(column + length + 1, self.columns)
        return self.is_free(before, line, after - before)

    def runs(self, line: int, start: int = 0, stop: int | None = None) -> Iterator[Run]:
        """Yield the runs of a line: stretches of text with the same colours.

        Args:
            line: The number of the line.
            start: The first column.
            stop: The column after the last; None for the end of the line.
        """
        characters = self.characters[line, start:stop].tolist()
        if not characters:
            return
        colours = self.colours[line, start:stop].tolist()
        backgrounds = self.backgrounds[line, start:stop].tolist()
        first = 0
        for place in range(1, len(characters)):
            if colours[place] != colours[first] or backgrounds[place] != backgrounds[first]:
                yield "".join(characters[first:place]), colours[first], backgrounds[first]
                first = place
        yield "".join(characters[first:]), colours[first], backgrounds[first]

    def can_part(self, line: int, start: int, stop: int) -> bool:
        """Return whether columns are inside the block, with no half of a wide character."""
        if not (0 <= line < self.lines and 0 <= start < stop <= self.columns):
            return False
        characters = self.characters[line]
        return bool(characters[start]) and (stop == self.columns or bool(characters[stop]))

    def differences(self, other: "Cells") -> list[tuple[int, int, int]]:
        """Return where this block differs from another of the same size.

        Returns:
            For each line that differs: its number, the first column that differs, and the column
            after the last.
        """
        if not self.columns:
            return []
        differs = self.characters != other.characters
        differs |= self.colours != other.colours
        differs |= self.backgrounds != other.backgrounds
        lines = np.flatnonzero(differs.any(axis=1))
        differs = differs[lines]
        starts = differs.argmax(axis=1)
        stops = self.columns - differs[:, ::-1].argmax(axis=1)
        differences = []
        for line, start, stop in zip(lines.tolist(), starts.tolist(), stops.tolist(), strict=True):
            # Half of a wide character cannot be drawn.
            both = self.characters[line], other.characters[line]
            while not all(row[start] for row in both):
                start -= 1
            while stop < self.columns and not all(row[stop] for row in both):
                stop += 1
            differences.append((line, start, stop))
        return differences

    def text(self) -> str:
        """Return the characters alone, one line of text for each line of cells."""
        return "\n".join("".join(line).rstrip() for line in self.characters.tolist())


def _filled(lines: int, columns: int, text: str) -> NDArray[np.object_]:
    """Return an array of one text, shape (lines, columns); np.full takes four times as long."""
    array = np.empty((lines, columns), dtype=object)
    array[:] = text
    return array
