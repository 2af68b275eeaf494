"""The chart of weights: one side against the other, key by key, on a fixed scale."""

from dataclasses import replace
from math import ceil
from typing import Literal

import numpy as np

from attn_tui.charts.glyphs import POINTER, SCALED, UNSCALED
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.visible import visible
from attn_tui.old.charts.axis import Axis, Tick, power_text, round_step
from attn_tui.old.charts.explore.weights_layout import Drawn, Layout, drawn
from attn_tui.old.charts.plot import Figure, Mark, frame
from attn_tui.old.charts.rows import first_fit
from attn_tui.old.charts.series import Series
from attn_tui.old.charts.sides import Shown, sides
from attn_tui.report.numbers import change, general, weight
from attn_tui.report.rows import Row, Span

PROBABILITIES = Axis("", 0.0, 1.0, ticks=tuple(Tick(i / 4, f"{i / 4:g}") for i in (0, 4, 2, 1, 3)))

_MANY = 8
"""Of so many lines each is close enough to what a tick on it says."""


def weights_chart(
    answer: VectorAnswer, width: int, height: int, log: bool, selected: int = 0, alone: bool = True
) -> tuple[Row, ...]:
    """Draw the weights of one vector on both sides.

    Bars stand in pairs; a side with a sink has one more, of the weight that goes to no key. Where
    the keys are too many, a column shows the largest weight of its keys, of the first side as a
    bar and of the second as the upper end of one.

    Args:
        answer: The vector and its weights.
        width: Cells of every row returned.
        height: Number of rows returned.
        log: Whether the axis is logarithmic, from the smallest weight to 1; otherwise [0, 1].
        selected: The key that is marked.
        alone: Whether numbers stand nowhere else: above bars, and those of the key in the last row.
    """
    both, y, noted, _, layout = _laid(answer, width, height, log)
    x = Axis("key", 0.0, layout.columns, ticks=_key_ticks(layout, selected))
    shown = "log scale" if log else "scale 0 to 1"
    titles = [
        f"weights p of {visible(answer.vector.name)}, {shown}",
        f"weights p, {shown}",
        f"p, {shown}",
        "p, log" if log else "p, 0–1",
    ]
    series = _series(both, layout, width - len(titles[-1]))
    if not alone:
        series = [replace(one, texts=()) for one in series]
    note = _note(answer, layout, log, selected if alone else -1, width) if noted else ()
    return Figure(titles, series, x, y, _masks(both, layout, y), note=note).rows(width, height)


def key_at(answer: VectorAnswer, x: int, width: int, height: int, log: bool) -> int | None:
    """Return the key whose bars stand at a column of the chart, or None beside all.

    Where a column has several keys it is the one with the largest weight on the second side.
    """
    *_, gutter, layout = _laid(answer, width, height, log)
    column, n_keys = x - gutter, answer.vector.n_keys
    if not 0 <= column < layout.columns:
        return None
    if layout.grouped:
        key = int(np.searchsorted(layout.first_columns(), column, "right")) - 1
        return key if key < n_keys else None
    first, last = (place * n_keys // layout.columns for place in (column, column + 1))
    # There may be more columns than keys, and no room yet for both bars of each.
    return first + int(np.argmax(answer.scaled.weights(slice(first, max(last, first + 1)))))


def _laid(
    answer: VectorAnswer, width: int, height: int, log: bool
) -> tuple[tuple[Drawn, Drawn], Axis, bool, int, Layout]:
    """Return both sides, the axis, whether there is a note, the gutter, and where keys stand."""
    n_keys, both = answer.vector.n_keys, drawn(answer, log)
    sunk = any(one.sink is not None for one in both)
    y = _log_axis(both) if log else PROBABILITIES
    noted = height >= 8 or n_keys > width // 2 or bool(answer.reason) or sunk or answer.compared
    size = frame(y, width, height, noted)
    if not log:
        y = _probabilities(size.lines)
        size = frame(y, width, height, noted)
    layout = Layout(n_keys, max(size.columns, 1), max(size.lines, 1), sunk)
    return both, y, noted, size.gutter, layout


def _probabilities(lines: int) -> Axis:
    """Return the axis from 0 to 1 with ticks of which each stands where its bar would end."""
    if lines >= _MANY:
        return PROBABILITIES
    step = next((step for step in (4, 5, 2) if (lines - 1) % step == 0), 1)
    ends_first = sorted(range(step + 1), key=lambda place: 0 < place < step)
    # There is room for the name of the other axis.
    ticks = (Tick(place / step, f"{place / step:>3g}") for place in ends_first)
    return replace(PROBABILITIES, ticks=tuple(ticks))


def _log_axis(both: tuple[Drawn, Drawn]) -> Axis:
    """Return an axis of powers of ten from below the smallest weight there is up to 1."""
    bottom = -ceil(-min(one.least for one in both)) - 1
    step = round_step(-bottom, 5)
    powers = (0, bottom, *range(-step, bottom, -step))
    return Axis("", bottom, 0.0, ticks=tuple(Tick(p, power_text(p) if p else "1") for p in powers))


def _series(both: tuple[Drawn, Drawn], layout: Layout, room: int) -> list[Series]:
    """Return what is drawn of both sides, with names for which there is room in the legend."""
    series = []
    names = _names(both, room)
    for second, (one, name) in enumerate(zip(both, names, strict=True)):
        parts = SCALED if second else UNSCALED
        if layout.grouped:
            series.append(one.bars(layout, bool(second), name, parts))
        else:
            at, values = one.largest(layout)
            kind: Literal["bars", "caps"] = "caps" if second else "bars"
            series.append(Series(name, at, values, one.shown.role, kind, parts))
    return series


def _names(both: tuple[Drawn, Drawn], room: int) -> tuple[str, ...]:
    """Return what the sides are called: all that fits of what was done to their scores."""
    labels = [
        (one.shown.name,) * 3 if one.shown.name == "unscaled" else one.shown.labels for one in both
    ]
    levels = list(zip(*labels, strict=True))
    beside = len(levels[-1]) * len("  █ ")
    return next((names for names in levels if sum(map(len, names)) + beside <= room), levels[-1])


def _key_ticks(layout: Layout, selected: int) -> tuple[Tick, ...]:
    """Return the numbers of keys: the selected one, then as many as there is room for."""
    label_width = len(str(layout.n_keys - 1)) + 3
    most = max(layout.columns // label_width, 1)
    step = round_step(layout.n_keys, most)
    ticks = [Tick(layout.middle(key), str(key)) for key in range(0, layout.n_keys, step)]
    if layout.sink and layout.grouped:
        ticks.insert(0, Tick(layout.middle(layout.n_keys), "sink", "strong"))
    if 0 <= selected < layout.n_keys:
        ticks.insert(0, Tick(layout.middle(selected), f"{POINTER}{selected}", "cursor"))
    return tuple(ticks)


def _masks(both: tuple[Drawn, Drawn], layout: Layout, y: Axis) -> list[Mark]:
    """Return marks for keys masked on both sides, or for columns of nothing but such keys."""
    first, second = (one.masked for one in both)
    if first is None or second is None:
        return []
    masked = first if first is second else first & second
    if layout.grouped:
        text = "masked" if layout.group > 7 else "m"
        places = [layout.middle(int(key)) for key in np.flatnonzero(masked)]
    else:
        text = "m"
        all_masked = np.logical_and.reduceat(masked, layout.first_keys())
        places = [column + 0.5 for column in np.flatnonzero(all_masked).tolist()]
    return [Mark(place, y.minimum, text, "muted") for place in places]


def _note(answer: VectorAnswer, layout: Layout, log: bool, selected: int, width: int) -> Row:
    """Return the last row: what is wrong, what is not to be seen, and the selected key."""
    if answer.reason:
        return ((answer.reason, "error"),)
    facts: list[Span] = []
    both = sides(answer)
    keys_a_column = ceil(layout.n_keys / layout.columns)
    if keys_a_column > 1:
        facts.append((f"{keys_a_column:,} keys a column: largest shown  ", "label"))
    hidden = {}
    for side, parts in zip(both, (UNSCALED, SCALED), strict=True):
        # A bar is drawn from half a part of a cell on.
        least = 1 / (2 * len(parts) * layout.lines)
        if not log and side.evaluation.max_weight < least:
            hidden[side.name] = least
    if hidden:
        most = max(hidden.values())
        facts.append((f"{' and '.join(hidden)} all below {most:.2g}: see log  ", "label"))
    if sinks := _sinks(both):
        facts.append((f"{sinks}  ", "label"))
    if answer.masked.size:
        facts.append((f"m {answer.masked.size:,} masked  ", "muted"))
    if not 0 <= selected < layout.n_keys:
        return first_fit([tuple(facts[:count]) for count in range(len(facts), -1, -1)], width)
    longest, *shorter = _selected(answer, both, selected)
    fewer = [tuple(facts[:count]) for count in range(len(facts), -1, -1)]
    rows: list[Row] = [(*fewer[0], longest)]
    # The difference of two answers matters more than what else there is to say.
    some = fewer if answer.compared or not facts else fewer[:-1]
    rows += [(*said, text) for text in shorter for said in some]
    return first_fit([*rows, *fewer[-2:-1]], width)


def _sinks(both: tuple[Shown, Shown]) -> str:
    """Return how much weight goes to no key, on each side that has a sink."""
    sunk = [side for side in both if side.evaluation.map.sink is not None]
    parts = [weight(side.evaluation.sink_weight, side.evaluation.log_sink_weight) for side in sunk]
    if len(sunk) == 2:
        return f"sink {parts[0]} {sunk[0].name}, {parts[1]} {sunk[1].name}"
    return f"sink {parts[0]}" if sunk else ""


def _selected(answer: VectorAnswer, both: tuple[Shown, Shown], key: int) -> tuple[Span, ...]:
    """Return the weights of a key on both sides, at decreasing length."""
    before, after = (side.weight(key) for side in both)
    values = weight(*before), weight(*after)
    short = f"{POINTER}{key}: {values[0]} → {values[1]}"
    first, second = (f"{value} {side.name}" for value, side in zip(values, both, strict=True))
    if not answer.compared:
        score = general(float(answer.vector.scores[key]))
        texts = [f"{POINTER} key {key}, s = {score}: {first}, {second}", short]
    else:
        by = change(before, after)
        difference = f"p {both[1].name} − p {both[0].name} = {by}"
        texts = [
            f"{POINTER} key {key}: {first}, {second}, {difference}",
            f"{POINTER} key {key}: {first}, {second}, {by}",
            f"{short}, {by}",
            short,
        ]
    return tuple((text, "cursor") for text in texts)
