"""What the panes of the screen of Dot products are given to show."""

from dataclasses import dataclass
from functools import cached_property

from attn_tui.compute.dots.answer import Answer, law_of
from attn_tui.compute.dots.settings import Settings
from attn_tui.old.report.dots.headline import headline
from attn_tui.old.tui import scene
from attn_tui.old.tui.dots.view import View
from attn_tui.old.tui.scene import SHORT
from attn_tui.report.headline import Headline
from attn_tui.report.progress import Pace


@dataclass(frozen=True, eq=False)
class Scene(scene.Scene):
    """What Dot products shows.

    Attributes:
        view: What is looked at.
        n_attended: Keys of Explore's first vector.
        pace: What is known of how fast it is drawn.
    """

    answer: Answer | None
    view: View
    n_attended: int
    pace: Pace

    @property
    def settings(self) -> Settings:
        """What is asked of the draws."""
        return self.asked.experiment.setup.get(Settings)

    @property
    def band_leads(self) -> bool:
        """Whether the band over d_k is the picture: where the bells are needles that move away.

        That is so unless they widen about 0 as √d_k; linear, they are bells at any mean.
        """
        d_k = self.asked.experiment.setup.d_k
        law = self.answer.law if self.answer else law_of(self.settings, d_k)
        return self.view.log and (law.tied or law.mean != 0.0)

    @property
    def pictured(self) -> bool:
        """Whether the picture is in sight: a text to be read takes its place where it is low."""
        if self.narrow:
            return self.present == "picture"
        return self.present != "derivation" or self.height >= SHORT

    @cached_property
    def headline(self) -> Headline:
        """How large q·k is, and what dividing makes of it."""
        answer = self.answer
        same = answer is not None and answer.experiment == self.asked.experiment
        return headline(self.asked.experiment, answer if same else None)
