"""Explore's answer: the numbers of one vector at once, and then its curves over d_k."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from attn_tui.compute.errors import InputError, Stop, never
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import OverDk, VectorAnswer, answer_vector, over_d_k
from attn_tui.compute.explore.attention import Attention, attention
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.log_scale import D_K, N_KEYS
from attn_tui.compute.models import NO_MODEL
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Source

MOST_KEYS = 3
"""The most keys whose weights are drawn over d_k."""

QUICK = 1_000
"""Up to this many keys are answered in less than a frame; more are answered in a thread."""


@dataclass(frozen=True, eq=False)
class ShownVector:
    """The numbers that Explore shows of one vector of a question.

    Attributes:
        experiment: The question.
        index: The index of the vector.
        vector: Weights and gradients on both sides.
        over: The scaled side over all d_k; None until it is known.
        unscaled_over: The unscaled side over all d_k; None if it is the same at each.
        typical: ln of the factor by which the scale changes the median gradient of draws like this
            one; None until it is known, and if nothing is drawn.
    """

    experiment: Experiment
    index: int
    vector: VectorAnswer
    over: OverDk | None = None
    unscaled_over: OverDk | None = None
    typical: float | None = None

    @property
    def through(self) -> Attention | None:
        """The query with its keys and values; None if the scores are not made from them."""
        return attention(self.experiment, self.index)

    @property
    def d_k(self) -> int:
        """The present d_k."""
        return self.experiment.setup.d_k


def is_quick(experiment: Experiment) -> bool:
    """Return whether an experiment is answered in less than a frame.

    Drawn scores take longer, since the curves need new draws at each d_k.
    """
    return experiment.vectors.n_keys <= QUICK and not experiment.source.redraws


def answer(experiment: Experiment, index: int, stop: Stop = never) -> Iterator[ShownVector]:
    """Yield the numbers of a vector, then the same with curves over d_k, then with `typical`."""
    first = ShownVector(experiment, index, answer_vector(experiment, index))
    if not is_quick(experiment):
        yield first
    complete = replace(first, over=curves(experiment, index, stop))
    if experiment.source.redraws:
        complete = replace(complete, unscaled_over=curves(unscaled(experiment), index, stop))
    if not stop():
        yield complete
    log_factor = typical(experiment, stop)
    if log_factor is not None:
        yield replace(complete, typical=log_factor)


def unscaled(experiment: Experiment) -> Experiment:
    """Return an experiment whose scaled side is the unscaled side of the one given."""
    setup = replace(experiment.setup.put(Scale("none")), model=NO_MODEL)
    return Experiment(experiment.source, setup)


def typical(experiment: Experiment, stop: Stop = never) -> float | None:
    """Return ln of the factor by which the scale changes the median gradient of similar draws.

    None if stopped, if the scores are not drawn, and with a soft cap, a mask, a sink or a number of
    keys that Sweep does not draw.
    """
    setup = experiment.setup
    is_plain = setup.scale.softcap is None and setup.scale.sink is None and not setup.mask
    settings = setup.get(Settings)
    is_plain = is_plain and settings.of is None and settings.target is None
    if not (experiment.source.redraws and is_plain):
        return None
    # Imported here so that typed scores, with which the program starts, do not wait for Sweep.
    from attn_tui.compute.sweep.answer import answer as sweep
    from attn_tui.compute.sweep.answer import at_place

    n = experiment.vectors.n_keys
    if not N_KEYS.minimum <= n <= N_KEYS.maximum:
        return None
    for drawn in sweep(at_place(experiment, n, setup.d_k), stop):
        if drawn.progress == 1.0:
            change = drawn.points.ratio(n, setup.d_k, setup.scale.bare, "gradient")
            return -change.log_median if change else None
    return None


def curves(experiment: Experiment, index: int, stop: Stop = never) -> OverDk | None:
    """Return the scaled side of one vector at each stop of d_k.

    The weights are those of the largest keys: at the present d_k if scores are drawn, otherwise at
    d_k = 1, so that the result does not depend on the present d_k. None if stopped, or if the rule
    has no finite multiplier at some d_k.
    """
    d_k = experiment.setup.d_k if experiment.source.redraws else 1
    setup = replace(experiment.setup, d_k=d_k, model=NO_MODEL)
    kept = _kept(experiment.source, setup, index)
    if not kept:
        try:
            again = Experiment(experiment.source, setup)
            over = over_d_k(again, index, D_K.stops, MOST_KEYS, stop)
        except InputError:
            return None
        if over is None:
            return None
        kept.append(over)
    return kept[0]


@lru_cache(maxsize=16)
def _kept(source: Source, setup: Setup, index: int) -> list[OverDk]:
    """Return the list that keeps the curves of these arguments, empty before they are computed."""
    return []
