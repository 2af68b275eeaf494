"""What a sweep depends on, so that it comes at once a second time, and how it is found."""

from collections.abc import Iterator
from dataclasses import dataclass

from attn_tui.compute.experiment import Experiment, Stop
from attn_tui.compute.sweep.answer import Answer, answer, restated
from attn_tui.compute.sweep.settings import Settings, compared
from attn_tui.tui.job import Job

MOST = 12
"""So many sweeps are kept: a large one has some 10 MB."""


@dataclass(frozen=True)
class Key:
    """What the points of a sweep depend on; the statistic and a d_k that is swept do not matter."""

    view: str
    over: str
    n: int | None
    d_k: int | None
    ranges: tuple[tuple[int, ...], ...]
    rules: tuple[str, ...]
    points: int
    draws: int
    seed: int
    qk_norm: bool


def key_of(experiment: Experiment) -> Key:
    """Return what the points of a sweep depend on."""
    setup = experiment.setup
    settings = setup.get(Settings)
    is_map = settings.view == "map"
    over_n, over_d_k = is_map or settings.over == "n", is_map or settings.over == "d_k"
    ranges = [settings.n_range] if over_n else []
    ranges += [settings.d_k_range] if over_d_k else []
    return Key(
        settings.view,
        "" if is_map else settings.over,
        None if over_n else settings.n,
        None if over_d_k else setup.d_k,
        tuple(ranges),
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
    if drawn is not None:
        yield restated(drawn, experiment, with_curves=True)
    else:
        yield from answer(experiment, stop)
