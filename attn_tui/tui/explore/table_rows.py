"""The table of weights and gradients on the screen: its columns, with bars, marks and titles."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from attn_tui.charts.glyphs import POINTER, SIZES
from attn_tui.charts.rows import Row, fitted, length
from attn_tui.charts.sides import compared
from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.report.explore.tables import (
    EFFECTIVE,
    ENTROPY,
    PARTICIPATION,
    SINK,
    Statistic,
    difference_column,
    gradient_column,
    grown_column,
    norms,
    score_column,
    sinks,
    weight_column,
)
from attn_tui.report.sides import role_of
from attn_tui.report.table import Column, Table
from attn_tui.tui.explore.order import Keys

NUMBER, CHANGE = 9, 7
"""Cells of a weight or a gradient, and of a change."""

WIDEST_BAR = 24


def bar(fraction: float, width: int) -> str:
    """Return a bar on a scale from 0 to 1, to an eighth of a cell; blank for NaN.

    A weight above 0 that is too small for an eighth leaves the bar blank: a picture must not
    exaggerate.
    """
    if not 0.0 <= fraction <= 1.0:
        return " " * width
    full, eighths = divmod(round(fraction * width * 8), 8)
    return ("█" * full + SIZES[eighths].strip()).ljust(width)


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
) -> tuple[tuple[Row, ...], int]:
    """Return the head and a row a key, and how many cells of them stand before the gradient.

    Args:
        answer: The numbers.
        keys: The keys.
        width: Cells there are; bars take what numbers leave.
        marks: What is marked.
        narrow: The name of the half that a narrow table shows: weights or gradient.
        unmasked: The scores of the keys as they were before a mask, if there is one.
    """
    two, sides = compared(answer), list(zip(answer.names, _sides(answer), strict=True))
    weights = [weight_column(name, side, keys, NUMBER) for name, side in sides]
    weights += [difference_column(answer, keys, "Δp", NUMBER)] if two else []
    gradients = [gradient_column(answer, second, keys, NUMBER) for second in (False, True)]
    gradients += [grown_column(answer, keys, CHANGE)]
    weights, gradients = weights * (narrow != "gradient"), gradients * (narrow != "weights")
    # On a narrow screen the difference of the weights stands in the place of the scores.
    size = (0 if two and weights else 6) if narrow else 8
    scores = [score_column(answer.scaled, keys, "s", size, unmasked)] if size else []
    bare = (_keys(answer, keys, marks), *scores, *weights, *gradients)
    room = width - Table(bare).width
    if two and scores and size <= room and _apart(answer):
        titles = zip(("s pin", "s now"), _sides(answer), strict=True)
        scores = [score_column(side, keys, title, size - 1) for title, side in titles]
        room -= size
    for at, (_, side) in enumerate(sides if weights else ()):
        weights[at] = _with_bars(weights[at], side, keys, min(max(room // 2, 0), WIDEST_BAR))
    left = [_keys(answer, keys, marks), *(_marked(column, keys, marks) for column in scores)]
    before = Table((*left, *weights)).width
    table = Table(tuple(replace(each, above="") for each in (*left, *weights, *gradients)))
    return table.rows(table.width), before


def _keys(answer: VectorAnswer, keys: Keys, marks: Marks) -> Column:
    size = max(3, len(str(answer.vector.n_keys - 1)))
    cells = tuple((f"{marks.mark(key)}{key:>{size}}", "text") for key in keys.tolist())
    return _marked(Column("key", cells, width=size + 2), keys, marks)


def _marked(column: Column, keys: Keys, marks: Marks) -> Column:
    """Return a column with the line of the cursor in a role of its own."""
    pairs = zip(column.cells, keys.tolist(), strict=True)
    cells = ((text, "strong" if key == marks.cursor else "text") for (text, _), key in pairs)
    return replace(column, cells=tuple(cells))


def _with_bars(column: Column, side: Evaluation, keys: Keys, width: int) -> Column:
    """Return weights with a bar behind each."""
    pairs = zip(column.cells, side.weights(keys).tolist(), strict=True)
    cells = tuple((f"{text:<{NUMBER}}{bar(p, width)}", role) for (text, role), p in pairs)
    return replace(column, cells=cells, left=True, width=NUMBER + width)


def _sides(answer: VectorAnswer) -> tuple[Evaluation, Evaluation]:
    return answer.unscaled, answer.scaled


def _apart(answer: VectorAnswer) -> bool:
    """Return whether both sides have scores of their own."""
    return not np.may_share_memory(answer.unscaled.scores(), answer.scaled.scores())


def weight_statistics(answer: VectorAnswer, brief: bool) -> tuple[Row, ...]:
    """Return what is said of the weights as a whole; brief, by symbols alone."""
    shown = (ENTROPY, EFFECTIVE, PARTICIPATION)
    labels = [each.symbol if brief else each.words for each in shown]
    if not sinks(answer):
        return tuple(_statistic(answer, *each) for each in zip(shown, labels, strict=True))
    # H, e^H and 1/Σp² count the sink as one more key.
    labels = [
        f"{'' if brief or at else 'sink counted: '}{each.symbol}" for at, each in enumerate(shown)
    ]
    pairs = zip((SINK, *shown), (SINK.words, *labels), strict=True)
    return tuple(_statistic(answer, *each) for each in pairs)


def gradient_statistics(answer: VectorAnswer) -> tuple[Row, ...]:
    """Return what is said of the Jacobian as a whole, with respect to what the user chose."""
    return tuple(_statistic(answer, each, each.words) for each in norms(answer.wrt))


def _statistic(answer: VectorAnswer, one: Statistic, label: str) -> Row:
    """Return ``label first → second unit``."""
    first, second = (one.text(side) for side in _sides(answer))
    roles = [role_of(name) for name in answer.names]
    unit = f" {one.unit}" if one.unit else ""
    return (f"{label} ", "label"), (first, roles[0]), (f" → {second}{unit}", roles[1])


def statistics_row(statistics: Sequence[Row]) -> Row:
    """Return statistics side by side."""
    gaps = (" ", *["   "] * (len(statistics) - 1))
    return tuple(
        span for gap, row in zip(gaps, statistics, strict=True) for span in ((gap, "text"), *row)
    )
