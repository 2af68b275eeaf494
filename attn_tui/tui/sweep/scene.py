"""What the panes of the Sweep screen are given to show."""

from dataclasses import dataclass

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.settings import Settings
from attn_tui.tui import scene
from attn_tui.tui.sweep.view import View


@dataclass(frozen=True, eq=False)
class Scene(scene.Scene):
    """What Sweep shows.

    Attributes:
        view: What is looked at.
        question: What is asked, with the statistic that is looked at.
        now: What the clock says, in seconds.
    """

    answer: Answer | None
    view: View
    question: Experiment
    now: float

    @property
    def settings(self) -> Settings:
        """What is asked of this instrument, with the statistic that is looked at."""
        return self.question.setup.get(Settings)

    @property
    def words_height(self) -> int:
        """Lines of the words; a map needs every line it can have."""
        low = self.settings.view == "map" and self.height < scene.SHORT
        return 2 if self.narrow or low else 3
