"""The charts over d_k: weights, entropy and the norm of the Jacobian, the current d_k marked."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from math import ceil, exp, floor, log1p, log10

import numpy as np

from attn_tui.charts.axis import Axis, Floats, Tick, d_k_axis, round_step, round_up
from attn_tui.charts.plot import Figure, Series
from attn_tui.charts.rows import Row, Span, beside, first_fit, fitted, message
from attn_tui.charts.sides import Quantity
from attn_tui.compute.explore.answer import OverDk
from attn_tui.compute.logit_map import Wrt
from attn_tui.report.numbers import quantity, weight

LEAST_PANEL = 24
"""A panel narrower than this is not legible; then one quantity is shown instead of three."""

LEAST_NOTED = 7
"""From this height on there is a row for a note above the panels."""

SERIES_ROLES = 6
SMALLEST_POWER = -300


@dataclass(frozen=True, eq=False)
class _Panel:
    """What one panel shows.

    Attributes:
        names: What it is called, the longest name first.
        scale: The ends of its linear axis in words.
        bound: The upper end of its axis; the lower is 0, or the smallest value by decades.
        values: Shape (curves, D).
        tags: The name of each curve.
        readings: The values at the current d_k.
        peak: Where its only curve is largest; empty if it is flat, or where that needs no words.
    """

    names: tuple[str, ...]
    scale: str
    bound: float
    values: Floats
    tags: tuple[str, ...]
    readings: tuple[str, ...]
    peak: str = ""


def over_d_k_chart(
    data: OverDk,
    current: int,
    width: int,
    height: int,
    log: bool,
    quantity: Quantity = "weights",
    wrt: Wrt = "scores",
    note: str = "",
) -> tuple[Row, ...]:
    """Draw what depends on d_k, three panels side by side where they fit, otherwise one.

    Args:
        data: Values over d_k.
        current: The d_k to mark; the values there are written below each panel.
        width: Cells of every row returned.
        height: Number of rows returned.
        log: Whether vertical axes are logarithmic; that of d_k always is.
        quantity: What to show where there is room for one panel.
        wrt: What the Jacobian in ``data`` is taken with respect to.
        note: Where the scores at each d_k come from, said above the panels where that leaves
            them enough rows.
    """
    if data.d_k.size == 0:
        return message("no d_k to draw", width, height)
    if note and height >= LEAST_NOTED:
        rest = over_d_k_chart(data, current, width, height - 1, log, quantity, wrt)
        return (fitted(((note, "label"),), width), *rest)
    at = int(np.argmin(np.abs(np.log(data.d_k) - np.log(current))))
    d_k = data.d_k.astype(np.float64)
    panel_width = (width - 2) // 3
    chosen: tuple[Quantity, ...] = ("weights", "entropy", "norm")
    widths = [panel_width, panel_width, width - 2 - 2 * panel_width]
    if panel_width < LEAST_PANEL:
        chosen, widths = (quantity,), [width]
    drawn = []
    for name, size in zip(chosen, widths, strict=True):
        panel = _PANELS[name](data, at, wrt)
        series = [
            Series("", d_k, values, f"series{index % SERIES_ROLES}", tag=tag)
            for index, (values, tag) in enumerate(zip(panel.values, panel.tags, strict=True))
        ]
        readings = _note(panel, int(data.d_k[at]), current, size)
        y = _log_axis(panel) if log else _linear_axis(panel)
        titles = [f"{name}, {'log' if log else panel.scale}" for name in panel.names]
        figure = Figure(titles, series, d_k_axis(current), y, rules=(current,), note=readings)
        drawn.append(figure.rows(size, height))
    return reduce(beside, drawn)


def _weights(data: OverDk, at: int, wrt: Wrt) -> _Panel:
    count = data.keys.size
    return _Panel(
        names=(f"p of the {count} largest keys" if count > 1 else "p of the largest key", "p"),
        scale="0 to 1",
        bound=1.0,
        values=data.weights.astype(np.float64),
        tags=tuple(f"k{key}" for key in data.keys),
        readings=tuple(
            f"k{key} {weight(*numbers)}"
            for key, *numbers in zip(
                data.keys.tolist(), data.weights[:, at], data.log_weights[:, at], strict=True
            )
        )
        or ("every key is masked",),
    )


def _entropy(data: OverDk, at: int, wrt: Wrt) -> _Panel:
    bound, scale = data.max_entropy or 1.0, "0 to ln n" if data.max_entropy else "ln n = 0"
    if float(np.max(data.entropy, where=np.isfinite(data.entropy), initial=0.0)) > (
        data.max_entropy + 1e-9
    ):
        # Only a sink, which counts as one more key, takes H beyond ln n.
        bound, scale = log1p(exp(data.max_entropy)), "0 to ln(n + 1)"
    return _Panel(
        names=("H, nats",),
        scale=scale,
        bound=bound,
        values=data.entropy[np.newaxis],
        tags=("",),
        readings=(f"{quantity(data.entropy[at], data.log_entropy[at])} nats",),
    )


def _norm(data: OverDk, at: int, wrt: Wrt) -> _Panel:
    largest = float(np.max(data.frobenius, where=np.isfinite(data.frobenius), initial=0.0))
    # The norm of J is at most 1/2; only a multiplier above 1 takes that of m·J beyond.
    bound = 0.5 if largest <= 0.5 else round_up(largest)
    return _Panel(
        names=(f"‖∂p/∂{'s' if wrt == 'scores' else 'z'}‖_F",),
        scale=f"0 to {bound:g}",
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
    return ", largest here" if highest == at else f", largest {largest} at {data.d_k[highest]}"


_PANELS: dict[Quantity, Callable[[OverDk, int, Wrt], _Panel]] = {
    "weights": _weights,
    "entropy": _entropy,
    "norm": _norm,
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
    ends = (panel.bound, 0.0, panel.bound / 2)
    ticks = tuple(Tick(value, f"{value:.3g}") for value in ends)
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
    ticks = (Tick(panel.bound, f"{panel.bound:.3g}"), *named)
    return Axis("", 10.0**low, panel.bound, True, ticks)
