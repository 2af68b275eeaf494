"""The medians of a sweep along d_k or n: a line for each rule, one light band, one crossing."""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil, floor

import numpy as np

from attn_tui.charts.glyphs import BAND
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.crossing import Meeting
from attn_tui.compute.sweep.points import Place
from attn_tui.compute.sweep.readouts import READOUTS
from attn_tui.compute.sweep.settings import first_draws
from attn_tui.old.charts.axis import (
    Axis,
    Floats,
    Tick,
    cell,
    even_step,
    power_text,
    round_up,
    rows_for,
)
from attn_tui.old.charts.plot import Figure, Mark, frame
from attn_tui.old.charts.rows import first_fit, packed
from attn_tui.old.charts.series import Band, Interval, Series
from attn_tui.old.charts.sweep.signs import DEFAULT_LOOK, Look, drawn_rules, role_of
from attn_tui.report.numbers import LN10, general
from attn_tui.report.rows import Row, message
from attn_tui.sweep.names import NAMES, doing, is_none, name_of, short_place

DECADES = 6
"""A logarithmic axis reaches so far below its top unless all of it is asked for."""

_MOST_DECADES = 10**12
"""No picture goes further down: places on it would be lost to rounding."""

MOST_NAMED, LETTERS = 3, "ABCDEFGHIJ"
"""More rules than these have letters on their lines, and are named above."""

MOST_STEPS = 6
"""A logarithmic axis is cut into so many steps at most."""

_DENSE = 600
"""A line is drawn through so many places, so that it is cut where the picture ends."""


def sweep_chart(
    answer: Answer, rule: str, at: Place, width: int, height: int, look: Look = DEFAULT_LOOK
) -> tuple[Row, ...]:
    """Draw the medians of the statistic, or what rules do to them, along what is swept.

    Args:
        answer: The points so far; of a map those with about as many keys as ``at`` are drawn.
        rule: Whose crossing is marked, and on a map the one that is drawn beside none.
        at: The n and d_k to mark.
        width: Cells of every row returned.
        height: Number of rows returned.
        look: How it is looked at.
    """
    picture = _Picture(answer, rule, at, look)
    if not picture.places:
        return message("Nothing is drawn yet", width, height)
    if not picture.known:
        text = f"{NAMES[answer.settings.statistic].symbol} is not known here"
        return message(text, width, height)
    return picture.figure(width, height).rows(width, height)


def place_at(
    answer: Answer, rule: str, at: Place, column: int, width: int, height: int, look: Look
) -> Place | None:
    """Return the place nearest to a column of the chart, or None beside it."""
    picture = _Picture(answer, rule, at, look)
    if not (picture.places and picture.known):
        return None
    figure = picture.figure(width, height)
    size = frame(figure.y, width, height)
    if size.columns < 1 or column < size.gutter:
        return None
    columns = cell(figure.x.fraction(picture.at), size.columns)
    return picture.places[int(np.argmin(np.abs(columns + size.gutter - column)))]


class _Picture:
    """What is drawn of an answer, with decimal logarithms in place of numbers if it is by them."""

    def __init__(self, answer: Answer, rule: str, at: Place, look: Look) -> None:
        settings, points = answer.settings, answer.points
        self.answer, self.rule, self.look = answer, rule, look
        is_map = settings.view == "map"
        self.over = "d_k" if is_map else settings.over
        self.n = points.nearest(at)[0] if points else at[0]
        self.here = at[1] if self.over == "d_k" else at[0]
        self.places = [each for each in points.places if each[0] == self.n or not is_map]
        self.at = np.array([d_k if self.over == "d_k" else n for n, d_k in self.places], float)
        self.ratio = settings.ratio and not is_map
        self.log = look.log or self.ratio
        pair = [each for each in answer.rules if is_none(each) or each == rule]
        self.rules = pair if is_map else drawn_rules(answer)
        self.lettered = len(self.rules) > MOST_NAMED
        self.values = {each: self._values(each) for each in self.rules}
        medians = np.concatenate([values[1] for values in self.values.values()])
        self.usable = medians[np.isfinite(medians)]
        self.known = bool(self.usable.size)

    def figure(self, width: int, height: int) -> Figure:
        """Return what is drawn between its axes, in so many cells and rows."""
        heads = self._heads(width, max(height // 3, 1))
        x, y = self._x(), self._log_axis() if self.log else self._linear_axis()
        lines = frame(y, width, height - len(heads) + 1).lines
        if self.log and lines > 1:
            y = self._laid(y, lines)
        series = [self._line(index, rule) for index, rule in enumerate(self.rules)]
        if self.ratio:
            ends = np.array([x.minimum, x.maximum])
            series.insert(0, Series("", ends, np.zeros(2), "axis", glyph="╌", tag="×1"))
        rules = [self.here] if x.minimum <= self.here <= x.maximum else []
        met = self.answer.crossing(self.rule, self.answer.settings.statistic, self.n)
        if met and not x.minimum <= met.at <= x.maximum:
            met = None
        return Figure(
            (NAMES[self.answer.settings.statistic].symbol,), series, x, y,
            [*([self._crossing(met.at)] if met else ()), *self._beyond(x, y, width)], rules,
            heads=heads,
            bands=[self._band()] if self.look.bands else (),
            intervals=[self._interval(met, x)] if met else (),
        )  # fmt: skip

    def _heads(self, width: int, height: int) -> list[Row]:
        """Return what is drawn and what the band is; and the rules, where lines have letters."""
        settings, (of, *others) = self.answer.settings, self.rules
        named = NAMES[settings.statistic]
        whole = f"{named.short} {named.symbol}, median of {first_draws(settings):,} draws"
        titles = [whole, f"median {named.symbol}", named.symbol]
        if settings.view == "map":
            # What of the draws is said above the map.
            titles = [f"{self.n:,} keys"]
        if self.ratio:
            does = f"what {doing(of) if not others else 'each rule'} does to the "
            titles = [does + whole, does + f"median {named.symbol}", named.symbol]
        bands = ["± 2 standard errors", "± 2 SE"] if self.ratio else ["the middle half of draws"]
        sign, whose = (f"  {BAND} ", role_of(self.answer, of)), f", {name_of(of)}" * bool(others)
        said: list[Row] = [
            (sign, (f"{each}{more}", "label"))
            for more in (whose, "")
            for each in (*bands, "middle half")
        ]
        shown = said if self.look.bands else [()]
        rows: list[Row] = [((each, "strong"), *more) for each in titles for more in shown]
        heads = [first_fit([*rows, ((titles[-1], "strong"),)], width)]
        if self.lettered and height > 1:
            parts: list[Row] = [
                ((letter, role_of(self.answer, rule)), (f" {name_of(rule)}", "label"))
                for letter, rule in zip(LETTERS, self.rules, strict=False)
            ]
            heads += packed([((), parts)], width, height - 1)
        return heads

    # What is drawn

    def _values(self, rule: str) -> Floats:
        """Return the lower end of the band, the median and the upper end, shape (3, places)."""
        logs, statistic = np.full((3, len(self.places)), np.nan), self.answer.settings.statistic
        for index, place in enumerate(self.places):
            if self.ratio:
                if found := self.answer.points.ratio(*place, rule, statistic):
                    # Unscaled over scaled is known; what dividing does is the inverse.
                    errors = np.array([-2.0, 0.0, 2.0]) * found.log_median_error
                    logs[:, index] = errors - found.log_median
            elif point := self.answer.points.at(*place, rule):
                one = point.statistics[statistic]
                logs[:, index] = one.log_quarter, one.log_median, one.log_three_quarters
        with np.errstate(over="ignore"):
            return logs / LN10 if self.log else np.exp(logs)

    def _through(self, rule: str, row: int, x: Floats) -> Floats:
        """Return what is known at places at other ones, straight over the logarithm between."""
        values = self.values[rule][row]
        known = np.isfinite(values)
        if not known.any():
            return np.full(x.size, np.nan)
        between: Floats = np.interp(np.log(x), np.log(self.at[known]), values[known])
        return between

    def _dense(self) -> Floats:
        return np.geomspace(self.at[0], self.at[-1], _DENSE if self.at.size > 1 else 1)

    def _line(self, index: int, rule: str) -> Series:
        at, tag = self._dense(), LETTERS[index % 10] if self.lettered else name_of(rule)
        glyph, role = "" if self.at.size > 1 else "●", role_of(self.answer, rule)
        return Series("", at, self._through(rule, 1, at), role, glyph=glyph, tag=tag, cut=True)

    def _band(self) -> Band:
        at, rule = self._dense(), self.rules[0]
        ends = self._through(rule, 0, at), self._through(rule, 2, at)
        return Band(at, *ends, role_of(self.answer, rule))

    def _crossing(self, at: float) -> Mark:
        there = 0.0 if self.ratio else self._through(self.rule, 1, np.array([at]))[0]
        return Mark(at, float(there), "◆", "strong")

    def _beyond(self, x: Axis, y: Axis, width: int) -> Iterator[Mark]:
        """Yield what points to the place to mark where the axis ends before it."""
        if x.minimum <= self.here <= x.maximum:
            return
        right, columns = self.here > x.maximum, max(frame(y, width, 0).columns, 1)
        text = f"{self.over} = {self.here:,}"
        text = f"{text} →" if right else f"← {text}"
        if len(text) > columns:
            text = "→" if right else "←"
        middle = (columns - len(text)) * right + (len(text) - 1) // 2 + 0.5
        at = x.minimum * (x.maximum / x.minimum) ** (middle / columns)
        yield Mark(at, y.maximum, text, "cursor")

    def _interval(self, met: Meeting, x: Axis) -> Interval:
        """Return the crossing with its interval as it stands on the axis, and in words."""
        at, so_far = short_place(met.at), "" if met.finished else " so far"
        several = len(self.rules) - any(map(is_none, self.rules)) > 1
        what = f"{name_of(self.rule)} equals unscaled" if several else "equal"
        texts = [f"{what} at {at}{so_far}", f"equal at {at}{so_far}", at]
        if met.low and met.high:
            ends = f"{short_place(met.low)} to {short_place(met.high)}"
            long = f"{what} at {self.over} = {at}{so_far} (95 %: {ends})"
            texts = [long, *(f"{text} ({ends})" for text in texts[:2]), *texts]
        return Interval(met.low or x.minimum, met.at, met.high or x.maximum, texts)

    # Axes

    def _x(self) -> Axis:
        settings = self.answer.settings
        low, high = settings.d_k_range if self.over == "d_k" else settings.n_range
        # One place stands in the middle of an octave to either side.
        low, high = (low, high) if low < high else (max(low // 2, 1), 2 * high)
        powers = [2**k for k in range(1, 17) if low < 2**k < high]
        ticks = [
            *(Tick(each, str(each), "cursor") for each in [self.here] if low <= each <= high),
            *(Tick(each, str(each)) for each in (low, high, *powers[2::3], *powers)),
        ]
        return Axis(self.over, low, high, True, tuple(ticks))

    def _log_axis(self) -> Axis:
        """Return an axis of whole decades."""
        whole, usable = self.look.whole, [*self.usable.tolist(), *[0.0] * self.ratio]
        top, bottom = ceil(max(usable) - 1e-9), floor(min(usable) + 1e-9)
        decades = _MOST_DECADES if whole else DECADES
        if self.ratio:
            top, bottom = min(top, decades), max(bottom, -decades)
        bottom = min(max(bottom, top - (2 if self.ratio else 1) * decades), top - 1)
        ticks = tuple(Tick(power, self._power_text(power)) for power in (top, bottom))
        return Axis("", bottom, top, False, ticks, self._power_text)

    def _laid(self, y: Axis, lines: int) -> Axis:
        """Return an axis with ticks in the middles of rows, equally far apart."""
        width = max(len(tick.text) for tick in y.ticks)
        bottom, top = int(y.minimum), int(y.maximum)
        middle = 0 if self.ratio and lines > 2 else top
        step, rows = even_step(top - middle, middle - bottom, lines, MOST_STEPS)
        above = rows_for(top - middle, step, rows)
        below = lines - 1 - above
        powers = [middle + step * k for k in range(-(below // rows), above // rows + 1)]
        texts = [(power, self._power_text(power).rjust(width)) for power in powers]
        ticks = tuple(Tick(power, text) for power, text in texts if len(text) == width)
        lowest, highest = (middle + by * step / rows for by in (-below - 0.5, above + 0.5))
        return replace(y, minimum=lowest, maximum=highest, ticks=ticks)

    def _power_text(self, power: float) -> str:
        """Return ten to a power as text."""
        mark = "×" if self.ratio else ""
        return mark + (power_text(power) if power else "1")

    def _linear_axis(self) -> Axis:
        settings = self.answer.settings
        bound = READOUTS[settings.statistic].bound(int(max(n for n, _ in self.places)))
        if bound is None:
            positive = self.usable[self.usable > 0.0]
            bound = round_up(min(float(positive.max()), 1e300)) if positive.size else 1.0
        # As wide as the name of the other axis at least, which stands below them.
        texts = [(value, general(value, 3)) for value in (bound, 0.0, bound / 2)]
        return Axis(
            "", 0.0, bound, ticks=tuple(Tick(v, text.rjust(len(self.over))) for v, text in texts)
        )
