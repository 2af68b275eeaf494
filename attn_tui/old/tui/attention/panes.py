"""The pane of the screen of Attention."""

from collections.abc import Sequence

from attn_tui.old.tui.actions import Section
from attn_tui.old.tui.attention import drawing, explanations
from attn_tui.old.tui.attention.actions import OPEN
from attn_tui.old.tui.attention.scene import Scene
from attn_tui.old.tui.widgets.canvas import Target
from attn_tui.old.tui.widgets.chart import ChartPane, arrows
from attn_tui.report.rows import Row


class HeadPane(ChartPane):
    """The map of a head, or a table of its rows."""

    ACTIONS = (*arrows("head.move", "Go to another query or key"), OPEN)
    SECTION = Section("In the head", ACTIONS)
    explanation = explanations.CHART

    def see(self, scene: Scene) -> None:
        """Fade while it is about something else, and say what the wheel does."""
        self.canvas.fade(scene.is_old)
        self.wheel = "head.move(0, {})" * (scene.view.chart != "map")

    def rows_of(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        """Return the map or the table."""
        above = drawing.rows_above(scene, width)
        return [*above, *drawing.chart_rows(scene, width, height - len(above))]

    def target_of(self, scene: Scene, width: int, height: int, x: int, y: int) -> Target | None:
        """Return what a click does: it goes to a cell, and a second one opens its row."""
        if scene.shown is None:
            return None
        above = len(drawing.rows_above(scene, width))
        there = drawing.pointed(scene, width, height - above, x, y - above)
        if there is None:
            return None
        query, key = there
        words = f"Query {query:,}" + (f", key {key:,}" if key is not None else "")
        return Target(f"head.point{there}", f"{words}; twice: open the row in Explore", "head.open")
