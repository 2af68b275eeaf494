"""The panes of the screen of Dot products."""

from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical

from attn_tui.charts.rows import Row, message
from attn_tui.report.dots.tables import readout_rows
from attn_tui.report.dots.text import sentences
from attn_tui.tui.actions import Action, Section, bindings, textual_action
from attn_tui.tui.dots import drawing, explanations
from attn_tui.tui.dots.scene import Scene
from attn_tui.tui.dots.view import TABS
from attn_tui.tui.scale import ScalePane
from attn_tui.tui.widgets.canvas import Canvas
from attn_tui.tui.widgets.chart import ChartPane, arrows
from attn_tui.tui.widgets.words import Words

FIELD_ACTIONS = (
    Action("draws.move(-1)", ("up",), "up", "Up", "Go to the field before", palette=False),
    Action("draws.move(1)", ("down",), "down", "Down", "Go to the next field", palette=False),
    Action("draws.step(-1)", ("left",), "left", "Less", "Make the field less", palette=False),
    Action("draws.step(1)", ("right",), "right", "More", "Make the field more", palette=False),
    Action("draws.type", ("enter",), "enter", "Type", "Type the field, or choose", palette=False),
)


class FieldsPane(Canvas, can_focus=True):
    """The fields of the draws; one has the cursor."""

    BINDINGS = bindings(FIELD_ACTIONS)
    SECTION = Section("In the draws", FIELD_ACTIONS)
    explanation = explanations.DRAWS
    scene: Scene | None = None

    def see(self, scene: Scene) -> None:
        """Show the fields."""
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


class NarrowFields(FieldsPane):
    """The same where panes are shown one at a time."""

    def see(self, scene: Scene) -> None:
        """Show the fields, or go."""
        self.display = scene.shows("draws")
        super().see(scene)


class DotsScale(ScalePane):
    """The slider, and what the rule makes of d_k."""

    explanation = explanations.SCALE

    def rows_of(self, scene: Scene, width: int, height: int) -> list[Row]:
        """Return what the rule does at this d_k, and what d_k is to the draws."""
        return drawing.rule_rows(scene.asked.experiment, scene.n_attended, width, height)


class ProgressLine(Canvas):
    """How far the draw is."""

    def see(self, scene: Scene) -> None:
        """Show how far it is, and what can be done about it."""
        self.show([drawing.progress_row(scene)])


class ReadoutsPane(Vertical, can_focus=True):
    """What the sample says."""

    explanation = explanations.READOUTS

    def compose(self) -> ComposeResult:
        """Lay out the rows."""
        yield Canvas(id="readout-rows")

    def see(self, scene: Scene) -> None:
        """Show the readouts."""
        self.display = not scene.narrow or scene.shows("readouts")
        if scene.answer:
            rows = readout_rows(scene.answer, scene.view.side, max(scene.width - 2, 1))
            self.query_one(Canvas).show([((" ", "text"), *row) for row in rows])


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
        """Come into sight, or go."""
        self.display = not scene.narrow or not TABS[scene.view.tab].apart

    def rows_of(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        """Return the chart, or what stands where it will be."""
        if scene.answer is None:
            return message(" drawing …", width, height)
        return drawing.chart_rows(scene.answer, scene.view, width, height)


class DotsWords(Words):
    """What the numbers show."""

    def text_of(self, scene: Scene) -> str:
        """Return what the numbers show."""
        return " ".join(sentences(scene.answer)) if scene.answer else ""
