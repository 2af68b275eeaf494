"""What a scale typically does to the gradient of draws like the one that is asked about."""

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.sweep.rules import rule_text
from attn_tui.old.tui.at_place import AtPlace
from attn_tui.report.headline import Factor


class Typical(AtPlace):
    """Finds it out beside the screen, which does not wait for it."""

    def go_on_like(self, experiment: Experiment) -> None:
        """Find out what there is to know of draws like those of a question, if it draws."""
        setup = experiment.setup
        extras = (setup.scale.softcap, setup.scale.sink)
        if experiment.source.redraws and extras == (None, None) and not setup.mask:
            self.go_on(experiment, experiment.vectors.n_keys, setup.d_k)
        else:
            self.forget()

    def factor(self, experiment: Experiment) -> Factor | None:
        """Return what the scale does to the median gradient of such draws, once it is known."""
        if self.points is None:
            return None
        n, d_k = self.points.places[0]
        found = self.points.ratio(n, d_k, rule_text(experiment.setup.scale), "gradient")
        return Factor(-found.log_median, found.log_median_error) if found else None
