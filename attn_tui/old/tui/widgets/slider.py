"""A slider on a logarithmic scale of whole numbers, drawn on one line."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from math import inf

from textual import events
from textual.message import Message

from attn_tui.compute.log_scale import LogScale
from attn_tui.files.history import Gesture
from attn_tui.old.tui.widgets.canvas import Canvas, Target
from attn_tui.report.rows import Row


def ticks(scale: LogScale, width: int) -> list[tuple[int, str]]:
    """Return the labels on a track and the columns they begin in.

    Labels are powers of a base that leaves room between them.
    """
    for base in (8, 64, 256):
        value, labels, end = scale.minimum, [], -2
        while value <= scale.maximum:
            text = str(value)
            middle = round(scale.to_fraction(value) * (width - 1))
            left = min(max(middle - len(text) // 2, 0), width - len(text))
            if left <= end + 1:
                break
            labels.append((left, text))
            end, value = left + len(text), value * base
        else:
            return labels
    return []


def value_at(scale: LogScale, width: int, x: int, snaps: bool = True) -> int:
    """Return the value that a cell of a track stands for: a stop of the scale.

    Args:
        scale: The scale.
        width: Cells of the track.
        x: The cell.
        snaps: Whether the value of a label is meant on the label, and close beside it.
    """
    labels = ticks(scale, width) if snaps else []
    # Where labels are close to each other there must be something between them.
    beside = 2 if width > 6 * len(labels) + 10 else 1
    last, near = max(width - 1, 1), []
    for left, text in labels:
        middle = round(scale.to_fraction(int(text)) * last)
        if min(left - 1, middle - beside) <= x <= max(left + len(text), middle + beside):
            near.append((abs(x - middle), int(text)))
    return min(near)[1] if near else scale.stop_at(x / last, 0.5 / last)


def track(scale: LogScale, value: int, width: int, held: bool = False) -> Row:
    """Return a track of a width in cells with its ticks and the thumb, another one if held."""
    thumb = round(scale.to_fraction(value) * (width - 1))
    labels = {
        left + index: digit
        for left, label in ticks(scale, width)
        if not left - 1 <= thumb <= left + len(label)
        for index, digit in enumerate(label)
    }
    mark = "■" if held else "●"
    text = "".join(
        mark if x == thumb else labels.get(x, "━" if x < thumb else "─") for x in range(width)
    )
    return ((text[:thumb], "scaled"), (mark, "scaled"), (text[thumb + 1 :], "axis"))


class Slider(Canvas):
    """Shows a value on its scale, and says where the user wants it."""

    DEFAULT_CSS = """
    Slider { height: 1; }
    """
    answers = "nothing"

    @dataclass
    class Moved(Message):
        """The user asks for another value, told as a change, so that none overtakes another."""

        field: str
        change: Callable[[int], int]
        gesture: Gesture

    def __init__(self, scale: LogScale, id: str | None = None) -> None:
        super().__init__(id=id)
        self.scale = scale
        self.value = scale.minimum
        self.held = False
        self._drags = count()
        self._drag: Gesture | None = None
        self._dragged = 0

    @property
    def _track_width(self) -> int:
        return max(self.size.width - len(self._label) - len(f" {self.scale.maximum}"), 1)

    @property
    def _label(self) -> str:
        return f"{self.scale.field} "

    def show_value(self, value: int, held: bool = False) -> None:
        """Show a value; one that is held cannot be moved here."""
        self.value, self.held = value, held
        self._draw()

    def _draw(self) -> None:
        drawn = track(self.scale, self.value, self._track_width, self.held)
        number = f" {self.value:>{len(str(self.scale.maximum))}}"
        self.show([((self.scale.field, "label"), (" ", "text"), *drawn, (number, "strong"))])

    def on_resize(self) -> None:
        """Draw the track anew in the new width."""
        self._draw()

    def _move(self, change: Callable[[int], int], gesture: Gesture | None = None) -> None:
        field = self.scale.field
        self.post_message(self.Moved(field, change, gesture or Gesture(field)))

    def _step(self, steps: int) -> None:
        """Move by stops."""
        self._move(lambda value: self.scale.step(value, steps))

    def _to(self, x: int, gesture: Gesture, snaps: bool) -> None:
        place = value_at(self.scale, self._track_width, x, snaps)
        self._move(lambda value: place, gesture)

    def target_at(self, x: int, y: int) -> Target | None:
        """Return what is said of where the mouse goes to when it is pressed."""
        place = value_at(self.scale, self._track_width, x - len(self._label))
        words = f"Go to {self.scale.field} = {place:,}"
        return Target(words=f"{self.scale.field} is held" if self.held else words)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Go to where the mouse is, or to the label there, and follow it."""
        self.capture_mouse()
        self._drag = Gesture(f"drag {next(self._drags)}", inf)
        self._dragged = event.x
        self._to(event.x - len(self._label), self._drag, True)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow a drag, from stop to stop."""
        if self._drag and event.button and event.x != self._dragged:
            self._dragged = event.x
            self._to(event.x - len(self._label), self._drag, False)

    def on_mouse_up(self) -> None:
        """End a drag."""
        self._drag = None
        self.release_mouse()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Move to the stop above."""
        event.stop()
        self._step(1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Move to the stop below."""
        event.stop()
        self._step(-1)
