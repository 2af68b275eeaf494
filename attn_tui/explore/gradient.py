"""The gradient as a table, and the Jacobian as two maps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Palette
from attn_tui.charts.heat_map import HeatMapDrawing
from attn_tui.charts.table import TableDrawing
from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.numbers import factor, scientific, subscript, weight_name
from attn_tui.compute.scale import SYMBOL
from attn_tui.report.report import SIDES
from attn_tui.report.text import TextColumn
from attn_tui.report.words import share_text

WIDEST, LEAST = 14, 4
"""The most characters of a number in a table, such as ``−10^−2.7e+307``, and the fewest."""

FEW_ENTRIES = 10
"""Up to this many keys, the entries of the Jacobian may be written into its cells."""


CAPPED = "capped: ∂z{key}/∂s{key} is {share} of m"
"""How much of the slope ∂z/∂s a soft cap leaves at a key."""

NORM = "‖∂{of}/∂{by}‖ {factor}"
"""What becomes of the whole gradient, which the headline speaks of."""


ANSWER = "Gradient ∂L/∂{by}, L = −ln {weight}"
MASKED_ANSWER = "Gradient ∂L/∂{by}, L = ∞"
WEIGHT = "Gradient ∂{weight}/∂{by}"
"""The titles of the pane of the gradient."""


def title(answer: VectorAnswer) -> str:
    """Return what the gradient is of, and with respect to what."""
    by, key = SYMBOL[answer.wrt], answer.target
    if key is None:
        return WEIGHT.format(weight=weight_name(answer.of), by=by)
    heading = MASKED_ANSWER if key in answer.masked else ANSWER
    return heading.format(by=by, weight=weight_name(key))


def of_norm(answer: VectorAnswer) -> str:
    """Return the symbol of what the gradient is of that the headline speaks of: p, p₂ or L."""
    if answer.target is not None:
        return "L"
    return "p" if answer.key is None else weight_name(answer.key)


def norm_change(answer: VectorAnswer) -> str:
    """Return the norm of the gradient by name with its factor; nothing if there is no factor."""
    (_, before), (_, after) = answer.gradients
    if not np.isfinite([before, after]).all():
        return ""
    return NORM.format(of=of_norm(answer), by=SYMBOL[answer.wrt], factor=factor(after - before))


def capped(answer: VectorAnswer) -> str:
    """Return how much of the slope m a soft cap leaves at the key of the gradient, if there is one.

    The gradient by scores carries this factor, besides what the cap does to weights.
    """
    share = answer.slope_left
    if share is None:
        return ""
    return CAPPED.format(key=subscript(answer.gradient_key), share=share_text(share))


@dataclass(frozen=True, eq=False)
class GradientTable:
    """One row of the Jacobian, key by key on both sides with the factor, above small Jacobians.

    Attributes:
        answer: The vector, and the key whose weight is differentiated.
        keys: The keys to show, as many as fit.
        cursor: The key that is marked.
        has_maps: Whether to draw the Jacobians, which a view may already show in large.
    """

    answer: VectorAnswer
    keys: NDArray[np.intp]
    cursor: int
    has_maps: bool = True

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw the table, and below it the maps if there is room for them."""
        cells = self.table(columns).draw(columns, lines, colours)
        free = lines - 2 - len(self.keys)
        if free >= 3 and self.has_maps:
            maps = Jacobians(self.answer, self.keys[: 2 * (free - 1)])
            cells.put(maps.draw(columns, free + 1, colours), 0, len(self.keys) + 1)
        return cells

    def table(self, columns: int) -> TableDrawing:
        """Return the table with as many digits as fit a width.

        If not even one digit fits, the change is left out, then the unscaled side.
        """
        answer, keys = self.answer, self.keys
        values = [answer.gradient(side, keys).tolist() for side in answer.sides]
        logs = [answer.log_gradient(side, keys).tolist() for side in answer.sides]
        numbers = [[*zip(*side, strict=True)] for side in zip(values, logs, strict=True)]
        names = TextColumn("key", [f"{key:,}" for key in keys.tolist()], "muted")
        factors = [
            "–" if -np.inf in (before, after) else factor(after - before, width=WIDEST)
            for before, after in zip(*logs, strict=True)
        ]
        changes = TextColumn("change", factors)
        marked = np.flatnonzero(keys == self.cursor)
        cursor = int(marked[0]) if marked.size else None
        for n_sides, others in ((2, [names, changes]), (2, [names]), (1, [names])):
            room = columns - 2 - sum(column.width + 2 for column in others)
            width = min((room + 2) // n_sides - 2, WIDEST)
            if width < LEAST:
                continue
            sides = [
                TextColumn(name, self._texts(side, pairs, width), kind)
                for name, kind, side, pairs in zip(
                    answer.names, SIDES, answer.sides, numbers, strict=True
                )
            ]
            table_columns = [names, *sides[2 - n_sides :], *others[1:]]
            table = TableDrawing(table_columns, cursor)
            is_complete = not any("…" in column.texts for column in table_columns)
            if is_complete and len(table.fitting(columns - 2)) == len(table_columns):
                return table
        return TableDrawing([names], cursor)

    def _texts(
        self, side: Evaluation, numbers: Sequence[tuple[float, float]], width: int
    ) -> list[str]:
        """Return the numbers of a side; beside a pinned answer, of what it has not there is none.

        Its weight has no number either.
        """
        texts = [scientific(*number, width=width) for number in numbers]
        if not self.answer.compared:
            return texts
        has = side.attended[self.keys]
        if self.answer.target is None:
            has &= side.attended[self.answer.of]
        return [text if is_there else "–" for text, is_there in zip(texts, has, strict=True)]


@dataclass(frozen=True, eq=False)
class Jacobians:
    """Both Jacobians as maps, each scaled to its own largest entry.

    Attributes:
        answer: The vector.
        keys: The keys whose rows and columns are shown.
    """

    answer: VectorAnswer
    keys: NDArray[np.intp]

    @cached_property
    def _sides(self) -> Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """The entries of each side, and the logarithms of their sizes."""
        wrt, keys = self.answer.wrt, self.keys
        return [
            (side.jacobian(keys, keys, wrt), side.log_jacobian(keys, keys, wrt))
            for side in self.answer.sides
        ]

    @cached_property
    def _maps(self) -> Sequence[HeatMapDrawing]:
        return [self._map(entries, logs) for entries, logs in self._sides]

    @cached_property
    def _written(self) -> Sequence[HeatMapDrawing]:
        """The maps with their entries, if there are few: only large ones have room for them."""
        if self.keys.size > FEW_ENTRIES:
            return self._maps
        return [
            replace(heat_map, texts=_texts(entries, logs))
            for heat_map, (entries, logs) in zip(self._maps, self._sides, strict=True)
        ]

    def _map(self, entries: NDArray[np.float64], logs: NDArray[np.float64]) -> HeatMapDrawing:
        most = float(logs.max())
        levels = np.zeros(entries.shape)
        if most != -np.inf:
            # An entry that underflowed is ±0, so its level comes from its logarithm and its sign.
            levels = np.copysign(np.exp((logs - most) / 2.0), entries)
        names = [f"{key:,}" for key in self.keys.tolist()]
        return HeatMapDrawing(levels, "both signs", names, names)

    def heat_map(self, place: int, cursor: tuple[int, int]) -> HeatMapDrawing:
        """Return the map of a side with a row and a column marked."""
        return self._written[place].marked(cursor)

    def heads(self, place: int) -> tuple[str, ...]:
        """Return headings for the map of a side, with its scale, the longest first."""
        entries, logs = self._sides[place]
        most = float(np.abs(entries).max()), float(logs.max())
        derivative = f"∂p_i/∂{SYMBOL[self.answer.wrt]}_j"
        named = [f"{derivative} ±{scientific(*most, width=width)}" for width in (WIDEST, 7, 5)]
        return f"{self.answer.names[place]}: {named[0]}", *named, derivative

    def entry(self, row: int, column: int) -> str:
        """Return one entry as markup: the derivative of a weight by a score on both sides."""
        answer, wrt = self.answer, self.answer.wrt
        of, by = int(self.keys[row]), int(self.keys[column])
        keys = np.array([of]), np.array([by])
        pairs = [
            (float(side.jacobian(*keys, wrt)[0, 0]), float(side.log_jacobian(*keys, wrt)[0, 0]))
            for side in answer.sides
        ]
        parts = [f"∂{weight_name(of)}/∂{SYMBOL[wrt]}{subscript(by)}"]
        parts += [
            f"[${kind}]{scientific(*pair)}[/]" for kind, pair in zip(SIDES, pairs, strict=True)
        ]
        (_, before), (_, after) = pairs
        if -np.inf not in (before, after):
            parts.append(factor(after - before, width=WIDEST))
        return "   ".join(parts)

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw both maps small, below a line with the name and the scale of each.

        Keys are written along both axes: i to the left, j below.
        """
        cells = Cells(columns, lines)
        width = (columns - 2) // 2
        if width < 1 or lines < 2:
            return cells
        for place, heat_map in enumerate(self._maps):
            start = place * (width + 2)
            head = next((text for text in self.heads(place) if len(text) <= width), "")
            cells.write(start, 0, head, colours[SIDES[place]])
            small = replace(heat_map, corner="i\\j")
            cells.put(small.draw(width, lines - 1, colours), start, 1)
        return cells


def _texts(entries: NDArray[np.float64], logs: NDArray[np.float64]) -> list[list[str]]:
    """Return the entries of a matrix as texts, given the logarithms of their sizes as well."""
    return [
        [scientific(*number, width=9) for number in zip(*row, strict=True)]
        for row in zip(entries.tolist(), logs.tolist(), strict=True)
    ]
