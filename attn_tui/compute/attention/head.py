"""The head that is looked at: the vectors that are asked, or drawn ones."""

from dataclasses import replace

from attn_tui.compute.attention.settings import Settings
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.mask import Mask
from attn_tui.compute.source import Drawn


def is_drawn(experiment: Experiment) -> bool:
    """Return whether the head is drawn here, and not the vectors that are asked."""
    rows = experiment.setup.get(Settings).rows
    alone = len(experiment.vectors) == 1 and not experiment.source.is_head
    return rows == "drawn" or (rows == "auto" and alone)


def tokens_of(experiment: Experiment) -> tuple[str, ...]:
    """Return what queries and keys are called: as asked, or as where they come from says."""
    asked = experiment.setup.get(Settings).tokens
    return asked or (() if is_drawn(experiment) else experiment.source.words)


def is_causal(experiment: Experiment) -> bool:
    """Return whether `Settings.causal` has a say, and it is yes: of heads whose mask is unknown."""
    source, settings = experiment.source, experiment.setup.get(Settings)
    open_mask = is_drawn(experiment) or (source.is_head and not source.is_masked)
    return open_mask and settings.causal


def head_of(experiment: Experiment) -> Experiment:
    """Return the question whose vectors are the rows of the head.

    A drawn query has keys of its own, n of them: in a head all queries share theirs, which changes
    the law of no row. The mask of what is asked is not about the keys that are drawn here.
    """
    setup, settings = experiment.setup, experiment.setup.get(Settings)
    if not is_drawn(experiment):
        if is_causal(experiment) and not setup.mask.causal:
            mask = replace(setup.mask, causal=True)
            return Experiment(experiment.source, replace(setup, mask=mask))
        return experiment
    source = Drawn(settings.n, settings.seed, settings.n)
    return Experiment(source, replace(setup, mask=Mask(causal=settings.causal)))
