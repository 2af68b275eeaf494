"""A matrix as colours: a cell of the terminal or more for each entry, or half of one.

Where entries are more than the room, each half cell shows the one of largest size among several.
Where colours do not show how much there is, glyphs do, each in a cell of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, isfinite

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Depth, Palette, ink, mix
from attn_tui.charts.glyphs import LESS, MORE

Numbers = NDArray[np.float64]
Texts = Sequence[Sequence[str]]

HALF = "▄"
"""The lower half of a cell: some terminals leave seams above the upper one."""

FRAME, FRAME_WITHOUT_COLOURS = "▏▕", "[]"
"""What stands at the left and at the right edge of the cursor's entry."""

BAND = 0.22
"""How far towards the colour of text an interval is lighter than the entries below it."""

LEAST_WITH_BAR = 44
"""Columns of a block from which on there is room for a bar of colours."""

DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""The bits of a cell's dots in braille, from the top, on its left and on its right."""


@dataclass(frozen=True)
class ColourBar:
    """What the colours of a map mean: the ramp from the least at the bottom to the most.

    Attributes:
        kind: The ramp, as of the map.
        ticks: Levels with what they stand for.
        mark: The level that is marked, if any.
    """

    kind: str
    ticks: Sequence[tuple[float, str]]
    mark: float | None = None

    BAR = 2
    """Columns of the ramp itself."""

    @property
    def width(self) -> int:
        """Columns of the ramp, of a mark, and of the longest tick."""
        return self.BAR + 1 + max((len(text) for _, text in self.ticks), default=0)

    @property
    def least(self) -> float:
        """The level at the bottom."""
        return -1.0 if self.kind == "both signs" else 0.0

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw the ramp with as many ticks as have room."""
        levels = np.linspace(1.0, self.least, max(2 * lines, 1))[:, None]
        ramp = HeatMap(np.repeat(levels, self.BAR, axis=1), self.kind)
        cells = Cells(columns, lines)
        if columns < self.width or lines < 2:
            return cells
        cells.put(ramp.draw(self.BAR, lines, colours), 0, 0)
        if self.mark is not None and isfinite(self.mark):
            cells.write(self.BAR, self._line(self.mark, lines), "◂", colours["accent"])
        for level, text in self.ticks:
            line = self._line(level, lines)
            if cells.is_free(self.BAR + 1, line, self.width - self.BAR - 1):
                cells.write(self.BAR + 1, line, text, colours["muted"])
        return cells

    def _line(self, level: float, lines: int) -> int:
        share = (level - self.least) / (1.0 - self.least)
        return lines - 1 - round(min(max(share, 0.0), 1.0) * (lines - 1))


@dataclass(frozen=True, eq=False)
class Border:
    """A line from the top of a map to its bottom, with the interval it lies in.

    Attributes:
        at: Where it is in each row, shape (rows,): 0 at the left edge of the first column, 1 at
            that of the second; NaN where it is nowhere.
        low: The left end of its interval, likewise; minus infinity where it is open.
        high: The right end.
    """

    at: Numbers
    low: Numbers
    high: Numbers


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
        cursor: The row and column that are marked in the margins and framed, if any.
        longer: Other texts, the longest first, of which the first that all have room are taken.
        bar: What the colours mean; it stands on the right where there is room.
        border: A line over the entries.
        corner: What rows and columns are; it stands left of the labels below where it has room.
    """

    levels: Numbers
    kind: str
    row_labels: Sequence[str] = ()
    column_labels: Sequence[str] = ()
    texts: Texts = ()
    cursor: tuple[int, int] | None = None
    longer: Sequence[Texts] = ()
    bar: ColourBar | None = None
    border: Border | None = None
    corner: str = ""

    @property
    def left(self) -> int:
        """Columns of the margin on the left."""
        labels = max(map(len, self.row_labels), default=0)
        return labels + 2 if labels else int(self.cursor is not None) * 2

    @property
    def below(self) -> int:
        """Lines of the margin below."""
        return int(bool(self.column_labels) or self.cursor is not None)

    def right(self, columns: int) -> int:
        """Return the columns of the margin on the right in a width: a mark, a blank, the bar."""
        mark = int(self.cursor is not None and bool(self.row_labels))
        if self.bar is None or columns < LEAST_WITH_BAR:
            return mark
        return mark + 1 + self.bar.width

    def is_reduced(self, columns: int, lines: int, halves: int = 2) -> bool:
        """Return whether a block has less room than there are entries, so that some are hidden."""
        wide, high = self.room(columns, lines, halves)
        rows, across = self.levels.shape
        return bool(0 < wide < across or 0 < high < rows)

    def room(self, columns: int, lines: int, halves: int = 2) -> tuple[int, int]:
        """Return columns and half lines that the entries take in a block.

        Args:
            columns: Width of the block.
            lines: Height of the block.
            halves: Into how many parts a line is divided: 1 where there are no colours.
        """
        wide = columns - self.left - self.right(columns)
        high = halves * (lines - self.below)
        rows, across = self.levels.shape
        if across < wide:
            wide = _filled(across, wide, 1)
        if rows < high:
            high = _filled(rows, high, halves)
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
        if self.border is not None and wide >= self.levels.shape[1]:
            self._draw_border(cells, self.border, wide, high, colours)
        self._write_texts(cells, wide, high, colours)
        self._write_margins(cells, wide, high, colours)
        self._draw_frame(cells, wide, high, colours)
        if self.bar is not None and columns >= LEAST_WITH_BAR:
            bar = self.bar.draw(self.bar.width, ceil(high / 2), colours)
            cells.put(bar, self.left + wide + self.right(columns) - self.bar.width, 0)
        return cells

    def _draw_shades(self, cells: Cells, wide: int, high: int, colours: Palette) -> None:
        """Draw two entries a cell, the lower one as its character."""
        shades = self._shades(wide, high, colours)
        if high % 2:
            shades = np.vstack([shades, np.full((1, wide), "", dtype=object)])
        above, under = shades[0::2], shades[1::2]
        block = slice(0, len(above)), slice(self.left, self.left + wide)
        cells.backgrounds[block] = above
        differ = above != under
        cells.characters[block][differ] = HALF
        under = np.where(under == "", colours["background"], under)
        cells.colours[block][differ] = under[differ]

    def _draw_border(
        self, cells: Cells, border: Border, wide: int, high: int, colours: Palette
    ) -> None:
        """Draw the line in dots, and its interval as a lighter band; rows without it break it."""
        rows, across = self.levels.shape
        lines, width = ceil(high / 2), wide / across
        middles = (np.arange(rows) + 0.5) / rows
        known = np.isfinite(border.at)
        if known.sum() < 2 or high < rows:
            return

        def places(values: Numbers, count: int) -> Numbers:
            """Return the places in columns at so many heights, evenly from the top."""
            heights = (np.arange(count) + 0.5) / count
            between = np.interp(heights, middles[known], values[known])
            nearest = known[np.minimum((heights * rows).astype(int), rows - 1)]
            return np.where(nearest, between * width, np.nan)

        ends = [np.clip(values, 0.0, across) for values in (border.low, border.high)]
        # The faint ones of 256 colours are of another hue each.
        if colours.depth is Depth.TRUE:
            for line, (low, high_end) in enumerate(
                zip(*(places(end, lines) for end in ends), strict=True)
            ):
                if isfinite(low + high_end):
                    own = slice(self.left + floor(low), self.left + max(ceil(high_end), floor(low)))
                    self._lighten(cells, line, own, colours)
        previous = None
        for dot, place in enumerate(places(border.at, 4 * lines)):
            if not isfinite(place):
                previous = None
                continue
            column = min(int(2.0 * place), 2 * wide - 1)
            start = column if previous is None else previous
            step = 1 if column >= start else -1
            for dot_column in range(start + step * (start != column), column + step, step):
                self._dot(cells, self.left * 2 + dot_column, dot, colours)
            previous = column

    def _lighten(self, cells: Cells, line: int, own: slice, colours: Palette) -> None:
        for layer in (cells.backgrounds, cells.colours):
            for column in range(own.start, min(own.stop, cells.columns)):
                if layer[line, column]:
                    layer[line, column] = mix(layer[line, column], colours["text"], BAND)

    @staticmethod
    def _dot(cells: Cells, x: int, y: int, colours: Palette) -> None:
        """Set a dot; of a cell of two halves the upper one is seen behind it."""
        line, column = y // 4, x // 2
        before = ord(str(cells.characters[line, column]))
        dots = before - 0x2800 if 0x2800 <= before < 0x2900 else 0
        dots |= DOTS[x % 2][y % 4]
        behind = cells.backgrounds[line, column]
        cells.write(column, line, chr(0x2800 + dots), ink(behind) if behind else colours["text"])

    def _draw_frame(self, cells: Cells, wide: int, high: int, colours: Palette) -> None:
        """Mark both edges of the cursor's entry, if it has whole lines and room between them."""
        rows, across = self.levels.shape
        width, height = wide // across, high // rows // 2
        if self.cursor is None or width < 3 or height < 1:
            return
        row, column = self.cursor
        signs = FRAME_WITHOUT_COLOURS if colours.textured else FRAME
        left = self.left + column * width
        for line in range(row * high // rows // 2, row * high // rows // 2 + height):
            for place, sign in zip((left, left + width - 1), signs, strict=True):
                behind = cells.backgrounds[line, place]
                cells.write(place, line, sign, ink(behind) if behind else colours["text"])

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
                levels = np.take(levels, np.arange(room) * size // room, axis)
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
        if width < 1 or height < 1:
            return
        for row, texts in enumerate(self._fitting(width)):
            line = row * high // rows // 2 + (height - 1) // 2
            for column, text in enumerate(texts):
                start = self.left + column * width
                if not text or len(text) + 2 > width:
                    continue
                behind = cells.backgrounds[line, start] or colours["background"]
                # So one digit stands below the last of two.
                own = start + width // 2 - len(text) // 2
                if colours.textured:
                    cells.write(own - 1, line, f" {text} ", colours["text"])
                else:
                    cells.write(own, line, text, ink(behind))

    def texts_in(self, columns: int, lines: int) -> Texts:
        """Return the texts that are tried in a block of some size."""
        wide, _ = self.room(columns, lines)
        return self._fitting(wide // self.levels.shape[1])

    def _fitting(self, width: int) -> Texts:
        """Return the longest texts that all have room in entries of a width, or the shortest."""
        for choice in self.longer:
            if max((len(text) for texts in choice for text in texts), default=0) + 2 <= width:
                return choice
        return self.texts

    def _write_margins(self, cells: Cells, wide: int, high: int, colours: Palette) -> None:
        """Write labels, those that have room, and mark the cursor's row and column."""
        _, across = self.levels.shape
        own_row, own_column = self.cursor or (-1, -1)
        order = sorted(range(len(self.row_labels)), key=lambda row: row != own_row)
        for row in order:
            line = self._line_of(row, high)
            text = self.row_labels[row].rjust(self.left - 2)
            colour = colours["accent"] if row == own_row else colours["muted"]
            if cells.is_free(0, line, self.left):
                cells.write(0, line, text, colour)
        if self.cursor is not None:
            line = self._line_of(own_row, high)
            cells.write(self.left - 1, line, "▸", colours["accent"])
            if self.row_labels:
                cells.write(self.left + wide, line, "◂", colours["accent"])
        bottom = ceil(high / 2)
        labels = [*enumerate(self.column_labels)]
        if self.cursor is not None and own_column >= len(labels):
            labels.append((own_column, "▲"))
        labels.sort(key=lambda label: label[0] != own_column)
        for column, text in labels:
            first = ceil(column * wide / across) if across <= wide else 0
            middle = self.left + max(int((column + 0.5) * wide / across), first)
            start = min(max(middle - len(text) // 2, 0), cells.columns - len(text))
            beside = range(max(start - 1, 0), min(start + len(text) + 1, cells.columns))
            colour = colours["accent"] if column == own_column else colours["muted"]
            if cells.is_free(beside.start, bottom, len(beside)):
                cells.write(start, bottom, text, colour)
        if self.corner and cells.is_free(0, bottom, len(self.corner) + 1):
            cells.write(0, bottom, self.corner, colours["muted"])

    def _line_of(self, row: int, high: int) -> int:
        """Return the line in whose middle a row's label stands."""
        rows = len(self.levels)
        if rows > high:
            return row * high // rows // 2
        return (ceil(row * high / rows) + (high // rows - 1) // 2) // 2


def _filled(size: int, room: int, halves: int) -> int:
    """Return how much of one axis is filled by entries that have a place each.

    Entries are of one size, but where more than a third of the room would stay empty most get two
    places and the others one. Lines are kept whole: an odd number of half lines would be of two
    heights beside one another.
    """
    if size * 2 <= room:
        return room // size // halves * halves * size
    return room if size * 3 <= room * 2 else size


def _entries(place: int, size: int, room: int) -> range:
    """Return the entries of one axis that a column or a half line shows."""
    if size <= room:
        entry = place * size // room
        return range(entry, entry + 1)
    return range(place * size // room, (place + 1) * size // room)
