"""A matrix drawn in colours: each entry takes half a cell of the terminal, or whole cells.

Where the matrix is larger than the block, each half cell shows the entry of largest magnitude
among those it covers. Where colours cannot show magnitudes, glyphs do, and no cell is halved.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import ceil, floor, inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Depth, Palette, ink, mix
from attn_tui.charts.glyphs import LESS, MORE
from attn_tui.compute.arrays import Floats
from attn_tui.report.rows import cells as cells_of

Texts = Sequence[Sequence[str]]

HALF = "▄"
"""The lower half block: some terminals leave a seam above the upper half block."""

FRAME, FRAME_WITHOUT_COLOURS = "▏▕", "[]"
"""The characters at the left and right edges of the entry under the cursor."""

BAND = 0.22
"""How far an interval is shifted from the colour of the entries below it to that of text."""

LEAST_WITH_BAR = 44
"""The narrowest block, in columns, that has room for a colour bar."""

DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""The bits of a braille cell's dots from the top: the left column, then the right."""


@dataclass(frozen=True)
class ColourBar:
    """The key to the colours of a map: its ramp, from the least at the bottom to the most.

    Attributes:
        kind: The ramp, as for `HeatMapDrawing.kind`.
        ticks: Levels, each with its label.
        mark: The level to mark, if any.
    """

    kind: str
    ticks: Sequence[tuple[float, str]]
    mark: float | None = None

    BAR = 2
    """Width of the ramp itself, in columns."""

    @property
    def width(self) -> int:
        """Width in columns: the ramp, a mark and the longest tick."""
        return self.BAR + 1 + max((len(text) for _, text in self.ticks), default=0)

    @property
    def least(self) -> float:
        """The level at the bottom of the ramp."""
        return -1.0 if self.kind == "both signs" else 0.0

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw the ramp, with as many ticks as fit."""
        cells = Cells(columns, lines)
        if columns < self.width or lines < 2:
            return cells
        cells.put(_ramp(self.kind, self.least, self.BAR, lines, colours), 0, 0)
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
    """A line from the top of a map to the bottom, with its interval.

    Attributes:
        at: Its position in each row, shape (rows,): 0 is the left edge of the first column, 1
            that of the second; NaN where the row has none.
        low: The left end of its interval, in the same units; minus infinity where it is open.
        high: The right end.
    """

    at: Floats
    low: Floats
    high: Floats

    @cached_property
    def values(self) -> bytes:
        """All its numbers."""
        return np.stack([self.at, self.low, self.high]).tobytes()


@lru_cache(maxsize=8)
def _ramp(kind: str, least: float, columns: int, lines: int, colours: Palette) -> Cells:
    """Draw a ramp from 1 at the top to the least level at the bottom."""
    levels = np.linspace(1.0, least, max(2 * lines, 1))[:, None]
    return HeatMapDrawing(np.repeat(levels, columns, axis=1), kind).draw(columns, lines, colours)


NO_CELLS = Cells(0, 0)
"""What is drawn of a map before it is drawn at all."""


@dataclass
class _Still:
    """What was drawn last of a map, without what moves with its cursor.

    Attributes:
        of: What it was drawn for: size, colours and border.
        cells: The entries.
        texts: The texts that fit.
    """

    of: tuple[object, ...] = ()
    cells: Cells = NO_CELLS
    texts: Texts = ()


def by_number(row: int, column: int) -> tuple[int, int]:
    """Return the row and the column: the place of an entry that stands for nothing else."""
    return row, column


@dataclass(frozen=True, eq=False)
class HeatMapDrawing:
    """A matrix of levels.

    Attributes:
        levels: Shape (rows, columns): from 0 to 1, or from −1 to 1 if the values have both signs;
            NaN where an entry is empty.
        kind: The ramp: a kind of data, ``"both signs"`` or ``"saturation"``.
        row_labels: Labels on the left, one a row; only as many as fit are drawn.
        column_labels: Labels below, one a column.
        texts: A text for each entry, by row; drawn if all fit with a blank between two.
        cursor: The row and column to mark in the margins and to frame, if any.
        longer: Alternatives to texts, longest first; the first whose texts all fit with a blank on
            either side is drawn.
        bar: The key to the colours, drawn on the right where there is room.
        border: A line over the entries.
        corner: What rows and columns are; drawn left of the column labels where there is room.
        place: Returns what the entry in a row and a column stands for, such as a query and a key.
    """

    levels: Floats
    kind: str
    row_labels: Sequence[str] = ()
    column_labels: Sequence[str] = ()
    texts: Texts = ()
    cursor: tuple[int, int] | None = None
    longer: Sequence[Texts] = ()
    bar: ColourBar | None = None
    border: Border | None = None
    corner: str = ""
    place: Callable[[int, int], Any] = by_number
    _still: _Still = field(default_factory=_Still, init=False, repr=False)

    def marked(
        self, cursor: tuple[int, int] | None, bar: ColourBar | None = None,
        border: Border | None = None,
    ) -> "HeatMapDrawing":  # fmt: skip
        """Return the map with another cursor, bar and border; what stays is not drawn again."""
        marked = replace(self, cursor=cursor, bar=bar, border=border)
        object.__setattr__(marked, "_still", self._still)
        return marked

    @cached_property
    def left(self) -> int:
        """Width of the left margin, in columns."""
        labels = max(map(cells_of, self.row_labels), default=0)
        return labels + 2 if labels else int(self.cursor is not None) * 2

    @property
    def below(self) -> int:
        """Height of the margin below, in lines."""
        return int(bool(self.column_labels) or self.cursor is not None)

    def right(self, columns: int) -> int:
        """Return the width of the right margin for a block of a width: a mark, a blank, the bar."""
        mark = int(self.cursor is not None and bool(self.row_labels))
        if self.bar is None or columns < LEAST_WITH_BAR:
            return mark
        return mark + 1 + self.bar.width

    def is_reduced(self, columns: int, lines: int, halves: int = 2) -> bool:
        """Return whether a block has too few places for all entries, so that some are hidden."""
        wide, high = self.room(columns, lines, halves)
        rows, across = self.levels.shape
        return bool(0 < wide < across or 0 < high < rows)

    def room(self, columns: int, lines: int, halves: int = 2) -> tuple[int, int]:
        """Return how many columns and half lines the entries take in a block.

        Args:
            columns: Width of the block.
            lines: Height of the block.
            halves: How many parts a line is divided into: 1 where there are no colours.
        """
        wide = columns - self.left - self.right(columns)
        high = halves * (lines - self.below)
        rows, across = self.levels.shape
        if across < wide:
            wide = _filled(across, wide, 1)
        if rows < high:
            high = _filled(rows, high, halves)
        return max(wide, 0), max(high, 0)

    def entry(
        self, column: int, line: int, columns: int, lines: int, halves: int = 2
    ) -> tuple[int, int] | None:
        """Return the row and column of the entry that a cell of the block shows, or None.

        If the cell covers several entries, it shows the one of largest magnitude.
        """
        wide, high = self.room(columns, lines, halves)
        x, y = column - self.left, halves * line
        if not (0 <= x < wide and 0 <= y < high):
            return None
        rows, across = self.levels.shape
        last = min(y + halves - 1, high - 1)
        entry_rows = _entries(y, rows, high).start, _entries(last, rows, high).stop
        entry_columns = _entries(x, across, wide)
        block = self.levels[entry_rows[0] : entry_rows[1], entry_columns.start : entry_columns.stop]
        # If two have the same magnitude, the negative one is drawn.
        sizes = np.where(block < 0.0, np.nextafter(-block, inf), block)
        place = int(np.where(np.isfinite(block), sizes, -1.0).argmax())
        return entry_rows[0] + place // block.shape[1], entry_columns.start + place % block.shape[1]

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw the map into a block of cells, with as many labels as fit."""
        wide, high = self.room(columns, lines, 1 if colours.textured else 2)
        if not (wide and high):
            return Cells(columns, lines)
        still = self._draw_still(columns, lines, wide, high, colours)
        cells = still.cells.copy()
        if colours.textured:
            # Margins and texts are placed in half lines.
            high *= 2
        self._write_margins(cells, wide, high, colours)
        self._draw_frame(cells, wide, high, still.texts, colours)
        if self.bar is not None and columns >= LEAST_WITH_BAR:
            bar = self.bar.draw(self.bar.width, ceil(high / 2), colours)
            cells.put(bar, self.left + wide + self.right(columns) - self.bar.width, 0)
        return cells

    def _draw_still(
        self, columns: int, lines: int, wide: int, high: int, colours: Palette
    ) -> _Still:
        """Draw what does not move with the cursor, unless that is drawn already."""
        still = self._still
        values = b"" if self.border is None else self.border.values
        of = columns, lines, wide, high, self.left, colours, values
        if still.of == of:
            return still
        cells = Cells(columns, lines)
        if colours.textured:
            block = slice(0, high), slice(self.left, self.left + wide)
            cells.characters[block] = self._textures(wide, high)
            # Margins and texts are placed in half lines.
            high *= 2
        else:
            self._draw_shades(cells, wide, high, colours)
        if self.border is not None and wide >= self.levels.shape[1]:
            self._draw_border(cells, self.border, wide, high, colours)
        texts = self._fitting(wide // self.levels.shape[1], colours.textured)
        self._write_texts(cells, wide, high, texts, colours)
        still.of, still.cells, still.texts = of, cells, texts
        return still

    def _draw_shades(self, cells: Cells, wide: int, high: int, colours: Palette) -> None:
        """Draw two half lines a cell: the upper as its background, the lower as its character."""
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
        """Draw the line in dots and its interval as a lighter band, broken at rows without it."""
        rows, across = self.levels.shape
        lines, width = ceil(high / 2), wide / across
        middles = (np.arange(rows) + 0.5) / rows
        finite = np.isfinite(border.at)
        if finite.sum() < 2 or high < rows:
            return

        def places(values: Floats, count: int) -> Floats:
            """Return the columns of the line at this many evenly spaced heights from the top."""
            heights = (np.arange(count) + 0.5) / count
            between = np.interp(heights, middles[finite], values[finite])
            nearest = finite[np.minimum((heights * rows).astype(int), rows - 1)]
            return np.where(nearest, between * width, np.nan)

        ends = [np.clip(values, 0.0, across) for values in (border.low, border.high)]
        # Among 256 colours, the faint ones each have another hue.
        if colours.depth is Depth.TRUE:
            for line, (low, high_end) in enumerate(
                zip(*(places(end, lines) for end in ends), strict=True)
            ):
                if isfinite(low + high_end):
                    interval = slice(
                        self.left + floor(low), self.left + max(ceil(high_end), floor(low))
                    )
                    self._lighten(cells, line, interval, colours)
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

    def _lighten(self, cells: Cells, line: int, interval: slice, colours: Palette) -> None:
        for layer in (cells.backgrounds, cells.colours):
            for column in range(interval.start, min(interval.stop, cells.columns)):
                if layer[line, column]:
                    layer[line, column] = mix(layer[line, column], colours["text"], BAND)

    @staticmethod
    def _dot(cells: Cells, x: int, y: int, colours: Palette) -> None:
        """Set a dot; in a cell of two halves, the colour of the upper half stays behind it."""
        line, column = y // 4, x // 2
        before = ord(str(cells.characters[line, column]))
        dots = before - 0x2800 if 0x2800 <= before < 0x2900 else 0
        dots |= DOTS[x % 2][y % 4]
        behind = cells.backgrounds[line, column]
        cells.write(column, line, chr(0x2800 + dots), ink(behind) if behind else colours["text"])

    def _draw_frame(
        self, cells: Cells, wide: int, high: int, texts: Texts, colours: Palette
    ) -> None:
        """Mark both edges of the cursor's entry, if it has a whole line and they are free."""
        rows, across = self.levels.shape
        width, height = wide // across, high // rows // 2
        if self.cursor is None or width < 3 or height < 1:
            return
        row, column = self.cursor
        if texts and len(texts[row][column]) + 2 > width:
            return
        signs = FRAME_WITHOUT_COLOURS if colours.textured else FRAME
        left = self.left + column * width
        for line in self._lines_of(row, high):
            for place, sign in zip((left, left + width - 1), signs, strict=True):
                behind = cells.backgrounds[line, place]
                cells.write(place, line, sign, ink(behind) if behind else colours["text"])

    def _textures(self, wide: int, high: int) -> NDArray[np.str_]:
        """Return the glyph of each cell by magnitude and sign, shape (high, wide)."""
        levels = self.reduced(wide, high)
        finite = np.isfinite(levels)
        sizes = np.clip(np.where(finite, np.abs(levels), 0.0), 0.0, 1.0)
        places = np.ceil(sizes * (len(MORE) - 1) - 0.4).astype(np.intp)
        glyphs = np.where(levels < 0.0, np.array([*LESS])[places], np.array([*MORE])[places])
        glyphs[~finite] = " "
        return np.asarray(glyphs)

    def _shades(self, wide: int, high: int, colours: Palette) -> NDArray[np.object_]:
        """Return the colour of each half cell, shape (high, wide)."""
        levels = self.reduced(wide, high)
        if self.kind == "both signs":
            levels = (levels + 1.0) / 2.0
        steps = colours.ramp(self.kind)
        finite = np.isfinite(levels)
        places = np.clip(np.where(finite, levels, 0.0), 0.0, 1.0) * (len(steps) - 1)
        shades = np.array(steps, dtype=object)[places.round().astype(np.intp)]
        shades[~finite] = ""
        return np.asarray(shades)

    def reduced(self, wide: int, high: int) -> Floats:
        """Return the level of each half cell, the largest in magnitude, shape (high, wide)."""
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

    def _write_texts(
        self, cells: Cells, wide: int, high: int, fitting: Texts, colours: Palette
    ) -> None:
        """Write the text of each entry in the middle of its cells, if it fits."""
        rows, across = self.levels.shape
        width, height = wide // across, high // rows // 2
        if width < 1 or height < 1:
            return
        for row, texts in enumerate(fitting):
            line = self._lines_of(row, high)[(height - 1) // 2]
            for column, text in enumerate(texts):
                start = self.left + column * width
                if not text:
                    continue
                behind = cells.backgrounds[line, start] or colours["background"]
                # This aligns one digit with the last of two.
                begin = start + width // 2 - len(text) // 2
                if colours.textured:
                    cells.write(begin - 1, line, f" {text} ", colours["text"])
                else:
                    cells.write(begin, line, text, ink(behind))

    def texts_in(self, columns: int, lines: int, is_textured: bool = False) -> Texts:
        """Return the texts that a block of a given size shows, possibly none.

        Args:
            columns: Width of the block.
            lines: Height of the block.
            is_textured: Whether glyphs stand for colours.
        """
        halves = 1 if is_textured else 2
        wide, high = self.room(columns, lines, halves)
        width, height = wide // self.levels.shape[1], high // len(self.levels) // halves
        return self._fitting(width, is_textured) if height else ()

    def _fitting(self, width: int, is_textured: bool) -> Texts:
        """Return the longest alternative whose texts all fit entries of a width, possibly none.

        A map with some of its texts would say less of its strongest entries than of others. Where
        glyphs stand for colours, blanks on either side keep texts apart from them.
        """
        for choice in self.longer:
            if _longest(choice) + 2 <= width:
                return choice
        return self.texts if _longest(self.texts) + 1 + is_textured <= width else ()

    def _write_margins(self, cells: Cells, wide: int, high: int, colours: Palette) -> None:
        """Write the labels that fit, and mark the cursor's row and column."""
        _, across = self.levels.shape
        cursor_row, cursor_column = self.cursor or (-1, -1)
        order = sorted(range(len(self.row_labels)), key=lambda row: row != cursor_row)
        for row in order:
            line = self._line_of(row, high)
            text = self.row_labels[row]
            colour = colours["accent"] if row == cursor_row else colours["muted"]
            if cells.is_free(0, line, self.left):
                cells.write(self.left - 2 - cells_of(text), line, text, colour)
        if self.cursor is not None:
            line = self._line_of(cursor_row, high)
            cells.write(self.left - 1, line, "▸", colours["accent"])
            if self.row_labels:
                cells.write(self.left + wide, line, "◂", colours["accent"])
        bottom = ceil(high / 2)
        labels = [*enumerate(self.column_labels)]
        if self.cursor is not None and cursor_column >= len(labels):
            labels.append((cursor_column, "▲"))
        labels.sort(key=lambda label: label[0] != cursor_column)
        for column, text in labels:
            first = ceil(column * wide / across) if across <= wide else 0
            middle = self.left + max(int((column + 0.5) * wide / across), first)
            width = cells_of(text)
            start = min(max(middle - width // 2, 0), cells.columns - width)
            colour = colours["accent"] if column == cursor_column else colours["muted"]
            if cells.has_room(start, bottom, width):
                cells.write(start, bottom, text, colour)
        if self.corner and cells.has_room(0, bottom, len(self.corner)):
            cells.write(0, bottom, self.corner, colours["muted"])

    def _lines_of(self, row: int, high: int) -> range:
        """Return the lines of a row that has at least a whole one."""
        halves = 2 * len(self.levels)
        return range(ceil(row * high / halves), ceil((row + 1) * high / halves))

    def _line_of(self, row: int, high: int) -> int:
        """Return the line of a row's label, in the middle of the row."""
        rows = len(self.levels)
        if rows > high:
            return row * high // rows // 2
        return (ceil(row * high / rows) + (high // rows - 1) // 2) // 2


def _longest(texts: Texts) -> int:
    """Return the length of the longest text."""
    return max((len(text) for row in texts for text in row), default=0)


def _filled(size: int, room: int, halves: int) -> int:
    """Return how much of an axis the entries fill when each has a place of its own.

    All entries have the same size, unless that leaves more than a third of the room empty, or a
    third of the columns: then most get two places and the others one. Entries are whole lines
    high: with an odd number of half lines, neighbouring entries would look unequal.
    """
    if size * 2 <= room:
        return room // size // halves * halves * size
    if size * 3 == room * 2 and halves == 2:
        # Rows of one and of two half lines in turn would share their labels at random.
        return size
    return room if size * 3 <= room * 2 else size


def _entries(place: int, size: int, room: int) -> range:
    """Return the entries along an axis that one column or half line shows."""
    if size <= room:
        entry = place * size // room
        return range(entry, entry + 1)
    return range(place * size // room, (place + 1) * size // room)
