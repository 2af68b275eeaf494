"""The picture of a matrix, with a cursor on one of its entries: arrows, wheel and drag move it."""

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from attn_tui.charts import heat_map
from attn_tui.ui.picture import Picture


class HeatMap(Picture, can_focus=True):
    """Shows a `charts.heat_map.HeatMap`, whose cursor whoever hears the messages moves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1, 0)", "Row above", show=False),
        Binding("down,j", "move(1, 0)", "Row below", show=False),
        Binding("left,h", "move(0, -1)", "Column before", show=False),
        Binding("right,l", "move(0, 1)", "Next column", show=False),
        Binding("home", "end(0)", "First column", show=False),
        Binding("end", "end(-1)", "Last column", show=False),
        Binding("enter", "choose", "Open it", show=False),
    ]

    class OfMap(Message):
        """Something happened to a picture.

        Attributes:
            widget: The picture.
        """

        def __init__(self, widget: "HeatMap") -> None:
            super().__init__()
            self.widget = widget

        @property
        def control(self) -> "HeatMap":
            """The picture, for ``@on(HeatMap.Moved, "#id")``."""
            return self.widget

    class Moved(OfMap):
        """Somebody wants the cursor on another entry.

        Attributes:
            row: From the top.
            column: From the left.
            gesture: A name that all moves of one run share.
        """

        def __init__(self, widget: "HeatMap", row: int, column: int, gesture: str) -> None:
            super().__init__(widget)
            self.row, self.column = row, column
            self.gesture = gesture

    class Hovered(OfMap):
        """The mouse is over another entry than before, or over none.

        Attributes:
            entry: Row and column.
        """

        def __init__(self, widget: "HeatMap", entry: tuple[int, int] | None) -> None:
            super().__init__(widget)
            self.entry = entry

    class Chosen(OfMap):
        """Somebody wants to go into the entry of the cursor."""

    class Sized(OfMap):
        """It has another size, so that it may hide more entries, or fewer."""

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._hovered: tuple[int, int] | None = None
        self._drags = 0

    @property
    def _map(self) -> heat_map.HeatMap | None:
        """What is shown, if it has a cursor."""
        drawing = self.drawing
        if isinstance(drawing, heat_map.HeatMap) and drawing.cursor is not None:
            return drawing
        return None

    @property
    def hides(self) -> bool:
        """Whether entries have no place of their own: of several the largest is seen."""
        # Where glyphs stand for colours no cell is halved.
        halves = 1 if self.app.has_class("-textures") else 2
        return self._map is not None and self._map.is_reduced(*self.content_size, halves)

    def _go(self, row: int, column: int, gesture: str) -> None:
        """Ask for the cursor on an entry, or on the nearest there is."""
        if self._map is None:
            return
        rows, columns = self._map.levels.shape
        place = min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)
        if place != self._map.cursor:
            self.post_message(self.Moved(self, *place, gesture))

    def action_move(self, down: int, right: int) -> None:
        """Move the cursor by so many rows and columns."""
        if self._map is not None and self._map.cursor is not None:
            row, column = self._map.cursor
            self._go(row + down, column + right, f"{self.id} move")

    def action_end(self, column: int) -> None:
        """Go to the first or the last column."""
        if self._map is not None and self._map.cursor is not None:
            self._go(self._map.cursor[0], column % self._map.levels.shape[1], f"{self.id} move")

    def action_choose(self) -> None:
        """Go into the entry of the cursor."""
        if self._map is not None:
            self.post_message(self.Chosen(self))

    def on_resize(self) -> None:
        """Tell whoever says what it hides."""
        self.post_message(self.Sized(self))

    # The mouse

    def _entry(self, event: events.MouseEvent) -> tuple[int, int] | None:
        """Return the entry under the mouse, if there is one."""
        offset = event.get_content_offset_capture(self)
        if self._map is None:
            return None
        return self._map.entry(offset.x, offset.y, *self.content_size)

    def _hover(self, entry: tuple[int, int] | None) -> None:
        if entry != self._hovered:
            self._hovered = entry
            self.post_message(self.Hovered(self, entry))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Go to where the mouse is, and follow it until it is let go."""
        entry = self._entry(event)
        if entry is not None:
            self._drags += 1
            self.capture_mouse()
            self._go(*entry, f"{self.id} drag {self._drags}")

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Tell what the mouse is over, and follow it while a button is down."""
        entry = self._entry(event)
        if self.app.mouse_captured is not self:
            self._hover(entry)
        elif entry is not None:
            self._go(*entry, f"{self.id} drag {self._drags}")

    def on_mouse_up(self) -> None:
        """Let go."""
        self.release_mouse()

    def on_leave(self) -> None:
        """Tell that the mouse is over nothing."""
        self._hover(None)

    def on_click(self, event: events.Click) -> None:
        """Go into what is clicked twice."""
        if event.chain == 2 and self._entry(event) is not None:
            self.action_choose()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Go a row up, or with shift a column back."""
        event.stop()
        self.action_move(*((0, -1) if event.shift else (-1, 0)))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Go a row down, or with shift a column on."""
        event.stop()
        self.action_move(*((0, 1) if event.shift else (1, 0)))

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        """Go a column back."""
        event.stop()
        self.action_move(0, -1)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        """Go a column on."""
        event.stop()
        self.action_move(0, 1)
