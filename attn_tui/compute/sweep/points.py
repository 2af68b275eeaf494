"""Points of a sweep: statistics of drawn vectors of n keys at one d_k under one rule."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from math import floor, hypot, log, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import Floats
from attn_tui.compute.errors import InputError
from attn_tui.compute.lead import among_equals, lead_logits
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.norms import log_of, power
from attn_tui.compute.scale import NONE, LogitMap, Scale
from attn_tui.compute.setup import UNIT_SPREAD, Spread
from attn_tui.compute.sweep.draws import Unit, cost, unit_logs, units
from attn_tui.compute.sweep.exact import Exact
from attn_tui.compute.sweep.readouts import READOUTS, ROWS, exact
from attn_tui.compute.sweep.settings import Settings, SweepStatistic, compared, first_draws

SPAN = 1.959963984540054
"""Half the width of the central 95 % of a normal law, in standard deviations."""


class _Power:
    """The number whose logarithm a field holds; 0 if it underflows, infinite if it overflows."""

    def __init__(self, log: str) -> None:
        self._log = log

    def __get__(self, summary: "Summary", owner: type) -> float:
        return power(getattr(summary, self._log))


@dataclass(frozen=True)
class Summary:
    """A positive number over N draws, as natural logarithms, so that e^−5000 differs from 0.

    Each logarithm but ``log_median_standard_error`` comes with the number itself, such as ``mean``
    and ``quarter``.

    Attributes:
        draws: N.
        log_mean: ln of the mean.
        log_mean_standard_error: ln of the mean's standard error; NaN for one draw. Where a few of
            the N draws carry the mean, as with saturated vectors, both tend to be too small.
        log_median: ln of the median.
        log_median_low: ln of the lower end of the median's 95 % interval.
        log_median_high: ln of its upper end. Both ends are draws, chosen by rank; with fewer than
            six draws they are the extremes, and contain the median less often.
        log_low: ln of the 10th percentile.
        log_high: ln of the 90th percentile.
        log_quarter: ln of the lower quartile.
        log_three_quarters: ln of the upper quartile.
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
        """Return the summary of the same draws multiplied by a factor of 0 or more."""
        names = [field.name for field in fields(self)[1:]]
        return Summary(self.draws, *(getattr(self, name) + log_of(factor) for name in names))

    @property
    def median_standard_error(self) -> float:
        """The standard error that corresponds to the median's interval; NaN for one draw."""
        return (self.median_high - self.median_low) / (2.0 * SPAN) if self.draws > 1 else nan

    @property
    def log_median_standard_error(self) -> float:
        """The standard error of ln of the median, from its interval; NaN for one draw."""
        if self.draws < 2:
            return nan
        return (self.log_median_high - self.log_median_low) / (2.0 * SPAN)


def median_ranks(draws: int) -> tuple[int, int]:
    """Return the ranks, from 0, of the two draws that enclose the median 95 times in 100.

    >>> median_ranks(1000)
    (468, 531)
    """
    low = max(floor((draws - SPAN * sqrt(draws)) / 2.0) - 1, 0)
    return low, draws - 1 - low


def summarise(logs: Floats) -> list[Summary]:
    """Return the summary of each row of logarithms, shape (rows, N), N ≥ 1."""
    ranked = np.sort(logs, axis=1)
    draws = ranked.shape[1]
    # Numbers whose squares exceed the range of float64 are averaged in units of the largest.
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
        # Quantiles are interpolated between neighbouring logarithms.
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
        scale: The rule.
        multiplier: The rule's m there.
        draws: How many vectors were drawn.
        statistics: The summary of each statistic.
        qk_norm: Whether q and k were normalised; the query gradient is NaN then.
        mean_errors: For each statistic, the standard error of ln of the ratio of the unscaled mean
            to this one, from the same draws. Empty unless ``none`` is among the rules.
        below: Which draws lie below the median of each of `ROWS`, as packed bits, shape
            (rows, N/8).
        spread: How widely q and k are spread.
        lead: By how much key 0 leads.
        sink: The logit of a sink beside key 0; None for no sink.
    """

    n: int
    d_k: int
    scale: Scale
    multiplier: float
    draws: int
    statistics: Mapping[SweepStatistic, Summary]
    mean_errors: Mapping[SweepStatistic, float]
    below: NDArray[np.uint8]
    qk_norm: bool = False
    spread: Spread = UNIT_SPREAD
    lead: float = 0.0
    sink: float | None = None

    @property
    def place(self) -> Place:
        """Its n and d_k."""
        return self.n, self.d_k

    @property
    def rule(self) -> str:
        """The rule as text."""
        return self.scale.text

    def exact(self, statistic: SweepStatistic) -> Exact:
        """Return the exact mean and median; each is None if it is not known."""
        if self.qk_norm or self.lead or (statistic == "lead_weight" and self.sink is not None):
            return Exact()
        return exact(statistic, self.n, self.d_k, self.multiplier, self.spread)

    @property
    def equal_others(self) -> float:
        """The weight of key 0 if all other scores were 0 and ‖q‖ √d_k: e^g/(e^g + n − 1)."""
        logit = lead_logits(
            self.lead, self.d_k, LogitMap(self.multiplier), self.spread.scores, self.qk_norm
        )
        return among_equals(logit, self.n, self.sink)


@dataclass(frozen=True)
class Ratio:
    """The ratio of a statistic without scaling to the statistic under a rule, as logarithms.

    Attributes:
        log_mean: ln of the ratio of the means.
        log_mean_error: Its standard error; both means are of the same draws.
        log_median: ln of the ratio of the medians.
        log_median_error: Its standard error.
    """

    log_mean: float
    log_mean_error: float
    log_median: float
    log_median_error: float


def median_error(one: Point, other: Point, statistic: SweepStatistic) -> float:
    """Return the standard error of ln of the ratio of medians of the same draws under two rules.

    The errors of the two medians are combined with their correlation, 4·P(both below) − 1, where P
    is the share of draws below both medians. NaN for one draw.
    """
    first, second = (
        point.statistics[statistic].log_median_standard_error for point in (one, other)
    )
    both = one.below[ROWS[statistic]] & other.below[ROWS[statistic]]
    together = 4.0 * int(np.bitwise_count(both).sum()) / one.draws - 1.0
    # Errors of logarithms can be so large that their squares overflow.
    apart = sqrt(2.0 * (1.0 - together)) * sqrt(first) * sqrt(second)
    return hypot(first - second, apart)


def mean_errors(logs: Floats) -> Floats:
    """Return the standard errors of ln of ratios of means of the same draws.

    Each is the standard error of the mean of x/E[x] − y/E[y].

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


def closest(values: Sequence[int], wanted: int) -> int:
    """Return the value whose logarithm is nearest to that of the wanted number."""
    return min(values, key=lambda value: abs(log(value / wanted)))


class Points(tuple[Point, ...]):
    """Points in order of n, then d_k, then of the rules, with look-ups and ratios between them."""

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
    def by_place(self) -> Mapping[tuple[int, int, Scale], Point]:
        """Every point by its n, d_k and rule."""
        return {(point.n, point.d_k, point.scale): point for point in self}

    def nearest(self, place: Place) -> Place:
        """Return the place that is drawn and nearest to one, by the logarithms of n, then of d_k.

        While a map is drawn, not each of its n has each d_k.
        """
        n = closest(self.ns, place[0])
        return n, closest([d_k for here, d_k in self.places if here == n], place[1])

    @cached_property
    def _by_rule(self) -> Mapping[Scale, Sequence[Point]]:
        points: dict[Scale, list[Point]] = {}
        for point in self:
            points.setdefault(point.scale, []).append(point)
        return points

    def under(self, scale: Scale) -> tuple[Point, ...]:
        """Return the points under a rule."""
        return tuple(self._by_rule.get(scale, ()))

    def at(self, n: int, d_k: int, scale: Scale) -> Point | None:
        """Return the point at a place under a rule, or None while there is none."""
        return self.by_place.get((n, d_k, scale))

    def ratio(self, n: int, d_k: int, scale: Scale, statistic: SweepStatistic) -> Ratio | None:
        """Return the ratio of a statistic without scaling to the one under a rule, if known."""
        unscaled, scaled = (self.by_place.get((n, d_k, rule)) for rule in (NONE, scale))
        if unscaled is None or scaled is None:
            return None
        one, other = unscaled.statistics[statistic], scaled.statistics[statistic]
        return Ratio(
            one.log_mean - other.log_mean, scaled.mean_errors[statistic],
            one.log_median - other.log_median, median_error(unscaled, scaled, statistic),
        )  # fmt: skip


class Sampling:
    """The draws of one sweep, and the points computed from the draws made so far.

    Args:
        rules: The rules.
        draws: How many vectors to draw at each place.
        seed: The seed of the draws.
        qk_norm: Whether q and k are normalised under every rule, and not only under those that
            normalise by themselves.
        spread: How widely q and k are spread, where they are not normalised.
        lead: By how much key 0 leads.
        sink: The logit of a sink beside key 0; None for no sink.
    """

    def __init__(
        self, rules: Sequence[Scale], draws: int, seed: int, qk_norm: bool = False,
        spread: Spread = UNIT_SPREAD, lead: float = 0.0, sink: float | None = None,
    ) -> None:  # fmt: skip
        self.rules, self.draws, self.seed, self.qk_norm = rules, draws, seed, qk_norm
        self.spread, self.lead, self.sink = spread, lead, sink
        self._logs: dict[Place, Floats] = {}
        self._drawn: dict[Place, int] = {}
        self._points: dict[Place, list[Point]] = {}

    def steps(self, coarse: Sequence[Place], rest: Sequence[Place]) -> Iterator[int]:
        """Draw and evaluate a few vectors at each step; yield the cost of the step.

        The first vectors are drawn at the coarse places, then at the rest, then more at all of
        them in turn. The costs add up to `work`; 0 is yielded while vectors are drawn that are not
        yet evaluated.
        """
        places = sorted([*coarse, *rest])
        d_ks = tuple(sorted({d_k for _, d_k in places}))
        parts = {n: list(units(self.seed, n, self.draws, d_ks)) for n, _ in places}
        before: Unit | None = None
        for turn in range(max(map(len, parts.values()))):
            for n, d_k in places if turn else [*coarse, *rest]:
                if turn >= len(parts[n]):
                    continue
                unit = parts[n][turn]
                if unit != before:
                    before = unit
                    yield from (0 for _ in self._drawing(unit))
                if turn == 0:
                    shape = len(self.rules), max(ROWS.values()) + 1, self.draws
                    self._logs[n, d_k] = np.empty(shape)
                for index, scale in enumerate(self.rules):
                    is_normalised = self.qk_norm or scale.normalises
                    spread = self._spread(scale).scores
                    of_weights = scale.multiplier(d_k, n) * spread
                    logs = unit_logs(unit, d_k, of_weights, is_normalised, self.lead, self.sink)
                    self._logs[n, d_k][index, :, unit.here] = logs
                self._drawn[n, d_k] = unit.here.stop
                yield cost(n, unit.size * len(self.rules))

    def _drawing(self, unit: Unit) -> Iterator[None]:
        """Draw the vectors of a unit, unless every rule normalises them."""
        if not (self.qk_norm or all(scale.normalises for scale in self.rules)):
            yield from unit.drawing()

    def work(self, places: Sequence[Place]) -> int:
        """Return the cost of all steps together, in numbers processed."""
        return sum(cost(n, self.draws * len(self.rules)) for n, _ in places)

    def summary_cost(self) -> int:
        """Return roughly the cost of calling `points` now, in numbers processed."""
        return 16 * len(self.rules) * sum(self._drawn.values())

    def summaries(self) -> Iterator[None]:
        """Summarise the draws so far ahead of `points`; yield after each place."""
        for place, draws in self._drawn.items():
            if place not in self._points or self._points[place][0].draws != draws:
                self._points[place] = self._summarised(place, draws)
                yield

    def points(self) -> Points:
        """Return the points of all places that have draws so far."""
        for _ in self.summaries():
            pass
        return Points(point for place in sorted(self._points) for point in self._points[place])

    def forget(self) -> None:
        """Free the draws and the points; points that were returned stay valid."""
        self._logs.clear()
        self._points.clear()

    def _spread(self, scale: Scale) -> Spread:
        """Return how widely q and k are spread under a rule; where it normalises, that cancels."""
        return UNIT_SPREAD if self.qk_norm or scale.normalises else self.spread

    def _summarised(self, place: Place, draws: int) -> list[Point]:
        """Return the points of a place, one for each rule, from its first draws."""
        n, d_k = place
        logs = self._logs[place][:, :, :draws]
        with np.errstate(invalid="ignore"):
            below = np.packbits(logs < np.median(logs, axis=2, keepdims=True), axis=2)
        unscaled = [index for index, scale in enumerate(self.rules) if scale == NONE]
        points = []
        for index, scale in enumerate(self.rules):
            m, errors = scale.multiplier(d_k, n), {}
            if unscaled:
                of_rows = mean_errors(logs[[unscaled[0], index]]).tolist()
                errors = {name: of_rows[row] for name, row in ROWS.items()}
            rows = summarise(logs[index])
            summaries = {
                name: rows[row].times(READOUTS[name].factor(m, self._spread(scale).k))
                for name, row in ROWS.items()
            }
            points.append(
                Point(
                    n, d_k, scale, m, draws, summaries, errors, below[index],
                    self.qk_norm or scale.normalises, self._spread(scale), self.lead, self.sink,
                )
            )  # fmt: skip
        return points


MOST_VALUES = 1 << 20

_COARSE = 4
"""One place in this many, along n and along d_k, is evaluated first."""


def check_vectors(settings: Settings) -> None:
    """Check that a sweep does not draw too many vectors; crossovers, which have no places, may.

    Raises:
        InputError: Saying how many draws are allowed.
    """
    ns, d_ks = along(settings, D_K.minimum)
    # At least two rules, so that the answer does not depend on the setup's own rule and ``none``
    # can still be added.
    n_places, n_rules = len(ns) * len(d_ks), max(2, len(compared(settings, Scale())))
    most = MOST_VALUES // (n_places * n_rules)
    draws = first_draws(settings)
    if draws > most:
        problem = f"{draws:,} at {n_places:,} × {n_rules} places and rules are too many"
        expected = f"at most {most:,}" if most > 1 else "fewer places or rules"
        raise InputError("draws", problem, expected)


def places(settings: Settings, d_k: int) -> tuple[list[Place], list[Place]]:
    """Return the places to evaluate first and the places to evaluate after them.

    Both rise in n, then in d_k, but the place nearest to the current n and d_k comes first of all.

    Args:
        settings: The settings of the sweep.
        d_k: The d_k of the setup, at which curves over n are drawn.
    """
    ns, d_ks = along(settings, d_k)
    here = closest(ns, settings.n), closest(d_ks, d_k)
    coarse = sorted({here, *((n, d) for n in _some(ns) for d in _some(d_ks))})
    rest = sorted({(n, d) for n in ns for d in d_ks} - {*coarse})
    return sorted(coarse, key=lambda place: place != here), rest


def along(settings: Settings, d_k: int) -> tuple[list[int], list[int]]:
    """Return the values of n and of d_k; every pair of them is a place."""
    count = settings.map_points if settings.swept == "map" else settings.points
    ns = [settings.n] if settings.swept == "d_k" else log_grid(settings.n_range, count)
    d_ks = [d_k] if settings.swept == "n" else log_grid(settings.d_k_range, count)
    return ns, d_ks


def log_grid(ends: tuple[int, ...], most: int) -> list[int]:
    """Return distinct whole numbers from one end to the other, evenly spaced in the logarithm.

    If one end is a power of 2 times the other, every doubling is included if ``most`` allows it;
    otherwise there are ``most`` numbers before duplicates are dropped.

    >>> log_grid((1, 64), 8), log_grid((2, 40), 4)
    ([1, 2, 4, 8, 16, 32, 64], [2, 5, 15, 40])
    """
    return list(_log_grid(ends, most))


@lru_cache(maxsize=64)
def _log_grid(ends: tuple[int, ...], most: int) -> tuple[int, ...]:
    # A step in Sweep asks for the same grid five times, which took a twentieth of its time.
    low, high = ends
    count = most
    if high % low == 0 and (high // low).bit_count() == 1:
        doublings = (high // low).bit_length() - 1
        count = max(1, (most - 1) // max(doublings, 1)) * doublings + 1
    count = min(count, most)
    return tuple(sorted({round(place) for place in np.geomspace(low, high, count).tolist()}))


def _some(values: list[int]) -> list[int]:
    return sorted({*values[::_COARSE], values[-1]})
