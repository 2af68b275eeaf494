"""The panes of the Sweep screen that hold other widgets."""

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from attn_tui.compute.log_scale import N_KEYS
from attn_tui.tui.actions import Action, Section
from attn_tui.tui.scaling import ScalePane
from attn_tui.tui.sweep import explanations
from attn_tui.tui.widgets.canvas import Canvas
from attn_tui.tui.widgets.chart import ChartPane, arrows
from attn_tui.tui.widgets.slider import Slider


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


class SweepScale(ScalePane):
    """The slider of d_k, and the rules."""

    title = " Scale rules "
    explanation = explanations.SCALE


class SweepChart(ChartPane):
    """The chart, the map, or the numbers."""

    ACTIONS = (
        *arrows(
            "The place to the left: a smaller d_k, or n",
            "The place to the right: a larger d_k, or n",
            "Map: more keys; numbers: the line above",
            "Map: fewer keys; numbers: the line below",
        ),
        Action(
            "screen.explore", ("enter",), "enter", "Explore",
            "Open Explore on a vector drawn at this place", palette=False,
        ),
    )  # fmt: skip
    SECTION = Section("In the charts of Sweep", ACTIONS)
    explanation = explanations.CHART
