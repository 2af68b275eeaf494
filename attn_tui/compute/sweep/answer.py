"""The Sweep instrument: drawn vectors over d_k, over n, or over both, under several rules."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from attn_tui.compute.experiment import Experiment, Stop, never
from attn_tui.compute.log_scale import N_KEYS
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.asymptotes import Where, condensation_d_k, condensation_n
from attn_tui.compute.sweep.crossing import Meeting, crossings, falls_through
from attn_tui.compute.sweep.crossover import Crossover, crossovers, divides_from, search_cost
from attn_tui.compute.sweep.curves import Curve, curves
from attn_tui.compute.sweep.draws import GENERATOR
from attn_tui.compute.sweep.places import check_vectors, log_grid, places
from attn_tui.compute.sweep.points import Place, Points, Sampling, held
from attn_tui.compute.sweep.settings import (
    Settings,
    Statistic,
    draws_at,
    first_draws,
    scales_of,
)

_AT_PLACE, _FEWEST = 4_000_000, 40
"""So many scores are drawn at one place alone at most, and so many vectors at least."""

_COMPONENTS = 1 << 24
"""So many components of q are drawn at one place alone at most, once there are the first draws."""

_BETWEEN = 16_000_000
"""So many numbers are worked on between two answers: some tenth of a second."""


@dataclass(frozen=True)
class Condensation:
    """Where logits condense on few keys: σ = m√d_k is σ_c = √(2 ln n) or more.

    Attributes:
        rule: Under which rule.
        n: At how many keys; in a sweep over n where σ meets σ_c, None if at none from 2 to 100,000.
        d_k: At which d_k; unless n is swept where σ meets σ_c, None if at none from 1 to 65,536.
        where: On which side of what is swept logits condense, or whether they do so at all of it.
    """

    rule: str
    n: float | None
    d_k: float | None
    where: Where


@dataclass(frozen=True)
class Boundary:
    """The d_k of a map between which the median's ratio falls through 1 for the last time.

    Where it does so between them is what crossovers are searched for.

    Attributes:
        n: At how many keys.
        falls: Whether it falls so on the map.
        low: The last before the ratio less two of its standard errors does; None if it is nowhere.
        high: The first after the ratio and two of its standard errors do; likewise.
    """

    n: int
    falls: bool
    low: int | None
    high: int | None


@dataclass(frozen=True, eq=False)
class Answer:
    """What a sweep has found so far.

    Attributes:
        experiment: The question.
        settings: Its settings of this instrument.
        rules: The rules compared, as text: those of the settings, and none if a ratio is shown.
        points: More come, and grow.
        curves: Exact curves and asymptotes of the statistic; of curves, and empty at first.
        condensation: One for each rule; on a map, one for each rule and n.
        crossovers: Unless n is swept alone, of the n that is asked for, for each readout and rule
            that divides; empty at first, then from a few draws, at last from all.
        progress: How much of the work is done, 0 to 1; 1 in the last answer alone.
        here: What is drawn for itself at the place that is asked for; None where that is one of the
            points, and while it is not known.
        generator: The algorithm that draws.
    """

    experiment: Experiment
    settings: Settings
    rules: tuple[str, ...]
    points: Points
    curves: tuple[Curve, ...]
    condensation: tuple[Condensation, ...]
    crossovers: tuple[Crossover, ...]
    progress: float
    here: Points | None = None
    generator: str = GENERATOR

    @property
    def nearby(self) -> Points:
        """The points among which the place that is asked for is, or the nearest to it."""
        return self.here or self.points

    def crossing(self, rule: str, statistic: Statistic, n: int) -> Meeting | None:
        """Return where medians without a rule and with it cross, if at one place.

        Args:
            rule: The rule.
            statistic: Of what the medians are.
            n: For how many keys: over d_k. Curves over n cross over n.
        """
        if self.settings.view == "curves" and self.settings.over == "n":
            met = crossings(self.points, rule, statistic)
            one = met[0] if len(met) == 1 else None
            return Meeting(one.n, one.low, one.high) if one and one.n else None
        for found in self.crossovers:
            if (found.n, found.readout, found.rule) == (n, statistic, rule) and found.d_k:
                low = None if found.low_open else found.low
                high = None if found.high_open else found.high
                return Meeting(found.d_k, low, high, found.finished)
        return None

    def boundary(self, rule: str, statistic: Statistic) -> tuple[Boundary, ...]:
        """Return about where the ratio of medians falls through 1, for each n that is drawn."""
        settings = self.settings
        d_ks = tuple(log_grid(settings.d_k_range, settings.map_points))
        return _boundary(self.points, rule, statistic, d_ks, first_draws(settings))


@lru_cache(maxsize=16)
def _boundary(
    points: Points, rule: str, statistic: Statistic, d_ks: tuple[int, ...], draws: int
) -> tuple[Boundary, ...]:
    found = []
    for n in points.ns:
        row = [points.at(n, d_k, rule) for d_k in d_ks]
        ratios = [points.ratio(n, d_k, rule, statistic) for d_k in d_ks]
        known = [each for each in ratios if each]
        if len(known) == len(d_ks) and all(each and each.draws >= draws for each in row):
            at, low, high = falls_through(d_ks, known)
            before = None if low is None else d_ks[bisect_right(d_ks, low) - 1]
            after = None if high is None else d_ks[bisect_left(d_ks, high)]
            found.append(Boundary(n, at is not None, before, after))
    return tuple(found)


def row_crossovers(
    experiment: Experiment, stop: Stop = never
) -> Iterator[tuple[int, tuple[Crossover, ...]]]:
    """Yield how much work is done, and the crossovers of the n asked for, of every rule so far.

    Stops soon after ``stop()`` is true.
    """
    settings, wanted = experiment.setup.get(Settings), crossovers_wanted(experiment)
    draws = draws_at(settings, settings.n)
    for found in crossovers(wanted, settings.seed, draws) if wanted else ():
        if stop():
            return
        yield found


def crossovers_wanted(experiment: Experiment) -> list[tuple[int, str]]:
    """Return n and rules of which there are crossovers that a sweep can show."""
    setup = experiment.setup
    settings = setup.get(Settings)
    least, most = settings.d_k_range
    over_n = settings.view == "curves" and settings.over == "n"
    # Where medians cross is known of plain q and k.
    if over_n or least == most or setup.scale.qk_norm or not settings.crossovers:
        return []
    scales, n = scales_of(settings, setup.scale), settings.n
    return [(n, rule) for rule, scale in scales.items() if divides_from(scale, n) is not None]


def answer(experiment: Experiment, stop: Stop = never) -> Iterator[Answer]:
    """Yield growing answers: first a few draws at few places, then everywhere, then more.

    Unless n is swept alone they end with the crossovers. Stops soon after ``stop()`` is true.

    Raises:
        InputError: If there are too many vectors, or a rule yields no usable multiplier somewhere.
    """
    setup = experiment.setup
    settings = setup.get(Settings)
    check_vectors(settings)
    scales = scales_of(settings, setup.scale)
    coarse, rest = places(settings, setup.d_k)
    every = [*coarse, *rest]
    for scale in scales.values():
        for n, d_k in every:
            scale.multiplier(d_k, n)
    qk_norm = setup.scale.qk_norm
    sampling = Sampling(scales, first_draws(settings), settings.seed, qk_norm)
    finer = _finer(settings, scales, every) if not qk_norm else {}
    # What is exact and where logits condense is known of plain q and k.
    marks = () if qk_norm else tuple(_condensation(settings, scales, setup.d_k))
    wanted = crossovers_wanted(experiment)
    draws = draws_at(settings, settings.n)
    work = sampling.work(every) + len(wanted) * search_cost(settings.n, draws)
    work += sum(more.work(row) for more, row in finer.values())
    lines: tuple[Curve, ...] = ()
    found: tuple[Crossover, ...] = ()
    rows: dict[int, Points] = {}

    def so_far(done: float) -> Answer:
        points = Points(point for point in sampling.points() if point.n not in rows)
        if rows:
            known = [*points, *(point for row in rows.values() for point in row)]
            points = Points(sorted(known, key=lambda point: (point.n, point.d_k)))
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
    if settings.view == "curves" and not qk_norm:
        lines = curves(settings.statistic, scales, sorted(every))
    yield so_far(done)
    for n, (more, row) in finer.items():
        for cost in more.steps(row, ()):
            if stop():
                return
            done, since = done + cost, since + cost
            if since > _BETWEEN and done < work:
                # Nothing is new, but whoever waits may have another question.
                yield so_far(done)
                since = 0
        rows[n] = more.points()
        more.forget()
        yield so_far(done)
    drawn, shown = done, done
    for spent, known in row_crossovers(experiment, stop):
        done = drawn + spent
        if known != found or done > shown + _BETWEEN or done == work:
            found, shown = known, done
            yield so_far(done)


def _finer(
    settings: Settings, scales: Mapping[str, Scale], places: Sequence[Place]
) -> dict[int, tuple[Sampling, list[Place]]]:
    """Return what draws more vectors than the first, by n, that of the question first."""
    first = first_draws(settings)
    ns = sorted({n for n, _ in places if draws_at(settings, n) > first})
    return {
        n: (
            Sampling(scales, draws_at(settings, n), settings.seed),
            sorted(place for place in places if place[0] == n),
        )
        for n in sorted(ns, key=lambda n: n != held(ns, settings.n))
    }


def at_place(experiment: Experiment, n: int, d_k: int) -> Experiment | None:
    """Return the question of what drawn vectors say at one place alone, or None if that is long.

    Args:
        experiment: The rule and the seed are as here; where keys are many, draws are fewer.
        n: How many keys.
        d_k: Dimension of a head.
    """
    setup = experiment.setup
    settings = setup.get(Settings)
    long_vectors = max(first_draws(settings), _COMPONENTS // d_k)
    draws = min(draws_at(settings, n), _AT_PLACE // n, long_vectors)
    if n < N_KEYS.minimum or draws < _FEWEST:
        return None
    one = replace(
        settings, view="curves", over="d_k", n=n, d_k_range=(d_k, d_k), draws=draws,
        crossovers=False,
    )  # fmt: skip
    return Experiment(Drawn(n, settings.seed), replace(setup, d_k=d_k).put(one))


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
    plain = not experiment.setup.scale.qk_norm
    if with_curves and plain and not lines and settings.view == "curves":
        scales = {rule: parse_scale(rule) for rule in found.rules}
        places = found.points.places
        lines = curves(settings.statistic, scales, places)
    return replace(found, experiment=experiment, settings=settings, curves=lines)


def _condensation(
    settings: Settings, scales: Mapping[str, Scale], d_k: int
) -> Iterator[Condensation]:
    for rule, scale in scales.items():
        if settings.view == "curves" and settings.over == "n":
            at, where = condensation_n(scale, d_k)
            yield Condensation(rule, at, d_k, where)
            continue
        is_map = settings.view == "map"
        for n in log_grid(settings.n_range, settings.map_points) if is_map else [settings.n]:
            yield Condensation(rule, n, *condensation_d_k(scale, n))
