"""What Explore draws: bars of weights, the gradient as a table, and curves over d_k."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, floor, log10

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import BESIDE, Palette, mix
from attn_tui.charts.figure import Axis, Curve, Figure, d_k_axis
from attn_tui.charts.glyphs import FILLS, LESS, MORE, TRACK
from attn_tui.charts.heat_map import HeatMap
from attn_tui.charts.table import Column, Table
from attn_tui.compute.explore.answer import OverDk, VectorAnswer
from attn_tui.compute.keys import largest
from attn_tui.report.numbers import fitted, in_percent, ratio, scientific

WIDEST = 14
"""Characters of the longest number in a table: ``−10^−2.7e+307``."""

EIGHTHS = " ▏▎▍▌▋▊▉"
"""A cell filled from the left by so many eighths."""

SIDES = ("unscaled", "scaled")

LEAST = 1e-300
"""A smaller number is drawn as 0."""

PERCENT, SCORE = 6, 8
"""Columns of a percentage, ``~100 %``, and of a score."""

FEW_ENTRIES = 10
"""Entries of so many keys may be written into the Jacobian."""

FEW = 30
"""So many keys stand in their order; of more those of the largest weights come first."""


@dataclass(frozen=True, eq=False)
class WeightBars:
    """Weights of keys as bars, unscaled beside scaled.

    Attributes:
        answer: The vector.
        cursor: The key that is marked.
        heads: What stands above the bars of either side.
    """

    answer: VectorAnswer
    cursor: int
    heads: tuple[str, str]

    def keys(self, lines: int) -> NDArray[np.intp]:
        """Return the keys that are shown in some lines, the cursor's always among them.

        All of them in their order where they fit, otherwise those of the largest weights.
        """
        n_keys = self.answer.vector.n_keys
        if n_keys <= min(lines - 1, FEW):
            return np.arange(n_keys)
        keys = largest(self.answer.scaled.ranking(), max(lines - 1, 1))
        if self.cursor not in keys:
            keys[-1] = self.cursor
        return keys

    def neighbour(self, steps: int) -> int:
        """Return the key some places below the cursor (above, if negative), as keys are ordered.

        In their order where all are shown, otherwise by falling weight.
        """
        n_keys = self.answer.vector.n_keys
        if n_keys <= FEW:
            return min(max(self.cursor + steps, 0), n_keys - 1)
        ranking = self.answer.scaled.ranking()
        own, places = ranking[self.cursor], np.arange(n_keys)
        is_tied = ranking == own
        if steps > 0:
            below = np.flatnonzero((ranking < own) | (is_tied & (places > self.cursor)))
            nearest = below[largest(ranking[below], steps)]
        else:
            above = np.flatnonzero((ranking > own) | (is_tied & (places < self.cursor)))[::-1]
            nearest = above[largest(-ranking[above], max(-steps, 1))]
        return int(nearest[-1]) if steps and nearest.size else self.cursor

    def key_at(self, line: int, lines: int) -> int | None:
        """Return the key in a line of the drawing, if there is one."""
        keys = self.keys(lines)
        place = (line - 1) // self._pitch(len(keys), lines)
        return int(keys[place]) if line > 0 and place < len(keys) else None

    @staticmethod
    def _pitch(n_keys: int, lines: int) -> int:
        """Return how many lines each key has."""
        return min(max((lines - 1) // n_keys, 1), 7)

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw the keys, each as high as there is room for.

        Scores are left out where there is no room for them, and then bars.
        """
        cells = Cells(columns, lines)
        keys = self.keys(lines)
        layout = _Layout.of(columns, max(len(f"{key:,}") for key in keys.tolist()))
        if layout is None or lines < 2:
            return cells
        cells.write(2, 0, "key".rjust(layout.key), colours["muted"])
        if layout.score:
            cells.write(layout.left - len("score"), 0, "score", colours["muted"])
        for place, (kind, head) in enumerate(zip(SIDES, self.heads, strict=True)):
            # Above its bar, or above all of its side, or else in one word.
            start = layout.left + place * layout.side + 1
            heads = (head, kind, "")
            if colours.textured and layout.bar:
                heads = (f"{FILLS[kind]} {head}", f"{FILLS[kind]} {kind}", FILLS[kind])
            head = next(text for text in heads if len(text) < layout.side)
            if len(head) <= layout.bar:
                start += PERCENT + 1
            cells.write(start, 0, head, colours[kind])
        pitch = self._pitch(len(keys), lines)
        height = min(max(pitch - 1, 1), 5)
        for row, key in enumerate(keys.tolist()):
            self._draw_key(cells, 1 + row * pitch, height, key, layout, colours)
        return cells

    def _draw_key(
        self, cells: Cells, line: int, height: int, key: int, layout: "_Layout",
        colours: Palette,
    ) -> None:  # fmt: skip
        chosen = key == self.cursor
        if chosen:
            cells.write(0, line, "▸", colours["accent"])
        label = colours["text"] if chosen else colours["muted"]
        cells.write(2, line, f"{key:,}".rjust(layout.key), label)
        if layout.score:
            score = float(self.answer.vector.scores[key])
            text = "masked" if score == -np.inf else fitted(score, layout.score)
            cells.write(layout.left - len(text), line, text, label)
        for place, kind in enumerate(SIDES):
            evaluation = self.answer.sides[place]
            weight, log_weight = evaluation.pairs(np.array([key]))[0]
            text = "–" if not evaluation.attended[key] else in_percent(weight, log_weight)
            start = layout.left + place * layout.side + 1
            cells.write(start + PERCENT - len(text), line, text, colours[kind])
            if layout.bar:
                bar = slice(start + PERCENT + 1, start + PERCENT + 1 + layout.bar)
                for below in range(line, min(line + height, cells.lines)):
                    draw_bar(cells, below, bar, weight, kind, colours)


@dataclass(frozen=True)
class _Layout:
    """How the columns of bars are divided.

    Attributes:
        key: Columns of a key's number, which stands behind two for the mark.
        score: Columns of a score, a blank before it; 0 where there are none.
        side: Columns of each side: a blank, a percentage, a blank and a bar.
        bar: Columns of the bar among them; 0 where there is none.
    """

    key: int
    score: int
    side: int
    bar: int

    @property
    def left(self) -> int:
        """Columns to the left of both sides."""
        return 2 + self.key + (self.score + 1 if self.score else 0)

    @classmethod
    def of(cls, columns: int, digits: int) -> "_Layout | None":
        """Return the layout with the most that has room, if any has."""
        key = max(digits, len("key"))
        for score, least_bar in ((SCORE, 8), (0, 3), (0, 0)):
            left = 2 + key + (score + 1 if score else 0)
            side = (columns - left) // 2
            bar = side - PERCENT - 2
            if bar >= least_bar:
                return cls(key, score, side, bar)
            if not least_bar and side > PERCENT:
                return cls(key, score, side, 0)
        return None


def draw_bar(
    cells: Cells, line: int, columns: slice, share: float, kind: str, colours: Palette
) -> None:
    """Draw a share from 0 to 1 as a bar on a track, brighter towards its end.

    Where colours do not tell the sides apart, each is filled with a glyph of its own.
    """
    width = columns.stop - columns.start
    steps = colours.ramp(kind)
    if colours.textured:
        cells.write(columns.start, line, TRACK * width, colours["muted"])
    else:
        cells.backgrounds[line, columns] = mix(colours["background"], "#808080", BESIDE)
    eighths = round(min(max(share, 0.0), 1.0) * width * 8) if share == share else 0
    if colours.textured and kind == "unscaled":
        # Its filling has no eighths.
        eighths = (eighths + 4) // 8 * 8
    if share > 0.0:
        eighths = max(eighths, 1)
    for place in range(width):
        filled = min(max(eighths - 8 * place, 0), 8)
        colour = colours[kind]
        if not colours.textured:
            colour = steps[round((0.42 + 0.42 * place / width) * (len(steps) - 1))]
        if filled == 8 and not colours.textured:
            cells.backgrounds[line, columns.start + place] = colour
        elif filled == 8:
            cells.write(columns.start + place, line, FILLS[kind], colour)
        elif filled:
            cells.write(columns.start + place, line, EIGHTHS[filled], colour)


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


def _figure(
    scaled: OverDk, names: Sequence[str], values: NDArray[np.float64],
    unscaled: NDArray[np.float64], flat: Sequence[float], present: Sequence[float], y: Axis,
    d_k: int,
) -> Figure:  # fmt: skip
    """Return curves of the scaled side over those of the unscaled one, marked at d_k."""
    x = scaled.d_k.astype(np.float64)
    curves = [Curve(x, line, "unscaled") for line in unscaled]
    for place, (name, line) in enumerate(zip(names, values, strict=True)):
        curves.append(Curve(x, line, "scaled", name, filled=place == 0))
    dots = [(level, "unscaled") for level in flat] + [(level, "scaled") for level in present]
    return Figure(curves, d_k_axis(), y, (float(d_k), f"{d_k:,}"), dots)


def _level(flat: Sequence[float], scaled: OverDk) -> NDArray[np.float64]:
    """Return lines of the unscaled side that are the same at each d_k, shape (lines, D)."""
    return np.repeat(np.array(flat)[:, None], scaled.d_k.size, axis=1)


def weights_figure(
    answer: VectorAnswer, scaled: OverDk, d_k: int, before: OverDk | None = None
) -> Figure:
    """Return the weights of the three largest keys over d_k.

    Args:
        answer: The vector at the present d_k.
        scaled: The scaled side over d_k.
        d_k: The present one.
        before: The unscaled side over d_k, unless it is the same at each.
    """
    keys = scaled.keys[:3]
    flat, present = (side.weights(keys).tolist() for side in answer.sides)
    unscaled = before.weights[: len(keys)] if before else _level(flat, scaled)
    most = _most(scaled.weights, unscaled)
    high = 1.0 if most > 0.5 or not most else 1.1 * most
    ticks = tuple((share * high, f"{share * high * 100:.3g} %") for share in (0, 1, 0.5))
    names = [f"key {key:,}" for key in keys.tolist()]
    return _figure(
        scaled, names, scaled.weights[: len(keys)], unscaled, flat, present,
        Axis(0.0, high, ticks), d_k,
    )  # fmt: skip


def _most(*values: NDArray[np.float64] | Sequence[float]) -> float:
    """Return the largest finite number among numbers from 0 on, 0 if there is none."""
    every = np.concatenate([np.ravel(each) for each in values])
    return float(every[np.isfinite(every)].max(initial=0.0))


def _round_axis(most: float) -> Axis:
    """Return an axis from 0 to a little above a number, with ticks of one digit."""
    if most < LEAST:
        return Axis(0.0, 1.0, ((0.0, "0"), (1.0, "1")))
    power = 10.0 ** floor(log10(most))
    step = next(size * power for size in (0.2, 0.5, 1.0, 2.0, 5.0) if most / (size * power) <= 3.9)
    values = [place * step for place in range(int(most / step) + 1)]
    ticks = [f"{value:,.0f}" if value >= 1000.0 else f"{value:.3g}" for value in values]
    return Axis(0.0, 1.05 * most, tuple(zip(values, ticks, strict=True)))


def gradient_figure(
    answer: VectorAnswer, scaled: OverDk, d_k: int, before: OverDk | None = None
) -> Figure:
    """Return ‖∂p/∂s‖_F over d_k, from what `weights_figure` takes."""
    flat, present = ([side.norms[answer.wrt].frobenius] for side in answer.sides)
    unscaled = before.frobenius[None] if before else _level(flat, scaled)
    y = _round_axis(_most(scaled.frobenius, unscaled))
    return _figure(scaled, [""], scaled.frobenius[None], unscaled, flat, present, y, d_k)


def keys_figure(
    answer: VectorAnswer, scaled: OverDk, d_k: int, before: OverDk | None = None
) -> Figure:
    """Return the effective keys over d_k, from what `weights_figure` takes."""
    values = np.exp(scaled.entropy)
    flat, present = ([side.effective_keys] for side in answer.sides)
    unscaled = np.exp(before.entropy)[None] if before else _level(flat, scaled)
    y = _round_axis(_most([exp(scaled.max_entropy)], values, unscaled))
    return _figure(scaled, [""], values[None], unscaled, flat, present, y, d_k)


def both(unscaled: str, scaled: str) -> str:
    """Return a number on both sides as markup for a subtitle."""
    return f"[$unscaled]{unscaled}[/] → [$scaled]{scaled}[/]"
