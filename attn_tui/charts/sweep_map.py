"""A statistic of drawn vectors over n and d_k as a heat map, or its ratio unscaled to scaled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, inf, isfinite, isnan, log, log10
from typing import Literal

import numpy as np

from attn_tui.charts.axis import power_text
from attn_tui.charts.grid import Glyphs, Grid, glyphs
from attn_tui.charts.rows import Row, first_fit, first_text, fitted, message
from attn_tui.charts.sweep_signs import DEFAULT_LOOK, Look, is_none, name_of
from attn_tui.compute.sweep import Answer
from attn_tui.compute.sweep_points import Place
from attn_tui.report.numbers import LN10, MINUS, general, ratio
from attn_tui.report.sweep_names import (
    NAMES,
    boundary_text,
    formula,
    interval_text,
    mean_text,
    statistic_number,
)

Of = Literal["median", "mean"]

RATIO_STEPS = (1.1, 2.0, 10.0, 1000.0)
"""From which factor on, up or down, a ratio gets each shade."""

LEAST_BODY, LEAST_VALUES = 1, 10
"""Columns of a cell, and those from which on it holds its number."""

LINEAR_PARTS = (1 / 16, 1 / 4, 1 / 2, 3 / 4)


@dataclass(frozen=True)
class Layout:
    """Where the places of a map are drawn.

    Attributes:
        ns: The n of its rows, the largest on top.
        d_ks: The d_k of its columns.
        gutter: Columns left of the cells.
        body: Columns of a cell; one more is between two.
        readout: Whether there is a row for the number under the cursor.
        legend: Whether there is a row that explains the shades.
    """

    ns: tuple[int, ...]
    d_ks: tuple[int, ...]
    gutter: int
    body: int
    readout: bool
    legend: bool

    def left(self, column: int) -> int:
        """Return the first column of a cell."""
        return self.gutter + column * (self.body + 1)


def layout(answer: Answer, cursor: Place, width: int, height: int) -> Layout | None:
    """Return where places are drawn, not all of them if there is no room; None if for none."""
    ns = sorted({point.n for point in answer.points}, reverse=True)
    d_ks = sorted({point.d_k for point in answer.points})
    readout, legend = height >= 5, height >= 7
    rows = height - 2 - readout - legend
    gutter = max((len(str(n)) for n in ns), default=0) + 2
    columns = (width - gutter) // (LEAST_BODY + 1)
    if not ns or rows < 1 or columns < 2:
        return None
    shown_ns = _some(ns, rows, held(ns, cursor[0]))
    shown_d_ks = _some(d_ks, columns, held(d_ks, cursor[1]))
    body = (width - gutter) // len(shown_d_ks) - 1
    return Layout(shown_ns, shown_d_ks, gutter, min(body, 12), readout, legend)


def held(places: Sequence[int], wanted: int) -> int:
    """Return the place that is nearest by the logarithm."""
    return min(places, key=lambda place: abs(log(place / wanted)))


def _some(places: Sequence[int], most: int, kept: int) -> tuple[int, ...]:
    """Return at most so many places, evenly, one of them among them."""
    if len(places) <= most:
        return tuple(places)
    chosen = np.unique(np.linspace(0, len(places) - 1, most).round().astype(int)).tolist()
    at = places.index(kept)
    if at not in chosen:
        near = min(range(len(chosen)), key=lambda index: abs(chosen[index] - at))
        chosen[near] = at
    return tuple(places[index] for index in chosen)


def place_on_map(
    answer: Answer, x: int, y: int, cursor: Place, width: int, height: int
) -> Place | None:
    """Return the n and d_k of the cell at a column and a row of the map, or None beside it."""
    seen = layout(answer, cursor, width, height)
    if seen is None:
        return None
    row, column = y - 1, (x - seen.gutter) // (seen.body + 1)
    if 0 <= row < len(seen.ns) and 0 <= column < len(seen.d_ks) and x >= seen.gutter:
        return seen.ns[row], seen.d_ks[column]
    return None


def sweep_map(
    answer: Answer,
    rule: str,
    of: Of,
    cursor: Place,
    width: int,
    height: int,
    look: Look = DEFAULT_LOOK,
) -> tuple[Row, ...]:
    """Draw the statistic of the settings at every n and d_k, or its ratio.

    Args:
        answer: The points so far.
        rule: Under which rule; of a ratio, the one that is removed.
        of: Mean or median over draws.
        cursor: The place whose number is written out; the nearest there is.
        width: Cells of every row returned.
        height: Number of rows returned.
        look: How it is looked at.
    """
    seen = layout(answer, cursor, width, height)
    if seen is None:
        text = "Map: too small" if answer.points else "Nothing is drawn yet"
        return message(text, width, height)
    at = (held(seen.ns, cursor[0]), held(seen.d_ks, cursor[1]))
    cells = _cells(answer, rule, of)
    shading = _RatioShading() if answer.settings.ratio else _shading(answer, cells, look)
    glyph = glyphs(look.ascii)
    rows = [fitted(((_title(answer, rule, of, shading.ends, width), "strong"),), width)]
    rows += _draw(answer, rule, of, cells, shading, seen, at, glyph, width)
    blank = height - len(rows) - seen.readout - seen.legend
    rows += [fitted((), width)] * blank
    if seen.readout:
        text = first_text(_readouts(answer, rule, of, at), width)
        rows.append(fitted(((text, "cursor"),), width))
    if seen.legend:
        line = _line_of(answer, rule, of)
        rows.append(fitted(first_fit(shading.legend(glyph, line), width), width))
    return tuple(rows)


def _cells(answer: Answer, rule: str, of: Of) -> Mapping[Place, float]:
    """Return natural logarithms of what is shown, at each place where it is known."""
    statistic, cells = answer.settings.statistic, {}
    for point in answer.points:
        if point.rule != rule:
            continue
        place = (point.n, point.d_k)
        if answer.settings.ratio:
            if found := answer.ratio(*place, rule, statistic):
                cells[place] = found.log_median if of == "median" else found.log_mean
        else:
            one = point.statistics[statistic]
            mean = log(one.mean) if one.mean > 0.0 else -inf
            cells[place] = one.log_median if of == "median" else mean
    return cells


def _draw(
    answer: Answer,
    rule: str,
    of: Of,
    cells: Mapping[Place, float],
    shading: "_RatioShading | _Shading",
    seen: Layout,
    at: Place,
    glyph: Glyphs,
    width: int,
) -> list[Row]:
    """Return the rows of cells with their n before them, and the d_k below."""
    grid = Grid(width, len(seen.ns) + 1)
    lines = dict(_boundary(answer, rule, of))
    for row, n in enumerate(seen.ns):
        role = "cursor" if n == at[0] else "label"
        grid.put(0, row, str(n).rjust(seen.gutter - 2), role)
        for column, d_k in enumerate(seen.d_ks):
            left = seen.left(column)
            if (n, d_k) in cells:
                shade, text, role = shading.cell(cells[n, d_k], seen.body)
                fill = glyph.shades[shade] if shade else " "
                grid.put(left, row, fill * seen.body, role)
                grid.put(left + (seen.body - len(text)) // 2, row, text, role)
            else:
                grid.put(left + seen.body // 2, row, "?", "muted")
        if (place := _column(seen, lines.get(n))) is not None:
            grid.put(place, row, glyph.rule, "strong")
        if n == at[0]:
            left = seen.left(seen.d_ks.index(at[1]))
            grid.put(left - 1, row, "[", "cursor")
            grid.put(left + seen.body, row, "]", "cursor")
    bottom = len(seen.ns)
    grid.put(0, bottom, "n\\d_k" if seen.gutter >= 5 else "", "label")
    for column in sorted(range(len(seen.d_ks)), key=lambda c: (seen.d_ks[c] != at[1], c)):
        text, role = str(seen.d_ks[column]), "cursor" if seen.d_ks[column] == at[1] else "label"
        place = seen.left(column) + (seen.body - len(text)) // 2
        grid.put_if_free(max(place, seen.gutter), bottom, text, role)
    return list(grid.rows())


def _boundary(answer: Answer, rule: str, of: Of) -> Sequence[tuple[int, float | None]]:
    """Return the d_k of the line for each n: where the ratio is 1, or where logits condense."""
    if answer.settings.ratio:
        found = answer.boundary(rule, answer.settings.statistic) if of == "median" else ()
        return [(each.n, each.d_k) for each in found]
    return [(int(each.n), each.d_k) for each in answer.condensation if each.rule == rule]


def _line_of(answer: Answer, rule: str, of: Of) -> str:
    """Return what the line on the map is, or nothing if there is none."""
    if not any(d_k is not None for _, d_k in _boundary(answer, rule, of)):
        return ""
    return "d*: median ×1" if answer.settings.ratio else "σ_c: logits condense"


def _column(seen: Layout, d_k: float | None) -> int | None:
    """Return the column at a d_k between the middles of cells, or None beside them."""
    if d_k is None or not seen.d_ks[0] <= d_k <= seen.d_ks[-1]:
        return None
    middles = [seen.left(column) + seen.body / 2 for column in range(len(seen.d_ks))]
    return int(np.interp(log(d_k), np.log(seen.d_ks), middles))


class _RatioShading:
    """Shades of a ratio: its sign says in which direction, its shade how far from 1."""

    ends = f"shades ×{' ×'.join(f'{step:g}' for step in RATIO_STEPS)}"

    def cell(self, value: float, body: int) -> tuple[int, str, str]:
        """Return the shade, the text and the role of a cell."""
        if isnan(value):
            return 0, "NaN"[:body], "error"
        size = abs(value) + 1e-12
        shade = sum(size >= log(step) for step in RATIO_STEPS)
        sign = "+" if value > 0.0 else MINUS
        role = f"{'positive' if value > 0.0 else 'negative'}{shade}" if shade else "zero"
        if body < LEAST_VALUES:
            return shade, sign if shade else "=", role
        return shade, f" {sign if shade else '='} {ratio(value, body - 5)} ", role

    def legend(self, glyph: Glyphs, line: str) -> list[Row]:
        """Return what the shades mean, at decreasing length."""
        sign: Row = (
            ("+ larger unscaled  ", "positive4"),
            (f"{MINUS} smaller  ", "negative4"),
        )
        short: Row = (("+ larger ", "positive4"), (f"{MINUS} smaller ", "negative4"))
        equal: Row = (("= the same  ", "zero"),)
        rule: Row = ((f"{glyph.rule} ", "strong"), (f"{line}  ", "label")) if line else ()
        steps: Row = tuple(
            span
            for shade, step in list(enumerate(RATIO_STEPS, 1))[::-1]
            for span in ((glyph.shades[shade], "label"), (f" ×÷{step:g} ", "label"))
        )
        return [
            (*sign, *equal, *rule, *steps),
            (*sign, *rule, *steps),
            (*sign, *rule),
            (*short, *rule),
            short,
        ]


@dataclass(frozen=True)
class _Shading:
    """Shades of a number that is not negative.

    Attributes:
        ends: The scale in words.
        steps: From which size on there is each shade, rising, as decimal logarithms.
        texts: These sizes.
    """

    ends: str
    steps: tuple[float, ...]
    texts: tuple[str, ...]

    @property
    def _lightest(self) -> int:
        """The shade of the first step; with fewer steps the light ones are not used."""
        return len(LINEAR_PARTS) + 1 - len(self.steps)

    def cell(self, value: float, body: int) -> tuple[int, str, str]:
        """Return the shade, the text and the role of a cell."""
        reached = sum(value / LN10 + 1e-9 >= step for step in self.steps)
        shade = reached and reached + self._lightest - 1
        role = f"positive{shade}" if shade else "zero"
        if body < LEAST_VALUES:
            return shade, "" if shade else "·"[:body], role
        number = np.exp(value) if isfinite(value) else 0.0
        return shade, f" {statistic_number(float(number), value, body - 3)} ", role

    def legend(self, glyph: Glyphs, line: str) -> list[Row]:
        """Return what the shades mean, at decreasing length."""
        steps: Row = tuple(
            span
            for shade, text in list(enumerate(self.texts, self._lightest))[::-1]
            for span in ((glyph.shades[shade], f"positive{shade}"), (f" ≥{text}  ", "label"))
        )
        less: Row = ((f"{glyph.shades[0]} less  ", "zero"),)
        rule: Row = ((f"{glyph.rule} ", "strong"), (line, "label")) if line else ()
        return [(*steps, *less, *rule), (*steps, *less), steps, steps[:4]]


def _shading(answer: Answer, cells: Mapping[Place, float], look: Look) -> _Shading:
    known = [value / LN10 for value in cells.values() if isfinite(value)]
    top = max(known, default=0.0)
    if not look.log:
        n = answer.settings.n_range[1]
        bounds = {
            "max_weight": 1.0,
            "trace": 1.0,
            "entropy": log(n),
            "effective_keys": float(n),
            "jacobian": 0.5,
        }
        bound = bounds.get(answer.settings.statistic, 10.0 ** min(top, 300.0))
        sizes = [part * bound for part in LINEAR_PARTS]
        texts = tuple(general(size, 2) for size in sizes)
        return _Shading(f"0 to {general(bound, 3)}", tuple(log10(size) for size in sizes), texts)
    # Each shade has about a fifth of the cells, so that wherever the map changes it is seen.
    fifths = np.quantile(known or [0.0], (0.2, 0.4, 0.6, 0.8)).tolist()
    by_digits = [dict(_round_below(each, digits) for each in fifths) for digits in (1, 2, 3)]
    steps = next((each for each in by_digits if len(each) == len(fifths)), by_digits[-1])
    return _Shading("shades of about a fifth each", tuple(steps), tuple(steps.values()))


def _round_below(power: float, digits: int) -> tuple[float, str]:
    """Return a number of a few digits not above ten to a power: its decimal logarithm, its text."""
    whole = floor(power + 1e-9)
    unit = 10.0 ** (digits - 1)
    mantissa = max(floor(10.0 ** (power - whole) * unit + 1e-9) / unit, 1.0)
    plain = -4 < whole < 4
    text = general(mantissa * 10.0**whole, digits) if plain else power_text(whole, mantissa)
    return whole + log10(mantissa), text


def _title(answer: Answer, rule: str, of: Of, ends: str, width: int) -> str:
    symbol = NAMES[answer.settings.statistic].symbol
    if answer.settings.ratio:
        texts = [
            f"{of} {symbol}: unscaled over {formula(rule)}, {ends}",
            f"{of} {symbol}: unscaled over {formula(rule)}",
        ]
    else:
        texts = [f"{of} {symbol}, {name_of(rule)}, {ends}", f"{of} {symbol}, {name_of(rule)}"]
    return first_text([*texts, f"{of} {symbol}"], width)


def _readouts(answer: Answer, rule: str, of: Of, at: Place) -> list[str]:
    """Return the number under the cursor in words, at decreasing length."""
    n, d_k = at
    place = f"n = {n:,}, d_k = {d_k:,}"
    statistic = answer.settings.statistic
    point = answer.point(n, d_k, rule)
    if point is None:
        return [f"{place}: not drawn yet"]
    summary = point.statistics[statistic]
    number = interval_text(summary) if of == "median" else mean_text(summary)
    alone = f"{of} {NAMES[statistic].symbol} {name_of(rule)} {number}"
    found = answer.ratio(n, d_k, rule, statistic)
    if not answer.settings.ratio or found is None or is_none(rule):
        return [f"{place}: {alone}", f"{place}: {number}", number]
    value = ratio(found.log_median if of == "median" else found.log_mean)
    log_value = found.log_median if of == "median" else found.log_mean
    way = "larger" if log_value > 0.0 else "smaller" if log_value < 0.0 else "no different"
    error = found.log_median_error if of == "median" else found.log_mean_error
    share = f" ± {100.0 * error:.2g} %" if isfinite(error) else ""
    said = f"unscaled the {of} {NAMES[statistic].symbol} is {value}{share}, {way}"
    texts = [f"{place}: {said}", f"{place}: {value}, {way} unscaled", f"{place}: {value}", value]
    lines = answer.boundary(rule, statistic) if of == "median" else ()
    line = [f"; d* {boundary_text(each)}" for each in lines if each.n == n and each.d_k]
    return [f"{text}{''.join(line)}" for text in texts[:2]] + texts[1:]
