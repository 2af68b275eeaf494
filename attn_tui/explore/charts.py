"""What Explore draws: bars of weights, the gradient as a table, and curves over d_k."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import BESIDE, mix, ramp
from attn_tui.charts.figure import Axis, Curve, Figure
from attn_tui.charts.heat_map import HeatMap
from attn_tui.compute.explore.answer import OverDk, VectorAnswer
from attn_tui.compute.keys import largest
from attn_tui.compute.log_scale import D_K
from attn_tui.report.numbers import fitted, in_percent, ratio, scientific

EIGHTHS = " ▏▎▍▌▋▊▉"
"""A cell filled from the left by so many eighths."""

SIDES = ("unscaled", "scaled")

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
        own = ranking[self.cursor]
        place = int((ranking > own).sum() + (ranking[: self.cursor] == own).sum())
        order = np.lexsort((np.arange(n_keys), -ranking))
        return int(order[min(max(place + steps, 0), n_keys - 1)])

    def key_at(self, line: int, lines: int) -> int | None:
        """Return the key in a line of the drawing, if there is one."""
        keys = self.keys(lines)
        place = (line - 1) // self._pitch(len(keys), lines)
        return int(keys[place]) if line > 0 and place < len(keys) else None

    @staticmethod
    def _pitch(n_keys: int, lines: int) -> int:
        """Return how many lines each key has."""
        return min(max((lines - 1) // n_keys, 1), 4)

    def draw(self, columns: int, lines: int, colours: Mapping[str, str]) -> Cells:
        """Draw the keys, each as high as there is room for."""
        cells = Cells(columns, lines)
        keys = self.keys(lines)
        # Key, score, then on each side a percentage and a bar.
        score_width = 9 if columns >= 60 else 0
        left = 7 + score_width
        side = (columns - left) // 2
        bar = side - 11
        if bar < 3 or lines < 2:
            return cells
        muted = colours["muted"]
        cells.write(2, 0, "key", muted)
        if score_width:
            cells.write(left - 5, 0, "score", muted)
        for place, (kind, head) in enumerate(zip(SIDES, self.heads, strict=True)):
            cells.write(left + place * side + 10, 0, head[:bar], colours[kind])
        pitch = self._pitch(len(keys), lines)
        height = min(max(pitch - 1, 1), 3)
        for row, key in enumerate(keys.tolist()):
            self._draw_key(cells, 1 + row * pitch, height, key, left, side, colours)
        return cells

    def _draw_key(
        self, cells: Cells, line: int, height: int, key: int, left: int, side: int,
        colours: Mapping[str, str],
    ) -> None:  # fmt: skip
        chosen = key == self.cursor
        if chosen:
            cells.write(0, line, "▸", colours["accent"])
        label = colours["text"] if chosen else colours["muted"]
        cells.write(2, line, f"{key:,}".rjust(3), label)
        score = float(self.answer.vector.scores[key])
        masked = score == -np.inf
        if left > 7:
            text = "masked" if masked else fitted(score, 7)
            cells.write(left - len(text), line, text, label)
        for place, kind in enumerate(SIDES):
            evaluation = self.answer.sides[place]
            weight, log_weight = evaluation.pairs(np.array([key]))[0]
            text = "–" if masked else in_percent(weight, log_weight)
            start = left + place * side
            cells.write(start + 9 - len(text), line, text, colours[kind])
            bar = slice(start + 10, start + side - 1)
            for below in range(line, min(line + height, cells.lines)):
                draw_bar(cells, below, bar, weight, kind, colours["background"])


def draw_bar(
    cells: Cells, line: int, columns: slice, share: float, kind: str, background: str
) -> None:
    """Draw a share from 0 to 1 as a bar on a track, brighter towards its end."""
    width = columns.stop - columns.start
    steps = ramp(kind, background)
    cells.backgrounds[line, columns] = mix(background, "#808080", BESIDE)
    eighths = round(min(max(share, 0.0), 1.0) * width * 8) if share == share else 0
    if share > 0.0:
        eighths = max(eighths, 1)
    for place in range(width):
        filled = min(max(eighths - 8 * place, 0), 8)
        colour = steps[round((0.42 + 0.42 * place / width) * (len(steps) - 1))]
        if filled == 8:
            cells.backgrounds[line, columns.start + place] = colour
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

    def draw(self, columns: int, lines: int, colours: Mapping[str, str]) -> Cells:
        """Draw the table, and below it maps where there is room for them."""
        cells = Cells(columns, lines)
        answer = self.answer
        keys = self.keys[: lines - 1]
        width = (columns - 5) // 3
        muted = colours["muted"]
        cells.write(0, 0, "key", muted)
        for place, (head, kind) in enumerate(
            (("unscaled", "unscaled"), ("scaled", "scaled"), ("change", "muted"))
        ):
            cells.write(5 + (place + 1) * width - len(head), 0, head, colours[kind])
        numbers = [
            (
                side.gradient(answer.of, answer.wrt, keys),
                side.log_gradient(answer.of, answer.wrt, keys),
            )
            for side in answer.sides
        ]
        for line, key in enumerate(keys.tolist(), 1):
            chosen = key == self.cursor
            cells.write(0, line, f"{key:,}".rjust(3), colours["text"] if chosen else muted)
            logs = []
            for place, (values, log_sizes) in enumerate(numbers):
                value, log_size = float(values[line - 1]), float(log_sizes[line - 1])
                logs.append(log_size)
                text = scientific(value, log_size, width=width - 1)
                cells.write(5 + (place + 1) * width - len(text), line, text, colours[SIDES[place]])
            change = ratio(logs[1] - logs[0], width=width - 1) if -np.inf not in logs else "–"
            cells.write(5 + 3 * width - len(change), line, change, colours["text"])
        free = lines - 2 - len(keys)
        if free >= 3:
            self._draw_maps(cells, len(keys) + 2, free, colours)
        return cells

    def _draw_maps(self, cells: Cells, top: int, lines: int, colours: Mapping[str, str]) -> None:
        maps = Jacobians(self.answer, self.keys, self.cursor).draw(
            cells.columns, lines + 1, colours
        )
        cells.put(maps, 0, top - 1)


@dataclass(frozen=True, eq=False)
class Jacobians:
    """Both Jacobians side by side, each with its own largest entry as its scale.

    Attributes:
        answer: The vector.
        keys: Those whose rows and columns are shown if they fit.
        cursor: The key that is marked.
    """

    answer: VectorAnswer
    keys: NDArray[np.intp]
    cursor: int

    def draw(self, columns: int, lines: int, colours: Mapping[str, str]) -> Cells:
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
            cells.write(start, 0, f"∂p/∂{symbol} ±{size}"[:width], colours[SIDES[place]])
            levels = np.zeros(entries.shape)
            if most > -np.inf:
                levels = np.sign(entries) * np.exp((logs - most) / 2.0)
            drawing = HeatMap(np.nan_to_num(levels), "both signs")
            cells.put(drawing.draw(width, lines - 1, colours), start, 1)
        return cells


D_K_TICKS = ((1.0, "1"), (65_536.0, "65,536"))


def d_k_axis() -> Axis:
    """Return the axis of d_k that all charts share."""
    return Axis(D_K.minimum, D_K.maximum, D_K_TICKS, logarithmic=True)


def _figure(
    scaled: OverDk, names: Sequence[str], values: NDArray[np.float64], flat: Sequence[float],
    y: Axis, d_k: int,
) -> Figure:  # fmt: skip
    """Return curves of the scaled side over flat lines of the unscaled one, marked at d_k."""
    x = scaled.d_k.astype(np.float64)
    curves = [Curve(x, np.full(x.size, level), "unscaled") for level in flat]
    for place, (name, line) in enumerate(zip(names, values, strict=True)):
        curves.append(Curve(x, line, "scaled", name, filled=place == 0))
    at = int(np.argmin(np.abs(np.log(x) - log(d_k))))
    dots = [(level, "unscaled") for level in flat] + [
        (float(line[at]), "scaled") for line in values
    ]
    return Figure(curves, d_k_axis(), y, (float(d_k), f"{d_k:,}"), dots)


def weights_figure(answer: VectorAnswer, scaled: OverDk, d_k: int) -> Figure:
    """Return the weights of the three largest keys over d_k."""
    keys = scaled.keys[:3]
    flat = answer.unscaled.weights(keys).tolist()
    top = 1.0 if float(scaled.weights.max()) > 0.5 or max(flat, default=0.0) > 0.5 else None
    high = top or 1.1 * max(float(scaled.weights.max()), *flat)
    y = Axis(
        0.0, high, tuple((share * high, f"{share * high * 100:.3g} %") for share in (0, 1, 0.5))
    )
    names = [f"key {key:,}" for key in keys.tolist()]
    return _figure(scaled, names, scaled.weights[: len(keys)], flat, y, d_k)


def _round_axis(most: float) -> Axis:
    """Return an axis from 0 to a little above a number, with ticks of one digit."""
    if not most > 0.0 or not np.isfinite(most):
        return Axis(0.0, 1.0, ((0.0, "0"), (1.0, "1")))
    power = 10.0 ** np.floor(np.log10(most))
    step = next(each * power for each in (0.2, 0.5, 1.0, 2.0, 5.0) if most / (each * power) <= 3.9)
    ticks = tuple((place * step, f"{place * step:.3g}") for place in range(int(most / step) + 1))
    return Axis(0.0, 1.05 * most, ticks)


def gradient_figure(answer: VectorAnswer, scaled: OverDk, d_k: int) -> Figure:
    """Return ‖∂p/∂s‖_F over d_k."""
    flat = answer.unscaled.norms[answer.wrt].frobenius
    y = _round_axis(max(flat, float(np.nanmax(scaled.frobenius))))
    return _figure(scaled, [""], scaled.frobenius[None], [flat], y, d_k)


def keys_figure(answer: VectorAnswer, scaled: OverDk, d_k: int) -> Figure:
    """Return the effective keys over d_k."""
    values = np.exp(scaled.entropy)
    y = _round_axis(max(answer.unscaled.effective_keys, exp(scaled.max_entropy)))
    return _figure(scaled, [""], values[None], [answer.unscaled.effective_keys], y, d_k)


def both(unscaled: str, scaled: str) -> str:
    """Return a number on both sides as markup for a subtitle."""
    return f"[$unscaled]{unscaled}[/] → [$scaled]{scaled}[/]"
