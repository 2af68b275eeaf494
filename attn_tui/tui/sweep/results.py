"""What sweeps have found, kept by what it depends on, so that it comes at once a second time."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment, Stop
from attn_tui.compute.sweep.answer import Answer, answer, restated
from attn_tui.compute.sweep.settings import Settings, compared

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
    )


class Results:
    """Answers by their keys, those looked at last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, Answer] = OrderedDict()

    def get(self, key: Key) -> Answer | None:
        """Return the best answer there is, if any."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def keep(self, key: Key, found: Answer) -> Answer:
        """Keep an answer unless a better one is there, and return the better one."""
        old = self._kept.get(key)
        if old is None or found.progress >= old.progress:
            self._kept[key] = found
        self._kept.move_to_end(key)
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)
        return self._kept[key]


def work(experiment: Experiment, seen: Answer | None, stop: Stop) -> Iterator[Answer | InputError]:
    """Yield growing answers, or why there is none; of what was seen, only the curves anew."""
    if seen is not None and seen.progress == 1.0:
        yield restated(seen, experiment, with_curves=True)
        return
    try:
        yield from answer(experiment, stop)
    except InputError as error:
        yield error
