"""Points of a sweep: what drawn vectors of n keys say at one d_k under one rule."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log, log2, sqrt

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.scale import NONE, parse_scale
from attn_tui.compute.sweep.draws import Unit, cost, unit_logs, units
from attn_tui.compute.sweep.exact import Exact, exact
from attn_tui.compute.sweep.rows import READOUTS
from attn_tui.compute.sweep.settings import STATISTICS, Statistic
from attn_tui.compute.sweep.summary import Summary, summarise

Place = tuple[int, int]
"""n and d_k."""


def upper_bound(statistic: Statistic, n_keys: int) -> float | None:
    """Return what a statistic of n keys cannot exceed, or None if there is no such number.

    >>> upper_bound("jacobian", 8), upper_bound("gradient", 8)
    (0.5, None)
    """
    bounds: dict[Statistic, float] = {
        "max_weight": 1.0,
        "trace": 1.0,
        "entropy": log(n_keys),
        "entropy_bits": log2(n_keys),
        "effective_keys": float(n_keys),
        "jacobian": 0.5,
    }
    return bounds.get(statistic)


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
        paired: Of each statistic, the standard errors of ln of the ratio of means and of medians,
            unscaled over this; both are of the same draws. Empty unless none is among the rules.
    """

    n: int
    d_k: int
    rule: str
    multiplier: float
    draws: int
    statistics: Mapping[Statistic, Summary]
    qk_norm: bool = False
    paired: Mapping[Statistic, tuple[float, float]] = field(default_factory=dict)

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


def ratio(unscaled: Point, scaled: Point, statistic: Statistic) -> Ratio:
    """Return how a statistic without scaling compares with the same under a rule."""
    two = unscaled.statistics[statistic], scaled.statistics[statistic]
    with np.errstate(all="ignore"):
        means = np.log(np.array([each.mean for each in two]))
    mean_error, median_error = scaled.paired[statistic]
    return Ratio(
        float(means[0] - means[1]), mean_error, two[0].log_median - two[1].log_median, median_error
    )


def paired_errors(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard errors of ln of ratios, of means and of medians, of the same draws.

    For means it is that of the mean of x/E[x] − y/E[y]. For medians those of each are joined by
    the correlation of lying below them, 4·P(both below) − 1.

    Args:
        first: ln x, shape (rows, N).
        second: ln y, of the same draws.

    Returns:
        Shape (rows, 2); NaN for one draw.
    """
    draws = first.shape[1]
    if draws < 2:
        return np.full((len(first), 2), np.nan)
    logs = np.stack([first, second])
    with np.errstate(all="ignore"):
        sizes = np.exp(logs - logs.max(axis=2, keepdims=True))
        shares = sizes / sizes.mean(axis=2, keepdims=True)
        of_means = (shares[0] - shares[1]).std(axis=1, ddof=1) / sqrt(draws)
        below = logs < np.median(logs, axis=2, keepdims=True)
        together = 4.0 * (below[0] & below[1]).mean(axis=1) - 1.0
        one, other = (
            np.array([each.log_median_standard_error for each in summarise(rows)]) for rows in logs
        )
        # Errors of logarithms may be so large that their squares overflow.
        apart = np.sqrt(2.0 * (1.0 - together)) * np.sqrt(one) * np.sqrt(other)
        of_medians = np.hypot(one - other, apart)
    return np.stack([of_means, of_medians], axis=1)


class Points(tuple[Point, ...]):
    """Points rising in n, then d_k, then in the order of the rules, and what they say together.

    What is worked out of them is kept, for many questions and looks have the same points.
    """

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
    def _rules(self) -> Mapping[str, tuple[Point, ...]]:
        of_rule: dict[str, list[Point]] = {}
        for point in self:
            of_rule.setdefault(point.rule, []).append(point)
        return {rule: tuple(points) for rule, points in of_rule.items()}

    def under(self, rule: str) -> tuple[Point, ...]:
        """Return those under a rule."""
        return self._rules.get(rule, ())

    @cached_property
    def _at(self) -> Mapping[tuple[int, int, str], Point]:
        return {(point.n, point.d_k, point.rule): point for point in self}

    def at(self, n: int, d_k: int, rule: str) -> Point | None:
        """Return the one at a place under a rule, or None while there is none."""
        return self._at.get((n, d_k, rule))

    @cached_property
    def _none(self) -> str:
        return next((rule for rule in self._rules if parse_scale(rule) == NONE), "none")

    def unscaled(self, n: int, d_k: int) -> Point | None:
        """Return the one at a place without scaling, or None if there is none."""
        return self.at(n, d_k, self._none)

    @cached_property
    def _ratios(self) -> dict[tuple[int, int, str, Statistic], Ratio | None]:
        return {}

    def ratio(self, n: int, d_k: int, rule: str, statistic: Statistic) -> Ratio | None:
        """Return a statistic without scaling over the same under a rule, or None if unknown."""
        asked = (n, d_k, rule, statistic)
        if asked not in self._ratios:
            unscaled, scaled = self.unscaled(n, d_k), self.at(n, d_k, rule)
            known = ratio(unscaled, scaled, statistic) if unscaled and scaled else None
            self._ratios[asked] = known
        return self._ratios[asked]


class Sampling:
    """Points that grow while vectors are drawn; what one sweep works with.

    Args:
        rules: Rules as text, with what m each has at n and d_k.
        draws: How many vectors to draw at each place.
        seed: Which.
        qk_norm: Whether q and k are normalised.
    """

    def __init__(
        self,
        rules: Mapping[str, Callable[[int, int], float]],
        draws: int,
        seed: int,
        qk_norm: bool = False,
    ) -> None:
        self.rules, self.draws, self.seed, self.qk_norm = rules, draws, seed, qk_norm
        self._logs: dict[Place, NDArray[np.float64]] = {}
        self._drawn: dict[Place, int] = {}
        self._points: dict[tuple[Place, str], Point] = {}

    def steps(self, coarse: Sequence[Place], rest: Sequence[Place]) -> Iterator[int]:
        """Draw and evaluate, a few vectors a step; yield what a step cost.

        First a few vectors at the coarse places, then at the rest, then more and more at all.
        The sum of what is yielded is `work`.
        """
        every = sorted([*coarse, *rest])
        d_ks = tuple(sorted({d_k for _, d_k in every}))
        of_n = {n: list(units(self.seed, n, self.draws, d_ks)) for n, _ in every}
        for turn in range(max(len(each) for each in of_n.values())):
            for places in (every,) if turn else (coarse, rest):
                for place in places:
                    for unit in of_n[place[0]][turn : turn + 1]:
                        self._grow(place, unit)
                        yield self._cost(place, unit.size)

    def work(self, places: Sequence[Place]) -> int:
        """Return what all steps cost together, in numbers worked on."""
        return sum(self._cost(place, self.draws) for place in places)

    def summary_cost(self) -> int:
        """Return about what it costs to call `points` now."""
        return 16 * len(self.rules) * sum(self._drawn.values())

    def points(self) -> Points:
        """Return every point there is."""
        found = []
        for place in sorted(self._drawn):
            for index, rule in enumerate(self.rules):
                point = self._points.get((place, rule))
                if point is None or point.draws != self._drawn[place]:
                    point = self._summarised(place, index, rule)
                    self._points[place, rule] = point
                found.append(point)
        return Points(found)

    def _cost(self, place: Place, vectors: int) -> int:
        return cost(place[0], vectors * len(self.rules))

    def _grow(self, place: Place, unit: Unit) -> None:
        if place not in self._logs:
            self._logs[place] = np.empty((len(self.rules), len(READOUTS), self.draws))
        for index, multiplier in enumerate(self.rules.values()):
            logs = unit_logs(unit, place[1], multiplier(*place), self.qk_norm)
            self._logs[place][index, :, unit.here] = logs
        self._drawn[place] = unit.here.stop

    def _summarised(self, place: Place, index: int, rule: str) -> Point:
        draws = self._drawn[place]
        multiplier = self.rules[rule](*place)
        summaries = summarise(self._logs[place][index, :, :draws])
        found: dict[str, Summary] = dict(zip(READOUTS, summaries, strict=True))
        found["gradient"] = _times(found["jacobian"], multiplier)
        found["entropy_bits"] = _times(found["entropy"], 1.0 / log(2.0))
        statistics = {name: found[name] for name in STATISTICS}
        paired = self._paired(place, index, draws)
        return Point(*place, rule, multiplier, draws, statistics, self.qk_norm, paired)

    def _paired(
        self, place: Place, index: int, draws: int
    ) -> Mapping[Statistic, tuple[float, float]]:
        """Return the errors of ratios, of what is without scaling over one rule."""
        at = next((i for i, rule in enumerate(self.rules) if parse_scale(rule) == NONE), None)
        if at is None:
            return {}
        unscaled, scaled = (self._logs[place][each, :, :draws] for each in (at, index))
        rows = paired_errors(unscaled, scaled).tolist()
        found = {name: (row[0], row[1]) for name, row in zip(READOUTS, rows, strict=True)}
        alike = {"gradient": "jacobian", "entropy_bits": "entropy"}
        return {name: found[alike.get(name, name)] for name in STATISTICS}  # type: ignore[index]


def _times(summary: Summary, factor: float) -> Summary:
    """Return the summary of the same draws times a number above 0."""
    by = log(factor)
    return Summary(
        summary.draws,
        factor * summary.mean,
        factor * summary.mean_standard_error,
        summary.log_median + by,
        summary.log_median_low + by,
        summary.log_median_high + by,
        summary.log_low + by,
        summary.log_high + by,
    )
