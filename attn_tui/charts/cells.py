"""A block of terminal cells: a character in each, its colour and the colour behind it."""

from collections.abc import Iterator
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

Run = tuple[str, str, str]
"""A text, its colour and the colour behind it; an empty colour is that of the widget."""


class Cells:
    """Cells that a chart is drawn into, line by line from the top.

    Attributes:
        characters: Shape (lines, columns).
        colours: Shape (lines, columns): ``#rrggbb``, or empty for the widget's own.
        backgrounds: The same, behind the characters.
    """

    def __init__(self, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        self.characters: NDArray[np.str_] = np.full((lines, columns), " ")
        self.colours: NDArray[np.object_] = np.full((lines, columns), "", dtype=object)
        self.backgrounds: NDArray[np.object_] = np.full((lines, columns), "", dtype=object)

    def write(self, column: int, line: int, text: str, colour: str = "") -> None:
        """Write a text from a cell on; what lies outside the block is left out."""
        if not 0 <= line < self.lines:
            return
        for place, character in enumerate(text, column):
            if 0 <= place < self.columns:
                self.characters[line, place] = character
                self.colours[line, place] = colour

    def put(self, other: "Cells", column: int, line: int) -> None:
        """Lay another block over this one, which has room for it, from a cell on."""
        block = slice(line, line + other.lines), slice(column, column + other.columns)
        self.characters[block] = other.characters
        self.colours[block] = other.colours
        self.backgrounds[block] = other.backgrounds

    def is_free(self, column: int, line: int, length: int) -> bool:
        """Return whether some cells lie inside the block and hold nothing."""
        inside = 0 <= line < self.lines and column >= 0 and column + length <= self.columns
        return inside and bool((self.characters[line, column : column + length] == " ").all())

    def runs(self, line: int) -> Iterator[Run]:
        """Yield the texts of a line that share their colours."""
        cells = zip(
            self.characters[line].tolist(), self.colours[line], self.backgrounds[line], strict=True
        )
        for (colour, background), run in groupby(cells, key=lambda cell: (cell[1], cell[2])):
            yield "".join(cell[0] for cell in run), colour, background

    def text(self) -> str:
        """Return the characters alone, a line each."""
        return "\n".join("".join(line).rstrip() for line in self.characters.tolist())
