"""The curves of a sweep: mean and median with bands for each rule, exact curves, crossovers."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil, floor, log

import numpy as np

from attn_tui.charts.axis import (
    Axis,
    Floats,
    Tick,
    cell,
    even_step,
    power_text,
    round_up,
    rows_for,
)
from attn_tui.charts.plot import Figure, Series, frame
from attn_tui.charts.rows import Row, first_fit, fitted, message, packed, plain
from attn_tui.charts.sweep.marks import condensed, crossing_sign, marks
from attn_tui.charts.sweep.signs import (
    BAND,
    CONDENSED,
    DEFAULT_LOOK,
    EXACT,
    Look,
    explained,
    letter_of,
    means_and_medians,
    named,
    readouts,
    role_of,
)
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.points import Point
from attn_tui.compute.sweep.readouts import READOUTS
from attn_tui.report.numbers import LN10, general
from attn_tui.report.sweep.names import NAMES, formula, is_none, name_of

DECADES, FEWER_DECADES = 8, 6
"""A logarithmic axis reaches so far below its top unless all of it is asked for; fewer if low."""

_MOST_DECADES = 10**12
"""No picture goes further down: places on it would be lost to rounding."""

_LOWER = " lower ends"
"""What the points of a band are called that do not stretch the axis."""

_SHORT = {"mean": "mean", "median": "median", "root mean square": "RMS"}

LEAST_EXPLAINED, LEAST_READOUTS = 10, (7, 14)
"""From this height on a row explains the signs; from these on, one or two hold the numbers at the
cursor."""

MOST_TAGGED, LEAST_TAGGED, LEAST_HIGH = 3, 9, 16
"""More rules than these, or fewer rows, leave no room for names on curves. With fewer rows than the
last a chart is low: no formulas on asymptotes, fewer decades."""

MOST_STEPS = 6
"""A logarithmic axis is cut into so many steps at most."""


def swept(answer: Answer) -> tuple[int, ...]:
    """Return the d_k or the n at which there are points, rising."""
    over = answer.settings.over
    return answer.points.d_ks if over == "d_k" else answer.points.ns


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
    numbers = readouts(answer, here, cursor, width, sum(height >= each for each in LEAST_READOUTS))
    rest = height - (height >= LEAST_EXPLAINED) - len(numbers)
    picture = _Picture(answer, look, rest)
    x = picture.x(here)
    heads = picture.heads(width, max(rest // 4, 1), height >= LEAST_EXPLAINED)
    size = frame(picture.y, width, rest - len(heads) + 1, picture.leaves_out)
    picture.lay(size.lines)
    on_it = marks(answer, x, picture.y, size)
    series = picture.series(x)
    # The note's row is counted on, though it may turn out that nothing is left out.
    note: Row = ((" ", "text"),) if picture.leaves_out else ()
    figure = Figure((picture.title,), series, x, picture.y, on_it, (here,), note, heads)
    rows = list(figure.rows(width, rest))
    if height >= LEAST_EXPLAINED:
        signs = picture.signs(plain(rows[len(heads) :]))
        rows.append(
            fitted(first_fit(explained(answer, look.bands, signs, picture.brief), width), width)
        )
    rows += (fitted(row, width) for row in numbers)
    return tuple(rows)


def place_at(
    answer: Answer, column: int, width: int, height: int, look: Look = DEFAULT_LOOK
) -> int | None:
    """Return the d_k or n nearest to a column of the chart, or None beside it."""
    places = swept(answer)
    if not places:
        return None
    picture = _Picture(answer, look, height)
    size = frame(picture.y, width, height)
    if size.columns < 1 or column < size.gutter:
        return None
    columns = cell(picture.x(places[0]).fraction(np.array(places, dtype=float)), size.columns)
    return places[int(np.argmin(np.abs(columns + size.gutter - column)))]


class _Picture:
    """What is drawn of an answer, with decimal logarithms in place of numbers if it is by them."""

    def __init__(self, answer: Answer, look: Look, height: int) -> None:
        self.answer, self.look = answer, look
        self.brief = len(answer.rules) > MOST_TAGGED or height < LEAST_TAGGED
        self.low = height < LEAST_HIGH
        self.log = look.log or answer.settings.ratio
        self.name = NAMES[answer.settings.statistic].symbol
        self.data = list(self._ratios() if answer.settings.ratio else self._curves())
        self.y = self._log_axis() if self.log else self._linear_axis()
        self.known: list[tuple[str, Series]] = []
        drawn = np.concatenate([np.zeros(0), *(one.y for one in self.data)])
        inside = (drawn >= self.y.minimum) & (drawn <= self.y.maximum)
        self.leaves_out = not bool(inside.all())

    @property
    def title(self) -> str:
        """What is drawn, and on which scale."""
        if self.log:
            return f"{self.name}{' unscaled over scaled' * self.answer.settings.ratio}, log"
        return f"{self.name}, 0 to {general(self.y.maximum, 3)}"

    def lay(self, lines: int) -> None:
        """Settle the vertical axis in so many rows, and what is known besides what was drawn."""
        if self.log and lines > 1:
            self.y = self._laid(lines)
        if not self.answer.settings.ratio:
            self.known = list(self._known())

    def series(self, x: Axis) -> list[Series]:
        """Return all there is to draw, the most important last."""
        bands = [one for one in self.data if one.glyph == BAND]
        others = [one for one in self.data if one.glyph != BAND]
        lines = [*self._vertical(x), *bands, *(series for _, series in self.known), *others]
        if self.answer.settings.ratio:
            low, high = self._ends()
            one = Series("", np.array([low, high]), np.zeros(2), "axis", glyph="╌", tag="×1")
            lines.insert(0, one)
        return lines

    def heads(self, width: int, height: int, explained: bool) -> list[Row]:
        """Return the title and what each rule is called, in rows at most so many.

        They say what means and medians are where no row below explains the signs.
        """
        short = f"{self.name} ratio" if self.answer.settings.ratio else self.name
        titles = [self.title, short]
        if not explained:
            signs = means_and_medians(self.answer, self.brief)
            titles = [f"{short}: {signs}", signs, short]
        parts = named(self.answer)
        return packed([(((title, "strong"),), parts) for title in titles], width, height)

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

    def _vertical(self, x: Axis) -> Iterator[Series]:
        for rule, place in condensed(self.answer, x):
            y = np.linspace(self.y.minimum, self.y.maximum, 60)
            role = role_of(self.answer, rule)
            yield Series("", np.full(y.size, place), y, role, "points", "┊")

    def _curves(self) -> Iterator[Series]:
        statistic = self.answer.settings.statistic
        rules = self.answer.rules
        points = {rule: self.answer.points.under(rule) for rule in rules}
        if self.look.bands:
            for rule in rules:
                summaries = [point.statistics[statistic] for point in points[rule]]
                lows, highs = [s.log_low for s in summaries], [s.log_high for s in summaries]
                yield from self._band(points[rule], rule, lows, highs)
        for rule in rules:
            logs = [point.statistics[statistic].log_median for point in points[rule]]
            yield self._median(points[rule], logs, rule, name_of(rule))
        for rule in rules:
            means = [point.statistics[statistic].log_mean for point in points[rule]]
            yield self._letters(points[rule], means, rule)

    def _ratios(self) -> Iterator[Series]:
        answer, statistic = self.answer, self.answer.settings.statistic
        others = [rule for rule in answer.rules if not is_none(rule)]
        for rule in others:
            every = answer.points.under(rule)
            found = [answer.points.ratio(point.n, point.d_k, rule, statistic) for point in every]
            kept = [(point, each) for point, each in zip(every, found, strict=True) if each]
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
        tagged = not (self.brief or self.low)
        # Asymptotes first: exact curves are drawn over them.
        for curve in sorted(self.answer.curves, key=lambda curve: curve.kind):
            x = np.array([self._at(n, d_k) for n, d_k in curve.places], dtype=float)
            values = [value if value is not None else np.nan for value in curve.values]
            with np.errstate(divide="ignore"):
                y = np.log10(np.array(values, dtype=float)) if self.log else np.array(values)
            kept = (y >= self.y.minimum) & (y <= self.y.maximum)
            if kept.any():
                of = _SHORT[curve.of]
                tag = f"{of} → {curve.formula}" if tagged and curve.kind == "asymptote" else ""
                role = role_of(self.answer, curve.rule)
                glyph = EXACT[curve.of] if curve.kind == "exact" else "-"
                series = Series("", x[kept], y[kept], role, glyph=glyph, tag=tag)
                means = f"exact {of}" if curve.kind == "exact" else f"{of} asymptote"
                yield f"{glyph} {means}", series

    def signs(self, drawn: str) -> list[str]:
        """Return what signs mean, of those that are left in what was drawn, each once."""
        known = [sign for sign, _ in self.known]
        crossing = crossing_sign(drawn)
        signs = [*known, CONDENSED, crossing]
        return [sign for sign in dict.fromkeys(signs) if sign.split()[0] in drawn]

    def _band(
        self, points: Sequence[Point], rule: str, lows: list[float], highs: list[float]
    ) -> Iterator[Series]:
        x, role, letter = self._where(points), role_of(self.answer, rule), self._letter(rule)
        for logs, end in ((lows, "lower"), (highs, "upper")):
            y, name = self._values(logs), f"of {letter}'s {end} ends"
            yield Series("", x, y, role, glyph=BAND, points=name)

    def _median(self, points: Sequence[Point], logs: list[float], rule: str, tag: str) -> Series:
        x, y, letter = self._where(points), self._values(logs), self._letter(rule)
        name = f"of {letter}'s medians"
        role, tag = role_of(self.answer, rule), letter.lower() if self.brief else tag
        return Series("", x, y, role, tag=tag, points=name)

    def _letters(self, points: Sequence[Point], logs: list[float], rule: str) -> Series:
        x, y, letter = self._where(points), self._values(logs), self._letter(rule)
        role, name = role_of(self.answer, rule), f"of {letter}'s means"
        return Series("", x, y, role, "points", letter, points=name)

    def _letter(self, rule: str) -> str:
        return letter_of(self.answer, rule)

    def _where(self, points: Sequence[Point]) -> Floats:
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
        """Return an axis of whole decades; lower ends of bands stretch it only if all is shown."""
        whole = self.look.whole
        deciding = (one.y for one in self.data if whole or not one.points.endswith(_LOWER))
        values = np.concatenate([np.zeros(0), *deciding])
        usable = values[np.isfinite(values)]
        if self.answer.settings.ratio:
            usable = np.append(usable, [0.0])
        low, high = (float(usable.min()), float(usable.max())) if usable.size else (-1.0, 0.0)
        top, bottom = ceil(high - 1e-9), floor(low + 1e-9)
        decades = FEWER_DECADES if self.low else DECADES
        if self.answer.settings.ratio and not self.look.whole:
            top, bottom = min(top, decades), max(bottom, -decades)
        else:
            bottom = max(bottom, top - (_MOST_DECADES if self.look.whole else decades))
        bottom = min(bottom, top - 1)
        ticks = tuple(Tick(power, self._power_text(power)) for power in (top, bottom))
        return Axis("", bottom, top, False, ticks, self._power_text)

    def _laid(self, lines: int) -> Axis:
        """Return the axis with ticks in the middles of rows, equally far apart."""
        width = max(len(tick.text) for tick in self.y.ticks)
        bottom, top = int(self.y.minimum), int(self.y.maximum)
        middle = 0 if self.answer.settings.ratio and lines > 2 else top
        step, rows = even_step(top - middle, middle - bottom, lines, MOST_STEPS)
        above = rows_for(top - middle, step, rows)
        below = lines - 1 - above
        powers = [middle + step * k for k in range(-(below // rows), above // rows + 1)]
        texts = [(power, self._power_text(power).rjust(width)) for power in powers]
        ticks = tuple(Tick(power, text) for power, text in texts if len(text) == width)
        lowest, highest = (middle + by * step / rows for by in (-below - 0.5, above + 0.5))
        return replace(self.y, minimum=lowest, maximum=highest, ticks=ticks)

    def _power_text(self, power: float) -> str:
        """Return ten to a power as text."""
        mark = "×" if self.answer.settings.ratio else ""
        if power != int(power) and abs(power) < 300.0:
            return mark + general(10.0**power, 2)
        return mark + (power_text(power) if power else "1")

    def _linear_axis(self) -> Axis:
        settings = self.answer.settings
        n = settings.n_range[1] if settings.over == "n" else settings.n
        bound = READOUTS[settings.statistic].bound(n)
        if bound is None:
            values = np.concatenate([np.zeros(0), *(one.y for one in self.data)])
            usable = values[np.isfinite(values) & (values > 0.0)]
            bound = round_up(min(float(usable.max()), 1e300)) if usable.size else 1.0
        # As wide as the name of the other axis at least, which stands below them.
        texts = [(value, general(value, 3)) for value in (bound, 0.0, bound / 2)]
        ticks = tuple(Tick(value, text.rjust(len(settings.over))) for value, text in texts)
        return Axis("", 0.0, bound, ticks=ticks)
