"""The curves of a sweep: mean and median with bands for each rule, exact curves, crossovers."""

from collections.abc import Iterator, Sequence
from math import ceil, floor, inf, isfinite, log

import numpy as np

from attn_tui.charts.axis import Axis, Floats, Tick, cell, power_text, round_step, round_up
from attn_tui.charts.plot import Mark, Series, frame, plot
from attn_tui.charts.rows import Row, first_fit, fitted, message, plain
from attn_tui.charts.sweep_signs import DEFAULT_LOOK, Look, explained, letter_of, readouts, role_of
from attn_tui.compute.sweep import Answer
from attn_tui.compute.sweep_points import Point
from attn_tui.report.numbers import LN10, general
from attn_tui.report.sweep_names import NAMES, formula, is_none, name_of, place_text

DECADES = 8
"""A logarithmic axis reaches so far below its top unless all of it is asked for."""

_MOST_DECADES = 10**12
"""No picture goes further down: places on it would be lost to rounding."""

_SHORT = {"mean": "mean", "median": "median", "root mean square": "RMS"}

LEAST_EXPLAINED, LEAST_READOUT = 10, 7
"""From this height on there is a row that explains the signs, or the numbers at the cursor."""


def swept(answer: Answer) -> tuple[int, ...]:
    """Return the d_k or the n at which there are points, rising."""
    over = answer.settings.over
    return tuple(sorted({getattr(point, over) for point in answer.points}))


def nearest(places: Sequence[int], wanted: int) -> int:
    """Return the place that is nearest by the logarithm."""
    return min(places, key=lambda place: abs(log(place / wanted)))


def sweep_chart(
    answer: Answer, cursor: int, width: int, height: int, look: Look = DEFAULT_LOOK
) -> tuple[Row, ...]:
    """Draw the statistic of the settings over d_k or n, or its ratios.

    Args:
        answer: The points so far.
        cursor: The d_k or n to mark; the nearest place is, and its numbers are written out.
        width: Cells of every row returned.
        height: Number of rows returned.
        look: How it is looked at.
    """
    places = swept(answer)
    if not places:
        return message("Nothing is drawn yet", width, height)
    here = nearest(places, cursor)
    picture = _Picture(answer, look)
    rest = height - (height >= LEAST_EXPLAINED) - (height >= LEAST_READOUT)
    x, y = picture.x(here), picture.y
    marks = picture.marks(x, width, rest)
    rows = list(plot(picture.series(), x, y, width, rest, look.ascii, marks, (here,)))
    if height >= LEAST_EXPLAINED:
        signs = picture.signs(plain(rows[1:]))
        rows.append(fitted(first_fit(explained(answer, look, signs), width), width))
    if height >= LEAST_READOUT:
        rows.append(fitted(first_fit(readouts(answer, here), width), width))
    return tuple(rows)


def place_at(
    answer: Answer, column: int, width: int, height: int, look: Look = DEFAULT_LOOK
) -> int | None:
    """Return the d_k or n nearest to a column of the chart, or None beside it."""
    places = swept(answer)
    if not places:
        return None
    picture = _Picture(answer, look)
    size = frame(picture.y, width, height)
    if size.columns < 1 or column < size.gutter:
        return None
    columns = cell(picture.x(places[0]).fraction(np.array(places, dtype=float)), size.columns)
    return places[int(np.argmin(np.abs(columns + size.gutter - column)))]


class _Picture:
    """What is drawn of an answer, with decimal logarithms in place of numbers if it is by them."""

    def __init__(self, answer: Answer, look: Look) -> None:
        self.answer, self.look = answer, look
        self.log = look.log or answer.settings.ratio
        self.name = NAMES[answer.settings.statistic].symbol
        self._dot = "." if look.ascii else "·"
        self.data = list(self._ratios() if answer.settings.ratio else self._curves())
        self.y = self._log_axis() if self.log else self._linear_axis()
        self.known = [] if answer.settings.ratio else list(self._known())

    def series(self) -> list[Series]:
        """Return all there is to draw, the most important last."""
        bands = [one for one in self.data if one.glyph == self._dot]
        others = [one for one in self.data if one.glyph != self._dot]
        lines = [*self._vertical(), *bands, *(series for _, series in self.known), *others]
        if self.answer.settings.ratio:
            low, high = self._ends()
            glyph = "-" if self.look.ascii else "╌"
            one = Series("", np.array([low, high]), np.zeros(2), "axis", glyph=glyph, tag="×1")
            lines.insert(0, one)
        return lines

    def x(self, here: int) -> Axis:
        """Return the horizontal axis."""
        low, high = self._ends()
        powers = [2**k for k in range(1, 17) if low < 2**k < high]
        ticks = [
            Tick(here, str(here), "cursor"),
            Tick(low, str(low)),
            Tick(high, str(high)),
            *(Tick(power, str(power)) for power in (*powers[2::3], *powers)),
        ]
        return Axis(self.answer.settings.over, low, high, True, tuple(ticks))

    def _ends(self) -> tuple[int, int]:
        settings = self.answer.settings
        least, most = settings.d_k_range if settings.over == "d_k" else settings.n_range
        # One place stands in the middle of an octave to either side.
        return (least, most) if least < most else (max(least // 2, 1), 2 * most)

    # What is drawn

    def _curves(self) -> Iterator[Series]:
        statistic = self.answer.settings.statistic
        rules = self.answer.rules
        points = {rule: [p for p in self.answer.points if p.rule == rule] for rule in rules}
        if self.look.bands:
            for rule in rules:
                summaries = [point.statistics[statistic] for point in points[rule]]
                lows, highs = [s.log_low for s in summaries], [s.log_high for s in summaries]
                yield from self._band(points[rule], rule, lows, highs)
        for rule in rules:
            logs = [point.statistics[statistic].log_median for point in points[rule]]
            yield self._median(points[rule], logs, rule, name_of(rule))
        for rule in rules:
            means = [_log(point.statistics[statistic].mean) for point in points[rule]]
            yield self._letters(points[rule], means, rule)

    def _ratios(self) -> Iterator[Series]:
        answer, statistic = self.answer, self.answer.settings.statistic
        others = [rule for rule in answer.rules if not is_none(rule)]
        for rule in others:
            points = [point for point in answer.points if point.rule == rule]
            found = [answer.ratio(point.n, point.d_k, rule, statistic) for point in points]
            kept = [(point, each) for point, each in zip(points, found, strict=True) if each]
            points, ratios = [point for point, _ in kept], [each for _, each in kept]
            if self.look.bands:
                lows, highs = (
                    [each.log_median + by * each.log_median_error for each in ratios]
                    for by in (-2.0, 2.0)
                )
                yield from self._band(points, rule, lows, highs)
            logs = [each.log_median for each in ratios]
            yield self._median(points, logs, rule, f"unscaled over {formula(rule)}")
            yield self._letters(points, [each.log_mean for each in ratios], rule)

    def _known(self) -> Iterator[tuple[str, Series]]:
        """Yield exact curves and asymptotes as far as they are in the picture, and what they are.

        One that leaves the picture of what was drawn is cut off there.
        """
        glyph = {"exact": "=", "asymptote": "-"}
        # Asymptotes first: exact curves are drawn over them.
        for curve in sorted(self.answer.curves, key=lambda curve: curve.kind):
            x = np.array([self._at(n, d_k) for n, d_k in curve.places], dtype=float)
            values = [value if value is not None else np.nan for value in curve.values]
            with np.errstate(divide="ignore"):
                y = np.log10(np.array(values, dtype=float)) if self.log else np.array(values)
            kept = (y >= self.y.minimum) & (y <= self.y.maximum)
            if kept.any():
                of = _SHORT[curve.of]
                tag = "" if curve.kind == "exact" else f"{of} → {curve.formula}"
                role = role_of(self.answer, curve.rule)
                series = Series("", x[kept], y[kept], role, glyph=glyph[curve.kind], tag=tag)
                means = f"exact {of}" if curve.kind == "exact" else f"{of} asymptote"
                yield f"{glyph[curve.kind]} {means}", series

    def signs(self, drawn: str) -> list[str]:
        """Return what signs mean, of those that are left in what was drawn, each once."""
        known = [sign for sign, _ in self.known]
        signs = [*known, "σ_c logits condense", "d* medians cross (95 %)"]
        return [sign for sign in dict.fromkeys(signs) if sign.split()[0] in drawn]

    def _band(
        self, points: list[Point], rule: str, lows: list[float], highs: list[float]
    ) -> Iterator[Series]:
        x, role, letter = self._where(points), role_of(self.answer, rule), self._letter(rule)
        for logs, end in ((lows, "lower"), (highs, "upper")):
            y, name = self._values(logs), f"of {letter}'s {end} ends"
            yield Series("", x, y, role, glyph=self._dot, points=name)

    def _median(self, points: list[Point], logs: list[float], rule: str, tag: str) -> Series:
        x, y, letter = self._where(points), self._values(logs), self._letter(rule)
        glyph, name = letter.lower() if self.look.ascii else "", f"of {letter}'s medians"
        role = role_of(self.answer, rule)
        return Series("", x, y, role, glyph=glyph, tag=tag, points=name)

    def _letters(self, points: list[Point], logs: list[float], rule: str) -> Series:
        x, y, letter = self._where(points), self._values(logs), self._letter(rule)
        role, name = role_of(self.answer, rule), f"of {letter}'s means"
        return Series(name_of(rule), x, y, role, "points", letter, points=name)

    def _letter(self, rule: str) -> str:
        return letter_of(self.answer, rule)

    def _where(self, points: list[Point]) -> Floats:
        return np.array([self._at(point.n, point.d_k) for point in points], dtype=np.float64)

    def _at(self, n: int, d_k: int) -> int:
        return d_k if self.answer.settings.over == "d_k" else n

    def _values(self, logs: list[float]) -> Floats:
        """Return numbers given as natural logarithms as they are drawn."""
        given = np.array(logs, dtype=np.float64)
        with np.errstate(over="ignore"):
            return given / LN10 if self.log else np.exp(given)

    # Axes

    def _log_axis(self) -> Axis:
        values = np.concatenate([np.zeros(0), *(one.y for one in self.data)])
        usable = values[np.isfinite(values)]
        if self.answer.settings.ratio:
            usable = np.append(usable, [0.0])
        low, high = (float(usable.min()), float(usable.max())) if usable.size else (-1.0, 0.0)
        top, bottom = ceil(high - 1e-9), floor(low + 1e-9)
        if self.answer.settings.ratio and not self.look.whole:
            top, bottom = min(top, DECADES), max(bottom, -DECADES)
        else:
            bottom = max(bottom, top - (_MOST_DECADES if self.look.whole else DECADES))
        bottom = min(bottom, top - 1)
        step = round_step(top - bottom, 6)
        powers = [bottom, top, *range(ceil(bottom / step) * step, top, step)]
        ratio_mark = "×" if self.answer.settings.ratio else ""
        ticks = tuple(
            Tick(power, ratio_mark + (power_text(power) if power else "1"))
            for power in dict.fromkeys(powers)
        )
        what = f"{self.name} unscaled over scaled, log" if ratio_mark else f"{self.name}, log"
        return Axis(what, bottom, top, ticks=ticks)

    def _linear_axis(self) -> Axis:
        settings = self.answer.settings
        n = settings.n_range[1] if settings.over == "n" else settings.n
        bounds = {
            "max_weight": 1.0,
            "trace": 1.0,
            "entropy": log(n),
            "effective_keys": float(n),
            "jacobian": 0.5,
        }
        bound = bounds.get(settings.statistic)
        if bound is None:
            values = np.concatenate([np.zeros(0), *(one.y for one in self.data)])
            usable = values[np.isfinite(values) & (values > 0.0)]
            bound = round_up(min(float(usable.max()), 1e300)) if usable.size else 1.0
        ticks = tuple(Tick(value, general(value, 3)) for value in (bound, 0.0, bound / 2))
        return Axis(f"{self.name}, 0 to {general(bound, 3)}", 0.0, bound, ticks=ticks)

    # Condensation and crossovers

    def _vertical(self) -> Iterator[Series]:
        for rule, place in self._condensed():
            y = np.linspace(self.y.minimum, self.y.maximum, 60)
            glyph = ":" if self.look.ascii else "┊"
            x = np.full(y.size, place)
            yield Series("", x, y, role_of(self.answer, rule), "points", glyph)

    def _condensed(self) -> Iterator[tuple[str, float]]:
        low, high = self._ends()
        for each in self.answer.condensation:
            place = each.d_k if self.answer.settings.over == "d_k" else each.n
            if place is not None and low <= place <= high:
                yield each.rule, float(place)

    def _crossed(self) -> Iterator[tuple[float, float, float, bool]]:
        """Yield crossovers in the picture, each between its interval's ends; whether finished."""
        least, most = self._ends()
        for found in self.answer.crossovers:
            d_k = found.d_k
            if found.readout == self.answer.settings.statistic and d_k and least <= d_k <= most:
                yield found.low or d_k, d_k, found.high or d_k, found.finished

    def marks(self, x: Axis, width: int, height: int) -> list[Mark]:
        """Return what stands on the chart: condensation points, and crossovers with intervals."""
        size = frame(self.y, width, height)
        if size.columns < 8 or size.lines < 3:
            return []
        marks = [
            Mark(place, self.y.maximum, "σ_c", role_of(self.answer, rule))
            for rule, place in self._condensed()
        ]
        row = 1
        ends = ("[", "-", "]", "*") if self.look.ascii else ("├", "─", "┤", "◆")
        for low, d_k, high, finished in self._crossed():
            columns = np.clip(x.fraction([low, d_k, high]), 0.0, 1.0)
            first, middle, last = (int(each) for each in cell(columns, size.columns))
            bar = "".join(
                ends[3] if c == middle else ends[0] if c == first else ends[2] if c == last else
                ends[1] for c in range(first, last + 1)
            )  # fmt: skip
            text = f" d* {place_text(d_k)}{'' if finished else ' so far'}"
            room = size.columns - last - 1
            bar = bar + text if len(text) <= room else f"{text[1:]} " + bar
            first = first if len(text) <= room else first - len(text)
            y = self._height(row, size.lines)
            centre = first + (len(bar) - 1) // 2
            marks.append(Mark(_value_at(x, centre, size.columns), y, bar, "cursor"))
            row += 1
        return marks

    def _height(self, row: int, lines: int) -> float:
        share = 1.0 - (min(row, lines - 1) + 0.5) / lines
        return self.y.minimum + share * (self.y.maximum - self.y.minimum)


def _value_at(x: Axis, column: int, columns: int) -> float:
    """Return the value in the middle of a column."""
    share = min(max((column + 0.5) / columns, 0.0), 1.0)
    return float(x.minimum * (x.maximum / x.minimum) ** share)


def _log(value: float) -> float:
    return log(value) if value > 0.0 and isfinite(value) else -inf if value == 0.0 else value
