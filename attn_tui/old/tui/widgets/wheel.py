"""The wheel: what it does over a widget is an action, which is told how many lines to go."""

from textual import events
from textual.widget import Widget

from attn_tui.old.tui.actions import textual_action


class Wheeled(Widget):
    """A widget over which the wheel runs an action.

    It stands behind another widget among bases, whose styles a subclass then has.

    Attributes:
        wheel: The action, with braces for the lines to go; nothing leaves the wheel to others.
    """

    wheel = ""

    async def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Go up."""
        await self._turned(event, -1)

    async def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Go down."""
        await self._turned(event, 1)

    async def _turned(self, event: events.MouseEvent, lines: int) -> None:
        if self.wheel:
            event.stop()
            await self.run_action(textual_action(self.wheel.format(lines)))
