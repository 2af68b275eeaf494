"""How the bars of weights stand: keys on columns, and what is drawn of each side."""

from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.old.charts.axis import Floats
from attn_tui.old.charts.explore.overview import key_blocks
from attn_tui.old.charts.series import Series
from attn_tui.old.charts.sides import Shown, sides
from attn_tui.report.numbers import LN10, weight

WIDEST_BAR = 14
LEAST_LABELLED_BAR = len("0.1309")


@dataclass(frozen=True)
class Layout:
    """How keys are laid out on the columns of a grid: with room for both bars of each, or not.

    Attributes:
        n_keys: How many keys there are.
        columns: Columns of the grid.
        lines: Rows of the grid.
        sink: Whether the sink's bars stand after those of the keys, if there is room for bars.
    """

    n_keys: int
    columns: int
    lines: int
    sink: bool

    @property
    def places(self) -> int:
        """How many pairs of bars there are room for, if there is."""
        return self.n_keys + self.sink

    @property
    def grouped(self) -> bool:
        """Whether every key has bars of its own."""
        return self.columns >= 2 * self.places

    @property
    def group(self) -> int:
        """Columns of a pair of bars and the blanks around it."""
        return self.columns // self.places

    @property
    def gap(self) -> int:
        """Columns between the two bars of a pair."""
        return 1 if self.group >= 8 else 0

    @property
    def bar(self) -> int:
        """Columns of a bar."""
        return max(min((self.group - 1 - self.gap) // 2, WIDEST_BAR), 1)

    def middle(self, key: int) -> float:
        """Where a key stands, in columns; the sink stands where one more key would."""
        if not self.grouped:
            return (key + 0.5) * self.columns / self.n_keys
        return key * self.columns // self.places + self.group / 2

    def first_columns(self) -> NDArray[np.intp]:
        """Return the first column of each place, blanks included, shape (places,)."""
        return np.arange(self.places) * self.columns // self.places

    def starts(self) -> Floats:
        """Return where the pair of bars of each place begins, shape (places,)."""
        pair = 2 * self.bar + self.gap
        return (self.first_columns() + (self.group - pair) // 2).astype(np.float64)

    def first_keys(self) -> NDArray[np.intp]:
        """Return the first key of each column, shape (columns,)."""
        return np.arange(self.columns) * self.n_keys // self.columns


@dataclass(frozen=True, eq=False)
class Drawn:
    """What is drawn of one side.

    Attributes:
        shown: The side.
        values: Of every key its weight, or the decimal logarithm of it; shape (n,).
        sink: The same of its sink; None without one.
        masked: Whether each key is masked, shape (n,); None if none is.
    """

    shown: Shown
    values: Floats
    sink: float | None
    masked: NDArray[np.bool_] | None

    @property
    def least(self) -> float:
        """The smallest finite value, at most 0."""
        smallest = float(self.values.min())
        if not isfinite(smallest):
            usable = np.isfinite(self.values)
            smallest = float(np.min(self.values, where=usable, initial=0.0))
        sink = self.sink if self.sink is not None and isfinite(self.sink) else 0.0
        return min(smallest, sink, 0.0)

    def largest(self, layout: Layout) -> tuple[Floats, Floats]:
        """Return the columns that have a key that is not masked, and the largest value in each."""
        firsts = layout.first_keys()
        values = np.fmax.reduceat(self.values, firsts)
        if self.masked is None:
            return np.arange(layout.columns, dtype=np.float64), values
        some = ~np.logical_and.reduceat(self.masked, firsts)
        return np.flatnonzero(some).astype(np.float64), values[some]

    def bars(self, layout: Layout, second: bool, name: str, glyph: str) -> Series:
        """Return a bar for each key that is not masked, and one for the sink.

        Args:
            layout: Where they stand.
            second: Whether they stand second in each pair.
            name: What the side is called in the legend.
            glyph: What they are drawn with.
        """
        n_keys, side = layout.n_keys, self.shown
        keys = np.arange(n_keys) if self.masked is None else np.flatnonzero(~self.masked)
        values, places = self.values[keys], keys
        if self.sink is not None:
            values, places = np.append(values, self.sink), np.append(keys, n_keys)
        texts: tuple[str, ...] = ()
        if layout.bar >= LEAST_LABELLED_BAR:
            one = side.evaluation
            texts = tuple(weight(*pair) for pair in one.pairs(keys))
            texts += () if self.sink is None else (weight(one.sink_weight, one.log_sink_weight),)
        starts = layout.starts()[places] + second * (layout.bar + layout.gap)
        return Series(name, starts, values, side.role, "bars", glyph, layout.bar, texts)


def drawn(answer: VectorAnswer, log: bool) -> tuple[Drawn, Drawn]:
    """Return what is drawn of both sides of an answer, on a logarithmic axis or a linear one."""
    first, second = (_drawn(answer, side, log) for side in sides(answer))
    return first, second


def _drawn(answer: VectorAnswer, side: Shown, log: bool) -> Drawn:
    one = side.evaluation
    if not log:
        sink = None if one.map.sink is None else one.sink_weight
        return Drawn(side, one.weights(), sink, _masked(answer, side))
    values = np.empty(one.n_keys)
    for block in key_blocks(one):
        np.divide(one.log_weights(block), LN10, out=values[block])
    sink = None if one.map.sink is None else one.log_sink_weight / LN10
    return Drawn(side, values, sink, _masked(answer, side))


def _masked(answer: VectorAnswer, side: Shown) -> NDArray[np.bool_] | None:
    """Return which keys are masked on a side: compared answers may differ in that."""
    if answer.compared:
        masked = side.evaluation.given == -np.inf
        return masked if masked.any() else None
    if not answer.masked.size:
        return None
    masked = np.zeros(answer.vector.n_keys, dtype=bool)
    masked[answer.masked] = True
    return masked
