"""A line of items that can be clicked: the title, the tabs, the key bar."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events

from attn_tui.charts.rows import Row, length
from attn_tui.tui.actions import textual_action
from attn_tui.tui.widgets.canvas import Canvas


@dataclass(frozen=True)
class Item:
    """A part of a bar.

    Attributes:
        row: What it shows.
        action: What a click runs, as of an `Action`, or empty.
    """

    row: Row
    action: str = ""

    @property
    def width(self) -> int:
        """How many cells it takes."""
        return length(self.row)


class Bar(Canvas):
    """Shows items side by side, as many as fit."""

    DEFAULT_CSS = """
    Bar { height: 1; }
    """

    items: tuple[Item, ...] = ()

    def show_items(self, items: Sequence[Item]) -> None:
        """Show these items in place of the former ones."""
        self.items = tuple(items)
        self.show([tuple(span for item in self.items for span in item.row)])

    async def on_click(self, event: events.Click) -> None:
        """Run the action of the item that was clicked."""
        left = 0
        for item in self.items:
            if left <= event.x < left + item.width and item.action:
                event.stop()
                await self.run_action(textual_action(item.action))
            left += item.width


class TabBar(Bar):
    """The tabs of what there is to look at."""
