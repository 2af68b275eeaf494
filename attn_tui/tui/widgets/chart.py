"""Where charts and the rule are drawn, on every instrument."""

from dataclasses import dataclass
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from attn_tui.tui.actions import Action, Section, bindings
from attn_tui.tui.widgets.bar import Bar
from attn_tui.tui.widgets.canvas import Canvas

CHART_DELAY = 0.04
"""Seconds of rest before a chart is drawn, so that a held key is not slowed by it."""


class ChartCanvas(Canvas):
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


class RuleCanvas(Canvas):
    """The rule; a click offers the others."""

    async def on_click(self) -> None:
        """Offer the rules."""
        await self.run_action("screen.choose_rule")


class ChartPane(Vertical, can_focus=True):
    """A chart below its tabs; an instrument says what the arrows do to it."""

    ACTIONS: ClassVar[tuple[Action, ...]] = ()
    SECTION: ClassVar[Section]

    @dataclass
    class Moved(Message):
        """The user moves the cursor: by so many places to the right, and down."""

        dx: int
        dy: int

    def __init_subclass__(cls, **options: Any) -> None:
        cls.BINDINGS = bindings(cls.ACTIONS)
        super().__init_subclass__(**options)

    def compose(self) -> ComposeResult:
        """Lay out the tabs above the chart."""
        yield Bar(id="tabs")
        yield ChartCanvas(id="chart")

    def action_move(self, dx: int, dy: int) -> None:
        """Say which arrow it was."""
        self.post_message(self.Moved(dx, dy))


def arrows(left: str, right: str, up: str, down: str) -> tuple[Action, ...]:
    """Return what the arrows do in a chart, from what each does there."""
    return tuple(
        Action(f"move({dx}, {dy})", (key,), key, key.capitalize(), does, palette=False)
        for key, does, dx, dy in (
            ("left", left, -1, 0),
            ("right", right, 1, 0),
            ("up", up, 0, -1),
            ("down", down, 0, 1),
        )
    )
