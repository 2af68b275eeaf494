"""A title above a pane, which shows whether the pane has the keys."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from textual.widget import Widget

from attn_tui.old.tui.widgets.canvas import Canvas
from attn_tui.report.rows import Row


class Title(Canvas):
    """One line above a pane.

    Attributes:
        ROW: Makes the line of a scene, and of whether the pane has the keys.
    """

    ROW: ClassVar[Callable[[Any, bool], Row]]
    scene: Any = None
    focused = False

    def see(self, scene: Any) -> None:
        """Show it."""
        self.scene = scene
        self.mark(self.focused)

    def mark(self, focused: bool) -> None:
        """Show whether the pane has the keys."""
        self.focused = focused
        if self.scene:
            rows: Sequence[Row] = [type(self).ROW(self.scene, focused)]
            self.show(rows)


class Titled(Widget):
    """A pane whose title shows where the keys go; it stands behind another widget among bases."""

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show where the keys go."""
        super().watch_has_focus(has_focus)
        for title in self.screen.query(Title):
            title.mark(has_focus)
