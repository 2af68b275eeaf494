"""A line of items that can be clicked: the title, the tabs, the key bar."""

from collections.abc import Sequence
from dataclasses import dataclass

from attn_tui.old.tui.widgets.canvas import Canvas, Target
from attn_tui.report.rows import Row, length


@dataclass(frozen=True)
class Item:
    """A part of a bar.

    Attributes:
        row: What it shows.
        action: What a click runs, as of an `Action`, or empty.
        words: What that does; without them the action says so itself.
    """

    row: Row
    action: str = ""
    words: str = ""

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

    def target_at(self, x: int, y: int) -> Target | None:
        """Return what a click on an item does."""
        left = 0
        for item in self.items:
            if left <= x < left + item.width:
                return Target(item.action, item.words) if item.action else None
            left += item.width
        return None


class TabBar(Bar):
    """The tabs of what there is to look at."""
