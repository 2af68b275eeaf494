"""Where charts and the rule are drawn, on every instrument."""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from attn_tui.old.tui.actions import Action, Section, bindings, quiet
from attn_tui.old.tui.widgets.bar import TabBar
from attn_tui.old.tui.widgets.canvas import Canvas, Target
from attn_tui.old.tui.widgets.wheel import Wheeled
from attn_tui.report.rows import Row


class ChartCanvas(Canvas):
    """Where the chart is drawn."""

    class Resized(Message):
        """There is another size to draw for."""

    def on_resize(self) -> None:
        """Ask for a picture of the new size."""
        self.post_message(self.Resized())


class ChartPane(Vertical, Wheeled, can_focus=True):
    """A chart below its tabs; an instrument says what the arrows do to it."""

    BLANK = True
    ACTIONS: ClassVar[tuple[Action, ...]] = ()
    SECTION: ClassVar[Section]
    wheel = ""
    """What the wheel runs where there is more than is seen, with so many lines down in ``{}``."""

    def __init_subclass__(cls, **options: Any) -> None:
        cls.BINDINGS = bindings(cls.ACTIONS)
        super().__init_subclass__(**options)

    def compose(self) -> ComposeResult:
        """Lay out the tabs above the chart."""
        yield TabBar(id="tabs")
        chart = ChartCanvas(id="chart")
        chart.answers = "all"
        yield chart

    @property
    def canvas(self) -> ChartCanvas:
        """Where the chart is drawn."""
        return self.query_one(ChartCanvas)

    def see_chart(self, scene: Any) -> None:
        """Draw the chart of a scene."""
        if size := self.canvas.size:
            self.canvas.show(self.rows_of(scene, *size))
            self.canvas.targets = partial(self.target_of, scene, *size)

    def rows_of(self, scene: Any, width: int, height: int) -> Sequence[Row]:
        """Return the chart, in so many cells and lines."""
        return ()

    def target_of(self, scene: Any, width: int, height: int, x: int, y: int) -> Target | None:
        """Return what a click on a cell of a chart of such a size does, if anything."""
        return None


def arrows(verb: str, help: str) -> tuple[Action, ...]:
    """Return what the arrows do in a chart: a verb of so many places to the right, and down."""
    left = Action(f"{verb}(-1, 0)", ("left", "h"), "arrows", "Move", help, bar=0, palette=False)
    moves = (("right", "l", 1, 0), ("up", "k", 0, -1), ("down", "j", 0, 1))
    return left, *(quiet(f"{verb}({dx}, {dy})", *keys) for *keys, dx, dy in moves)
