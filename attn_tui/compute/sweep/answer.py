"""The Sweep instrument: drawn vectors over d_k, over n, or over both, under several rules."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from attn_tui.compute.errors import Stop, never
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.scale import NONE, Scale
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.crossover import (
    Crossing,
    Crossings,
    crossings,
    crossovers,
    divides_from,
    search_cost,
)
from attn_tui.compute.sweep.draws import GENERATOR, forget_rows
from attn_tui.compute.sweep.exact import Where, condensation_d_k, condensation_n
from attn_tui.compute.sweep.points import (
    Place,
    Point,
    Points,
    Sampling,
    along,
    check_vectors,
    closest,
    log_grid,
    places,
)
from attn_tui.compute.sweep.settings import (
    Settings,
    SweepStatistic,
    compared,
    draws_at,
    first_draws,
)

_AT_PLACE = 4_000_000
"""For a single place: the most scores."""

_COMPONENTS = 1 << 24
"""For a single place: the most components of q, beyond the first draws."""

_BETWEEN = 16_000_000
"""Numbers processed between two answers: about a tenth of a second."""


@dataclass(frozen=True)
class Condensation:
    """Where logits condense on few keys: σ = m√d_k·σ_qσ_k is σ_c = √(2 ln n) or more.

    Attributes:
        scale: The rule.
        n: The number of keys; in a sweep over n, the n at which σ meets σ_c, or None if there is
            none from 2 to 100,000.
        d_k: The d_k; unless n is swept, the d_k at which σ meets σ_c, or None if there is none
            from 1 to 65,536.
        where: On which side of that n or d_k logits condense, or whether they do so everywhere or
            nowhere.
    """

    scale: Scale
    n: float | None
    d_k: float | None
    where: Where

    @property
    def rule(self) -> str:
        """The rule as text."""
        return self.scale.text


@dataclass(frozen=True, eq=False)
class Answer:
    """The results of a sweep so far.

    Attributes:
        experiment: The question.
        settings: Its settings of this instrument.
        rules: The compared rules: those of the settings, and ``none`` if a ratio is shown.
        points: The points so far; later answers have more of them, with more draws.
        condensation: One for each rule; on a map, one for each rule and n.
        crossovers: The crossings along d_k at the n of the settings, for each readout and each
            rule that divides, unless only n is swept; empty at first.
        progress: The share of the work done, from 0 to 1; it is 1 in the last answer only.
        here: Points drawn separately at the current place, empty until it is drawn; None if the
            place is one of the points, or if the nearest of them is to speak for it.
        generator: The algorithm that generates random numbers.
    """

    experiment: Experiment
    settings: Settings
    rules: tuple[Scale, ...]
    points: Points
    condensation: tuple[Condensation, ...]
    crossovers: Crossings
    progress: float
    here: Points | None = None
    generator: str = GENERATOR

    @property
    def place(self) -> Place:
        """The current place: the n and the d_k of the question."""
        return self.settings.n, self.experiment.setup.d_k

    @cached_property
    def axes(self) -> tuple[list[int], list[int]]:
        """The n and the d_k of the sweep, rising; every pair is a place, drawn or not yet."""
        return along(self.settings, self.experiment.setup.d_k)

    @property
    def nearest(self) -> Place:
        """The place of the sweep, drawn or not yet, that is nearest to the current one."""
        ns, d_ks = self.axes
        return closest(ns, self.settings.n), closest(d_ks, self.experiment.setup.d_k)

    @cached_property
    def rule(self) -> Scale:
        """The rule beside ``none`` that is looked at: that of the question, else the first."""
        rules = [rule for rule in self.rules if rule != NONE] or [NONE]
        asked = self.experiment.setup.scale.bare
        return asked if asked in rules else rules[0]

    @property
    def nearby(self) -> Points:
        """The points that contain the current place or the nearest; empty until it is drawn."""
        return self.points if self.here is None else self.here

    def crossing(self, scale: Scale, statistic: SweepStatistic, n: int) -> Crossing | None:
        """Return where medians without a rule and with it cross; None while that is not known.

        Over n it is None, too, unless they cross at one place.

        Args:
            scale: The rule.
            statistic: The statistic whose medians are compared.
            n: The number of keys, for a crossing over d_k; ignored if curves run over n.
        """
        if self.settings.swept == "n":
            met = crossings(self.points, scale, statistic)
            return met[0] if len(met) == 1 else None
        return self.crossovers.get((n, statistic, scale))


def row_crossovers(experiment: Experiment, stop: Stop = never) -> Iterator[tuple[int, Crossings]]:
    """Yield the work done, and the crossovers found so far at the n of the settings.

    It ends soon after ``stop()`` is true.
    """
    wanted, setup = crossovers_wanted(experiment), experiment.setup
    if not wanted:
        return
    try:
        for progress in crossovers(wanted, setup.get(Settings), setup.sigmas, setup.lead):
            if stop():
                return
            yield progress
    finally:
        forget_rows()


def crossovers_wanted(experiment: Experiment) -> list[tuple[int, Scale]]:
    """Return the pairs of n and rule whose crossovers a sweep can show."""
    setup = experiment.setup
    settings = setup.get(Settings)
    least, most = settings.d_k_range
    # Crossovers are only computed without QK-norm.
    if settings.swept == "n" or least == most or setup.scale.qk_norm or not settings.crossovers:
        return []
    n = settings.n
    plain = [scale for scale in compared(settings, setup.scale) if not scale.normalises]
    return [(n, scale) for scale in plain if divides_from(scale, n) is not None]


def answer(experiment: Experiment, stop: Stop = never, rest: Stop = never) -> Iterator[Answer]:
    """Yield growing answers: first a few draws at a few places, then everywhere, then more draws.

    Unless only n is swept, the last answers add the crossovers.

    Args:
        experiment: The question.
        stop: Returns whether to end, which happens soon after.
        rest: Returns whether to yield what there is as soon as there is something, so that drawing
            can rest there; it is asked some hundred times a second.

    Raises:
        InputError: If there are too many vectors, or a rule yields no usable multiplier somewhere.
    """
    setup = experiment.setup
    settings = setup.get(Settings)
    check_vectors(settings)
    scales = compared(settings, setup.scale)
    coarse, others = places(settings, setup.d_k)
    every = sorted([*coarse, *others])
    for scale in scales:
        for n, d_k in every:
            scale.multiplier(d_k, n)
    draws, qk_norm, spread = first_draws(settings), setup.scale.qk_norm, setup.sigmas
    lead, sink = setup.lead, setup.scale.sink
    first = Sampling(scales, draws, settings.seed, qk_norm, spread, lead, sink)
    batches: list[tuple[Sampling, Sequence[Place], Sequence[Place]]] = [(first, coarse, others)]
    # Where keys are few, more vectors are drawn afterwards, starting at the n of the settings.
    # Exact values and condensation are known only without QK-norm.
    is_plain = not qk_norm and not any(scale.normalises for scale in scales)
    few_keys = sorted({n for n, _ in every if draws_at(settings, n) > draws and is_plain})
    for n in sorted(few_keys, key=lambda n: n != closest(few_keys, settings.n)):
        row = [place for place in every if place[0] == n]
        many = draws_at(settings, n)
        more = Sampling(scales, many, settings.seed, spread=spread, lead=lead, sink=sink)
        batches.append((more, row, ()))
    marks = () if qk_norm else tuple(_condensation(settings, scales, setup.d_k, spread.scores))
    wanted = crossovers_wanted(experiment)
    work = sum(sampling.work([*now, *later]) for sampling, now, later in batches)
    work += len(wanted) * search_cost(settings.n, draws_at(settings, settings.n))
    crossed: Crossings = {}
    points: dict[tuple[int, int, Scale], Point] = {}

    def so_far(done: int) -> Answer:
        progress = min(done / work, 0.999) if done < work else 1.0
        by_place = sorted(points.values(), key=lambda point: (point.n, point.d_k))
        drawn = Points(by_place)
        return Answer(experiment, settings, scales, drawn, marks, crossed, progress)

    try:
        done = last = 0
        for sampling, now, later in batches:
            n_places = 0
            for cost in sampling.steps(now, later):
                if stop():
                    return
                is_due = done + cost - last > _BETWEEN + 2 * sampling.summary_cost() or rest()
                if not cost:
                    continue
                done += cost
                n_places += 1
                is_everywhere = sampling is first and n_places == len(now) + len(later)
                if ((is_due or is_everywhere) and done < work) or not points:
                    # Later batches give new points only once all is drawn, but the caller should
                    # get control back meanwhile.
                    if sampling is first:
                        for _ in sampling.summaries():
                            rest()
                        points |= sampling.points().by_place
                    yield so_far(done)
                    last = done
            for _ in sampling.summaries():
                rest()
            points |= sampling.points().by_place
            sampling.forget()
            yield so_far(done)
            last = done
        drawn = done
        for spent, latest in row_crossovers(experiment, stop):
            done = drawn + spent
            if latest != crossed or done > last + _BETWEEN or done == work:
                crossed, last = latest, done
                yield so_far(done)
    finally:
        forget_rows()


def at_place(experiment: Experiment, n: int, d_k: int) -> Experiment:
    """Return the question restricted to one place.

    Args:
        experiment: The question whose rules and seed are kept; with many keys, draws are fewer.
        n: The number of keys, from 2 to 100,000.
        d_k: The dimension of a head.
    """
    setup = experiment.setup
    settings = setup.get(Settings)
    long_vectors = max(first_draws(settings), _COMPONENTS // d_k)
    draws = min(draws_at(settings, n), _AT_PLACE // n, long_vectors)
    one = replace(
        settings, view="curves", over="d_k", n=n, d_k_range=(d_k, d_k), draws=draws,
        crossovers=False,
    )  # fmt: skip
    return Experiment(Drawn(n, settings.seed), replace(setup, d_k=d_k).put(one))


def _condensation(
    settings: Settings, scales: Sequence[Scale], d_k: int, spread: float
) -> Iterator[Condensation]:
    ns = [settings.n]
    if settings.view == "map":
        ns = log_grid(settings.n_range, settings.map_points)
    for scale in scales:
        if scale.normalises:
            continue
        if settings.swept == "n":
            n, where = condensation_n(scale, d_k, spread)
            yield Condensation(scale, n, d_k, where)
        else:
            for n in ns:
                yield Condensation(scale, n, *condensation_d_k(scale, n, spread))
