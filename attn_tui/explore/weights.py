"""The picture of weights, with a cursor on one key."""

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from attn_tui.explore.bars import WeightBars
from attn_tui.ui.picture import Picture


class Weights(Picture, can_focus=True):
    """Bars of weights; arrow keys and the mouse move the cursor among the keys shown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Key above", show=False),
        Binding("down,j", "move(1)", "Key below", show=False),
        Binding("home", "end(0)", "First key", show=False),
        Binding("end", "end(-1)", "Last key", show=False),
        Binding("enter", "choose", "Gradient of this weight", show=False),
    ]

    class Pointed(Message):
        """The user moved the cursor to a key.

        Attributes:
            key: The key.
        """

        def __init__(self, key: int) -> None:
            super().__init__()
            self.key = key

    class Chosen(Message):
        """The user chose the gradient of the weight of the key under the cursor."""

    def action_choose(self) -> None:
        """Show the gradient of this weight."""
        self.post_message(self.Chosen())

    def action_move(self, steps: int) -> None:
        """Move the cursor to a key above or below."""
        if isinstance(self.drawing, WeightBars):
            self.post_message(self.Pointed(self.drawing.neighbour(steps)))

    def action_end(self, place: int) -> None:
        """Move the cursor to the first or the last key shown."""
        if isinstance(self.drawing, WeightBars):
            keys = self.drawing.keys(self.content_size.height)
            self.post_message(self.Pointed(int(keys[place])))

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the key under the mouse; on a double click, show its gradient."""
        offset = event.get_content_offset(self)
        if offset is None or not isinstance(self.drawing, WeightBars):
            return
        key = self.drawing.key_at(offset.y, self.content_size.height)
        if key is not None:
            self.post_message(self.Pointed(key))
            if event.chain == 2:
                self.post_message(self.Chosen())
