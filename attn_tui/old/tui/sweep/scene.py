"""What the panes of the Sweep screen are given to show."""

from dataclasses import dataclass
from functools import cached_property

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.settings import Settings
from attn_tui.old.report.sweep.headline import change, headline
from attn_tui.old.tui import scene
from attn_tui.old.tui.sweep.view import View
from attn_tui.report.headline import Headline
from attn_tui.sweep.names import others


@dataclass(frozen=True, eq=False)
class Scene(scene.Scene):
    """What Sweep shows.

    Attributes:
        view: What is looked at.
        question: What is asked, with the statistic that is looked at.
    """

    answer: Answer | None
    view: View
    question: Experiment

    @property
    def settings(self) -> Settings:
        """What is asked of this instrument, with the statistic that is looked at."""
        return self.question.setup.get(Settings)

    @property
    def looked_at(self) -> str:
        """What is looked at, where that is not the map."""
        settings = self.settings
        if self.view.numbers:
            return "numbers"
        return "" if settings.view == "map" else f"over {settings.over}"

    @property
    def sign(self) -> int:
        """What dividing does to the median here: larger 1, smaller −1, 0 where none tells."""
        rules = others(self.answer.rules) if self.answer else []
        if not (self.answer and (points := self.answer.nearby) and rules):
            return 0
        at = points.nearest((self.settings.n, self.question.setup.d_k))
        found = change(points, at, rules[0], self.settings.statistic)
        return 0 if found.stays else 1 if found.log > 0.0 else -1

    @cached_property
    def headline(self) -> Headline | None:
        """What dividing does to the typical draw here."""
        if self.answer is None:
            return None
        return headline(self.answer, self.settings.statistic, self.view.of)
