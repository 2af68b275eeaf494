"""A block of terminal cells: each has a character, its colour and its background."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Run = tuple[str, str, str]
"""A text, its colour and its background; an empty colour is the widget's own."""


class Cells:
    """The cells that a chart is drawn into, line by line from the top.

    Attributes:
        characters: Shape (lines, columns).
        colours: Shape (lines, columns): ``#rrggbb``, or empty for the widget's own.
        backgrounds: The colours behind the characters, in the same form.
    """

    def __init__(self, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        self.characters: NDArray[np.str_] = np.full((lines, columns), " ")
        self.colours: NDArray[np.object_] = np.full((lines, columns), "", dtype=object)
        self.backgrounds: NDArray[np.object_] = np.full((lines, columns), "", dtype=object)

    def write(self, column: int, line: int, text: str, colour: str = "") -> None:
        """Write a text, starting at a cell; the part outside the block is left out."""
        start, stop = max(column, 0), min(column + len(text), self.columns)
        if 0 <= line < self.lines and start < stop:
            self.characters[line, start:stop] = [*text[start - column : stop - column]]
            self.colours[line, start:stop] = colour

    def put(self, other: "Cells", column: int, line: int) -> None:
        """Copy another block into this one with its top left corner at a cell; it must fit."""
        block = slice(line, line + other.lines), slice(column, column + other.columns)
        self.characters[block] = other.characters
        self.colours[block] = other.colours
        self.backgrounds[block] = other.backgrounds

    def is_free(self, column: int, line: int, length: int) -> bool:
        """Return whether this many cells of a line are inside the block and blank."""
        inside = 0 <= line < self.lines and column >= 0 and column + length <= self.columns
        return inside and bool((self.characters[line, column : column + length] == " ").all())

    def runs(self, line: int) -> Iterator[Run]:
        """Yield the runs of a line: stretches of text with the same colours."""
        text = "".join(self.characters[line].tolist())
        colours, backgrounds = self.colours[line], self.backgrounds[line]
        is_end = (colours[1:] != colours[:-1]) | (backgrounds[1:] != backgrounds[:-1])
        ends = (np.flatnonzero(is_end) + 1).tolist()
        for start, stop in pairwise([0, *ends, self.columns]):
            yield text[start:stop], colours[start], backgrounds[start]

    def differences(self, other: "Cells") -> list[tuple[int, int, int]]:
        """Return where this block differs from another of the same size.

        Returns:
            For each line that differs: its number, the first column that differs, and the column
            after the last.
        """
        differs = self.characters != other.characters
        differs |= self.colours != other.colours
        differs |= self.backgrounds != other.backgrounds
        lines = np.flatnonzero(differs.any(axis=1))
        starts = differs[lines].argmax(axis=1)
        stops = self.columns - differs[lines, ::-1].argmax(axis=1)
        return [*zip(lines.tolist(), starts.tolist(), stops.tolist(), strict=True)]

    def text(self) -> str:
        """Return the characters alone, one line of text for each line of cells."""
        return "\n".join("".join(line).rstrip() for line in self.characters.tolist())
