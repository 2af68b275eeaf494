"""A matrix as colours: a cell of the terminal or more for each entry, or half of one.

Where entries are more than the room, each half cell shows the one of largest size among several.
Where colours do not show how much there is, glyphs do, each in a cell of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Palette, ink
from attn_tui.charts.glyphs import LESS, MORE

Numbers = NDArray[np.float64]

HALF = "▄"
"""The lower half of a cell: some terminals leave seams above the upper one."""


@dataclass(frozen=True, eq=False)
class HeatMap:
    """A matrix of levels.

    Attributes:
        levels: Shape (rows, columns): from 0 to 1, or from −1 to 1 where there are both signs;
            NaN where there is nothing.
        kind: The ramp: a kind of data, ``"both signs"`` or ``"saturation"``.
        row_labels: What stands on the left of rows, by row; only as many as fit.
        column_labels: What stands below columns.
        texts: What stands in each cell that has room for it with a blank on either side, by row.
        cursor: The row and column that are marked in the margins, if any.
        square: Whether entries are made no wider than they are high.
    """

    levels: Numbers
    kind: str
    row_labels: Sequence[str] = ()
    column_labels: Sequence[str] = ()
    texts: Sequence[Sequence[str]] = ()
    cursor: tuple[int, int] | None = None
    square: bool = False

    @property
    def left(self) -> int:
        """Columns of the margin on the left."""
        labels = max(map(len, self.row_labels), default=0)
        return labels + 2 if labels else int(self.cursor is not None) * 2

    @property
    def below(self) -> int:
        """Lines of the margin below."""
        return int(bool(self.column_labels) or self.cursor is not None)

    def room(self, columns: int, lines: int, halves: int = 2) -> tuple[int, int]:
        """Return columns and half lines that the entries take in a block.

        Args:
            columns: Width of the block.
            lines: Height of the block.
            halves: Into how many parts a line is divided: 1 where there are no colours.
        """
        wide, high = columns - self.left, halves * (lines - self.below)
        rows, across = self.levels.shape
        if across < wide:
            wide = wide // across * across
        if rows < high:
            # Entries of an odd number of half lines would be of two heights beside one another.
            each = high // rows
            each = each // halves * halves if each > 1 else each
            high = each * rows
        if self.square and across <= wide and rows <= high:
            wide = min(wide // across, high * 2 // halves // rows) * across
        return max(wide, 0), max(high, 0)

    def entry(self, column: int, line: int, columns: int, lines: int) -> tuple[int, int] | None:
        """Return the row and the column of the entry in a cell of the block, if one is there.

        Of several it is the one of largest size, whose colour is the one that is seen.
        """
        wide, high = self.room(columns, lines)
        x, y = column - self.left, 2 * line
        if not (0 <= x < wide and 0 <= y < high):
            return None
        rows, across = self.levels.shape
        own_rows = _entries(y, rows, high).start, _entries(min(y + 1, high - 1), rows, high).stop
        own_columns = _entries(x, across, wide)
        block = self.levels[own_rows[0] : own_rows[1], own_columns.start : own_columns.stop]
        # Of two of one size the one below 0 is drawn.
        sizes = np.where(block < 0.0, np.nextafter(-block, inf), block)
        place = int(np.where(np.isfinite(block), sizes, -1.0).argmax())
        return own_rows[0] + place // block.shape[1], own_columns.start + place % block.shape[1]

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw it into a block of cells, with what fits of the labels."""
        cells = Cells(columns, lines)
        wide, high = self.room(columns, lines, 1 if colours.textured else 2)
        if not (wide and high):
            return cells
        if colours.textured:
            block = slice(0, high), slice(self.left, self.left + wide)
            cells.characters[block] = self._textures(wide, high)
            # Margins and texts count in half lines.
            high *= 2
        else:
            self._draw_shades(cells, wide, high, colours)
        self._write_texts(cells, wide, high, colours)
        self._write_margins(cells, wide, high, colours)
        return cells

    def _draw_shades(self, cells: Cells, wide: int, high: int, colours: Palette) -> None:
        """Draw two entries a cell, the lower one as its character."""
        shades = self._shades(wide, high, colours)
        for line in range(ceil(high / 2)):
            upper = shades[2 * line]
            lower = shades[2 * line + 1] if 2 * line + 1 < high else upper * 0
            for x, (above, under) in enumerate(zip(upper, lower, strict=True), self.left):
                cells.backgrounds[line, x] = above
                if above != under:
                    cells.characters[line, x] = HALF
                    cells.colours[line, x] = under or colours["background"]

    def _textures(self, wide: int, high: int) -> NDArray[np.str_]:
        """Return the glyph of each cell, shape (high, wide): by size, and another set below 0."""
        levels = self.reduced(wide, high)
        known = np.isfinite(levels)
        sizes = np.clip(np.where(known, np.abs(levels), 0.0), 0.0, 1.0)
        places = np.ceil(sizes * (len(MORE) - 1) - 0.4).astype(np.intp)
        glyphs = np.where(levels < 0.0, np.array([*LESS])[places], np.array([*MORE])[places])
        glyphs[~known] = " "
        return np.asarray(glyphs)

    def _shades(self, wide: int, high: int, colours: Palette) -> NDArray[np.object_]:
        """Return the colour of each half cell, shape (high, wide)."""
        levels = self.reduced(wide, high)
        if self.kind == "both signs":
            levels = (levels + 1.0) / 2.0
        steps = colours.ramp(self.kind)
        known = np.isfinite(levels)
        places = np.clip(np.where(known, levels, 0.0), 0.0, 1.0) * (len(steps) - 1)
        shades = np.array(steps, dtype=object)[places.round().astype(np.intp)]
        shades[~known] = ""
        return np.asarray(shades)

    def reduced(self, wide: int, high: int) -> Numbers:
        """Return the levels of half cells, shape (high, wide): of several the largest in size."""
        rows, across = self.levels.shape
        levels = self.levels
        for axis, size, room in ((0, rows, high), (1, across, wide)):
            if size <= room:
                levels = np.repeat(levels, room // size, axis)
                continue
            starts = np.arange(room) * size // room
            sizes = np.where(np.isfinite(levels), np.abs(levels), -1.0)
            most = np.maximum.reduceat(sizes, starts, axis)
            least = np.minimum.reduceat(np.where(np.isfinite(levels), levels, 0.0), starts, axis)
            signed = np.where(most == -least, -most, most)
            levels = np.where(most < 0.0, np.nan, signed)
        return levels

    def _write_texts(self, cells: Cells, wide: int, high: int, colours: Palette) -> None:
        """Write the text of each entry into the middle of its cells, where it has room."""
        rows, across = self.levels.shape
        width, height = wide // across, high // rows // 2
        if not self.texts or width < 1 or height < 1:
            return
        for row, texts in enumerate(self.texts):
            line = row * high // rows // 2 + (height - 1) // 2
            for column, text in enumerate(texts):
                start = self.left + column * width
                if not text or len(text) + 2 > width:
                    continue
                behind = cells.backgrounds[line, start] or colours["background"]
                own = start + (width - len(text)) // 2
                if colours.textured:
                    cells.write(own - 1, line, f" {text} ", colours["text"])
                else:
                    cells.write(own, line, text, ink(behind))

    def _write_margins(self, cells: Cells, wide: int, high: int, colours: Palette) -> None:
        """Write labels, those that have room, and mark the cursor's row and column."""
        rows, across = self.levels.shape
        own_row, own_column = self.cursor or (-1, -1)
        order = sorted(range(len(self.row_labels)), key=lambda row: row != own_row)
        for row in order:
            line = (row * high // rows + max(high // rows - 1, 0) // 2) // 2
            text = self.row_labels[row].rjust(self.left - 2)
            colour = colours["text"] if row == own_row else colours["muted"]
            if cells.is_free(0, line, self.left):
                cells.write(0, line, text, colour)
        if self.cursor is not None:
            line = (own_row * high // rows + max(high // rows - 1, 0) // 2) // 2
            cells.write(self.left - 1, line, "▸", colours["accent"])
        bottom = ceil(high / 2)
        labels = [*enumerate(self.column_labels)]
        if self.cursor is not None and own_column >= len(labels):
            labels.append((own_column, "▲"))
        labels.sort(key=lambda label: label[0] != own_column)
        for column, text in labels:
            middle = self.left + int((column + 0.5) * wide / across)
            start = min(max(middle - len(text) // 2, 0), cells.columns - len(text))
            beside = range(max(start - 1, 0), min(start + len(text) + 1, cells.columns))
            colour = colours["accent"] if column == own_column else colours["muted"]
            if cells.is_free(beside.start, bottom, len(beside)):
                cells.write(start, bottom, text, colour)


def _entries(place: int, size: int, room: int) -> range:
    """Return the entries of one axis that a column or a half line shows."""
    if size <= room:
        entry = place * size // room
        return range(entry, entry + 1)
    return range(place * size // room, (place + 1) * size // room)
