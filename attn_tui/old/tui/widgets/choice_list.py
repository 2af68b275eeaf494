"""A list of choices as a widget: a line each, and a cursor."""

from collections.abc import Callable, Sequence

from textual import events
from textual.message import Message

from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.widgets.canvas import Canvas
from attn_tui.report.rows import Row, cells, fitted

_WHEEL = 3
"""Lines that a turn of the wheel scrolls by."""


class ChoiceList(Canvas):
    """Shows choices, those that fit at a time; what the mouse is over has the cursor.

    Args:
        mark: What stands before the title of a value, of the same width for each.

    Attributes:
        choices: What there is to choose from.
        cursor: The place of the cursor among them; None if it is on none.
        nothing: What is said if there are none.
    """

    cursor: int | None = None
    nothing = ""

    class Reached(Message):
        """The cursor is on another line, or the list is another."""

    class Chosen(Message):
        """The line that the cursor is on was clicked."""

    def __init__(self, mark: Callable[[str], str]) -> None:
        super().__init__()
        self.choices: tuple[Choice, ...] = ()
        self._mark = mark
        self._top = 0

    @property
    def chosen(self) -> Choice | None:
        """The choice that the cursor is on."""
        return None if self.cursor is None else self.choices[self.cursor]

    def offer(self, choices: Sequence[Choice], cursor: int | None) -> None:
        """Show other choices, with the cursor on one of them."""
        self.choices, self._top = tuple(choices), 0
        self.go(cursor)

    def go(self, place: int | None) -> None:
        """Put the cursor on a line, as far as there are some, and have it in sight."""
        self.cursor = place
        if place is not None:
            last = len(self.choices) - 1
            self.cursor = place = None if last < 0 else min(max(place, 0), last)
        self.look()
        self.post_message(self.Reached())

    def move(self, by: int) -> None:
        """Move the cursor by lines; from nowhere it goes to the first."""
        self.go(0 if self.cursor is None else self.cursor + by)

    def look(self) -> None:
        """Show the lines around the cursor."""
        height = max(self.size.height, 1)
        self._top = max(min(self._top, len(self.choices) - height), 0)
        if self.cursor is not None:
            self._top = min(max(self._top, self.cursor - height + 1), self.cursor)
        in_sight = range(self._top, min(self._top + height, len(self.choices)))
        self.show([self._row(place) for place in in_sight] or [((self.nothing, "muted"),)])

    def on_resize(self) -> None:
        """Show as many as fit."""
        self.look()

    def _row(self, place: int) -> Row:
        choice, width = self.choices[place], self.size.width
        title, note = "text", "muted"
        if place == self.cursor:
            title = note = "focus"
        room = max(width - cells(choice.note) - bool(choice.note), 1)
        ((text, _), *rest) = fitted(((self._mark(choice.value) + choice.title, title),), room)
        filled = "".join([text, *(more for more, _ in rest)])
        return (filled, title), (f" {choice.note}" * bool(choice.note), note)

    def _at(self, event: events.MouseEvent) -> int | None:
        place = self._top + event.y
        return place if event.y >= 0 and place < len(self.choices) else None

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Put the cursor where the mouse is."""
        if (place := self._at(event)) not in (None, self.cursor):
            self.go(place)

    async def on_click(self, event: events.Click) -> None:
        """Choose the line that was clicked."""
        event.stop()
        if (place := self._at(event)) is not None:
            self.go(place)
            self.post_message(self.Chosen())

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Show what is above."""
        self._scroll(event, -_WHEEL)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Show what is below."""
        self._scroll(event, _WHEEL)

    def _scroll(self, event: events.MouseEvent, by: int) -> None:
        event.stop()
        last = len(self.choices) - self.size.height
        if last > 0:
            self._top = min(max(self._top + by, 0), last)
            self.go(self._at(event))
