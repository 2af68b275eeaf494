"""A head as maps of weights, queries as rows and keys as columns, with one scale of shades."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.glyphs import FALLS, NAN, POINTER, SHADES
from attn_tui.compute.attention.answer import Answer, change_of, changes
from attn_tui.compute.attention.rows import HIDDEN, Numbers, Side, Weights
from attn_tui.compute.logit_map import PLAIN
from attn_tui.old.charts.grid import Grid
from attn_tui.old.charts.heat import signed_fill, signed_role
from attn_tui.old.charts.rows import beside, first_fit, first_text
from attn_tui.report.headline import done
from attn_tui.report.rows import Row, filled, fitted, message
from attn_tui.report.sides import Side as Which
from attn_tui.report.sides import role_of

STEPS = (0.01, 0.1, 0.3, 0.9)
"""From which weight on there is each shade; it never moves, so that maps can be compared."""

GAP = 3
"""Columns between two maps."""

_DISTANCES = (1, 2, 5, 10, 20, 50, 100, 200, 500)
"""Cells from one number of a key to the next."""

_LEAST = 8
"""Columns of cells that a map has at least where there are two."""

_NONE = -2.0
"""What stands for NaN: less than any weight, or change of one, and more than `HIDDEN`."""

_MORE = f"{SHADES[-1]} more, {FALLS[-1]} less"
_CHANGE = (f"now − pinned: {_MORE}", f"{_MORE} now", "now − pinned", "change")
"""What the third map is called, at decreasing length."""

Order = NDArray[np.intp]


@dataclass(frozen=True)
class Layout:
    """Where the cells of a map stand.

    Attributes:
        rows: How many queries a cell stands for.
        columns: How many blocks of keys it stands for.
        keys: How many keys it stands for.
        body: Columns of the screen that a cell takes.
        tall: Rows of the screen that it takes.
        gutter: Columns left of the cells.
        width: Columns of one map.
        maps: How many maps there are, one to three: the third is of what has changed.
        heads: Whether there is a line of keys above them.
        legend: Whether there is a line that explains the shades.
        window: Of a part of the head, the place of its first query, its first key, and how many
            there are of each; None is the whole.
    """

    rows: int
    columns: int
    keys: int
    body: int
    tall: int
    gutter: int
    width: int
    maps: int
    heads: bool
    legend: bool
    window: tuple[int, int, int, int] | None = None

    @property
    def first(self) -> tuple[int, int]:
        """The place of the first query that is shown, and the first key."""
        return self.window[:2] if self.window else (0, 0)

    def height(self, n_rows: int) -> int:
        """Return how many rows of the screen so many queries take, with all around them."""
        cells = self.window[2] if self.window else -(-n_rows // self.rows)
        return 1 + self.heads + cells * self.tall + self.legend

    def at(self, answer: Answer, order: Order, x: int, y: int) -> tuple[int, int] | None:
        """Return the query and the key at a place of the chart, or None beside the cells."""
        x %= self.width + GAP
        place, column = y - 1 - self.heads, x - self.gutter
        if place < 0 or column < 0 or (self.window and place >= self.window[2]):
            return None
        row, first = self.first
        at, key = row + place // self.tall * self.rows, first + column // self.body * self.keys
        return (int(order[at]), key) if at < order.size and key < answer.n_keys else None


def layout(
    answer: Answer, width: int, height: int, around: tuple[int, int] | None = None
) -> Layout | None:
    """Return where cells stand in so many columns and rows; None where there is no room.

    Args:
        answer: The head.
        width: Columns of the screen.
        height: Rows of it.
        around: The place of a query and a key: each cell shows one weight, near these, where not
            all fit. None shows the whole.
    """
    n_rows, n_columns = answer.unscaled.blocks.shape
    gutter = len(f"{answer.n_queries - 1:,}") + 2
    least, most = gutter + min(n_columns, _LEAST), 2 if answer.pinned is None else 3
    maps = min(max((width + GAP) // (least + GAP), 1), most)
    own = (width + GAP) // maps - GAP
    heads, legend = height >= 7, height >= 9
    lines, room = height - 1 - heads - legend, own - gutter
    if lines < 1 or room < 1:
        return None
    rows, columns = -(-n_rows // lines), -(-n_columns // room)
    if around and rows * columns * answer.block > 1 and room > 1:
        n_rows = answer.n_queries
        down, across = min(n_rows, lines), min(answer.n_keys, room // 2)
        row, key = (
            min(max(at - shown // 2, 0), of - shown)
            for at, shown, of in zip(around, (down, across), (n_rows, answer.n_keys), strict=True)
        )
        window = row, key, down, across
        return Layout(1, 1, 1, 2, 1, gutter, own, maps, heads, legend, window)
    body, tall = room // -(-n_columns // columns), lines // -(-n_rows // rows)
    # A cell is about as wide as it is tall: twice as many columns as rows.
    tall = min(tall, (body + 1) // 2 or 1)
    body = min(body, 2 * tall + 1)
    keys = columns * answer.block
    return Layout(rows, columns, keys, body, tall, gutter, own, maps, heads, legend)


def head_map(
    answer: Answer,
    order: Order,
    cursor: tuple[int, int],
    side: Which,
    width: int,
    height: int,
    near: bool = False,
) -> tuple[Row, ...]:
    """Draw both sides of a head, and what has changed from a pinned one, or what there is room for.

    Where not all weights fit, a cell shows the largest of those it stands for.

    Args:
        answer: The weights; rows that are not known yet are left blank.
        order: The queries, as they stand from the top down.
        cursor: The query and the key that are marked.
        side: Which side is shown where there is room for one.
        width: Cells of every row returned.
        height: Number of rows returned.
        near: Whether each cell shows one weight, around the cursor, where not all fit.
    """
    place = layout(answer, width, height, around(order, cursor) if near else None)
    if place is None:
        return message("A head: too small for a map", width, height)
    shown = range(place.maps) if place.maps > 1 else (int(side == "scaled"),)
    blocks = [_map(answer, which, order, cursor, place) for which in shown]
    rows = blocks[0]
    for more in blocks[1:]:
        rows = beside(rows, more, GAP)
    legend = [first_fit(_legends(answer, place), width)] if place.legend else []
    return filled([*rows, *legend], width, height)


def _map(
    answer: Answer, which: int, order: Order, cursor: tuple[int, int], place: Layout
) -> tuple[Row, ...]:
    """Return one side below its title, and below the numbers of keys where there is room."""
    weights = _cells(answer, which, order, place)
    (first, first_key), n_cells = place.first, weights.shape[1]
    is_change = which == len(answer.sides)
    role = "strong" if is_change else role_of(answer.names[which])
    grid = Grid(place.width, len(weights) * place.tall)
    here = (around(order, cursor)[0] - first) // place.rows
    at = (cursor[1] - first_key) // place.keys
    shades = np.searchsorted(STEPS, np.abs(weights), side="right")
    for row, (line, its) in enumerate(zip(weights.tolist(), shades.tolist(), strict=True)):
        top = row * place.tall
        middle = top + (place.tall - 1) // 2
        query = f"{order[first + row * place.rows]:,}".rjust(place.gutter - 2)
        mark = POINTER if row == here else " "
        grid.put(0, middle, mark + query, "cursor" if row == here else "label")
        for column, (weight, shade) in enumerate(zip(line, its, strict=True)):
            left, is_here = place.gutter + column * place.body, (row, column) == (here, at)
            own = signed_role(weight, shade) if is_change else role
            for y in range(top, top + place.tall):
                text, its_role = _cell(weight, shade, own, place.body, y == middle)
                grid.put(left, y, text, "cursor" if is_here else its_role)
            if is_here and place.body > 2:
                grid.put(left, middle, "[", "cursor")
                grid.put(left + place.body - 1, middle, "]", "cursor")
    heads = _heads(place, n_cells, at) if place.heads else ()
    titles = _CHANGE if is_change else _titles(answer, which)
    if answer.is_drawn and answer.pinned is None and (which == 0 or place.maps == 1):
        # Not what was asked on other instruments.
        titles = [*(f"drawn head, {each}" for each in titles), f"drawn, {titles[-1]}", *titles]
    title = fitted(((first_text(titles, place.width), role),), place.width)
    return (title, *heads, *grid.rows())


def around(order: Order, cursor: tuple[int, int]) -> tuple[int, int]:
    """Return the place of the cursor's query in an order of the rows, and its key."""
    return int(np.flatnonzero(order == cursor[0])[0]), cursor[1]


def _cells(answer: Answer, which: int, order: Order, place: Layout) -> Weights:
    """Return the largest weight of each cell, or change; `HIDDEN` where all is masked."""
    is_change = which == len(answer.sides)
    if place.window is None:
        size = order.tobytes(), place.rows, place.columns, answer.done
        if is_change:
            return largest_change(*answer.sides, *size)
        return largest(answer.sides[which], *size)
    row, key, down, across = place.window
    rows = [_row(answer, query) for query in order[row : row + down].tolist()]
    first, second = (np.array([each[at][key : key + across] for each in rows]) for at in (0, 1))
    return change_of(first, second) if is_change else (first, second)[which]


@lru_cache(maxsize=128)
def _row(answer: Answer, row: int) -> tuple[Numbers, Numbers]:
    """Return the weights of a row on both sides; `HIDDEN` where a key is masked."""
    sides = answer.row(row)
    first, second = (np.where(side.attended, side.weights(), HIDDEN) for side in sides)
    return first, second


@lru_cache(maxsize=4)
def largest(side: Side, order: bytes, rows: int, columns: int, done: int) -> Numbers:
    """Return the largest weight of so many rows and blocks each; `HIDDEN` where all is masked.

    Args:
        side: The weights.
        order: The rows, as they stand from the top down: their bytes, since moving the cursor
            draws the same again.
        rows: How many of them a cell stands for.
        columns: How many blocks.
        done: How many rows are known: others are written meanwhile.
    """
    return _largest(side.blocks, order, rows, columns)


@lru_cache(maxsize=2)
def largest_change(
    pinned: Side, now: Side, order: bytes, rows: int, columns: int, done: int
) -> Numbers:
    """Return the largest change of so many rows and blocks each, with its sign; as `largest`."""
    change = changes(pinned, now)
    fall = np.where(change == HIDDEN, HIDDEN, -change)
    more, less = (_largest(each, order, rows, columns) for each in (change, fall))
    return np.where(less > more, -less, more)


def _largest(numbers: Weights, order: bytes, rows: int, columns: int) -> Numbers:
    """Return the largest of so many rows and columns each, of which NaN hides no other."""
    places = np.frombuffer(order, np.intp)
    starts = np.arange(0, places.size, rows), np.arange(0, numbers.shape[1], columns)
    # A copy of a large head takes longer than all the rest.
    as_they_are = bool((places == np.arange(places.size)).all())
    ordered = numbers[: places.size] if as_they_are else numbers[places]
    if np.isnan(ordered).any():
        ordered = np.nan_to_num(ordered, nan=_NONE, neginf=HIDDEN)
    found = np.maximum.reduceat(np.maximum.reduceat(ordered, starts[0]), starts[1], axis=1)
    return np.where(found == _NONE, np.nan, found)


def _cell(weight: float, shade: int, role: str, body: int, is_middle: bool) -> tuple[str, str]:
    """Return one row of a cell, and its role."""
    if weight == HIDDEN:
        return " " * body, "text"
    if np.isnan(weight):
        return NAN.center(body) if is_middle else " " * body, "error"
    if shade == 0:
        return SHADES[0].center(body) if is_middle else " " * body, "zero"
    return signed_fill(weight, shade) * body, role


def _heads(place: Layout, count: int, at: int) -> tuple[Row, ...]:
    """Return the line of the numbers of keys: the cursor's first, then others at one distance."""
    grid = Grid(place.width, 1)
    first = place.first[1]
    widest = len(str(first + (count - 1) * place.keys)) + 2
    step = next(step for step in _DISTANCES if step * place.body >= min(widest, place.width))
    for column in (at, *range(0, count, step)):
        text = f"{first + column * place.keys}"
        left = place.gutter + column * place.body + (place.body - len(text)) // 2
        grid.put_if_free(max(left, place.gutter), 0, text, "cursor" if column == at else "label")
    return grid.rows()


def _titles(answer: Answer, which: int) -> Sequence[str]:
    """Return what a side is called with what was done to its scores, at decreasing length."""
    name = answer.names[which]
    if which == 0 and answer.pinned is None:
        return f"{name}: queries down, keys across", name
    head = answer.head if which else answer.pinned or answer.head
    ms = {*answer.sides[which].multiplier[answer.choosing].tolist()}
    scale, setup = head.setup.scale, head.setup
    if len(ms) != 1:
        return f"{name}: m = {scale.formula}", name
    n = int(answer.attended[answer.choosing[0]])
    to_logits = scale.logit_map(setup.d_k, n)
    how = "not divided" if to_logits == PLAIN else done(to_logits).lower()
    text = how if name == "scaled" else f"{name}: {how}"
    return (text, name) if name != "scaled" else (text, how, name)


def _legends(answer: Answer, place: Layout) -> Sequence[Row]:
    """Return what the shades stand for, and what a cell does, at decreasing length."""
    samples: Row = ((f"{SHADES[0]} ", "zero"), (f"below {_percent(STEPS[0])}", "label"))
    short: Row = ((f"{SHADES[0]} ", "zero"), ("<1 %", "label"))
    tight: Row = ((SHADES[0], "zero"), ("<1", "label"))
    for shade, step in enumerate(STEPS, 1):
        samples = (
            *samples,
            (f"  {SHADES[shade] * 2}", "text"),
            (f" from {_percent(step)}", "label"),
        )
        tight = (*tight, (f" {SHADES[shade]}", "text"), (f"{100 * step:.0f}", "label"))
        short = (*short, (f" {SHADES[shade]}", "text"), (f" {100 * step:.0f}", "label"))
    if place.window:
        down, across = place.window[2:]
        tiny = f"{down:,} × {across:,} of {answer.n_queries:,} × {answer.n_keys:,}"
        each = f"a part: {tiny} weights"
    elif place.rows * place.keys == 1:
        blank: Row = (("   blank: masked", "label"),) * _is_masked(answer)
        return (*samples, *blank), (*short, *blank), samples, short, (*tight, (" %", "label"))
    else:
        tiny = f"largest of {place.rows:,} × {place.keys:,}"
        each = f"each cell: the {tiny} weights"
    to_come = ", or to come" * (answer.done < answer.n_queries)
    blank = ((f"   blank: masked{to_come}", "label"),) * _is_masked(answer)
    return (
        (*samples, (f"   {each}", "label"), *blank),
        (*samples, (f"   {each}", "label")),
        ((each, "label"), ("  ", "text"), *short),
        ((tiny, "label"), ("  ", "text"), *short),
        ((tiny, "label"), ("  ", "text"), *tight, (" %", "label")),
        ((tiny, "label"),),
    )


def _is_masked(answer: Answer) -> bool:
    """Return whether a key is masked for a query that is known."""
    return bool((answer.attended[answer.known] < answer.n_keys).any())


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
