"""The panes of the screen of Dot products."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from attn_tui.charts.rows import Row
from attn_tui.tui.actions import Action, Section, bindings
from attn_tui.tui.dots import explanations
from attn_tui.tui.scaling import ScalePane
from attn_tui.tui.widgets.canvas import Canvas
from attn_tui.tui.widgets.chart import ChartPane, arrows

FIELD_ACTIONS = (
    Action("move(-1)", ("up",), "up", "Up", "Go to the field before", palette=False),
    Action("move(1)", ("down",), "down", "Down", "Go to the next field", palette=False),
    Action("step(-1)", ("left",), "left", "Less", "Make the field less", palette=False),
    Action("step(1)", ("right",), "right", "More", "Make the field more", palette=False),
    Action("type", ("enter",), "enter", "Type", "Type the field, or choose", palette=False),
)


class FieldsPane(Canvas, can_focus=True):
    """The fields of the draws; one has the cursor."""

    BINDINGS = bindings(FIELD_ACTIONS)
    SECTION = Section("In the draws", FIELD_ACTIONS)
    explanation = explanations.DRAWS

    @dataclass
    class Moved(Message):
        """The user moves the cursor."""

        by: int

    @dataclass
    class Stepped(Message):
        """The user changes the field under the cursor."""

        steps: int

    class Typing(Message):
        """The user wants to type the field under the cursor."""

    @dataclass
    class Pointed(Message):
        """The user points at a cell."""

        x: int
        y: int
        width: int
        height: int

    class Resized(Message):
        """There is another size to draw for."""

    def action_move(self, by: int) -> None:
        """Ask for the cursor to move."""
        self.post_message(self.Moved(by))

    def action_step(self, steps: int) -> None:
        """Ask for another value."""
        self.post_message(self.Stepped(steps))

    def action_type(self) -> None:
        """Ask for a value to be typed."""
        self.post_message(self.Typing())

    def on_click(self, event: events.Click) -> None:
        """Say where the click was."""
        self.post_message(self.Pointed(event.x, event.y, *self.size))

    def on_resize(self) -> None:
        """Ask for rows of the new size."""
        self.post_message(self.Resized())


class DotsScale(ScalePane):
    """The slider, and what the rule makes of d_k."""

    explanation = explanations.SCALE


class ReadoutsPane(Vertical, can_focus=True):
    """What the sample says."""

    explanation = explanations.READOUTS

    def compose(self) -> ComposeResult:
        """Lay out the rows."""
        yield Canvas(id="readout-rows")

    def show(self, rows: Sequence[Row]) -> None:
        """Show the readouts."""
        self.query_one(Canvas).show(rows)


class DotsChart(ChartPane):
    """A chart, a table or the derivation."""

    ACTIONS = arrows(
        "Show the other side",
        "Show the other side",
        "Go up in the table or the text",
        "Go down in the table or the text",
    )
    SECTION = Section("In the charts of Dot products", ACTIONS)
    explanation = explanations.CHART
