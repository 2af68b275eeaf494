"""The panes of the Sweep screen that hold other widgets."""

from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from attn_tui.compute.log_scale import D_K, N_KEYS
from attn_tui.tui.actions import Action, Section, bindings
from attn_tui.tui.sweep import explanations
from attn_tui.tui.widgets.bar import Bar
from attn_tui.tui.widgets.canvas import Canvas
from attn_tui.tui.widgets.entry import Entry
from attn_tui.tui.widgets.mosaic import Mosaic
from attn_tui.tui.widgets.slider import Slider

ACTIONS = (
    *(
        Action(f"move({dx}, {dy})", (key,), shown, label, does, palette=False)
        for key, shown, label, does, dx, dy in (
            ("left", "←", "Left", "The place to the left: a smaller d_k, or n", -1, 0),
            ("right", "→", "Right", "The place to the right: a larger d_k, or n", 1, 0),
            ("up", "↑", "Up", "Map: more keys; numbers: the line above", 0, 1),
            ("down", "↓", "Down", "Map: fewer keys; numbers: the line below", 0, -1),
        )
    ),
    Action(
        "screen.explore", ("enter",), "enter", "Explore",
        "Open Explore on a vector drawn at this place", palette=False,
    ),
)  # fmt: skip

TILES = 6
"""Columns the chart is cut into; more send less of a line whose right end changes."""


class DrawnPane(Vertical):
    """How many keys, and what is drawn."""

    explanation = explanations.DRAWN

    @dataclass
    class Moved(Message):
        """The user asks for another n."""

        event: Slider.Moved

    class Typing(Message):
        """The user wants to type n."""

    def compose(self) -> ComposeResult:
        """Lay out the slider of n above what is drawn."""
        self.border_title = " Drawn vectors "
        yield Slider(N_KEYS, id="n-slider")
        yield Canvas(id="drawn")

    # The sliders of n and of d_k say the same; what is said here is of n.

    @on(Slider.Moved)
    def _on_moved(self, event: Slider.Moved) -> None:
        event.stop()
        self.post_message(self.Moved(event))

    @on(Slider.Typing)
    def _on_typing(self, event: Slider.Typing) -> None:
        event.stop()
        self.post_message(self.Typing())


class RulesCanvas(Canvas):
    """The rules; a click offers others."""

    async def on_click(self) -> None:
        """Offer the rules."""
        await self.run_action("screen.choose_rules")


class ScalePane(Vertical):
    """The slider of d_k, the line that asks for a value, and the rules."""

    explanation = explanations.SCALE

    def compose(self) -> ComposeResult:
        """Lay out the slider, the line that asks for a value, and the rules."""
        self.border_title = " Scale rules "
        yield Slider(D_K, id="slider")
        yield Entry(id="entry")
        yield RulesCanvas(id="rules")


class ChartMosaic(Mosaic):
    """Where the chart is drawn."""

    @dataclass
    class Pointed(Message):
        """The user points at a cell.

        Attributes:
            x: Its column.
            y: Its row.
            twice: Whether it is the second click there.
        """

        x: int
        y: int
        twice: bool

    class Resized(Message):
        """There is another size to draw for."""

    def on_resize(self) -> None:
        """Ask for a picture of the new size."""
        self.post_message(self.Resized())

    def on_click(self, event: events.Click) -> None:
        """Say where the click was."""
        x, y = event.screen_offset - self.region.offset
        self.post_message(self.Pointed(x, y, event.chain == 2))


class ChartPane(Vertical, can_focus=True):
    """The chart below its tabs."""

    BINDINGS = bindings(ACTIONS)
    SECTION = Section("In the charts of Sweep", ACTIONS)
    explanation = explanations.CHART

    @dataclass
    class Moved(Message):
        """The user moves the cursor: by so many places to the right, and up."""

        dx: int
        dy: int

    def compose(self) -> ComposeResult:
        """Lay out the tabs above the chart."""
        yield Bar(id="tabs")
        yield ChartMosaic(TILES, id="chart")

    def action_move(self, dx: int, dy: int) -> None:
        """Ask for the cursor to move."""
        self.post_message(self.Moved(dx, dy))
