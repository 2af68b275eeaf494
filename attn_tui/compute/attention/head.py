"""The head that is looked at: the vectors that are asked, or drawn ones."""

from dataclasses import replace

from attn_tui.compute.attention.settings import Settings
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.mask import Mask
from attn_tui.compute.source import Drawn


def is_drawn(experiment: Experiment) -> bool:
    """Return whether the head is drawn here, and not the vectors that are asked."""
    rows = experiment.setup.get(Settings).rows
    return rows == "drawn" or (rows == "auto" and len(experiment.vectors) == 1)


def head_of(experiment: Experiment) -> Experiment:
    """Return the question whose vectors are the rows of the head.

    A drawn query has keys of its own, n of them: in a head all queries share theirs, which changes
    the law of no row. The mask of what is asked is not about the keys that are drawn here.
    """
    if not is_drawn(experiment):
        return experiment
    setup, settings = experiment.setup, experiment.setup.get(Settings)
    source = Drawn(settings.n, settings.seed, settings.n)
    return Experiment(source, replace(setup, mask=Mask(causal=settings.causal)))
