"""A grid of cells that charts are drawn on, and the glyphs they are drawn with."""

from dataclasses import dataclass
from itertools import groupby

from attn_tui.charts.rows import Row, Span


@dataclass(frozen=True)
class Glyphs:
    """One set of glyphs; the two sets have the same fields, so that a chart needs to know neither.

    Attributes:
        line: What plotext draws a line with.
        caps: Eight steps from an empty cell to seven eighths of one.
        unscaled: The body of a bar of the unscaled side.
        scaled: The body of a bar of the scaled side.
        shades: Five steps of size, the first for what is too small to show.
        pointer: Stands before what is selected.
        rule: A vertical line at the current value.
        axis: Vertical, vertical with a tick, corner, horizontal, horizontal with a tick.
        nan: Marks a value that is NaN.
        above: Marks a value above the axis.
        below: Marks a value below the axis.
    """

    line: str
    caps: str
    unscaled: str
    scaled: str
    shades: str
    pointer: str
    rule: str
    axis: str
    nan: str
    above: str
    below: str


BLOCKS = Glyphs("braille", " ▁▂▃▄▅▆▇", "░", "█", "·░▒▓█", "▸", "┃", "│┤└─┬", "×", "▲", "▼")
ASCII = Glyphs("*", " ....===", ":", "#", ".:o%#", ">", "|", "|++-+", "x", "^", "v")


def glyphs(ascii: bool) -> Glyphs:
    """Return the set to draw with; mathematical signs in text are kept in both."""
    return ASCII if ascii else BLOCKS


class Grid:
    """A grid of single-width characters with roles; column 0, row 0 is at the top left."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._grid: list[list[Span]] = [[(" ", "text")] * width for _ in range(height)]

    def put(self, column: int, row: int, text: str, role: str) -> None:
        """Write text from a cell to the right; what falls outside is left out."""
        if 0 <= row < self.height:
            for place, character in enumerate(text, column):
                if 0 <= place < self.width:
                    self._grid[row][place] = (character, role)

    def put_if_free(self, column: int, row: int, text: str, role: str) -> bool:
        """Write text whole, moved inside, if its cells and those beside are blank; say whether."""
        start = max(0, min(column, self.width - len(text)))
        around = self._grid[row][max(0, start - 1) : start + len(text) + 1]
        if len(text) > self.width or any(character != " " for character, _ in around):
            return False
        self.put(start, row, text, role)
        return True

    def rows(self) -> tuple[Row, ...]:
        """Return the grid as rows, neighbours of one role joined."""
        return tuple(
            tuple(
                ("".join(character for character, _ in span), role)
                for role, span in groupby(line, key=lambda cell: cell[1])
            )
            for line in self._grid
        )
