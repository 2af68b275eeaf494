"""The charts of Dot products: the histogram with its curves, and the spread over d_k."""

from dataclasses import dataclass, replace
from math import ceil, floor, log10

import numpy as np

from attn_tui.charts.axis import Axis, Floats, Tick, d_k_axis, round_step, round_up
from attn_tui.charts.glyphs import ABOVE, NAN, SCALED, SHADES, UNSCALED
from attn_tui.charts.plot import Figure, Mark, Series, frame, legend
from attn_tui.charts.rows import (
    Row,
    Span,
    beside,
    cells,
    first_fit,
    first_text,
    length,
    message,
)
from attn_tui.charts.sides import Side
from attn_tui.compute.dots.answer import Answer
from attn_tui.compute.dots.over_dimension import Growth
from attn_tui.report.measured import exact, with_error
from attn_tui.report.numbers import general

LEAST_PANEL = 44
"""Two histograms stand side by side where each has so many columns."""

HEADROOM = 1.25
"""How much higher than the highest curve an axis of densities is, for any law and either side."""

APART = 2
"""Values so many columns apart, or more, have a bar each, with a gap between them."""

GUTTER = 8
"""Columns that a panel has left of its grid, at most."""

MOST_OVER_NORMAL = 2.5
"""A density is drawn up to so many times the peak of the normal curve; it may be infinite."""

DECADES = 6
"""Of a logarithmic axis of densities: those that ±5 standard deviations of a normal law take."""

MARGIN = 1.25
"""How far beyond the standard deviations their axis goes, as a factor."""

FAR = 1e140
"""Multipliers as far from 1 have no chart: the slopes of densities, as 1/m², leave float64."""

GROWTH_ROLES = {"none": "unscaled", "inverse-sqrt": "scaled", "inverse": "series2"}
"""The colour of each rule of the chart of standard deviations."""

LEAST_FOR_SLOPES = 60
"""In fewer columns curves are named without their slopes, so that each of them has its name."""

SLOPES = {-0.5: "−1/2", 0.0: "0", 0.5: "1/2", 1.0: "1"}


def histogram_chart(
    answer: Answer,
    side: Side,
    width: int,
    height: int,
    log: bool = False,
) -> tuple[Row, ...]:
    """Draw how often q·k falls where, with the exact density and the normal one.

    The axes follow from the exact law, so that they stand still while the sample grows.

    Args:
        answer: What was drawn.
        side: Which side is shown where there is no room for both.
        width: Cells of every row returned.
        height: Number of rows returned.
        log: Whether the axis of densities is logarithmic.
    """
    if answer.law.standard_deviation == 0.0:
        texts = (
            "q·k is always the same number: there is no density",
            "q·k has no spread: no density",
        )
        return message(first_text(texts, width), width, height)
    left = (width - 1) // 2
    if left < LEAST_PANEL:
        return _panel(answer, side, width, height, log)
    return beside(
        _panel(answer, "unscaled", left, height, log),
        _panel(answer, "scaled", width - 1 - left, height, log),
    )


@dataclass(frozen=True, eq=False)
class _Data:
    """What one histogram shows, unscaled or scaled.

    Attributes:
        edges: Of the bins, shape (B + 1,).
        density: Of the sample, shape (B,).
        x: Where the exact density is known.
        exact: That density, or None.
        normal_x: Where the normal one is known: at x, but for values with a bar each.
        normal: The normal density.
        top: The upper end of the axis of densities.
        step: 0, or the distance of the values of q·k, if each has a bar of its own: then all
            densities are times this, probabilities.
    """

    edges: Floats
    density: Floats
    x: Floats
    exact: Floats | None
    normal_x: Floats
    normal: Floats
    top: float
    step: float = 0.0


def _data(answer: Answer, m: float, columns: int) -> _Data:
    counted, curves = answer.histogram.scaled(m), answer.curves.scaled(m)
    density, exact = counted.density, curves.exact
    peak = float(curves.normal.max())
    others = [density if exact is None else exact]
    highest = max(float(np.max(each, where=np.isfinite(each), initial=peak)) for each in others)
    highest, step = min(highest, MOST_OVER_NORMAL * peak), _step(answer, columns) * m
    x, normal = curves.x, curves.normal
    if step:
        # Each bin holds one value; the normal curve is seen between the values as well.
        density, exact = density * step, None if exact is None else exact * step
        at = np.linspace(answer.histogram.edges[0], answer.histogram.edges[-1], 2 * columns)
        x, normal, highest = at * m, answer.law.normal_density(at) / m * step, highest * step
    top = HEADROOM * highest
    return _Data(counted.edges, density, curves.x, exact, x, normal, top, step)


def _step(answer: Answer, columns: int) -> float:
    """Return the distance of the values of q·k if each is to have a bar of its own, or 0."""
    edges, grid = answer.histogram.edges, answer.law.grid
    width = float(edges[1] - edges[0])
    if grid is None or width > 1.5 * grid[1] or columns < APART * (edges.size - 1):
        return 0.0
    return grid[1]


def _panel(answer: Answer, side: Side, width: int, height: int, log: bool) -> tuple[Row, ...]:
    scaled = side == "scaled"
    m = answer.multiplier if scaled else 1.0
    name = "m·q·k" if scaled else "q·k"
    if not m > 0.0:
        return message(f"m = {general(m)}: every logit is {general(m)}", width, height)
    if not 1.0 / FAR < m < FAR:
        return message(f"m = {general(m)}: too far from 1 for a chart", width, height)
    data = _data(answer, m, width - GUTTER)
    top, low = data.top, data.top * 10.0**-DECADES if log else 0.0
    found = answer.scaled if scaled else answer.unscaled
    what = f"{side}: {'probability' if data.step else 'density'} of {name}"
    ticks = _density_ticks(low, top, log)
    y = Axis("", low, top, log, ticks)
    size = frame(y, width, height, noted=True)
    if size.columns < 1:
        return message(f"{what}: too small for a chart", width, height)
    starts = np.linspace(data.edges[0], data.edges[-1], size.columns + 1)
    bars, cut = _bars(data, starts, low, side)
    if answer.curves.discrete and not data.step:
        data = _in_columns(data, starts)
    titles = (f"{what}, {answer.drawn:,} drawn", what, name)
    dot = 1.0 / (max(size.lines, 1) * 4)
    series = [bars]
    for names in _names(data, y, dot):
        series = [bars, *_curves(data, names, low, log, answer.curves.discrete)]
        if cells(name) + length(legend(series)) <= width:
            break
    note: list[Span] = [(f"sd {with_error(found.standard_deviation)}", "cursor")]
    note.append((f", exact {exact(found.standard_deviation)}", "label"))
    if data.exact is None:
        note.append((f"; no exact curve: {answer.law.unknown}", "muted"))
    if cut.size:
        note.insert(0, (f"{ABOVE} higher than {general(top, 3)}  ", "error"))
    marks = [Mark(float(at), top, ABOVE, "error") for at in cut]
    x = _values_axis(answer, m, data.edges, size.columns)
    return Figure(titles, series, x, y, marks, note=tuple(note)).rows(width, height)


def _bars(data: _Data, starts: Floats, low: float, side: Side) -> tuple[Series, Floats]:
    """Return the bars of the sample, and where those stand that are cut at the end of the axis.

    They share out the sample over columns that begin at the places given; or each value has one,
    half as wide as values are apart.
    """
    column = float(starts[1] - starts[0])
    heights, at, span = _resampled(data.edges, data.density, starts), starts[:-1], column
    if data.step:
        heights, span = data.density, column * max(1, data.step // (2.0 * column))
        at = (data.edges[1:] + data.edges[:-1] - span) / 2.0
    shown, cut = heights > low, heights > data.top
    bars = Series(
        "",
        at[shown],
        np.minimum(heights[shown], data.top),
        side,
        "bars",
        SCALED if side == "scaled" else UNSCALED,
        span,
    )
    return bars, at[cut] + span / 2.0


def _names(data: _Data, y: Axis, dot: float) -> tuple[tuple[str, str], ...]:
    """Return what the normal and the exact curve may be called, at decreasing length.

    Where they are nowhere a dot apart, some part of the height of the chart, the normal one has no
    name: it is not drawn, and the other's name says how far it is from it.
    """
    if data.exact is None:
        return (("normal", ""),)
    if data.step:
        return (("normal", "exact"),)
    both = y.fraction(np.stack([data.normal, data.exact]))
    if np.abs(np.diff(np.clip(both, 0.0, 1.0), axis=0)).max(initial=0.0) >= dot:
        return (("normal", "exact"),)
    apart = np.abs(data.normal - data.exact).max(initial=0.0)
    percent = 100.0 * apart / data.exact.max(initial=1e-300)
    most = f"±{general(round_up(float(percent)), 2)}" if percent > 0.1 else "<0.1"
    name = "exact ≈ normal"
    return (("", f"{name}, {most} % of peak"), ("", name))


def _curves(
    data: _Data,
    names: tuple[str, str],
    low: float,
    log: bool,
    discrete: bool,
) -> list[Series]:
    """Return the curves that have a name, as far as they are on the axis.

    The normal one is dotted; above the axis they go along its upper end.
    """
    found = []
    for name, at, y, role in (
        (names[0], data.normal_x, data.normal, "label"),
        (names[1], data.x, data.exact, "series2"),
    ):
        if not name or y is None:
            continue
        # Where each value has a bar, what has none has no probability either.
        inside = np.isfinite(y) & (y > low if log or data.step else y >= low)
        x, heights = at[inside], np.minimum(y[inside], data.top)
        if y is data.normal:
            found.append(Series(name, x, heights, role, "points", SHADES[0]))
        elif discrete:
            found.append(Series(name, x, heights, role, "points", NAN))
        else:
            found.append(Series(name, x, heights, role))
    return found


def _resampled(edges: Floats, density: Floats, starts: Floats) -> Floats:
    """Return the mean density between neighbours of rising places, shape (len(starts) − 1,)."""
    areas = np.concatenate([[0.0], np.cumsum(density * np.diff(edges))])
    means: Floats = np.diff(np.interp(starts, edges, areas)) / np.diff(starts)
    return means


def _in_columns(data: _Data, starts: Floats) -> _Data:
    """Return the same with the exact probabilities shared out as bars are, if these are wider."""
    if data.exact is None or starts.size >= data.edges.size:
        return data
    exact = _resampled(data.edges, data.exact, starts)
    middles = (starts[1:] + starts[:-1]) / 2.0
    normal = np.interp(middles, data.normal_x, data.normal)
    return replace(data, x=middles, exact=exact, normal_x=middles, normal=normal)


def _values_axis(answer: Answer, m: float, edges: Floats, columns: int) -> Axis:
    """Return the axis of values: the mean is labelled, and as many deviations from it as fit."""
    law = answer.law
    mean, sd = law.mean * m, law.standard_deviation * m
    # Whole numbers of up to six digits are written out, and means that are far away.
    power = ceil(log10(abs(mean) + 4 * sd))
    digits = 6 if abs(mean) >= 100 * sd else max(3, power) if power <= 6 else 3
    ticks: list[Tick] = []
    for step in (1, 2, 4):
        values = [mean + steps * sd for steps in range(-4, 5, step)]
        ticks = [Tick(value, general(value, digits)) for value in values]
        apart = columns * step * sd / float(edges[-1] - edges[0])
        if max(len(tick.text) for tick in ticks) + 2 <= apart:
            break
    # The middle first: it stays where not even every fourth fits.
    ticks.sort(key=lambda tick: abs(tick.value - mean))
    return Axis("", float(edges[0]), float(edges[-1]), ticks=tuple(ticks))


def _density_ticks(low: float, top: float, log: bool) -> tuple[Tick, ...]:
    if log:
        powers = range(ceil(log10(low)), floor(log10(top)) + 1)
        step = round_step(len(powers), 3)
        return tuple(Tick(10.0**power, f"1e{power}") for power in reversed(powers[::step]))
    highest = round_up(0.75 * top)
    return tuple(Tick(value, f"{value:.3g}") for value in (highest, 0.0, highest / 2))


def growth_chart(answer: Answer, width: int, height: int) -> tuple[Row, ...]:
    """Draw the exact standard deviation of m·q·k over d_k, both logarithmic, for three rules.

    The present d_k and what was sampled there, and at the d_k of the table, are marked.
    """
    d_k = answer.law.d_k
    values = np.concatenate([line.standard_deviation for line in answer.growth])
    good = values[np.isfinite(values) & (values > 0.0)]
    if not good.size:
        return message("q·k is always the same number: it has no spread", width, height)
    low, high = float(good.min()) / MARGIN, float(good.max()) * MARGIN
    step = round_step(ceil(log10(high / low)), 4)
    decades = range(ceil(log10(low)), floor(log10(high)) + 1)
    powers = [power for power in decades if power % step == 0]
    ordered = sorted(powers, key=lambda power: (power != 0, power))
    ticks = tuple(Tick(10.0**power, "1" if power == 0 else f"1e{power}") for power in ordered)
    dot = "○"
    titles = (
        f"standard deviation of m·q·k over d_k, both axes logarithmic; {dot} sampled, ×1",
        f"standard deviation of m·q·k, log-log; {dot} sampled, ×1",
        "sd of m·q·k, log-log",
    )
    x, y = d_k_axis(d_k), Axis("", low, high, True, ticks)

    def slope(line: Growth) -> str:
        return f": slope {SLOPES[line.slope]}" if width >= LEAST_FOR_SLOPES else ""

    series = [
        Series(
            "",
            line.d_k.astype(np.float64),
            line.standard_deviation,
            GROWTH_ROLES[line.rule],
            tag=f" ×{line.formula}{slope(line)} ",
        )
        for line in answer.growth
    ]
    rows = [row for row in answer.table if row.draws > 1]
    sampled = {row.d_k: row.variance.value for row in rows}
    if answer.drawn > 1:
        sampled[d_k] = answer.unscaled.variance.value
    found = {at: value**0.5 for at, value in sampled.items() if value > 0.0}
    circles = np.array(sorted(found), dtype=np.float64)
    heights = np.array([found[int(at)] for at in circles])
    inside = (heights >= low) & (heights <= high)
    marks = [
        Mark(float(at), float(y_value), dot, "unscaled")
        for at, y_value in zip(circles[inside], heights[inside], strict=True)
    ]
    figure = Figure(titles, series, x, y, marks, (d_k,), _growth_note(answer, width))
    return figure.rows(width, height)


def _growth_note(answer: Answer, width: int) -> Row:
    """Return the standard deviation at the present d_k under each rule, as many as fit."""
    at = answer.law.standard_deviation
    place: Span = (f"at {answer.law.d_k}: ", "label")
    d_k = answer.law.d_k
    multipliers = {"none": 1.0, "inverse-sqrt": d_k**-0.5, "inverse": 1.0 / d_k}
    texts = [
        f"×{line.formula} → {general(at * multipliers[line.rule], 4)}" for line in answer.growth
    ]
    joined = [", ".join(texts[:count]) for count in range(len(texts), 0, -1)]
    rows: list[Row] = [(place, (text, "cursor")) for text in joined]
    return first_fit(rows, width)
