"""What a sweep depends on, so that it comes at once a second time, and how it is found."""

from collections.abc import Iterator
from dataclasses import replace

from attn_tui.compute.experiment import Experiment, Stop
from attn_tui.compute.sweep.answer import (
    Answer,
    answer,
    crossovers_wanted,
    restated,
    row_crossovers,
)
from attn_tui.compute.sweep.crossover import Crossover
from attn_tui.compute.sweep.settings import Settings, compared
from attn_tui.old.tui.computing import Computing
from attn_tui.old.tui.job import Job
from attn_tui.old.tui.parts import Host

MOST = 12
"""So many sweeps are kept: a large one has some 10 MB."""


def key_of(experiment: Experiment) -> tuple[object, ...]:
    """Return what the points of a sweep depend on: not the statistic, nor a d_k that is swept."""
    setup = experiment.setup
    settings = setup.get(Settings)
    is_map = settings.view == "map"
    over_n, over_d_k = is_map or settings.over == "n", is_map or settings.over == "d_k"
    return (
        "map" if is_map else settings.over,
        settings.n_range if over_n else settings.n,
        settings.d_k_range if over_d_k else setup.d_k,
        compared(settings, setup.scale),
        settings.map_points if is_map else settings.points,
        settings.draws,
        settings.seed,
        setup.scale.qk_norm,
    )


def question_of(experiment: Experiment, job: Job[Answer]) -> tuple[object, Answer | None]:
    """Return what is to be found out next, and the answer to the same sweep that is complete.

    Of a sweep that is complete these are the curves of another statistic than it was asked with.
    """
    key, settings = key_of(experiment), experiment.setup.get(Settings)
    drawn = job.result(key) if job.complete(key) else None
    if drawn is None or settings.view == "map" or drawn.settings.statistic == settings.statistic:
        return key, drawn
    return (key, settings.statistic), drawn


def work(experiment: Experiment, drawn: Answer | None, stop: Stop) -> Iterator[Answer]:
    """Yield growing answers; of one that is complete already only the curves of the statistic."""
    setup = experiment.setup
    settings = setup.get(Settings)
    if drawn is not None:
        yield restated(drawn, experiment, with_curves=True)
    elif settings.view == "map":
        # Its cursor goes from row to row, and each has its own: see `RowCrossovers`.
        bare = replace(experiment, setup=setup.put(replace(settings, crossovers=False)))
        yield from answer(bare, stop)
    else:
        yield from answer(experiment, stop)


class RowCrossovers:
    """Finds the crossovers of the row of a map in which the cursor is; nothing waits for them.

    Args:
        screen: It is sent what is found, and gives it to `computing`.

    Attributes:
        computing: Searches.
    """

    def __init__(self, screen: Host) -> None:
        self.computing: Computing[tuple[Crossover, ...]] = Computing(screen, _finished, most=MOST)

    def found(self, experiment: Experiment) -> tuple[Crossover, ...]:
        """Return what is known of them, and find out the rest."""
        wanted, settings = crossovers_wanted(experiment), experiment.setup.get(Settings)
        question = (*wanted, settings.draws, settings.seed)

        def search(stop: Stop) -> Iterator[tuple[Crossover, ...]]:
            last: tuple[Crossover, ...] = ()
            for _, found in row_crossovers(experiment, stop):
                if found != last:
                    yield found
                last = found

        if wanted:
            self.computing.ask(question, search)
        return self.computing.job.result(question) or ()


def _finished(found: tuple[Crossover, ...]) -> float:
    return sum(each.finished for each in found) / len(found)
