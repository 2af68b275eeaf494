"""What the panes of the screen of Dot products are given to show."""

from dataclasses import dataclass

from attn_tui.compute.dots.answer import Answer
from attn_tui.compute.dots.settings import Settings
from attn_tui.report.progress import Pace
from attn_tui.tui import scene
from attn_tui.tui.dots.view import View


@dataclass(frozen=True, eq=False)
class Scene(scene.Scene):
    """What Dot products shows.

    Attributes:
        view: What is looked at.
        n_attended: Keys of Explore's first vector.
        pace: What is known of how fast it is drawn.
        now: What the clock says, in seconds.
    """

    answer: Answer | None
    view: View
    n_attended: int
    pace: Pace
    now: float

    @property
    def settings(self) -> Settings:
        """What is asked of the draws."""
        return self.asked.experiment.setup.get(Settings)

    def shows(self, *tabs: str) -> bool:
        """Return whether one of some tabs is in sight on a narrow screen."""
        return self.narrow and self.view.tab in tabs

    @property
    def words_height(self) -> int:
        """Lines of the words."""
        return 2 if self.height < scene.SHORT and not self.narrow else 3
