"""The picture of weights, with a cursor on one key."""

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from attn_tui.explore.bars import WeightBars
from attn_tui.ui.picture import Picture


class Weights(Picture, can_focus=True):
    """Bars of weights; arrows and the mouse move the cursor among the keys that are shown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Key above", show=False),
        Binding("down,j", "move(1)", "Key below", show=False),
        Binding("home", "end(0)", "First key", show=False),
        Binding("end", "end(-1)", "Last key", show=False),
        Binding("enter", "choose", "Gradient of this weight", show=False),
    ]

    class Pointed(Message):
        """Somebody points at a key.

        Attributes:
            key: Which.
        """

        def __init__(self, key: int) -> None:
            super().__init__()
            self.key = key

    class Chosen(Message):
        """Somebody wants the gradient of the weight of the key under the cursor."""

    def action_choose(self) -> None:
        """Show the gradient of this weight."""
        self.post_message(self.Chosen())

    def action_move(self, steps: int) -> None:
        """Go to the key above or below."""
        if isinstance(self.drawing, WeightBars):
            self.post_message(self.Pointed(self.drawing.neighbour(steps)))

    def action_end(self, place: int) -> None:
        """Go to the first or the last key that is shown."""
        if isinstance(self.drawing, WeightBars):
            keys = self.drawing.keys(self.content_size.height)
            self.post_message(self.Pointed(int(keys[place])))

    def on_click(self, event: events.Click) -> None:
        """Go to the key under the mouse; twice, show the gradient of its weight."""
        offset = event.get_content_offset(self)
        if offset is None or not isinstance(self.drawing, WeightBars):
            return
        key = self.drawing.key_at(offset.y, self.content_size.height)
        if key is not None:
            self.post_message(self.Pointed(key))
            if event.chain == 2:
                self.post_message(self.Chosen())
