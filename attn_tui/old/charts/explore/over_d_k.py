"""The charts over d_k: weights, entropy and the norm of the Jacobian, the current d_k marked."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, reduce
from math import ceil, exp, floor, log1p, log10

import numpy as np

from attn_tui.compute.explore.answer import OverDk
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.logit_map import Wrt
from attn_tui.old.charts.axis import Axis, Floats, Tick, d_k_axis, round_step, round_up
from attn_tui.old.charts.plot import Figure
from attn_tui.old.charts.rows import beside, first_fit
from attn_tui.old.charts.series import Band, Series
from attn_tui.old.charts.sides import Quantity
from attn_tui.report.numbers import in_percent, places_of, quantity
from attn_tui.report.rows import Row, Span, fitted, message

LEAST_PANEL = 36
"""A panel narrower than this is not legible: as many quantities are shown as have so much."""

GAP = 2
"""Columns between two panels."""

LEAST_NOTED = 7
"""From this height on there is a row for a note above the panels."""

FEW, APART = 3, 1.5
"""So many curves are always drawn one by one; of more only those so many rows from each other."""

FRAME = 4
"""Rows of a panel that hold no curves, about."""

SMALLEST_POWER = -300


@dataclass(frozen=True, eq=False)
class _Panel:
    """What one panel shows.

    Attributes:
        names: What it is called, the longest name first.
        limit: What its values cannot exceed, in words; empty where that needs none.
        bound: The upper end of its axis; the lower is 0, or the smallest value by decades.
        values: Shape (curves, D).
        tags: The name of each curve.
        readings: The values at the current d_k.
        peak: Where its only curve is largest; empty if it is flat, or where that needs no words.
        percent: Whether its ticks are in percent.
        keys: How many keys each curve is of, where curves are of keys.
    """

    names: tuple[str, ...]
    limit: str
    bound: float
    values: Floats
    tags: tuple[str, ...]
    readings: tuple[str, ...]
    peak: str = ""
    percent: bool = False
    keys: tuple[int, ...] = ()

    def text(self, value: float) -> str:
        """Return a tick's text."""
        return f"{100.0 * value:.3g} %" if self.percent else f"{value:.3g}"


def over_d_k_chart(
    data: OverDk,
    current: int,
    width: int,
    height: int,
    log: bool,
    quantity: Quantity = "weights",
    wrt: Wrt = "scores",
    note: str = "",
    alone: bool = True,
) -> tuple[Row, ...]:
    """Draw what depends on d_k, as many panels side by side as fit, with one axis of d_k.

    Args:
        data: Values over d_k.
        current: The d_k to mark.
        width: Cells of every row returned.
        height: Number of rows returned.
        log: Whether vertical axes are logarithmic; that of d_k always is.
        quantity: What the first panel shows where there is no room for all.
        wrt: What the Jacobian in ``data`` is taken with respect to.
        note: Where the scores at each d_k come from, said above the panels where that leaves
            them enough rows.
        alone: Whether the values at the current d_k stand nowhere else, and so below each panel.
    """
    if data.d_k.size == 0:
        return message("no d_k to draw", width, height)
    if note and height >= LEAST_NOTED:
        rest = over_d_k_chart(data, current, width, height - 1, log, quantity, wrt, alone=alone)
        return (fitted(((note, "label"),), width), *rest)
    at = _nearest(data, current)
    d_k = data.d_k.astype(np.float64)
    panels, axes, gutter, size = _laid(data, at, width, log, quantity, wrt)
    drawn = []
    for panel, y in zip(panels, axes, strict=True):
        shares = np.clip(np.nan_to_num(y.fraction(panel.values)), 0.0, 1.0)
        count = _told_apart(shares * (height - FRAME))
        series = [
            Series("", d_k, values, "scaled", tag=tag)
            for values, tag in zip(panel.values, panel.tags, strict=True)
        ][:count]
        others, bands, called = panel.values[count:], [], panel.names
        if len(others):
            bands = [Band(d_k, others.min(axis=0), others.max(axis=0), "scaled")]
            shaded = sum(panel.keys[count:])
            called = tuple(f"{name}, {shaded} shaded" for name in panel.names)
        readings = _note(panel, int(data.d_k[at]), current, size) if alone else ()
        scale = ", log" if log else panel.limit
        ends = (scale,) if alone else (f"{scale}{panel.peak}", scale)
        titles = [*(f"{name}{end}" for end in ends for name in called), called[-1]]
        ticks = tuple(replace(tick, text=tick.text.rjust(gutter)) for tick in y.ticks)
        figure = Figure(
            titles, series, d_k_axis(current), replace(y, ticks=ticks), rules=(current,),
            note=readings, bands=bands,
        )  # fmt: skip
        drawn.append(figure.rows(size, height))
    block = reduce(partial(beside, gap=GAP), drawn)
    return tuple(fitted(row, width) for row in block)


def d_k_at(
    data: OverDk, current: int, x: int, width: int, log: bool, quantity: Quantity, wrt: Wrt
) -> int | None:
    """Return the d_k at a column of the chart, a round one if there is any, or None beside it.

    Args:
        data: As given to the chart, like all but the column.
        current: The d_k that is marked.
        x: The column.
        width: Cells of every row.
        log: Whether vertical axes are logarithmic.
        quantity: What the first panel shows.
        wrt: What the Jacobian is taken with respect to.
    """
    if data.d_k.size == 0:
        return None
    panels, _, gutter, size = _laid(data, _nearest(data, current), width, log, quantity, wrt)
    panel, inside = divmod(x, size + GAP)
    column, columns = inside - gutter - 1, size - gutter - 1
    if panel >= len(panels) or not 0 <= column < columns:
        return None
    return D_K.stop_at((column + 0.5) / columns, 1.0 / columns)


def _nearest(data: OverDk, current: int) -> int:
    return int(np.argmin(np.abs(np.log(data.d_k) - np.log(current))))


def _laid(
    data: OverDk, at: int, width: int, log: bool, quantity: Quantity, wrt: Wrt
) -> tuple[list[_Panel], list[Axis], int, int]:
    """Return the panels there is room for, their axes, cells of ticks, and of a panel."""
    names = list(_PANELS)
    count = min(max((width + GAP) // (LEAST_PANEL + GAP), 1), len(names))
    first = names.index(quantity) if count < len(names) else 0
    panels = [_PANELS[name](data, at, wrt) for name in (*names[first:], *names[:first])[:count]]
    axes = [_log_axis(panel) if log else _linear_axis(panel) for panel in panels]
    # Where the axis of d_k begins, and so which of its ticks fit, is to be the same in all.
    gutter = max(len(tick.text) for y in axes for tick in y.ticks)
    return panels, axes, gutter, (width - GAP * (count - 1)) // count


def _told_apart(heights: Floats) -> int:
    """Return how many curves, of those of the largest values first, are drawn one by one.

    Few are; of more than that those that lie on each other over most of the axis are not.

    Args:
        heights: Shape (curves, D), in rows.
    """
    if len(heights) <= FEW:
        return len(heights)
    near = np.quantile(np.abs(np.diff(heights, axis=0)), 0.75, axis=1) < APART
    count = int(np.argmax(near)) + 1 if near.any() else len(heights)
    # A band is of several.
    return count if len(heights) - count > 1 else len(heights)


def _weights(data: OverDk, at: int, wrt: Wrt) -> _Panel:
    count = data.keys.size
    largest = float(np.max(data.weights, where=np.isfinite(data.weights), initial=0.0))
    bound = 1.0 if largest > 0.5 or not largest else round_up(largest)
    places = places_of(round(exp(data.max_entropy)))
    alike = _alike(data.weights)
    return _Panel(
        names=(f"p of the {count} largest keys" if count > 1 else "p of the largest key", "p"),
        limit="",
        bound=bound,
        values=data.weights[[same[0] for same in alike]].astype(np.float64),
        tags=tuple(_names(data.keys[same].tolist()) for same in alike),
        keys=tuple(map(len, alike)),
        readings=tuple(
            f"key {key} {in_percent(weight, log, places)}"
            for key, weight, log in zip(
                data.keys.tolist(), data.weights[:, at], data.log_weights[:, at], strict=True
            )
        )
        or ("every key is masked",),
        percent=True,
    )


def _alike(weights: Floats) -> list[list[int]]:
    """Return which curves, by index, lie on each other everywhere: those of equal scores."""
    groups: list[list[int]] = []
    for index, curve in enumerate(weights):
        if groups and np.array_equal(weights[groups[-1][0]], curve, equal_nan=True):
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups


def _names(keys: list[int]) -> str:
    if len(keys) == 1:
        return f"key {keys[0]}"
    return f"keys {', '.join(map(str, keys))}" if len(keys) <= FEW else f"{len(keys)} keys alike"


def _entropy(data: OverDk, at: int, wrt: Wrt) -> _Panel:
    bound, limit = data.max_entropy or 1.0, ", at most ln n" if data.max_entropy else ""
    if float(np.max(data.entropy, where=np.isfinite(data.entropy), initial=0.0)) > (
        data.max_entropy + 1e-9
    ):
        # Only a sink, which counts as one more key, takes H beyond ln n.
        bound, limit = log1p(exp(data.max_entropy)), ", at most ln(n + 1)"
    return _Panel(
        names=("entropy H in nats", "H, nats"),
        limit=limit,
        bound=bound,
        values=data.entropy[np.newaxis],
        tags=("",),
        readings=(f"{quantity(data.entropy[at], data.log_entropy[at])} nats",),
    )


def _norm(data: OverDk, at: int, wrt: Wrt) -> _Panel:
    largest = float(np.max(data.frobenius, where=np.isfinite(data.frobenius), initial=0.0))
    bound = round_up(largest) if largest else 0.5
    return _Panel(
        names=(f"‖∂p/∂{'s' if wrt == 'scores' else 'z'}‖_F",),
        limit="",
        bound=bound,
        values=data.frobenius[np.newaxis],
        tags=("",),
        readings=(quantity(data.frobenius[at], data.log_frobenius[at]),),
        peak=_peak(data, at),
    )


def _peak(data: OverDk, at: int) -> str:
    """Return where the norm is largest of the d_k evaluated: its rise may be too small to see."""
    usable = np.flatnonzero(np.isfinite(data.frobenius))
    if usable.size == 0:
        return ""
    norms = data.frobenius[usable]
    highest = int(usable[np.argmax(norms)])
    largest = quantity(data.frobenius[highest], data.log_frobenius[highest])
    if largest == quantity(float(np.min(norms)), float(data.log_frobenius[usable].min())):
        return ""
    return f", largest {'here' if highest == at else f'at d_k {data.d_k[highest]}'}"


_PANELS: dict[Quantity, Callable[[OverDk, int, Wrt], _Panel]] = {
    "weights": _weights,
    "norm": _norm,
    "entropy": _entropy,
}


def _note(panel: _Panel, at: int, current: int, width: int) -> Row:
    """Return as many readings as fit, with the d_k they belong to where it is not the current."""
    place: Span = (f"at {at}: ", "label")
    readings = panel.readings
    texts = [", ".join(readings)]
    texts += [", ".join((*readings[:count], "…")) for count in range(len(readings) - 1, 0, -1)]
    places: tuple[Row, ...] = ((place,), ()) if at == current else ((place,),)
    whole: Span = (texts[0], "cursor")
    rows: list[Row] = [(*begin, whole, (panel.peak, "label")) for begin in places]
    rows.append((place, whole))
    rows += [(*places[-1], (text, "cursor")) for text in texts]
    return first_fit(rows, width)


def _linear_axis(panel: _Panel) -> Axis:
    middle = panel.bound / 2
    is_round = float(f"{middle:.2g}") == middle
    values = (panel.bound, 0.0, middle)[: 2 + is_round]
    ticks = tuple(Tick(value, panel.text(value)) for value in values)
    return Axis("", 0.0, panel.bound, ticks=ticks)


def _log_axis(panel: _Panel) -> Axis:
    """Return an axis by powers of ten from below the smallest value above 0 to the bound."""
    usable = np.isfinite(panel.values) & (panel.values > 0)
    smallest = float(np.min(panel.values, where=usable, initial=panel.bound))
    low = max(min(floor(log10(smallest)), ceil(log10(panel.bound)) - 1), SMALLEST_POWER)
    top = floor(log10(panel.bound))
    step = round_step(top - low, 3)
    powers = (low, *range(top // step * step, low, -step))
    named = [Tick(10.0**power, f"1e{power}" if power else "1") for power in powers]
    ticks = (Tick(panel.bound, panel.text(panel.bound)), *named)
    return Axis("", 10.0**low, panel.bound, True, ticks)
