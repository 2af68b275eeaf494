"""The draws behind the screen: sweeps that grow, and a closer look at the cursor's row."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from threading import Lock

from attn_tui.compute.errors import Stop, never
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.answer import (
    Answer,
    answer,
    at_place,
    crossovers_wanted,
    row_crossovers,
)
from attn_tui.compute.sweep.crossover import GRADIENTS, Crossings
from attn_tui.compute.sweep.draws import forget_rows
from attn_tui.compute.sweep.points import Points, along
from attn_tui.compute.sweep.settings import Settings, compared, draws_at

SOME_DRAWS = 200
"""The number of vectors after which the medians at the cursor are shown for the first time."""


def drawn_by(experiment: Experiment) -> Experiment:
    """Return the experiment with only the settings that decide what is drawn.

    Experiments that draw the same points, whatever their statistic or cursor, give equal results.
    """
    setup = experiment.setup
    settings = setup.get(Settings)
    is_map, over_n, over_d_k = (settings.swept == one for one in ("map", "n", "d_k"))
    start = Settings()
    bare = replace(
        start,
        view=settings.view,
        over=start.over if is_map else settings.over,
        n=settings.n if over_d_k else start.n,
        n_range=start.n_range if over_d_k else settings.n_range,
        d_k_range=start.d_k_range if over_n else settings.d_k_range,
        rules=tuple(scale.text for scale in compared(settings, setup.scale)),
        points=start.points if is_map else settings.points,
        map_points=settings.map_points if is_map else start.map_points,
        draws=settings.draws,
        seed=settings.seed,
        crossovers=False,
    )
    d_k = setup.d_k if over_n else Setup().d_k
    drawn = Setup(
        d_k, Scale(sink=setup.scale.sink, qk_norm=setup.scale.qk_norm),
        sigma_q=setup.sigma_q, sigma_k=setup.sigma_k, lead=setup.lead,
    )  # fmt: skip
    return Experiment(Drawn(), drawn.put(bare))


class SweepRun:
    """A sweep that grows; each thread resumes where the one before it stopped.

    Args:
        experiment: The experiment to draw.

    Attributes:
        experiment: The experiment to draw.
        known: The answer so far; None before the first draws.
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.latest: Answer | None = None
        self._stop: Stop = never
        self._answers: Iterator[Answer] = answer(experiment, rest=lambda: self._stop())
        self._lock = Lock()

    @property
    def is_complete(self) -> bool:
        """Whether every draw is done."""
        return self.latest is not None and self.latest.progress == 1.0

    def go_on(self, stop: Stop) -> Iterator[Answer]:
        """Draw more until complete or stopped, and yield the whole answer after each step."""
        with self._lock:
            self._stop = stop
            try:
                while not (self.is_complete or stop()):
                    self.latest = next(self._answers)
                    if self.is_complete:
                        # The draws themselves take tens of megabytes.
                        self._answers = iter(())
                    yield self.latest
            finally:
                forget_rows()


@dataclass
class CursorPlace:
    """What is drawn at the cursor alone, where that is no place of the sweep.

    Attributes:
        here: The points drawn there; none if it is a place of the sweep.
        is_drawn: Whether every draw there is done.
    """

    here: Points = field(default_factory=Points)
    is_drawn: bool = False

    def draw(self, experiment: Experiment, stop: Stop) -> Iterator[None]:
        """Draw at the cursor, first a few vectors, then all; yield after both.

        The whole takes seconds, and the medians of even fewer vectors would soon be contradicted.
        """
        place = at_place(experiment, experiment.setup.get(Settings).n, experiment.setup.d_k)
        settings = place.setup.get(Settings)
        most = draws_at(settings, settings.n)
        for draws in sorted({min(SOME_DRAWS, most), most}):
            if self.here and self.here[0].draws >= draws:
                continue
            setup = place.setup.put(replace(settings, draws=draws))
            for drawn in answer(replace(place, setup=setup), stop):
                if drawn.progress == 1.0:
                    self.here = drawn.points
                    self.is_drawn = draws == most
                    yield


@dataclass
class CursorRow:
    """What is known of the cursor's row, besides the points of the sweep.

    Attributes:
        crossovers: The crossovers found so far.
        is_searched: Whether all of them are found.
    """

    crossovers: Crossings = field(default_factory=dict)
    is_searched: bool = False

    def search(self, experiment: Experiment, stop: Stop) -> Iterator[None]:
        """Find the crossovers, and yield whenever more is known."""
        if stop():
            return
        for _, crossovers in row_crossovers(experiment, stop):
            if crossovers != self.crossovers:
                self.crossovers = crossovers
                yield
        wanted = len(crossovers_wanted(experiment)) * len(GRADIENTS)
        self.is_searched = len(self.crossovers) == wanted


def is_between(experiment: Experiment) -> bool:
    """Return whether the cursor is on none of the places of the sweep."""
    settings, d_k = experiment.setup.get(Settings), experiment.setup.d_k
    ns, d_ks = along(settings, d_k)
    return settings.n not in ns or d_k not in d_ks


def place_of(experiment: Experiment) -> object:
    """Return the key of a `CursorPlace`: all that it depends on (place, rules, spread, draws)."""
    setup = experiment.setup
    settings = setup.get(Settings)
    rules = compared(settings, setup.scale)
    scale, draws = (setup.scale.qk_norm, setup.scale.sink), (settings.draws, settings.seed)
    return rules, settings.n, setup.d_k, scale, setup.sigmas, setup.lead, draws


def row_of(experiment: Experiment) -> object:
    """Return the key of a `CursorRow`: all that it depends on, which is not the cursor's d_k."""
    setup = experiment.setup
    settings, wanted = setup.get(Settings), tuple(crossovers_wanted(experiment))
    return wanted, setup.sigmas, setup.lead, settings.draws, settings.seed
