"""The pictures of Attention: the weights of a head as maps, and one row as numbers and as bars."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Palette
from attn_tui.charts.glyphs import FILLS, TRACK
from attn_tui.charts.heat_map import ColourBar, HeatMapDrawing
from attn_tui.compute.attention.answer import Answer
from attn_tui.compute.attention.rows import HIDDEN
from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.numbers import (
    brief_percent,
    fine_percent,
    general,
    percent,
    percent_tick,
    quantity,
)
from attn_tui.report.report import SIDES
from attn_tui.report.rows import cells as cells_of
from attn_tui.report.text import shortened
from attn_tui.report.words import SAME, times

Cursor = tuple[int, int]
"""A query and a key."""

CursorLine = tuple[str, ...]
"""The label of a number, its values on both sides, a note, and the kind of the note."""

TICKS = (1.0, 0.5, 0.1, 0.01, 0.25, 0.75)
"""Weights labelled on the colour bar, the most important first."""

EIGHTHS = "▁▂▃▄▅▆▇█"
"""Cells filled from below by one to eight eighths."""

FEW = 24
"""Up to this many keys, the cells may have room for numbers."""

TOKEN, QUOTED = 8, 20
"""The most cells of a token in the margin of a map, and where it is quoted."""


def level(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the places of weights on the ramp, from 0 to 1: roots, to tell small ones apart."""
    return np.sqrt(weight)


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of queries and keys.

    Attributes:
        tokens: The words by position; there may be fewer than positions, or none.
    """

    tokens: Sequence[str] = ()

    def short(self, place: int) -> str:
        """Return the label for a margin: the token, or the position where there is none to see."""
        token = self.tokens[place].strip() if place < len(self.tokens) else ""
        return shortened(token, TOKEN) if cells_of(token) else f"{place:,}"

    def long(self, kind: str, place: int) -> str:
        """Return a query or a key with its token, if it has one: ``key 2 “sat”``."""
        quoted = f" “{shortened(self.tokens[place], QUOTED)}”" if place < len(self.tokens) else ""
        return f"{kind} {place:,}{quoted}"


@dataclass(frozen=True, eq=False)
class Maps:
    """The weights of a head on both sides as maps, without a cursor.

    Attributes:
        answer: The numbers.
        labels: The labels of queries and keys.
    """

    answer: Answer
    labels: Labels

    @cached_property
    def _maps(self) -> tuple[HeatMapDrawing, HeatMapDrawing]:
        first, second = map(self._map, range(2))
        return first, second

    def _map(self, side: int) -> HeatMapDrawing:
        answer = self.answer
        blocks = answer.sides[side].blocks
        # Rows that are not known yet are as blank as masked keys.
        is_seen = blocks > HIDDEN
        levels = np.where(is_seen, level(np.where(is_seen, blocks, 0.0)), np.nan)
        rows = [self.labels.short(row) for row in range(answer.n_queries)]
        columns = [self.labels.short(key) for key in range(0, answer.n_keys, answer.block or 1)]
        texts: list[list[list[str]]] = []
        if answer.n_keys <= FEW:
            sizes = answer.sides[side].log_of_rounded.tolist()
            texts = [
                [
                    [write(p, size) if p > HIDDEN else "" for p in row]
                    for row, size in zip(blocks.tolist(), sizes, strict=True)
                ]
                for write in (percent, brief_percent)
            ]
        return HeatMapDrawing(levels, SIDES[side], rows, columns, longer=texts, place=self.place)

    def place(self, row: int, column: int) -> Cursor:
        """Return the query and the key that an entry of a map stands for."""
        return row, self.key_of(row, column)

    def heat_map(self, side: int, cursor: Cursor, has_bar: bool = False) -> HeatMapDrawing:
        """Return the map of a side with its cursor.

        Args:
            side: 0 for the first, 1 for the second.
            cursor: The query and the key that are marked.
            has_bar: Whether it has a colour bar beside it.
        """
        query, key = cursor
        place = query, key // self.answer.block
        heat_map = self._maps[side]
        mark = float(heat_map.levels[place])
        bar = bar_of(SIDES[side], mark) if has_bar else None
        return heat_map.marked(place, bar)

    def hidden(self, heat_map: HeatMapDrawing, columns: int, lines: int, is_textured: bool) -> str:
        """Return the note that each cell shows the largest of several weights; empty if not.

        Args:
            heat_map: The map.
            columns: Its width.
            lines: Its height.
            is_textured: Whether glyphs stand for colours, so that a cell holds one row instead of
                two.
        """
        wide, high = heat_map.room(columns, lines, 1 if is_textured else 2)
        rows, across = heat_map.levels.shape
        if not (wide and high):
            return ""
        queries = max(ceil(rows / high), 1)
        keys = self.answer.block * max(ceil(across / wide), 1)
        return "" if queries == keys == 1 else f"each the largest of {queries} × {keys}"

    def key_of(self, query: int, column: int) -> int:
        """Return the key with the largest weight on the first side in a block of keys.

        A typed row that is shorter than others has blank cells behind its last key; they stand for
        that one.
        """
        block = self.answer.block
        first = min(column * block, self.answer.n_keys_of(query) - 1)
        if block == 1:
            return first
        weights = self.answer.row(query)[0].weights()
        return first + int(weights[first : first + block].argmax())


def bar_of(kind: str, mark: float | None = None) -> ColourBar:
    """Return the colour bar of a side, with a mark at a level if one is given."""
    ticks = [(float(np.sqrt(weight)), percent_tick(weight)) for weight in TICKS]
    return ColourBar(kind, ticks, mark)


@dataclass(frozen=True)
class Bars:
    """The colour bars of both maps, which stand between them.

    Attributes:
        mark: The level of the cursor's key on the second side.
    """

    mark: float

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw both ramps side by side, and the ticks they share."""
        cells = Cells(columns, lines)
        first, second = ColourBar(SIDES[0], ()), bar_of(SIDES[1], self.mark)
        if columns >= first.BAR + second.width:
            cells.put(first.draw(first.width, lines, colours), 0, 0)
            cells.put(second.draw(second.width, lines, colours), first.BAR, 0)
        return cells


@dataclass(frozen=True, eq=False)
class RowNumbers:
    """One row on both sides in numbers.

    Attributes:
        sides: The row evaluated on both sides.
        key: The key of the cursor.
        name: The label of that key.
        query: The name of the row, for a single line, which has no title above it.
    """

    sides: tuple[Evaluation, Evaluation]
    key: int
    name: str
    query: str

    @property
    def change(self) -> tuple[str, str]:
        """The change of ‖∂p/∂s‖ as text, and the kind of its colour."""
        before, after = (side.frobenius("scores")[1] for side in self.sides)
        if before == -np.inf or not np.isfinite(after - before):
            return "", "muted"
        by = after - before
        if abs(by) < SAME:
            return "about the same", "muted"
        kind, sign = ("larger", "▲") if by > 0.0 else ("smaller", "▼")
        return f"{sign} {times(by)}", kind

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw a line for each number, or all of them in one line if there are too few lines."""
        cells = Cells(columns, lines)
        rows = [*self._rows()]
        if lines < len(rows):
            self._draw_line(cells, rows, colours)
            return cells
        labels, before, after = (max(cells_of(row[part]) for row in rows) for part in range(3))
        for line, (label, first, second, note, kind) in enumerate(rows):
            place = labels + 2
            cells.write(0, line, label, colours["muted"])
            cells.write(place, line, first.rjust(before), colours[SIDES[0]])
            cells.write(place + before + 1, line, "→", colours["muted"])
            cells.write(place + before + 3, line, second.ljust(after), colours[SIDES[1]])
            place += before + after + 5
            for text in (note, without_way(note)):
                if place + len(text) <= columns:
                    cells.write(place, line, text, colours[kind])
                    break
        return cells

    def _rows(self) -> Sequence[CursorLine]:
        """Return the numbers of the row, each with its label, both sides, a note and its kind."""
        first, second = self.sides
        key = np.array([self.key])
        score = float(second.unrounded[self.key])
        note = "masked" if score == -np.inf else f"s = {general(score, 4)}"
        keys = [int(side.weights().argmax()) for side in self.sides]
        on = f"on key {keys[0]:,}" if keys[0] == keys[1] else f"on keys {keys[0]:,}, {keys[1]:,}"

        def row(label: str, write: Callable[[Evaluation], str], *note: str) -> CursorLine:
            return label, write(first), write(second), *(note or ("", "muted"))

        has_sink = any(side.map.sink is not None for side in self.sides)
        among = f"of {int(second.attended.sum()):,}"
        if has_sink:
            among += " and the sink"
        rows = [
            row(self.name, lambda side: fine_percent(*side.pairs(key)[0]), note, "muted"),
            row(
                "largest weight",
                lambda side: fine_percent(side.max_weight, side.log_max_weight), on, "muted",
            ),
            row("effective keys", lambda side: quantity(side.effective_keys), among, "muted"),
            row("gradient", lambda side: quantity(*side.frobenius("scores")), *self.change),
        ]  # fmt: skip
        if has_sink:
            rows.append(row("the sink", lambda side: fine_percent(side.sink_weight)))
        return rows

    def _draw_line(self, cells: Cells, rows: Sequence[CursorLine], colours: Palette) -> None:
        """Draw the row in one line, with as many of its numbers as fit."""
        _, (_, *largest, on, _), (_, *effective, of, _), gradient, *_ = rows
        change = without_way(gradient[3])
        spans = [
            [(f"{self.query}: largest ", "muted"), *between(*largest)],
            [(", keys ", "muted"), *between(*effective)],
            [(", gradient ", "muted"), (change, gradient[4])],
            [(f", {on}, {of}", "muted")],
        ]
        place = 0
        for part in spans:
            if place + sum(len(text) for text, _ in part) > cells.columns:
                return
            for text, kind in part:
                cells.write(place, 0, text, colours[kind])
                place += len(text)


def between(first: str, second: str) -> Sequence[tuple[str, str]]:
    """Return both sides with an arrow between them, each with its kind."""
    return (first, SIDES[0]), (" → ", "muted"), (second, SIDES[1])


@dataclass(frozen=True, eq=False)
class KeyBars:
    """The weights of one row, key by key: the first side above the second.

    Attributes:
        sides: The row evaluated on both sides.
        key: The key that is marked.
        labels: The labels of keys.
    """

    sides: tuple[Evaluation, Evaluation]
    key: int
    labels: Labels

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw a bar for each key on both sides, or for the largest of each group of keys."""
        cells = Cells(columns, lines)
        height = (lines - 1) // 2
        n_keys = len(self.sides[0].unrounded)
        if height < 1 or columns < 1:
            return cells
        n_bars = min(n_keys, columns)
        pitch = min(columns // n_bars, 10)
        starts = np.arange(n_bars) * n_keys // n_bars
        for place, (side, kind) in enumerate(zip(self.sides, SIDES, strict=True)):
            weights = np.maximum.reduceat(side.weights(), starts)
            is_seen = np.maximum.reduceat(side.attended, starts)
            for bar, (weight, seen) in enumerate(zip(weights.tolist(), is_seen, strict=True)):
                if seen:
                    bottom = place * height + height - 1
                    columns_of_bar = range(bar * pitch, bar * pitch + max(pitch - 1, 1))
                    draw_bar(cells, columns_of_bar, bottom, height, weight, kind, colours)
        current = int(np.searchsorted(starts, self.key, side="right")) - 1
        order = sorted(range(n_bars), key=lambda bar: bar != current)
        for bar in order:
            is_current = bar == current
            text = self.labels.short(self.key if is_current else int(starts[bar]))
            width = cells_of(text)
            start = min(bar * pitch, columns - width)
            if cells.has_room(start, lines - 1, width):
                cells.write(start, lines - 1, text, colours["accent" if is_current else "muted"])
        return cells

    def reduced(self, columns: int) -> bool:
        """Return whether a bar stands for several keys at this width."""
        return len(self.sides[0].unrounded) > columns


def draw_bar(
    cells: Cells, columns: Sequence[int], bottom: int, height: int, share: float, kind: str,
    colours: Palette,
) -> None:  # fmt: skip
    """Draw a share from 0 to 1 as a bar upwards from a line, always high enough to be seen."""
    eighths = 1 if not share > 0.0 else max(round(share * height * 8), 1)
    for above in range(height):
        part = min(eighths - 8 * above, 8)
        if part <= 0:
            break
        sign = EIGHTHS[part - 1]
        if colours.textured and kind == SIDES[0]:
            # The glyph that fills this side has no eighths.
            sign = FILLS[kind] if part >= 4 else TRACK
        for column in columns:
            if part == 8 and not colours.textured:
                # Fonts leave a gap between full blocks.
                cells.backgrounds[bottom - above, column] = colours[kind]
            else:
                cells.write(column, bottom - above, sign, colours[kind])


def without_way(change: str) -> str:
    """Return a change without the word for its way, which its arrow shows as well."""
    return change.removesuffix(" larger").removesuffix(" smaller")
