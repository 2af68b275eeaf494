"""The Sweep instrument: drawn vectors over d_k, over n, or over both, under several rules."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from attn_tui.compute.asymptotes import condensation_d_k, condensation_n
from attn_tui.compute.crossover import (
    Crossover,
    check_number,
    crossovers,
    divides_from,
    last_fall,
    search_cost,
)
from attn_tui.compute.draws import GENERATOR
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.experiment import Experiment, Stop, never
from attn_tui.compute.log_scale import D_K, N_KEYS
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.sweep_curves import Curve, curves
from attn_tui.compute.sweep_points import (
    STATISTICS,
    Place,
    Point,
    Ratio,
    Sampling,
    Statistic,
    ratio,
)

Axis = Literal["d_k", "n"]
View = Literal["curves", "map"]

MOST_KEYS = N_KEYS.maximum
MOST_DRAWS, MOST_POINTS, MOST_VALUES = 100_000, 200, 1 << 20

_COARSE = 4
"""Every so many places are looked at first."""

_BETWEEN = 16_000_000
"""So many numbers are worked on between two answers: some tenth of a second."""


@dataclass(frozen=True)
class Settings:
    """What is swept, and how finely.

    Attributes:
        over: What curves run over; the other is held: n here, d_k by the setup.
        n: Number of keys while d_k is swept, 2 to 100,000.
        n_range: Least and largest n of a sweep over n, and of a map; equal, it is one place.
        d_k_range: Least and largest d_k of a sweep over d_k, and of a map; the same.
        rules: Scale rules as text, each once; none given is ``"none"`` and the setup's own.
        statistic: Which is shown. All are computed.
        view: Curves over one, or a map over both.
        ratio: Whether the statistic without scaling is shown over the same under a rule.
        points: How many places along a curve at most, evenly over the logarithm.
        map_points: How many along each side of a map at most.
        draws: How many vectors are drawn at each place, 2 to 100,000; see `check_vectors`.
        seed: What is drawn, a whole number from 0.
        crossovers: Whether curves over d_k end with the search for crossovers.
        crossover_n: The n of crossovers that are asked for alone; none given is n.
    """

    over: Axis = "d_k"
    n: int = 64
    n_range: tuple[int, ...] = (2, 4096)
    d_k_range: tuple[int, ...] = (1, 8192)
    rules: tuple[str, ...] = ()
    statistic: Statistic = "gradient"
    view: View = "curves"
    ratio: bool = False
    points: int = 27
    map_points: int = 14
    draws: int = 1000
    seed: int = 1
    crossovers: bool = True
    crossover_n: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for field, kind in (("over", Axis), ("view", View), ("statistic", Statistic)):
            if getattr(self, field) not in get_args(kind):
                problem = f"{inert(str(getattr(self, field)))} is not one"
                raise InputError(field, problem, "one of " + ", ".join(get_args(kind)))
        for n in (self.n, *self.crossover_n):
            check_number("n", n, 2, MOST_KEYS)
        check_number("points", self.points, 2, MOST_POINTS)
        check_number("map_points", self.map_points, 2, MOST_POINTS)
        check_number("draws", self.draws, 2, MOST_DRAWS)
        check_number("seed", self.seed, 0, 2**63 - 1)
        _check_range("n_range", self.n_range, 2, MOST_KEYS)
        _check_range("d_k_range", self.d_k_range, D_K.minimum, D_K.maximum)
        scales = [parse_scale(rule) for rule in self.rules]
        for index, rule in enumerate(self.rules):
            if scales[index] in scales[:index]:
                raise InputError("rules", f"{inert(rule)} stands twice", "each rule once")
        if self.ratio and scales == [Scale("none")]:
            raise InputError("rules", "there is only none", "a rule to compare none with")

    def check_vectors(self) -> None:
        """Check that a sweep has not too many vectors; crossovers, which have no places, may.

        Raises:
            InputError: Saying how many draws there may be.
        """
        ns, d_ks = self._along(D_K.minimum)
        n_places, n_rules = len(ns) * len(d_ks), max(2, len(self.rules) + self.ratio)
        most = MOST_VALUES // (n_places * n_rules)
        if self.draws > most:
            problem = f"{self.draws:,} at {n_places:,} × {n_rules} places and rules are too many"
            expected = f"at most {most:,}" if most > 1 else "fewer places or rules"
            raise InputError("draws", problem, expected)

    def places(self, d_k: int) -> tuple[list[Place], list[Place]]:
        """Return where to look: first at these, then also at those; rising in n, then d_k.

        Args:
            d_k: The setup's, at which curves over n are drawn.
        """
        ns, d_ks = self._along(d_k)
        coarse = [(n, d) for n in _some(ns) for d in _some(d_ks)]
        return coarse, sorted({(n, d) for n in ns for d in d_ks} - set(coarse))

    def _along(self, d_k: int) -> tuple[list[int], list[int]]:
        """Return the n and the d_k, each with each of which is a place."""
        is_map = self.view == "map"
        count = self.map_points if is_map else self.points
        ns = log_grid(self.n_range, count) if is_map or self.over == "n" else [self.n]
        d_ks = log_grid(self.d_k_range, count) if is_map or self.over == "d_k" else [d_k]
        return ns, d_ks


@dataclass(frozen=True)
class Condensation:
    """Where logits condense on few keys: σ = m√d_k reaches σ_c = √(2 ln n).

    Attributes:
        rule: Under which rule.
        n: At how many keys; infinite if at more than float64 can hold.
        d_k: At which d_k; None if at none from 1 to 65,536.
    """

    rule: str
    n: float
    d_k: float | None


@dataclass(frozen=True)
class Boundary:
    """The d_k at which the median's ratio falls through 1 for the last time, read off a map.

    Between places, ln of the ratio is taken as straight over ln d_k.

    Attributes:
        n: At how many keys.
        d_k: Where; None if it does so nowhere on the map.
        low: Where the ratio less two of its standard errors does; None if nowhere.
        high: Where the ratio and two of its standard errors do.
    """

    n: int
    d_k: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, eq=False)
class Answer:
    """What a sweep has found so far.

    Attributes:
        experiment: The question.
        settings: Its settings of this instrument.
        rules: The rules compared, as text: those of the settings, and none if a ratio is shown.
        points: Rising in n, then d_k, then in the order of the rules; more come, and grow.
        curves: Exact curves and asymptotes of the statistic; of curves, and empty at first.
        condensation: One for each rule; on a map, one for each rule and n.
        crossovers: Of curves over d_k, for each readout and rule that divides; empty at first, then
            from a few draws, at last from all.
        progress: How much of the work is done, 0 to 1; 1 in the last answer alone.
        generator: The algorithm that draws.
    """

    experiment: Experiment
    settings: Settings
    rules: tuple[str, ...]
    points: tuple[Point, ...]
    curves: tuple[Curve, ...]
    condensation: tuple[Condensation, ...]
    crossovers: tuple[Crossover, ...]
    progress: float
    generator: str = GENERATOR

    @cached_property
    def _at(self) -> Mapping[tuple[int, int, str], Point]:
        return {(point.n, point.d_k, point.rule): point for point in self.points}

    def point(self, n: int, d_k: int, rule: str) -> Point | None:
        """Return the point there under a rule, or None while there is none."""
        return self._at.get((n, d_k, rule))

    def ratio(self, n: int, d_k: int, rule: str, statistic: Statistic) -> Ratio | None:
        """Return a statistic without scaling over the same under a rule, or None if unknown."""
        unscaled = self.point(n, d_k, _none(self.rules))
        scaled = self.point(n, d_k, rule)
        if unscaled is None or scaled is None:
            return None
        return ratio(unscaled.statistics[statistic], scaled.statistics[statistic])

    def boundary(self, rule: str, statistic: Statistic) -> tuple[Boundary, ...]:
        """Return where the ratio of medians falls through 1, for each n all of which is drawn."""
        d_ks = log_grid(self.settings.d_k_range, self.settings.map_points)
        found = []
        for n in sorted({point.n for point in self.points}):
            points = [self.point(n, d_k, rule) for d_k in d_ks]
            ratios = [self.ratio(n, d_k, rule, statistic) for d_k in d_ks]
            if all(each and each.draws == self.settings.draws for each in points):
                known = [(each.log_median, each.log_median_error) for each in ratios if each]
                if len(known) == len(d_ks):
                    logs, errors = np.array(known).T
                    falls = (last_fall(d_ks, logs + by * errors) for by in (0.0, -2.0, 2.0))
                    found.append(Boundary(n, *falls))
        return tuple(found)


def answer(experiment: Experiment, stop: Stop = never) -> Iterator[Answer]:
    """Yield growing answers: first a few draws at few places, then everywhere, then more.

    Curves over d_k end with the crossovers. Stops soon after ``stop()`` is true.

    Raises:
        InputError: If there are too many vectors, or a rule yields no usable multiplier somewhere.
    """
    setup = experiment.setup
    settings = setup.get(Settings)
    settings.check_vectors()
    scales = _scales(settings, setup.scale)
    coarse, rest = settings.places(setup.d_k)
    every = [*coarse, *rest]
    for scale in scales.values():
        for n, d_k in every:
            scale.multiplier(d_k, n)
    multipliers = {
        rule: lambda n, d_k, scale=scale: scale.multiplier(d_k, n) for rule, scale in scales.items()
    }
    sampling = Sampling(multipliers, settings.draws, settings.seed)
    marks = tuple(_condensation(settings, scales, setup.d_k))
    wanted = _crossovers_wanted(settings, scales)
    work = sampling.work(every) + len(wanted) * search_cost(settings.n, settings.draws)
    lines: tuple[Curve, ...] = ()
    found: tuple[Crossover, ...] = ()

    def so_far(done: float) -> Answer:
        points = sampling.points()
        progress = min(done / work, 0.999) if done < work else 1.0
        return Answer(experiment, settings, tuple(scales), points, lines, marks, found, progress)

    done, since, first = 0, 0, True
    for cost in sampling.steps(coarse, rest):
        if stop():
            return
        done, since = done + cost, since + cost
        if first or (since > _BETWEEN + 2 * sampling.summary_cost() and done < work):
            yield so_far(done)
            since, first = 0, False
    if settings.view == "curves":
        lines = curves(settings.statistic, scales, sorted(every))
    yield so_far(done)
    drawn, shown = done, done
    for spent, known in crossovers(wanted, settings.seed, settings.draws) if wanted else ():
        if stop():
            return
        done = drawn + spent
        if known != found or done > shown + _BETWEEN or done == work:
            found, shown = known, done
            yield so_far(done)


def _crossovers_wanted(settings: Settings, scales: Mapping[str, Scale]) -> list[tuple[int, str]]:
    """Return n and rules whose crossovers a chart over d_k can show."""
    least, most = settings.d_k_range
    is_chart = settings.view == "curves" and settings.over == "d_k" and least < most
    if not (is_chart and settings.crossovers):
        return []
    n = settings.n
    return [(n, rule) for rule, scale in scales.items() if divides_from(scale, n) is not None]


def _scales(settings: Settings, own: Scale) -> dict[str, Scale]:
    """Return the rules compared, by their text."""
    rules = settings.rules or ("none", rule_text(own))
    if settings.ratio:
        rules = ("none", *rules)
    scales: dict[str, Scale] = {}
    for rule in rules:
        scale = parse_scale(rule)
        if scale not in scales.values():
            scales[rule] = scale
    return scales


def compared(settings: Settings, own: Scale) -> tuple[str, ...]:
    """Return the rules that are compared, as text, when the setup's own is this."""
    return tuple(_scales(settings, own))


def restated(found: Answer, experiment: Experiment, with_curves: bool = False) -> Answer:
    """Return an answer to the same sweep with another statistic, or as a ratio.

    Args:
        found: Its points must be those that are asked for.
        experiment: What is asked.
        with_curves: Whether to compute exact curves and asymptotes; else there are none unless
            the statistic is as it was.
    """
    settings = experiment.setup.get(Settings)
    same = settings.statistic == found.settings.statistic
    lines = found.curves if same else ()
    if with_curves and not lines and settings.view == "curves":
        scales = {rule: parse_scale(rule) for rule in found.rules}
        places = sorted({(point.n, point.d_k) for point in found.points})
        lines = curves(settings.statistic, scales, places)
    return replace(found, experiment=experiment, settings=settings, curves=lines)


def _none(rules: tuple[str, ...]) -> str:
    return next((rule for rule in rules if parse_scale(rule) == Scale("none")), "none")


def rule_text(scale: Scale) -> str:
    """Return a rule with the parameters given, as `parse_scale` reads it.

    >>> rule_text(parse_scale("temperature:4")), rule_text(Scale(softcap=50.0))
    ('temperature:T=4.0', 'inverse-sqrt')
    """
    given = ",".join(f"{name}={value!r}" for name, value in scale.given)
    return f"{scale.rule}:{given}" if given else scale.rule


def _condensation(
    settings: Settings, scales: Mapping[str, Scale], d_k: int
) -> Iterator[Condensation]:
    for rule, scale in scales.items():
        if settings.view == "curves" and settings.over == "n":
            yield Condensation(rule, condensation_n(scale, d_k), d_k)
            continue
        is_map = settings.view == "map"
        for n in log_grid(settings.n_range, settings.map_points) if is_map else [settings.n]:
            yield Condensation(rule, n, condensation_d_k(scale, n))


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
    return sorted({round(each) for each in np.geomspace(low, high, count).tolist()})


def _some(values: list[int]) -> list[int]:
    return sorted({*values[::_COARSE], values[-1]})


def _check_range(field: str, ends: object, least: int, most: int) -> None:
    expected = f"two whole numbers from {least} to {most:,}, the smaller first"
    if not (isinstance(ends, tuple) and len(ends) == 2):
        raise InputError(field, f"{inert(str(ends))} is not a range", expected)
    for end in ends:
        if type(end) is not int or not least <= end <= most:
            raise InputError(field, f"{inert(str(end))} will not do", expected)
    if ends[0] > ends[1]:
        raise InputError(field, f"{ends[0]} to {ends[1]} is reversed", expected)


__all__ = [
    "STATISTICS",
    "Answer",
    "Boundary",
    "Condensation",
    "Settings",
    "answer",
    "compared",
    "log_grid",
    "restated",
    "rule_text",
]
