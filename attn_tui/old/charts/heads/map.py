"""Layers by heads as a map of one statistic, each cell with its shade, and its digits if they fit.

Where there is no room for all, rows and columns about the cursor are shown, and it is said which.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attn_tui.old.charts.grid import Grid
from attn_tui.old.charts.heads.shading import (
    SCALES,
    Scale,
    change_legend,
    change_scale,
    change_text,
    legend,
)
from attn_tui.old.charts.heat import signed_fill, signed_role
from attn_tui.old.charts.rows import first_fit
from attn_tui.report.heads.values import UNCOUNTED, brief
from attn_tui.report.rows import Row, filled, message

DIGITS = 5
"""Columns of a cell, the one between cells included, from which on it holds digits."""

ROOMY = 60
"""Columns of a map from which on its axes are named in full."""

ODD, UNKNOWN = "!", "_"
"""What marks a head of which rows meet NaN or infinity, and stands for one not looked at."""

WIDEST, TALLEST = 8, 3
"""Columns and rows that a cell has at most."""


@dataclass(frozen=True, eq=False)
class Picture:
    """What a map is of.

    Attributes:
        name: The statistic.
        values: Shape (layers, heads); NaN where there is none.
        known: Which heads were looked at, shape (layers, heads).
        there: Which heads there are, shape (layers, heads).
        layers: The number of each layer.
        cursor: The row and the column of the head with the cursor.
        is_change: Whether values are changes, as `changes` returns them.
        odd: Heads of which rows meet NaN or infinity.
        uncounted: Heads whose number does not count.
    """

    name: str
    values: NDArray[np.float64]
    known: NDArray[np.bool_]
    there: NDArray[np.bool_]
    layers: Sequence[int]
    cursor: tuple[int, int]
    is_change: bool = False
    odd: frozenset[tuple[int, int]] = frozenset()
    uncounted: frozenset[tuple[int, int]] = frozenset()

    @property
    def scale(self) -> Scale:
        """How dark values are."""
        return change_scale(self.name) if self.is_change else SCALES[self.name]

    def text(self, value: float) -> str:
        """Return a value in at most four cells."""
        return change_text(self.name, value) if self.is_change else brief(self.name, value)


@dataclass(frozen=True)
class Layout:
    """Where cells stand.

    Attributes:
        first: The first row and the first column that are shown.
        shape: How many rows and columns.
        gutter: Columns left of the cells.
        cell: Columns of a cell, with the one between it and the next where it has more than one.
        tall: Rows of a cell.
    """

    first: tuple[int, int]
    shape: tuple[int, int]
    gutter: int
    cell: int
    tall: int

    @property
    def body(self) -> int:
        """Columns of a cell that are drawn."""
        return max(self.cell - 1, 1)

    def at(self, x: int, y: int) -> tuple[int, int] | None:
        """Return the layer's row and the head at a place below the heads of columns, or None."""
        row, column = y // self.tall, (x - self.gutter) // self.cell
        inside = 0 <= row < self.shape[0] and 0 <= column < self.shape[1] and x >= self.gutter
        return (self.first[0] + row, self.first[1] + column) if inside else None


def layout(picture: Picture, width: int, height: int) -> Layout | None:
    """Return where cells stand in the rows below the heads of columns; None if there is no room."""
    layers, heads = picture.values.shape
    gutter = _gutter(picture.layers, width)
    columns, rows = width - gutter, height
    if not layers or columns < 1 or rows < 1:
        return None
    cell = min(max(columns // heads, 1), WIDEST)
    shown = min(columns // cell, heads)
    tall = min(max(rows // layers, 1), TALLEST, max(cell // 2, 1))
    lines = min(rows // tall, layers)
    row, column = picture.cursor
    return Layout(
        (_first(row, lines, layers), _first(column, shown, heads)),
        (lines, shown),
        gutter,
        cell,
        tall,
    )


def _gutter(layers: Sequence[int], width: int) -> int:
    return 1 + len(_axes(width)[0]) + len(str(layers[-1])) + 1


def _axes(width: int) -> tuple[str, str]:
    """Return what stands before the number of a layer, and of a head."""
    return ("layer ", "head") if width >= ROOMY else ("L", "H")


def widest(layers: Sequence[int], heads: int) -> int:
    """Return how many columns a map of so many layers and heads fills at most."""
    return _gutter(layers, ROOMY) + heads * WIDEST


def _first(cursor: int, shown: int, count: int) -> int:
    """Return the first of those shown about the cursor."""
    return min(max(cursor - shown // 2, 0), count - shown)


def place_on_map(
    picture: Picture, x: int, y: int, width: int, height: int
) -> tuple[int, int] | None:
    """Return the row and the column of the head at a column and a row of the map, or None."""
    seen = layout(picture, width, _rows(height))
    return seen.at(x, y - 1) if seen else None


def _rows(height: int) -> int:
    """Return the rows that cells have: one is for the heads of columns, another for the legend."""
    return height - 1 - (height >= 4)


def head_map(picture: Picture, width: int, height: int) -> Sequence[Row]:
    """Draw the map.

    Args:
        picture: What it is of.
        width: Cells of every row returned.
        height: Number of rows returned.
    """
    seen = layout(picture, width, _rows(height))
    if seen is None:
        return message(" Map: too small", width, height)
    grid = Grid(width, 1 + seen.shape[0] * seen.tall)
    _heads(grid, picture, seen)
    for row in range(seen.shape[0]):
        _layer(grid, picture, seen, row)
    rows = [*grid.rows()]
    if height >= 4:
        rows += [()] * (height - len(rows) > 1)
        rows.append(first_fit([((" ", "text"), *each) for each in _legends(picture, seen)], width))
    return filled(rows, width, height)


def _legends(picture: Picture, seen: Layout) -> list[Row]:
    """Return what shades and marks mean, in decreasing length: that of shades goes first."""
    of_shades = legend(picture.name, with_digits=seen.cell >= DIGITS)
    rows = change_legend(picture.name) if picture.is_change else of_shades
    if out := _out_of_sight(picture, seen):
        rows = [(*row, (f"  {out}", "strong")) for row in rows] + rows
    marks: Row = ()
    for mark, meaning, marked in (
        (UNCOUNTED, "does not count", picture.uncounted - picture.odd),
        (ODD, "meets NaN", picture.odd),
    ):
        if marked:
            marks = (*marks, (f"  {mark} {meaning}", "error"))
    rows = [(*row, *marks) for row in rows] + [marks] * bool(marks)
    if (picture.there & ~picture.known).any():
        rows = [(*row, (f"   {UNKNOWN} not yet", "muted")) for row in rows[:1]] + rows
    return rows


def _out_of_sight(picture: Picture, seen: Layout) -> str:
    """Return which layers and heads are shown, where these are not all."""
    texts = []
    for name, numbers, first, shown in (
        ("layers", picture.layers, seen.first[0], seen.shape[0]),
        ("heads", range(picture.values.shape[1]), seen.first[1], seen.shape[1]),
    ):
        if shown < len(numbers):
            texts.append(f"{name} {numbers[first]}–{numbers[first + shown - 1]} of {len(numbers)}")
    return ", ".join(texts)


def _heads(grid: Grid, picture: Picture, seen: Layout) -> None:
    """Write the numbers of heads above the columns, as many as fit, that of the cursor first."""
    here = picture.cursor[1]
    grid.put(0, 0, _axes(grid.width)[1].rjust(seen.gutter - 1), "label")
    columns = range(seen.first[1], seen.first[1] + seen.shape[1])
    step = next((s for s in (1, 2, 4, 8, 16, 32) if s * seen.cell > len(str(columns[-1]))), 64)
    for column in sorted(columns, key=lambda at: (at != here, at)):
        if column % step and column != here:
            continue
        text, left = str(column), seen.gutter + (column - seen.first[1]) * seen.cell
        # Above digits, which are set flush right.
        room = seen.body - len(text)
        start = left + max(room if seen.cell >= DIGITS else room // 2, 0)
        grid.put_if_free(start, 0, text, "cursor" if column == here else "label")


def _layer(grid: Grid, picture: Picture, seen: Layout, row: int) -> None:
    at = seen.first[0] + row
    top = 1 + row * seen.tall
    middle = top + (seen.tall - 1) // 2
    is_here = at == picture.cursor[0]
    number = str(picture.layers[at])
    if row == 0 or grid.width < ROOMY:
        number = _axes(grid.width)[0] + number.rjust(len(str(picture.layers[-1])))
    grid.put(0, middle, number.rjust(seen.gutter - 1), "cursor" if is_here else "label")
    for place in range(seen.shape[1]):
        column = seen.first[1] + place
        if not picture.there[at, column]:
            continue
        left = seen.gutter + place * seen.cell
        _cell(grid, picture, (at, column), seen, left, top)
        if (at, column) == picture.cursor:
            _mark(grid, seen, left, top)


def _cell(
    grid: Grid, picture: Picture, head: tuple[int, int], seen: Layout, left: int, top: int
) -> None:
    value, middle = float(picture.values[head]), top + (seen.tall - 1) // 2
    if not picture.known[head]:
        grid.put(left, middle, UNKNOWN * seen.body, "muted")
        return
    counts = head not in picture.uncounted
    # A number that does not count has no shade.
    shade = picture.scale.shade(value) if counts else 0
    role, fill = signed_role(value, shade), signed_fill(value, shade)
    text = "" if seen.cell < DIGITS or np.isnan(value) else picture.text(value)
    if (text and not shade) or not counts:
        fill = " "
    for y in range(top, top + seen.tall):
        grid.put(left, y, fill * seen.body, role)
    if text:
        # The number has its shade beside it, and below it where a cell is higher.
        own = f"{fill * (seen.body - 4)}{text:>4}"
        grid.put(left, middle, own, role)
    if mark := ODD if head in picture.odd else "" if counts else UNCOUNTED:
        # In the place of a number that leaves it none.
        alone = len(text) >= seen.body
        grid.put(left, middle, mark + " " * (seen.body - 1) * alone, "error")


def _mark(grid: Grid, seen: Layout, left: int, top: int) -> None:
    """Mark the cell with the cursor: by brackets, or where there is no room in its place."""
    for y in range(top, top + seen.tall):
        if seen.cell > 1:
            grid.put(left - 1, y, "[", "cursor")
            grid.put(left + seen.body, y, "]", "cursor")
        else:
            grid.put(left, y, "+", "focus")
