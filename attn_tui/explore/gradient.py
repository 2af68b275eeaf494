"""The gradient as a table, and the Jacobian as a map."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Palette
from attn_tui.charts.glyphs import LESS, MORE
from attn_tui.charts.heat_map import HeatMap
from attn_tui.charts.table import Column, Table
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.explore.bars import SIDES
from attn_tui.report.numbers import ratio, scientific

WIDEST = 14
"""Characters of the longest number in a table: ``−10^−2.7e+307``."""

FEW_ENTRIES = 10
"""Entries of so many keys may be written into the Jacobian."""


@dataclass(frozen=True, eq=False)
class GradientTable:
    """One row of the Jacobian, key by key, on both sides with the factor; the Jacobians in small.

    Attributes:
        answer: The vector, and the key whose weight is differentiated.
        keys: Those that are shown if they all fit.
        cursor: The key that is marked.
    """

    answer: VectorAnswer
    keys: NDArray[np.intp]
    cursor: int

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw the table, and below it maps where there is room for them."""
        cells = self.table(columns).draw(columns, lines, colours)
        free = lines - 2 - len(self.keys)
        if free >= 3:
            self._draw_maps(cells, len(self.keys) + 2, free, colours)
        return cells

    def table(self, columns: int) -> Table:
        """Return the numbers with as many digits as have room in a width.

        Where not even one has, the change is left out, and then the unscaled side.
        """
        answer, keys = self.answer, self.keys
        logs = [side.log_gradient(answer.of, answer.wrt, keys).tolist() for side in answer.sides]
        values = [side.gradient(answer.of, answer.wrt, keys).tolist() for side in answer.sides]
        names = [f"{key:,}" for key in keys.tolist()]
        marked = np.flatnonzero(keys == self.cursor)
        cursor = int(marked[0]) if marked.size else None

        def of(width: int, most: int) -> Table:
            before, after = (
                [scientific(*number, width=width) for number in zip(*side, strict=True)]
                for side in zip(values, logs, strict=True)
            )
            changes = [
                "–" if -np.inf in pair else ratio(pair[1] - pair[0], width=width)
                for pair in zip(*logs, strict=True)
            ]
            columns = [Column("key", names, "muted")]
            if most > 1:
                columns.append(Column(answer.names[0], before, "unscaled"))
            columns.append(Column(answer.names[1], after, "scaled"))
            if most > 2:
                columns.append(Column("change", changes))
            return Table(columns, cursor)

        for most in (3, 2, 1):
            for width in range(WIDEST, 3, -1):
                table = of(width, most)
                is_whole = not any("…" in column.texts for column in table.columns)
                if is_whole and len(table.fitting(columns - 2)) == most + 1:
                    return table
        return Table([Column("key", names, "muted")], cursor)

    def _draw_maps(self, cells: Cells, top: int, lines: int, colours: Palette) -> None:
        maps = Jacobians(self.answer, self.keys).draw(cells.columns, lines + 1, colours)
        cells.put(maps, 0, top - 1)


@dataclass(frozen=True, eq=False)
class Jacobians:
    """Both Jacobians side by side, each with its own largest entry as its scale.

    Attributes:
        answer: The vector.
        keys: Those whose rows and columns are shown if they fit.
        cursor: The key whose entry on the diagonal is marked; None leaves the margins out.
    """

    answer: VectorAnswer
    keys: NDArray[np.intp]
    cursor: int | None = None

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw a line with the scale of each map, and the maps below."""
        cells = Cells(columns, lines)
        width = (columns - 2) // 2
        keys = self.keys[: max(min(width, 2 * (lines - 1)), 0)]
        if not keys.size:
            return cells
        symbol = "s" if self.answer.wrt == "scores" else "z"
        for place, side in enumerate(self.answer.sides):
            entries = side.jacobian(keys, keys, self.answer.wrt)
            logs = side.log_jacobian(keys, keys, self.answer.wrt)
            most = float(logs.max())
            start = place * (width + 2)
            size = scientific(float(np.abs(entries).max()), most)
            heads = [f"∂p/∂{symbol} ±{size}", f"±{size}", ""]
            heads.insert(0, f"{self.answer.names[place]}: {heads[0]}")
            if colours.textured:
                heads = [f"{text}, {MORE[-1]} + {LESS[-1]} −" for text in heads[:3]] + heads
            cells.write(start, 0, next(t for t in heads if len(t) <= width), colours[SIDES[place]])
            levels = np.zeros(entries.shape)
            if most != -np.inf:
                # An entry that underflowed is 0 with its sign.
                levels = np.copysign(np.exp((logs - most) / 2.0), entries)
            texts = [
                [scientific(*number, width=9) for number in zip(*row, strict=True)]
                for row in zip(entries.tolist(), logs.tolist(), strict=True)
            ]
            drawing = self._map(levels, keys, texts if keys.size <= FEW_ENTRIES else ())
            cells.put(drawing.draw(width, lines - 1, colours), start, 1)
        return cells

    def _map(
        self, levels: NDArray[np.float64], keys: NDArray[np.intp], texts: Sequence[Sequence[str]]
    ) -> HeatMap:
        """Return one of the maps, with the names of its keys in the margins if one is marked."""
        if self.cursor is None:
            return HeatMap(levels, "both signs")
        names = [f"{key:,}" for key in keys.tolist()]
        marked = np.flatnonzero(keys == self.cursor)
        place = (int(marked[0]), int(marked[0])) if marked.size else None
        return HeatMap(levels, "both signs", names, names, texts, place)
