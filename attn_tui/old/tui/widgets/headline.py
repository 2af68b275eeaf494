"""What is said first on every screen: one or two sentences, or what failed."""

from typing import Any

from attn_tui.old.tui.widgets.canvas import Canvas, Target
from attn_tui.report.headline import Headline, wrapped

LINES = 2

OLD = " (last readable scores)"


class HeadlinePane(Canvas):
    """The headline; it fades while it is about what was readable last."""

    instead = ""
    """What is said in place of a headline that is covered."""

    def target_at(self, x: int, y: int) -> Target | None:
        """Return what opens all there is to say."""
        return Target("filing.read", "Read all there is to say")

    def see(self, scene: Any) -> None:
        """Say what a scene's headline is."""
        self.styles.height = len(scene.problem) or LINES
        if self.instead:
            lines = wrapped(self.instead, max(self.screen.size.width - 2, 1))
            self.styles.height = max(len(lines), LINES)
            self.show([((f" {line}", "strong"),) for line in lines])
            self.fade(False)
            return
        if scene.problem:
            self.show(scene.problem)
        elif said := scene.headline:
            if scene.is_unread:
                said = Headline.fitting(
                    (said.full + OLD, said.full), (said.short + OLD, said.short)
                )
            lines = said.lines(max(self.screen.size.width - 2, 1))
            self.show([((f" {line}", "strong"),) for line in lines])
            self.fade(scene.is_unread)
