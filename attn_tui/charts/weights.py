"""The chart of weights: unscaled against scaled, key by key, on a fixed scale."""

from dataclasses import dataclass
from math import ceil

import numpy as np

from attn_tui.charts.axis import Axis, Floats, Tick, power_text, round_step
from attn_tui.charts.grid import Glyphs, glyphs
from attn_tui.charts.plot import Mark, Series, frame, legend, plot
from attn_tui.charts.rows import Row, Span, first_fit, first_text, length, printable
from attn_tui.compute.explore import Evaluation, VectorAnswer
from attn_tui.report.numbers import LN10, general, weight

WIDEST_BAR = 14
LEAST_LABELLED_BAR = len("0.1309")
PROBABILITIES = Axis("", 0.0, 1.0, ticks=tuple(Tick(i / 4, f"{i / 4:g}") for i in (0, 4, 2, 1, 3)))


@dataclass(frozen=True)
class _Layout:
    """How keys are laid out on the columns of a grid: with room for both bars of each, or not."""

    n_keys: int
    columns: int
    lines: int

    @property
    def grouped(self) -> bool:
        return self.columns >= 2 * self.n_keys

    @property
    def group(self) -> int:
        return self.columns // self.n_keys

    @property
    def gap(self) -> int:
        return 1 if self.group >= 8 else 0

    @property
    def bar(self) -> int:
        return max(min((self.group - 1 - self.gap) // 2, WIDEST_BAR), 1)

    def middle(self, key: int) -> float:
        """Where a key stands, in columns."""
        if not self.grouped:
            return (key + 0.5) * self.columns / self.n_keys
        return key * self.columns // self.n_keys + self.group / 2

    def starts(self) -> Floats:
        """Return where the pair of bars of each key begins, shape (n,)."""
        pair = 2 * self.bar + self.gap
        firsts = np.arange(self.n_keys) * self.columns // self.n_keys
        return (firsts + (self.group - pair) // 2).astype(np.float64)

    def first_keys(self) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        """Return the first key of each column, shape (columns,)."""
        return np.arange(self.columns) * self.n_keys // self.columns


def weights_chart(
    answer: VectorAnswer,
    width: int,
    height: int,
    log: bool,
    selected: int = 0,
    ascii: bool = False,
) -> tuple[Row, ...]:
    """Draw the weights of one vector under m = 1 and under the rule's m.

    Bars stand in pairs. Where the keys are too many, a column shows the largest weight of its
    keys, unscaled as a bar and scaled as the upper end of one.

    Args:
        answer: The vector and its weights.
        width: Cells of every row returned.
        height: Number of rows returned.
        log: Whether the axis is logarithmic, from the smallest weight to 1; otherwise [0, 1].
        selected: The key whose weights are written out.
        ascii: Whether to draw without block glyphs.
    """
    n_keys = answer.vector.n_keys
    y = _log_axis(answer) if log else PROBABILITIES
    noted = height >= 8 or n_keys > width // 2 or bool(answer.reason)
    size = frame(y, width, height, noted)
    layout = _Layout(n_keys, max(size.columns, 1), max(size.lines, 1))
    x = Axis("key", 0.0, layout.columns, ticks=_key_ticks(layout, selected, glyphs(ascii).pointer))
    series = _series(answer, layout, log, ascii)
    shown = "log scale" if log else "scale 0 to 1"
    titles = [
        f"weights p of {printable(answer.vector.name)}, {shown}",
        f"weights p, {shown}",
        f"p, {shown}",
        "p, log" if log else "p, 0–1",
    ]
    title = first_text(titles, width - length(legend(series)))
    y = Axis(title, y.minimum, y.maximum, ticks=y.ticks)
    note = _note(answer, layout, log, selected, width, glyphs(ascii)) if noted else ()
    return plot(series, x, y, width, height, ascii, _masked(answer, layout, y), (), note)


def _log_axis(answer: VectorAnswer) -> Axis:
    """Return an axis of powers of ten from below the smallest weight there is up to 1."""
    smallest = 0.0
    for side in (answer.unscaled, answer.scaled):
        logs = side.log_weights().astype(np.float64)
        smallest = min(smallest, float(np.min(logs, where=np.isfinite(logs), initial=0.0)))
    bottom = -ceil(-smallest / LN10) - 1
    step = round_step(-bottom, 5)
    powers = (0, bottom, *range(-step, bottom, -step))
    return Axis("", bottom, 0.0, ticks=tuple(Tick(p, power_text(p) if p else "1") for p in powers))


def _series(
    answer: VectorAnswer,
    layout: _Layout,
    log: bool,
    ascii: bool,
) -> list[Series]:
    glyph = glyphs(ascii)
    scaled_name = f"scaled ×{general(answer.scaled.multiplier, 4)}"
    unscaled = _values(answer.unscaled, log)
    scaled = _values(answer.scaled, log)
    if layout.grouped:
        unmasked = np.setdiff1d(np.arange(layout.n_keys), answer.masked, assume_unique=True)
        starts, bar = layout.starts()[unmasked], layout.bar
        texts: list[tuple[str, ...]] = [(), ()]
        if bar >= LEAST_LABELLED_BAR:
            texts = [
                tuple(map(weight, side.weights(unmasked).tolist(), side.log_weights(unmasked)))
                for side in (answer.unscaled, answer.scaled)
            ]
        return [
            Series(
                "unscaled", starts, unscaled[unmasked], "unscaled", "bars", glyph.unscaled, bar,
                texts[0],
            ),
            Series(
                scaled_name, starts + bar + layout.gap, scaled[unmasked], "scaled", "bars",
                glyph.scaled, bar, texts[1],
            ),
        ]  # fmt: skip
    firsts = layout.first_keys()
    masked = np.zeros(layout.n_keys, dtype=bool)
    masked[answer.masked] = True
    some = ~np.logical_and.reduceat(masked, firsts)
    at = np.flatnonzero(some).astype(np.float64)
    lower, upper = (np.fmax.reduceat(values, firsts)[some] for values in (unscaled, scaled))
    return [
        Series("unscaled", at, lower, "unscaled", "bars", glyph.unscaled),
        Series(scaled_name, at, upper, "scaled", "caps", glyph.scaled),
    ]


def _values(side: Evaluation, log: bool) -> Floats:
    """Return what is drawn of every key: its weight, or the decimal logarithm of it."""
    if log:
        return side.log_weights().astype(np.float64) / LN10
    return side.weights().astype(np.float64)


def _key_ticks(layout: _Layout, selected: int, pointer: str) -> tuple[Tick, ...]:
    """Return the numbers of keys: the selected one, then as many as there is room for."""
    label_width = len(str(layout.n_keys - 1)) + 3
    most = max(layout.columns // label_width, 1)
    step = round_step(layout.n_keys, most)
    ticks = [Tick(layout.middle(key), str(key)) for key in range(0, layout.n_keys, step)]
    if 0 <= selected < layout.n_keys:
        ticks.insert(0, Tick(layout.middle(selected), f"{pointer}{selected}", "cursor"))
    return tuple(ticks)


def _masked(answer: VectorAnswer, layout: _Layout, y: Axis) -> list[Mark]:
    """Return marks for masked keys, or for columns of nothing but masked keys."""
    masked = np.zeros(layout.n_keys, dtype=bool)
    masked[answer.masked] = True
    if layout.grouped:
        text = "masked" if layout.group > 7 else "m"
        places = [layout.middle(int(key)) for key in answer.masked]
    else:
        text = "m"
        all_masked = np.logical_and.reduceat(masked, layout.first_keys())
        places = [column + 0.5 for column in np.flatnonzero(all_masked).tolist()]
    return [Mark(place, y.minimum, text, "muted") for place in places]


def _note(
    answer: VectorAnswer, layout: _Layout, log: bool, selected: int, width: int, glyph: Glyphs
) -> Row:
    """Return the last row: what is wrong, what is not to be seen, and the selected key."""
    if answer.reason:
        return ((answer.reason, "error"),)
    facts: list[Span] = []
    keys_a_column = ceil(layout.n_keys / layout.columns)
    if keys_a_column > 1:
        facts.append((f"{keys_a_column} keys a column: largest shown  ", "label"))
    sides = {"unscaled": answer.unscaled, "scaled": answer.scaled}
    hidden = {}
    for (name, side), parts in zip(sides.items(), (glyph.unscaled, glyph.scaled), strict=True):
        # A bar is drawn from half a part of a cell on.
        least = 1 / (2 * len(parts) * layout.lines)
        if not log and side.max_weight < least:
            hidden[name] = least
    if hidden:
        most = max(hidden.values())
        facts.append((f"{' and '.join(hidden)} all below {most:.2g}: see log  ", "label"))
    if answer.masked.size:
        facts.append((f"m {answer.masked.size} masked  ", "muted"))
    if not 0 <= selected < layout.n_keys:
        return tuple(facts)
    key = np.array([selected])
    score = general(float(answer.vector.scores[selected]))
    values = [
        weight(float(side.weights(key)[0]), float(side.log_weights(key)[0]))
        for side in sides.values()
    ]
    text = f"{glyph.pointer} key {selected}, s = {score}: {values[0]} unscaled, {values[1]} scaled"
    long: Span = (text, "cursor")
    short: Span = (f"{glyph.pointer}{selected}: {values[0]} → {values[1]}", "cursor")
    fewer = [tuple(facts[:count]) for count in range(len(facts), -1, -1)]
    rows: list[Row] = [(*fewer[0], long), *((*some, short) for some in fewer[:-1])]
    return first_fit([*rows, fewer[-2] if facts else (short,)], width)
