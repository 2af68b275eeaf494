"""The pane of weights: their picture with a cursor on one key, and where the largest of all is."""

from dataclasses import dataclass
from typing import ClassVar

from textual import events, work
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.worker import get_current_worker

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import LargestWeight, VectorAnswer, largest_weight
from attn_tui.compute.numbers import fine_percent, quantity
from attn_tui.explore.bars import WeightBars
from attn_tui.explore.views import both
from attn_tui.ui.action import moves
from attn_tui.ui.picture import PicturePane

LARGEST = "largest of all, scaled: {share} on key {key} of vector {vector}"
"""Where the largest weight of all vectors is, below the weights of one of them."""

BRIEFLY = "vector {vector} has the largest, {share} on key {key}"
"""The same where there is less room; with the least, which vector it is."""

HIDDEN = "key {key} is masked: del shows it"
"""What is said where the cursor is on a key that the mask hides."""


class WeightsPane(PicturePane, can_focus=True):
    """Bars of the weights of one vector, and a line on how many keys share them.

    Arrow keys and the mouse move the cursor among the keys shown.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *moves(
            up=("move(-1)", "Key above"),
            down=("move(1)", "Key below"),
            first=("end(0)", "First key"),
            last=("end(-1)", "Last key"),
        ),
        Binding("enter", "choose", "Gradient of this weight", show=False, id="choose"),
    ]

    @dataclass
    class Pointed(Message):
        """The user moved the cursor to a key.

        Attributes:
            key: The key.
        """

        key: int

    class Chosen(Message):
        """The user chose the gradient of the weight of the key under the cursor."""

    def __init__(self) -> None:
        super().__init__("Weights p", id="weights-pane")
        self._among = self._sink = self._hidden = ""
        self._experiment: Experiment | None = None
        self._place: LargestWeight | None = None

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

    def show(self, vector: VectorAnswer, experiment: Experiment, trouble: str, cursor: int) -> None:
        """Say how many keys share the weight of a vector, or what the trouble is.

        If the mask hides the cursor's key, the line says which key that is.

        If the question has several vectors, the largest weight of all is found in a thread.
        """
        sides = vector.sides
        counts = both(*(quantity(side.effective_keys) for side in sides))
        among = f"{vector.vector.n_attended:,}"
        self._sink = ""
        if any(side.map.sink is not None for side in sides):
            shares = both(*(fine_percent(side.sink_weight) for side in sides))
            among, self._sink = f"{among} and the sink", f"the sink {shares}"
        self._among = trouble or f"effective keys {counts} of {among}"
        is_hidden = experiment.setup.mask.hides(cursor)
        self._hidden = HIDDEN.format(key=f"{cursor:,}") if is_hidden else ""
        if experiment is not self._experiment:
            self._experiment, self._place = experiment, None
            self.workers.cancel_group(self, "largest")
            if len(experiment.vectors) > 1:
                self._find_largest(experiment)
        self._describe()

    # Without a description, Textual writes down all numbers of the arguments.
    @work(thread=True, exclusive=True, group="largest", exit_on_error=False, description="")
    def _find_largest(self, experiment: Experiment) -> None:
        worker = get_current_worker()
        place = largest_weight(experiment, lambda: worker.is_cancelled)
        if not worker.is_cancelled:
            self.app.call_from_thread(self._take, experiment, place)

    def _take(self, experiment: Experiment, place: LargestWeight | None) -> None:
        if experiment is self._experiment:
            self._place = place
            self._describe()

    def _describe(self) -> None:
        place, largest, briefly = self._place, "", ""
        if place is not None:
            slots = {
                "share": fine_percent(place.weight, place.log_weight), "key": f"{place.key:,}",
                "vector": f"{place.index + 1:,}",
            }  # fmt: skip
            largest, briefly = (text.format(**slots) for text in (LARGEST, BRIEFLY))
        title = f"Weights p{self._shown()}"
        short = "" if self._hidden else briefly
        self.describe(title, self._among, self._sink, largest, self._hidden, short=short)

    def _shown(self) -> str:
        """Return how many of the keys have room, unless all have."""
        if not isinstance(self.drawing, WeightBars) or not self.content_size.height:
            return ""
        n_keys = self.drawing.answer.vector.n_keys
        count = self.drawing.count(self.content_size.height)
        return f": {count:,} of {n_keys:,} keys" if count < n_keys else ""

    def on_resize(self) -> None:
        """Say how many keys the new size shows."""
        if self._among:
            self._describe()
