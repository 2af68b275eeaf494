"""A picture of a matrix with a cursor on an entry: arrow keys, wheel and drag move it.

Its messages carry what an entry stands for, not its row and column: when a message arrives, the map
may be another one.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from attn_tui.charts import heat_map
from attn_tui.ui.action import moves
from attn_tui.ui.pane import Pane
from attn_tui.ui.picture import Picture


class HeatMap(Picture, can_focus=True):
    """Shows a `charts.heat_map.HeatMapDrawing`; whoever handles its messages moves the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *moves(
            up=("move(-1, 0)", "Row above"),
            down=("move(1, 0)", "Row below"),
            left=("move(0, -1)", "Previous column"),
            right=("move(0, 1)", "Next column"),
            first=("end(0)", "First column"),
            last=("end(-1)", "Last column"),
        ),
        Binding("enter", "choose", "Open it", show=False, id="choose"),
    ]

    _hovered: tuple[int, int] | None = None
    _drags = 0

    @dataclass
    class OfMap(Message):
        """A message about a map.

        Attributes:
            widget: The map that sent it.
        """

        widget: "HeatMap"

        @property
        def control(self) -> "HeatMap":
            """The map, for ``@on(HeatMap.Moved, "#id")``."""
            return self.widget

    @dataclass
    class Moved(OfMap):
        """The user moves the cursor to another entry.

        Attributes:
            place: What the entry stands for.
            gesture: A name shared by all moves of one gesture.
        """

        place: Any
        gesture: str

    @dataclass
    class Hovered(OfMap):
        """The mouse has moved over another entry, or off the map.

        Attributes:
            place: What the entry stands for, or None.
        """

        place: Any

    class Chosen(OfMap):
        """The user opens the entry under the cursor."""

    class Sized(OfMap):
        """The size of the map has changed, so it may hide more or fewer entries."""

    @property
    def _map(self) -> heat_map.HeatMapDrawing | None:
        """The map on show, if it has a cursor."""
        drawing = self.drawing
        if isinstance(drawing, heat_map.HeatMapDrawing) and drawing.cursor is not None:
            return drawing
        return None

    @property
    def hides(self) -> bool:
        """Whether some entries share a place, where only the largest is seen."""
        return self._map is not None and self._map.is_reduced(*self.content_size, self._halves)

    @property
    def _halves(self) -> int:
        """Into how many parts a line is divided: none where glyphs stand for colours."""
        return 1 if self.app.has_class("-textures") else 2

    def _go(self, row: int, column: int, gesture: str) -> None:
        """Ask for the cursor on an entry, or on the nearest that exists."""
        if self._map is None:
            return
        rows, columns = self._map.levels.shape
        entry = min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)
        if entry != self._map.cursor:
            self.post_message(self.Moved(self, self._map.place(*entry), gesture))

    def action_move(self, down: int, right: int) -> None:
        """Move the cursor by some rows and columns."""
        if self._map is not None and self._map.cursor is not None:
            row, column = self._map.cursor
            self._go(row + down, column + right, f"{self.id} move")

    def action_end(self, column: int) -> None:
        """Move the cursor to the first or last column."""
        if self._map is not None and self._map.cursor is not None:
            self._go(self._map.cursor[0], column % self._map.levels.shape[1], f"{self.id} move")

    def action_choose(self) -> None:
        """Open the entry under the cursor."""
        if self._map is not None:
            self.post_message(self.Chosen(self))

    def on_resize(self) -> None:
        """Report the new size, which decides which entries are hidden."""
        self.post_message(self.Sized(self))

    # The mouse

    def _entry(self, event: events.MouseEvent) -> tuple[int, int] | None:
        """Return the entry under the mouse, or None."""
        offset = event.get_content_offset_capture(self)
        if self._map is None:
            return None
        return self._map.entry(offset.x, offset.y, *self.content_size, self._halves)

    def _hover(self, entry: tuple[int, int] | None) -> None:
        if entry != self._hovered:
            self._hovered = entry
            place = self._map.place(*entry) if self._map and entry else None
            self.post_message(self.Hovered(self, place))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Move the cursor to the mouse, and follow it until the button is released."""
        entry = self._entry(event)
        if entry is not None:
            self._drags += 1
            self.capture_mouse()
            self._go(*entry, f"{self.id} drag {self._drags}")

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Report the entry under the mouse, or follow the mouse while a button is down."""
        entry = self._entry(event)
        if self.app.mouse_captured is not self:
            self._hover(entry)
        elif entry is not None:
            self._go(*entry, f"{self.id} drag {self._drags}")

    def on_mouse_up(self) -> None:
        """Stop following the mouse."""
        self.release_mouse()

    def on_leave(self) -> None:
        """Report that the mouse has left the map."""
        self._hover(None)

    def on_click(self, event: events.Click) -> None:
        """Open an entry that is double-clicked."""
        if event.chain == 2 and self._entry(event) is not None:
            self.action_choose()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Move a row up, or with shift a column to the left."""
        event.stop()
        self.action_move(*((0, -1) if event.shift else (-1, 0)))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Move a row down, or with shift a column to the right."""
        event.stop()
        self.action_move(*((0, 1) if event.shift else (1, 0)))

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        """Move a column to the left."""
        event.stop()
        self.action_move(0, -1)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        """Move a column to the right."""
        event.stop()
        self.action_move(0, 1)


class HeatMapPane(Pane, HeatMap, can_focus=True):
    """A pane that is a map itself."""
