"""The panes of the screen of Dot products."""

from collections.abc import Sequence
from functools import partial

from textual import events

from attn_tui.charts.rows import Row
from attn_tui.tui.actions import Action, Section, bindings, textual_action
from attn_tui.tui.dots import drawing, explanations
from attn_tui.tui.dots.scene import Scene
from attn_tui.tui.scale import ScalePane
from attn_tui.tui.scene import SHORT
from attn_tui.tui.widgets.canvas import Canvas, Target
from attn_tui.tui.widgets.chart import ChartCanvas, ChartPane, arrows

FIELD_ACTIONS = (
    Action("draws.move(-1)", ("up",), "up", "Up", "Go to the field before", palette=False),
    Action("draws.move(1)", ("down",), "down", "Down", "Go to the next field", palette=False),
    Action("draws.step(-1)", ("left",), "left", "Less", "Make the field less", palette=False),
    Action("draws.step(1)", ("right",), "right", "More", "Make the field more", palette=False),
    Action("draws.type", ("enter",), "enter", "Type", "Type the field, or choose", palette=False),
)


READING = 18
"""Lines of the derivation, where it stands below the picture."""


class FieldsPane(Canvas, can_focus=True):
    """The fields of the draws; one has the cursor."""

    BINDINGS = bindings(FIELD_ACTIONS)
    SECTION = Section("In the draws", FIELD_ACTIONS)
    explanation = explanations.DRAWS
    scene: Scene | None = None

    def see(self, scene: Scene) -> None:
        """Show the fields where they are looked at."""
        self.display = scene.present == "draws"
        if self.has_focus and not (self.display or scene.narrow):
            # The chart stands here again.
            self.screen.query_one(DotsChart).focus()
        self.scene = scene
        self._draw()

    def _draw(self) -> None:
        if self.scene:
            settings, view = self.scene.settings, self.scene.view
            self.show(drawing.field_rows(settings, view, self.has_focus, *self.size))

    async def on_click(self, event: events.Click) -> None:
        """Put the cursor on the field that was clicked."""
        if self.scene:
            place = drawing.field_at(self.scene.settings, event.x, event.y, *self.size)
            if place is not None:
                await self.run_action(textual_action(f"draws.point({place})"))

    def on_resize(self) -> None:
        """Show the fields in the new size."""
        self._draw()

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show where the keys go."""
        super().watch_has_focus(has_focus)
        self._draw()


class DotsScale(ScalePane):
    """The slider."""

    explanation = explanations.SCALE


class PictureTitle(Canvas):
    """How far the draw is, what can be done about it, and how the picture is drawn."""

    scene: Scene | None = None
    focused = False

    def see(self, scene: Scene) -> None:
        """Show how far it is."""
        self.scene = scene
        self.mark(self.focused)

    def mark(self, focused: bool) -> None:
        """Show whether the picture has the keys."""
        self.focused = focused
        if self.scene:
            self.show([drawing.title_row(self.scene, focused)])


class PicturePane(ChartCanvas, can_focus=True):
    """How q·k and m·q·k are spread."""

    explanation = explanations.PICTURE

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show where the keys go."""
        super().watch_has_focus(has_focus)
        for title in self.screen.query(PictureTitle):
            title.mark(has_focus)

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

    ACTIONS = arrows(
        "draws.scroll",
        "Show the other side",
        "Show the other side",
        "Go up in the table or the text",
        "Go down in the table or the text",
    )
    SECTION = Section("In the charts of Dot products", ACTIONS)
    explanation = explanations.CHART

    def see(self, scene: Scene) -> None:
        """Come into sight, or go; what is short leaves its room to the picture."""
        chart = scene.present not in ("picture", "draws")
        self.wheel = "draws.scroll(0, {})" * (scene.present in ("table", "derivation"))
        self.can_focus = chart
        if self.has_focus and scene.present == "draws":
            # The fields stand here now, and take the arrows.
            self.screen.query_one(FieldsPane).focus()
        self.display = chart or not scene.narrow
        self.canvas.display = chart
        few = scene.height < SHORT
        lines = {"moments": 3, "derivation": READING}.get(scene.present, 8 if few else 14)
        if scene.present == "over_d_k" and scene.view.log and not scene.band_leads:
            # The band has the axis of the picture above it, and leaves it the rest.
            lines = 6 if few else 10
        self.styles.height = 1 + lines * chart if scene.pictured and not scene.narrow else "1fr"

    def rows_of(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        """Return the chart, or what stands where it will be."""
        return drawing.chart_rows(scene, width, height)

    def target_of(self, scene: Scene, width: int, height: int, x: int, y: int) -> Target | None:
        """Return what a click does: to the d_k of a row of the band, or to a row of the table."""
        return drawing.chart_target(scene, width, height, x, y)
