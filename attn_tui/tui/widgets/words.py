"""What there is to say, in a few lines at the foot of a screen."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from attn_tui.charts.rows import Row
from attn_tui.tui.widgets.canvas import Canvas


class Words(Canvas):
    """Says what is shown, or what failed in as many lines as it takes."""

    def see(self, scene: Any) -> None:
        """Say what a scene shows."""
        height = len(scene.problem) or scene.words_height
        self.styles.height = height
        self.show(scene.problem or self.rows_of(scene, scene.width, height))

    def rows_of(self, scene: Any, width: int, height: int) -> Sequence[Row]:
        """Return what there is to say, cut with an ellipsis where it takes more lines."""
        text = self.text_of(scene)
        lines = wrap(text, max(width - 2, 10), max_lines=max(height, 1), placeholder=" …")
        return [((f" {line}", "text"),) for line in lines]

    def text_of(self, scene: Any) -> str:
        """Return what there is to say."""
        return ""
