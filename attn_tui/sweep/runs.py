"""What is drawn for the screen: sweeps that grow, and what a closer look at one row finds."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from threading import Lock

from attn_tui.compute.errors import Stop
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
from attn_tui.compute.sweep.crossover import GRADIENTS, Crossover
from attn_tui.compute.sweep.points import Points, along
from attn_tui.compute.sweep.settings import Settings, compared


def drawn_by(experiment: Experiment) -> Experiment:
    """Return a question that draws the same: without a statistic, and without a cursor.

    Of two questions that draw the same points this is one and the same.
    """
    setup = experiment.setup
    settings = setup.get(Settings)
    is_map = settings.view == "map"
    over_n = settings.over == "n" and not is_map
    over_d_k = settings.over == "d_k" and not is_map
    start = Settings()
    bare = replace(
        start,
        view=settings.view,
        over=start.over if is_map else settings.over,
        n=settings.n if over_d_k else start.n,
        n_range=start.n_range if over_d_k else settings.n_range,
        d_k_range=start.d_k_range if over_n else settings.d_k_range,
        rules=compared(settings, setup.scale),
        points=start.points if is_map else settings.points,
        map_points=settings.map_points if is_map else start.map_points,
        draws=settings.draws,
        seed=settings.seed,
        crossovers=False,
    )
    d_k = setup.d_k if over_n else Setup().d_k
    return Experiment(Drawn(), Setup(d_k, Scale(qk_norm=setup.scale.qk_norm)).put(bare))


class Run:
    """A sweep that grows; a thread goes on with it from where another left it.

    Args:
        experiment: What is drawn.

    Attributes:
        known: What is drawn so far.
    """

    def __init__(self, experiment: Experiment) -> None:
        self.known: Answer | None = None
        self._answers = answer(experiment)
        self._lock = Lock()

    @property
    def is_complete(self) -> bool:
        """Whether all is drawn."""
        return self.known is not None and self.known.progress == 1.0

    def go_on(self, stop: Stop) -> Iterator[Answer]:
        """Draw more, and yield all that is drawn each time."""
        with self._lock:
            while not (self.is_complete or stop()):
                self.known = next(self._answers)
                yield self.known


@dataclass
class Row:
    """What is known of the place of the cursor and of its row, beside the points of a sweep.

    Attributes:
        crossovers: Where the row turns.
        here: What was drawn at the place alone.
    """

    crossovers: tuple[Crossover, ...] = field(default=())
    here: Points | None = None

    def look_closer(self, experiment: Experiment, stop: Stop) -> Iterator[None]:
        """Draw what the sweep has not, and yield when more is known.

        That is the place between those of the sweep, and where the row turns.
        """
        settings, d_k = experiment.setup.get(Settings), experiment.setup.d_k
        ns, d_ks = along(settings, d_k)
        place = at_place(experiment, settings.n, d_k)
        is_between = settings.n not in ns or d_k not in d_ks
        if place is not None and self.here is None and is_between:
            for drawn in answer(place, stop):
                if drawn.progress == 1.0:
                    self.here = drawn.points
                    yield
        wanted = len(crossovers_wanted(experiment)) * len(GRADIENTS)
        if len(self.crossovers) == wanted:
            return
        for _, known in row_crossovers(experiment, stop):
            if known != self.crossovers:
                self.crossovers = known
                yield


def row_of(experiment: Experiment) -> object:
    """Return what a `Row` depends on: the place, the rules and the draws."""
    setup = experiment.setup
    settings = setup.get(Settings)
    wanted = tuple(crossovers_wanted(experiment))
    rules = compared(settings, setup.scale)
    return wanted, rules, settings.n, setup.d_k, setup.scale.qk_norm, settings.draws, settings.seed
