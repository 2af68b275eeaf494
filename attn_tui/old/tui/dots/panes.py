"""The panes of the screen of Dot products."""

from collections.abc import Sequence
from functools import partial

from attn_tui.old.tui.actions import Section
from attn_tui.old.tui.dots import drawing, explanations
from attn_tui.old.tui.dots.scene import Scene
from attn_tui.old.tui.scene import SHORT
from attn_tui.old.tui.widgets.canvas import Target
from attn_tui.old.tui.widgets.chart import ChartCanvas, ChartPane, arrows
from attn_tui.old.tui.widgets.title import Title, Titled
from attn_tui.report.rows import Row, length

READING = 18
"""Lines of the derivation, where it stands below the picture."""


class PictureTitle(Title):
    """How far the draw is, what can be done about it, and how the picture is drawn."""

    ROW = drawing.title_row

    def target_at(self, x: int, y: int) -> Target | None:
        """Return what changes the axis, which stands at the right end."""
        *_, end = [0, *(length(row[-1:]) for row in self.rows)]
        return Target("fields.next('axis')") if x >= self.size.width - end else None


class PicturePane(ChartCanvas, Titled, can_focus=True):
    """How q·k and m·q·k are spread."""

    explanation = explanations.PICTURE

    def see(self, scene: Scene) -> None:
        """Come into sight, or go."""
        self.display = scene.pictured

    def see_chart(self, scene: Scene) -> None:
        """Draw both, or say that they are to come."""
        if size := self.size:
            self.show(drawing.picture_rows(scene, *size))
            self.targets = partial(drawing.picture_target, scene, *size)


class DotsChart(ChartPane):
    """A chart, a table or the derivation."""

    ACTIONS = arrows("draws.scroll", "Show the other side; go up or down in the table or the text")
    SECTION = Section("In the charts of Dot products", ACTIONS)
    explanation = explanations.CHART

    def see(self, scene: Scene) -> None:
        """Come into sight, or go; what is short leaves its room to the picture."""
        self.display = scene.present != "picture" or not scene.narrow
        self.wheel = "draws.scroll(0, {})" * (scene.present in ("table", "derivation"))
        few = scene.height < SHORT
        lines = {"moments": 3, "derivation": READING}.get(scene.present, 8 if few else 14)
        if scene.present == "over_d_k" and scene.view.log and not scene.band_leads:
            # The band has the axis of the picture above it, and leaves it the rest.
            lines = 6 if few else 10
        self.styles.height = 1 + lines if scene.pictured and not scene.narrow else "1fr"

    def rows_of(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        """Return the chart, or what stands where it will be."""
        return drawing.chart_rows(scene, width, height)

    def target_of(self, scene: Scene, width: int, height: int, x: int, y: int) -> Target | None:
        """Return what a click does: to the d_k of a row of the band, or to a row of the table."""
        return drawing.chart_target(scene, width, height, x, y)
