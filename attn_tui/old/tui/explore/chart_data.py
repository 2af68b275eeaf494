"""What charts show that takes long to compute, by a key that says what it is asked of."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from attn_tui.compute.experiment import Experiment, Stop
from attn_tui.compute.explore.answer import over_d_k
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.models import NO_MODEL
from attn_tui.old.tui.explore.view import View


@dataclass(frozen=True)
class Needed:
    """What a chart needs.

    Attributes:
        key: What it is, and what that depends on: data with an equal key will do.
        work: Computes it.
    """

    key: tuple[object, ...]
    work: Callable[[Stop], Any]


def over(experiment: Experiment, view: View) -> Needed:
    """Return what curves over d_k need; they depend on d_k only where it is none of the stops."""
    setup = experiment.setup
    between = None if setup.d_k in D_K.stops else setup.d_k
    any_d_k = replace(setup, d_k=D_K.minimum, model=NO_MODEL)
    d_ks = sorted({*D_K.stops, setup.d_k})

    def work(stop: Stop) -> Any:
        # What draws it is long to import, and is not to hold the screen.
        import_module("attn_tui.old.charts.explore.over_d_k")
        return over_d_k(experiment, view.vector, d_ks, stop=stop)

    return Needed(("over d_k", experiment.source, any_d_k, view.vector, between), work)


def tried(experiment: Experiment, view: View) -> Needed:
    """Return what the precision lab needs."""

    def work(stop: Stop) -> Any:
        from attn_tui.compute.explore.precision_lab import lab

        return lab(experiment, view.vector, view.key, stop)

    return Needed(("lab", experiment.source, experiment.setup, view.vector, view.key), work)
