"""The gradient as a table, and the Jacobian as two maps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Palette
from attn_tui.charts.glyphs import LESS, MORE
from attn_tui.charts.heat_map import HeatMap
from attn_tui.charts.table import Column, Table
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.explore.bars import SIDES
from attn_tui.report.numbers import ratio, scientific, weight_name

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
        has_maps: Whether the Jacobians are not shown elsewhere.
    """

    answer: VectorAnswer
    keys: NDArray[np.intp]
    cursor: int
    has_maps: bool = True

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw the table, and below it maps where there is room for them."""
        cells = self.table(columns).draw(columns, lines, colours)
        free = lines - 2 - len(self.keys)
        if free >= 3 and self.has_maps:
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
        keys = self.keys[: 2 * lines]
        maps = Jacobians(self.answer, keys).draw(cells.columns, lines + 1, colours)
        cells.put(maps, 0, top - 1)


@dataclass(frozen=True, eq=False)
class Jacobians:
    """Both Jacobians as maps, each with its own largest entry as its scale.

    Attributes:
        answer: The vector.
        keys: Those whose rows and columns are shown.
    """

    answer: VectorAnswer
    keys: NDArray[np.intp]

    @property
    def symbol(self) -> str:
        """What they are derivatives by: scores or logits."""
        return "s" if self.answer.wrt == "scores" else "z"

    @cached_property
    def _sides(self) -> Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """The entries of each side, and the logarithms of their sizes."""
        wrt, keys = self.answer.wrt, self.keys
        return [
            (side.jacobian(keys, keys, wrt), side.log_jacobian(keys, keys, wrt))
            for side in self.answer.sides
        ]

    @cached_property
    def _maps(self) -> Sequence[HeatMap]:
        return [self._map(entries, logs) for entries, logs in self._sides]

    def _map(self, entries: NDArray[np.float64], logs: NDArray[np.float64]) -> HeatMap:
        most = float(logs.max())
        levels = np.zeros(entries.shape)
        if most != -np.inf:
            # An entry that underflowed is 0 with its sign.
            levels = np.copysign(np.exp((logs - most) / 2.0), entries)
        names = [f"{key:,}" for key in self.keys.tolist()]
        texts: list[list[str]] = []
        if self.keys.size <= FEW_ENTRIES:
            texts = [
                [scientific(*number, width=9) for number in zip(*row, strict=True)]
                for row in zip(entries.tolist(), logs.tolist(), strict=True)
            ]
        return HeatMap(levels, "both signs", names, names, texts)

    def heat_map(self, place: int, cursor: tuple[int, int]) -> HeatMap:
        """Return the map of a side with a row and a column marked."""
        return replace(self._maps[place], cursor=cursor)

    def head(self, place: int, columns: int, colours: Palette) -> str:
        """Return the name of a side with the scale of its map, as much as has room."""
        entries, logs = self._sides[place]
        size = scientific(float(np.abs(entries).max()), float(logs.max()))
        heads = [f"∂p/∂{self.symbol} ±{size}", f"±{size}", ""]
        heads.insert(0, f"{self.answer.names[place]}: {heads[0]}")
        if colours.textured:
            heads = [f"{text}, {MORE[-1]} + {LESS[-1]} −" for text in heads[:3]] + heads
        return next(text for text in heads if len(text) <= columns)

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw both in small: a line with the scale of each, and below it maps without margins."""
        cells = Cells(columns, lines)
        width = (columns - 2) // 2
        if width < 1 or lines < 2:
            return cells
        for place, heat_map in enumerate(self._maps):
            start = place * (width + 2)
            cells.write(start, 0, self.head(place, width, colours), colours[SIDES[place]])
            bare = HeatMap(heat_map.levels, heat_map.kind)
            cells.put(bare.draw(width, lines - 1, colours), start, 1)
        return cells


@dataclass(frozen=True, eq=False)
class JacobianHead:
    """The line above one of the maps."""

    jacobians: Jacobians
    place: int

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw it."""
        cells = Cells(columns, lines)
        text = self.jacobians.head(self.place, columns, colours)
        cells.write(0, 0, text, colours[SIDES[self.place]])
        return cells


@dataclass(frozen=True, eq=False)
class JacobianEntry:
    """One entry in words: how a weight answers to a score, on both sides.

    Attributes:
        answer: The vector.
        row: The key of the weight.
        column: The key of the score.
    """

    answer: VectorAnswer
    row: int
    column: int

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw a line with as much as has room."""
        cells = Cells(columns, lines)
        wrt = self.answer.wrt
        row, column = np.array([self.row]), np.array([self.column])
        values = [float(side.jacobian(row, column, wrt)[0, 0]) for side in self.answer.sides]
        logs = [float(side.log_jacobian(row, column, wrt)[0, 0]) for side in self.answer.sides]
        symbol = "s" if wrt == "scores" else "z"
        score = weight_name(self.column).replace("p", symbol)
        parts = [(f"∂{weight_name(self.row)}/∂{score}", "text")]
        for value, log, side in zip(values, logs, SIDES, strict=True):
            parts.append((scientific(value, log), side))
        if -np.inf not in logs:
            parts.append((ratio(logs[1] - logs[0], width=WIDEST), "text"))
        place = 0
        for text, kind in parts:
            if place + len(text) > columns:
                break
            cells.write(place, 0, text, colours[kind])
            place += len(text) + 3
        return cells
