"""Where charts and the rule are drawn, on every instrument."""

from dataclasses import dataclass

from textual import events
from textual.message import Message

from attn_tui.tui.widgets.canvas import Canvas
from attn_tui.tui.widgets.mosaic import Mosaic

TILES = 6
"""Columns the chart is cut into; more send less of a line whose right end changes."""

CHART_DELAY = 0.04
"""Seconds of rest before a chart is drawn, so that a held key is not slowed by it."""


class ChartMosaic(Mosaic):
    """Where the chart is drawn."""

    @dataclass
    class Pointed(Message):
        """The user points at a cell."""

        x: int
        y: int

    class Resized(Message):
        """There is another size to draw for."""

    def on_resize(self) -> None:
        """Ask for a picture of the new size."""
        self.post_message(self.Resized())

    def on_click(self, event: events.Click) -> None:
        """Say where the click was."""
        x, y = event.screen_offset - self.region.offset
        self.post_message(self.Pointed(x, y))


class RuleCanvas(Canvas):
    """The rule; a click offers the others."""

    async def on_click(self) -> None:
        """Offer the rules."""
        await self.run_action("screen.choose_rule")
