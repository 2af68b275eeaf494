"""The table of weights and gradients on the screen: its columns, with bars, marks and titles."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from attn_tui.charts.glyphs import POINTER, SIZES, UNSCALED
from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.old.report.explore.tables import (
    Statistic,
    difference_column,
    gradient_columns,
    grown_column,
    norms,
    score_column,
    sinks,
)
from attn_tui.old.tui.explore.order import Keys
from attn_tui.old.tui.scene import ROOMY
from attn_tui.report.headline import done
from attn_tui.report.numbers import in_percent, places_of, quantity
from attn_tui.report.rows import Row, fitted, length
from attn_tui.report.sides import role_of
from attn_tui.report.table import Column, Table

NUMBER, CHANGE, SHARE = 9, 7, 7
"""Cells of a number, of a change, and of a weight in percent."""

_AROUND = 6
"""Cells of a weight in percent besides the places behind its point, with a blank before it."""

WIDEST_BAR = 48

_BARS = frozenset(f"{SIZES.strip()}{UNSCALED[-1]}")

TEXTURES = {"unscaled": UNSCALED[-1], "pinned": UNSCALED[-1]}
"""What bars of a side are made of, where that is not the whole block."""


def bar(fraction: float, width: int, texture: str = "█") -> str:
    """Return a bar on a scale from 0 to 1, to an eighth of a cell; blank for NaN.

    A weight above 0 that is too small for an eighth leaves the bar blank: a picture must not
    exaggerate. Another texture than whole blocks has whole cells.
    """
    if not 0.0 <= fraction <= 1.0:
        return " " * width
    if texture != "█":
        return (texture * round(fraction * width)).ljust(width)
    full, eighths = divmod(round(fraction * width * 8), 8)
    return ("█" * full + SIZES[eighths].strip()).ljust(width)


def thick(row: Row, lines: int) -> tuple[Row, ...]:
    """Return a row of the table in so many lines: bars are thick, all else stands in one of them.

    >>> ["".join(text for text, _ in row) for row in thick((("2 62 % ██▌", "scaled"),), 4)]
    ['       ██▌', '2 62 % ██▌', '       ██▌', '']
    """
    bars = tuple(("".join(c if c in _BARS else " " for c in text), role) for text, role in row)
    thickness = lines - (lines > 2)
    middle = (thickness - 1) // 2
    filled = (row if line == middle else bars for line in range(thickness))
    return (*filled, *[()] * (lines - thickness))


@dataclass(frozen=True)
class Marks:
    """What is marked among the keys.

    Attributes:
        cursor: The key the cursor is on.
        span: The first and the last key of the range that is selected, or None.
    """

    cursor: int
    span: tuple[int, int] | None = None

    def mark(self, key: int) -> str:
        """Return what stands in front of a key."""
        selected = self.span is not None and self.span[0] <= key <= self.span[1]
        return (POINTER if key == self.cursor else " ") + ("▪" if selected else " ")


def title_row(text: str, width: int, focused: bool) -> Row:
    """Return a rule with a title: ``─ title ─────``."""
    title: Row = (("─", "axis"), (f" {text} ", "focus" if focused else "title"))
    rest = max(width - length(title), 0)
    return fitted((*title, ("─" * rest, "axis")), width)


def key_table(
    answer: VectorAnswer,
    keys: Keys,
    width: int,
    marks: Marks,
    narrow: str = "",
    unmasked: Sequence[float] = (),
    ranked: bool = False,
) -> tuple[tuple[Row, ...], int]:
    """Return the head and a row a key, and how many cells of them stand before the gradient.

    Args:
        answer: The numbers.
        keys: The keys.
        width: Cells there are; bars take what numbers leave.
        marks: What is marked.
        narrow: The name of the half that a narrow table shows: weights or gradient.
        unmasked: The scores of the keys as they were before a mask, if there is one.
        ranked: Whether the keys with the largest weights on the second side stand first.
    """
    two, sides = answer.compared, list(zip(answer.names, answer.sides, strict=True))
    places = places_of(answer.vector.n_keys)
    share = max(SHARE, places + _AROUND)
    weights = [_share_column(name, side, keys, two, places, share) for name, side in sides]
    weights += [difference_column(answer, keys, "Δp", NUMBER)] if two else []
    gradients = [*gradient_columns(answer, keys, NUMBER), grown_column(answer, keys, CHANGE)]
    has_gradient = narrow == "gradient" if narrow else width >= ROOMY
    weights, gradients = weights * (narrow != "gradient"), gradients * has_gradient
    # On a narrow screen the difference of the weights stands in the place of the scores.
    size = (0 if two and weights else 6) if narrow else 8
    scores = [score_column(answer.scaled, keys, "s", size, unmasked)] if size else []
    bare = (_keys(answer, keys, marks), *scores, *weights, *gradients)
    room = width - Table(bare).width
    if two and scores and size <= room and _apart(answer):
        titles = zip(("s pin", "s now"), answer.sides, strict=True)
        scores = [score_column(side, keys, title, size - 1) for title, side in titles]
        room -= size
    for at, (name, side) in enumerate(sides if weights else ()):
        size = min(max(room // 2, 0), WIDEST_BAR)
        weights[at] = _with_bars(weights[at], name, side, keys, size, " ↓" * (ranked and at == 1))
    left = [_keys(answer, keys, marks), *(_marked(column, keys, marks) for column in scores)]
    before = Table((*left, *weights)).width
    table = Table(tuple(replace(each, above="") for each in (*left, *weights, *gradients)))
    return table.rows(table.width), before


def key_width(answer: VectorAnswer) -> int:
    """Return how many cells the column of keys takes."""
    return 2 + max(3, len(str(answer.vector.n_keys - 1)))


def _keys(answer: VectorAnswer, keys: Keys, marks: Marks) -> Column:
    size = key_width(answer)
    cells = tuple((f"{marks.mark(key)}{key:>{size - 2}}", "text") for key in keys.tolist())
    return _marked(Column("key", cells, width=size), keys, marks)


def _marked(column: Column, keys: Keys, marks: Marks) -> Column:
    """Return a column with the line of the cursor in a role of its own."""
    pairs = zip(column.cells, keys.tolist(), strict=True)
    cells = ((text, "strong" if key == marks.cursor else "text") for (text, _), key in pairs)
    return replace(column, cells=tuple(cells))


def _share_column(
    name: str, side: Evaluation, keys: Keys, two: bool, places: int, width: int
) -> Column:
    """Return the weights of keys in percent, or that they are masked; of two answers, 0 %."""
    role = role_of(name)
    numbers = side.weights(keys), side.log_weights(keys), side.given[keys]
    cells = tuple(
        ("masked", "muted")
        if given == -inf and not two
        else (in_percent(weight, log, places), role)
        for weight, log, given in zip(*(each.tolist() for each in numbers), strict=True)
    )
    return Column(name, cells, role=role, width=width)


def _with_bars(
    column: Column, name: str, side: Evaluation, keys: Keys, width: int, mark: str
) -> Column:
    """Return weights with a bar behind each, under what was done to the scores and a mark."""
    texture, share = TEXTURES.get(name, "█"), column.width
    pairs = zip(column.cells, side.weights(keys).tolist(), strict=True)
    cells = tuple(
        (f"{text:>{share}} {bar(weight, max(width - 1, 0), texture)}"[: share + width], role)
        for (text, role), weight in pairs
    )
    room = share + width - len(mark)
    # Of nothing that is done there is nothing to say.
    is_plain = side.map.multiplier == 1.0 and side.map.softcap is None and side.map.sink is None
    scaled = name == "scaled" and not is_plain
    titles = (f"{texture} {done(side.map).lower()}", name) if scaled else (name,)
    title = next((title for title in titles if len(title) <= room), name[:room])
    title = title if title.startswith(texture) or room < len(name) + 2 else f"{texture} {name}"
    return replace(column, title=title + mark, cells=cells, left=True, width=share + width)


def _apart(answer: VectorAnswer) -> bool:
    """Return whether both sides have scores of their own."""
    return not np.may_share_memory(answer.unscaled.scores(), answer.scaled.scores())


def statistics(
    answer: VectorAnswer, width: int, narrow: bool, in_sight: bool = False
) -> tuple[Row, ...]:
    """Return what is said of the weights and the Jacobian as a whole: at most three things.

    Args:
        answer: The numbers.
        width: Columns of the screen.
        narrow: Whether there is room for the two that no key has.
        in_sight: Whether the keys with the largest weights are in the table.
    """
    size, roomy = norms("scores")[0], width >= ROOMY
    counts = [side.effective_keys for side in answer.sides]
    texts = [f"{count:,.0f}" if count >= 1000.0 else quantity(count) for count in counts]
    effective = _from_to(answer, "effective keys", *texts)
    if narrow:
        return effective, _statistic(answer, size, "‖∂p/∂s‖_F     ")
    # Effective keys count the sink as one more.
    sides, has_sink = answer.sides, sinks(answer)
    shares = [
        in_percent(*pair, places_of(answer.vector.n_keys))
        for pair in (
            (side.sink_weight, side.log_sink_weight)
            if has_sink
            else (side.max_weight, side.log_max_weight)
            for side in sides
        )
    ]
    label = "the sink takes" if has_sink else "largest weight" if roomy else "largest"
    largest = () if in_sight and not has_sink else (_from_to(answer, label, *shares),)
    width_of_norm = None if roomy or not largest else 6
    return effective, *largest, _statistic(answer, size, "‖∂p/∂s‖", width_of_norm)


def gradient_statistics(answer: VectorAnswer) -> tuple[Row, ...]:
    """Return what is said of the Jacobian as a whole, with respect to what the user chose."""
    return tuple(_statistic(answer, each, each.words) for each in norms(answer.wrt))


def _statistic(answer: VectorAnswer, one: Statistic, label: str, width: int | None = None) -> Row:
    """Return ``label first → second unit``, numbers in so many cells at most."""
    first, second = (one.text(side, width) for side in answer.sides)
    return _from_to(answer, label, first, f"{second} {one.unit}".rstrip())


def _from_to(answer: VectorAnswer, label: str, first: str, second: str) -> Row:
    roles = [role_of(name) for name in answer.names]
    return (f"{label} ", "label"), (first, roles[0]), (f" → {second}", roles[1])


def statistics_row(statistics: Sequence[Row]) -> Row:
    """Return statistics side by side."""
    gaps = (" ", *["   "] * (len(statistics) - 1))
    return tuple(
        span for gap, row in zip(gaps, statistics, strict=True) for span in ((gap, "text"), *row)
    )
