"""Points of a sweep: what drawn vectors of n keys say at one d_k under one rule."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from math import floor, hypot, log, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import Floats
from attn_tui.compute.errors import InputError
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.norms import log_of, power
from attn_tui.compute.scale import NONE, Scale, parse_scale
from attn_tui.compute.sweep.draws import cost, unit_logs, units
from attn_tui.compute.sweep.exact import Exact
from attn_tui.compute.sweep.readouts import READOUTS, ROWS, exact
from attn_tui.compute.sweep.settings import Settings, Statistic, first_draws, scales_of

SPAN = 1.959963984540054
"""So many standard deviations to either side hold 95 % of a normal law."""


class _Power:
    """The number of which a field is the logarithm; 0 if below float64, infinite if above."""

    def __init__(self, log: str) -> None:
        self._log = log

    def __get__(self, summary: "Summary", owner: type) -> float:
        return power(getattr(summary, self._log))


@dataclass(frozen=True)
class Summary:
    """A positive number over N draws, by natural logarithms: e^−5000 is still told from 0.

    Each logarithm but ``log_median_standard_error`` has the number itself beside it, such as
    ``mean`` and ``quarter``.

    Attributes:
        draws: N.
        log_mean: ln of the average.
        log_mean_standard_error: ln of the average's standard error; NaN for one draw. Where few
            draws in N carry the mean, as with saturated vectors, both tend to be too small.
        log_median: ln of the median.
        log_median_low: ln of the lower end of the median's 95 % interval.
        log_median_high: ln of its upper end. Both are draws, by their rank; with fewer than six
            draws they are the extremes, and hold the median less often.
        log_low: ln of what one draw in ten falls below.
        log_high: ln of what one draw in ten exceeds.
        log_quarter: ln of what a quarter of the draws fall below.
        log_three_quarters: ln of what a quarter exceed: between these is the middle half.
    """

    draws: int
    log_mean: float
    log_mean_standard_error: float
    log_median: float
    log_median_low: float
    log_median_high: float
    log_low: float
    log_high: float
    log_quarter: float
    log_three_quarters: float

    mean = _Power("log_mean")
    mean_standard_error = _Power("log_mean_standard_error")
    median = _Power("log_median")
    median_low = _Power("log_median_low")
    median_high = _Power("log_median_high")
    low = _Power("log_low")
    high = _Power("log_high")
    quarter = _Power("log_quarter")
    three_quarters = _Power("log_three_quarters")

    def times(self, factor: float) -> "Summary":
        """Return the summary of the same draws times a number that is not negative."""
        names = [field.name for field in fields(self)[1:]]
        return Summary(self.draws, *(getattr(self, name) + log_of(factor) for name in names))

    @property
    def median_standard_error(self) -> float:
        """The standard error the median's interval corresponds to; NaN for one draw."""
        return (self.median_high - self.median_low) / (2.0 * SPAN) if self.draws > 1 else nan

    @property
    def log_median_standard_error(self) -> float:
        """The standard error of ln of the median that its interval corresponds to."""
        if self.draws < 2:
            return nan
        return (self.log_median_high - self.log_median_low) / (2.0 * SPAN)


def median_ranks(draws: int) -> tuple[int, int]:
    """Return the ranks, from 0, of the draws that hold the median between them 95 times in 100.

    >>> median_ranks(1000)
    (468, 531)
    """
    low = max(floor((draws - SPAN * sqrt(draws)) / 2.0) - 1, 0)
    return low, draws - 1 - low


def summarise(logs: Floats) -> list[Summary]:
    """Return the summary of each row of logarithms, shape (rows, N), N ≥ 1."""
    ranked = np.sort(logs, axis=1)
    draws = ranked.shape[1]
    # Numbers whose squares float64 cannot hold are averaged in units of the largest.
    largest = ranked[:, -1]
    units = np.where(np.isfinite(largest) & (np.abs(largest) > 300.0), largest, 0.0)
    with np.errstate(all="ignore"):
        values = np.exp(ranked - units[:, None])
        spread = values.std(axis=1, ddof=1) if draws > 1 else np.full(len(logs), nan)
        means = np.log(values.mean(axis=1)) + units
        errors = np.log(spread / sqrt(draws)) + units
    low, high = median_ranks(draws)
    columns = [means, errors, ranked[:, low], ranked[:, high]]
    for fraction in (0.5, 0.1, 0.9, 0.25, 0.75):
        # Quantiles lie between logarithms next to each other.
        place = fraction * (draws - 1)
        below = int(place)
        share = place - below
        above = ranked[:, min(below + 1, draws - 1)]
        columns.append((1.0 - share) * ranked[:, below] + share * above)
    columns.insert(2, columns.pop(4))
    return [Summary(draws, *numbers) for numbers in np.stack(columns, axis=1).tolist()]


Place = tuple[int, int]
"""n and d_k."""


@dataclass(frozen=True, eq=False)
class Point:
    """Statistics of drawn vectors at one place under one rule.

    Attributes:
        n: Number of keys.
        d_k: Length of q.
        rule: The rule as text.
        multiplier: Its m there.
        draws: How many vectors were drawn.
        statistics: What they say of each statistic.
        qk_norm: Whether q and k were normalised; the query gradient is NaN then.
        mean_errors: Of each statistic, the standard error of ln of the ratio of means, unscaled
            over this; both are of the same draws. Empty unless none is among the rules.
        below: Which draws lie below the median of each of `ROWS`, in bits, shape (rows, N/8).
    """

    n: int
    d_k: int
    rule: str
    multiplier: float
    draws: int
    statistics: Mapping[Statistic, Summary]
    mean_errors: Mapping[Statistic, float]
    below: NDArray[np.uint8]
    qk_norm: bool = False

    def exact(self, statistic: Statistic) -> Exact:
        """Return the exact mean and median, where they are known."""
        if self.qk_norm:
            return Exact()
        return exact(statistic, self.n, self.d_k, self.multiplier)


@dataclass(frozen=True)
class Ratio:
    """A statistic without scaling over the same under a rule, as natural logarithms.

    Attributes:
        log_mean: ln of the ratio of the means.
        log_mean_error: Its standard error; both are of the same draws.
        log_median: ln of the ratio of the medians.
        log_median_error: Its standard error.
    """

    log_mean: float
    log_mean_error: float
    log_median: float
    log_median_error: float


@lru_cache(maxsize=1 << 14)
def ratio(unscaled: Point, scaled: Point, statistic: Statistic) -> Ratio:
    """Return how a statistic without scaling compares with the same under a rule."""
    one, other = unscaled.statistics[statistic], scaled.statistics[statistic]
    means, medians = one.log_mean - other.log_mean, one.log_median - other.log_median
    error = median_error(unscaled, scaled, statistic)
    return Ratio(means, scaled.mean_errors[statistic], medians, error)


def median_error(one: Point, other: Point, statistic: Statistic) -> float:
    """Return the standard error of ln of the ratio of medians of the same draws under two rules.

    The errors of each are joined by the correlation of lying below them, 4·P(both below) − 1. NaN
    for one draw.
    """
    first, second = (
        point.statistics[statistic].log_median_standard_error for point in (one, other)
    )
    both = one.below[ROWS[statistic]] & other.below[ROWS[statistic]]
    together = 4.0 * int(np.bitwise_count(both).sum()) / one.draws - 1.0
    # Errors of logarithms may be so large that their squares overflow.
    apart = sqrt(2.0 * (1.0 - together)) * sqrt(first) * sqrt(second)
    return hypot(first - second, apart)


def mean_errors(logs: Floats) -> Floats:
    """Return the standard errors of ln of ratios of means of the same draws.

    They are those of the mean of x/E[x] − y/E[y].

    Args:
        logs: ln x and ln y, shape (2, rows, N).

    Returns:
        Shape (rows,); NaN for one draw.
    """
    draws = logs.shape[2]
    if draws < 2:
        return np.full(logs.shape[1], np.nan)
    with np.errstate(all="ignore"):
        sizes = np.exp(logs - logs.max(axis=2, keepdims=True))
        shares = sizes / sizes.mean(axis=2, keepdims=True)
        return np.asarray((shares[0] - shares[1]).std(axis=1, ddof=1) / sqrt(draws))


def held(values: Sequence[int], wanted: int) -> int:
    """Return the value that is nearest by the logarithm."""
    return min(values, key=lambda value: abs(log(value / wanted)))


class Points(tuple[Point, ...]):
    """Points rising in n, then d_k, then in the order of the rules, and what they say together."""

    @cached_property
    def ns(self) -> tuple[int, ...]:
        """Every n, rising."""
        return tuple(sorted({point.n for point in self}))

    @cached_property
    def d_ks(self) -> tuple[int, ...]:
        """Every d_k, rising."""
        return tuple(sorted({point.d_k for point in self}))

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Every n and d_k, rising."""
        return tuple(sorted({(point.n, point.d_k) for point in self}))

    @cached_property
    def by_place(self) -> Mapping[tuple[int, int, str], Point]:
        """Each by its n, d_k and rule."""
        return {(point.n, point.d_k, point.rule): point for point in self}

    @cached_property
    def _none(self) -> str:
        rules = dict.fromkeys(point.rule for point in self)
        return next((rule for rule in rules if parse_scale(rule) == NONE), "none")

    def nearest(self, place: Place) -> Place:
        """Return the place nearest to one, by the logarithms of n and d_k."""
        return held(self.ns, place[0]), held(self.d_ks, place[1])

    def under(self, rule: str) -> tuple[Point, ...]:
        """Return those under a rule."""
        return tuple(point for point in self if point.rule == rule)

    def at(self, n: int, d_k: int, rule: str) -> Point | None:
        """Return the one at a place under a rule, or None while there is none."""
        return self.by_place.get((n, d_k, rule))

    def unscaled(self, n: int, d_k: int) -> Point | None:
        """Return the one at a place without scaling, or None if there is none."""
        return self.at(n, d_k, self._none)

    def ratio(self, n: int, d_k: int, rule: str, statistic: Statistic) -> Ratio | None:
        """Return a statistic without scaling over the same under a rule, or None if unknown."""
        unscaled, scaled = self.unscaled(n, d_k), self.at(n, d_k, rule)
        return ratio(unscaled, scaled, statistic) if unscaled and scaled else None


class Sampling:
    """Points that grow while vectors are drawn; what one sweep works with.

    Args:
        rules: Rules by their text.
        draws: How many vectors to draw at each place.
        seed: Which.
        qk_norm: Whether q and k are normalised.
    """

    def __init__(
        self, rules: Mapping[str, Scale], draws: int, seed: int, qk_norm: bool = False
    ) -> None:
        self.rules, self.draws, self.seed, self.qk_norm = rules, draws, seed, qk_norm
        self._logs: dict[Place, Floats] = {}
        self._drawn: dict[Place, int] = {}
        self._points: dict[Place, list[Point]] = {}

    def steps(self, coarse: Sequence[Place], rest: Sequence[Place]) -> Iterator[int]:
        """Draw and evaluate, a few vectors a step; yield what a step cost.

        First a few vectors at the coarse places, then at the rest, then more and more at all.
        The sum of what is yielded is `work`.
        """
        places = sorted([*coarse, *rest])
        d_ks = tuple(sorted({d_k for _, d_k in places}))
        parts = {n: list(units(self.seed, n, self.draws, d_ks)) for n, _ in places}
        for turn in range(max(map(len, parts.values()))):
            for n, d_k in places if turn else [*coarse, *rest]:
                if turn >= len(parts[n]):
                    continue
                unit = parts[n][turn]
                if turn == 0:
                    shape = len(self.rules), max(ROWS.values()) + 1, self.draws
                    self._logs[n, d_k] = np.empty(shape)
                for index, scale in enumerate(self.rules.values()):
                    logs = unit_logs(unit, d_k, scale.multiplier(d_k, n), self.qk_norm)
                    self._logs[n, d_k][index, :, unit.here] = logs
                self._drawn[n, d_k] = unit.here.stop
                yield cost(n, unit.size * len(self.rules))

    def work(self, places: Sequence[Place]) -> int:
        """Return what all steps cost together, in numbers worked on."""
        return sum(cost(n, self.draws * len(self.rules)) for n, _ in places)

    def summary_cost(self) -> int:
        """Return about what it costs to call `points` now."""
        return 16 * len(self.rules) * sum(self._drawn.values())

    def points(self) -> Points:
        """Return every point there is."""
        for place, draws in self._drawn.items():
            if place not in self._points or self._points[place][0].draws != draws:
                self._points[place] = self._summarised(place, draws)
        return Points(point for place in sorted(self._points) for point in self._points[place])

    def forget(self) -> None:
        """Let go of what was drawn, and of points, which whoever asked for them has."""
        self._logs.clear()
        self._points.clear()

    def _summarised(self, place: Place, draws: int) -> list[Point]:
        """Return what was drawn at a place, under each rule."""
        n, d_k = place
        logs = self._logs[place][:, :, :draws]
        with np.errstate(invalid="ignore"):
            below = np.packbits(logs < np.median(logs, axis=2, keepdims=True), axis=2)
        unscaled = [index for index, scale in enumerate(self.rules.values()) if scale == NONE]
        points = []
        for index, (rule, scale) in enumerate(self.rules.items()):
            m, errors = scale.multiplier(d_k, n), {}
            if unscaled:
                of_rows = mean_errors(logs[[unscaled[0], index]]).tolist()
                errors = {name: of_rows[row] for name, row in ROWS.items()}
            rows = summarise(logs[index])
            summaries = {
                name: rows[row].times(READOUTS[name].factor(m)) for name, row in ROWS.items()
            }
            points.append(
                Point(n, d_k, rule, m, draws, summaries, errors, below[index], self.qk_norm)
            )
        return points


MOST_VALUES = 1 << 20

_COARSE = 4
"""Every so many places are looked at first."""


def check_vectors(settings: Settings) -> None:
    """Check that a sweep has not too many vectors; crossovers, which have no places, may.

    Raises:
        InputError: Saying how many draws there may be.
    """
    ns, d_ks = along(settings, D_K.minimum)
    # Whatever the setup's own rule is, and so that one rule may be joined by none.
    n_places, n_rules = len(ns) * len(d_ks), max(2, len(scales_of(settings, Scale())))
    most = MOST_VALUES // (n_places * n_rules)
    draws = first_draws(settings)
    if draws > most:
        problem = f"{draws:,} at {n_places:,} × {n_rules} places and rules are too many"
        expected = f"at most {most:,}" if most > 1 else "fewer places or rules"
        raise InputError("draws", problem, expected)


def places(settings: Settings, d_k: int) -> tuple[list[Place], list[Place]]:
    """Return where to look: first at these, then also at those; rising in n, then d_k.

    But very first comes the place nearest to the one that is asked for.

    Args:
        settings: What is swept.
        d_k: The setup's, at which curves over n are drawn.
    """
    ns, d_ks = along(settings, d_k)
    here = held(ns, settings.n), held(d_ks, d_k)
    coarse = sorted({here, *((n, d) for n in _some(ns) for d in _some(d_ks))})
    rest = sorted({(n, d) for n in ns for d in d_ks} - {*coarse})
    return sorted(coarse, key=lambda place: place != here), rest


def along(settings: Settings, d_k: int) -> tuple[list[int], list[int]]:
    """Return the n and the d_k, each with each of which is a place."""
    is_map = settings.view == "map"
    count = settings.map_points if is_map else settings.points
    ns = log_grid(settings.n_range, count) if is_map or settings.over == "n" else [settings.n]
    d_ks = log_grid(settings.d_k_range, count) if is_map or settings.over == "d_k" else [d_k]
    return ns, d_ks


def log_grid(ends: tuple[int, ...], most: int) -> list[int]:
    """Return whole numbers from one end to the other, evenly over the logarithm, each once.

    Where one end is a power of 2 times the other, every doubling is among them if there may be as
    many; else there are as many as there may be.

    >>> log_grid((1, 64), 8), log_grid((2, 40), 4)
    ([1, 2, 4, 8, 16, 32, 64], [2, 5, 15, 40])
    """
    low, high = ends
    count = most
    if high % low == 0 and (high // low).bit_count() == 1:
        doublings = (high // low).bit_length() - 1
        count = max(1, (most - 1) // max(doublings, 1)) * doublings + 1
    count = min(count, most)
    return sorted({round(place) for place in np.geomspace(low, high, count).tolist()})


def _some(values: list[int]) -> list[int]:
    return sorted({*values[::_COARSE], values[-1]})
