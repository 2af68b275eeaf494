"""What an answer about heads depends on, so that it comes at once a second time."""

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.scale import Scale
from attn_tui.engine.settings import Settings

Key = tuple[object, ...]


def key_of(experiment: Experiment) -> Key:
    """Return what numbers depend on; the statistic, τ and the cursor do not matter."""
    settings, scale = experiment.setup.get(Settings), experiment.setup.scale
    asked = settings.capture, settings.compared, settings.layouts, settings.names
    weighed = Scale(scale.rule, scale.given, softcap=scale.softcap, sink=scale.sink)
    return (*asked, settings.rows, settings.seed, settings.mask, settings.what_if, weighed)
