"""The pane of the Jacobian: both sides as large maps with one cursor, its entry stated below."""

from dataclasses import dataclass

import numpy as np
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Label

from attn_tui.charts.glyphs import LESS, MORE
from attn_tui.compute.arrays import largest
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.scale import SYMBOL
from attn_tui.explore.gradient import Jacobians
from attn_tui.report.report import SIDES
from attn_tui.ui.heat_map import HeatMap
from attn_tui.ui.pane import Pane

MOST_KEYS = 128
"""The most keys whose Jacobian is shown."""


class JacobianPane(Pane):
    """A pane with both Jacobians of a vector."""

    @dataclass
    class Chosen(Message):
        """The user chose the gradient of the weight of the cursor's row.

        Attributes:
            key: The key of that weight.
        """

        key: int

    def __init__(self) -> None:
        super().__init__("Jacobian", id="jacobian", classes="wide")
        self._jacobians: Jacobians | None = None
        self._cursor: tuple[int, int] | None = None
        """The row and the column chosen by the user; None to use ``_start``."""
        self._start = (0, 0)
        """The keys of the weight and the score to begin with."""

    def compose(self) -> ComposeResult:
        """Lay out a map for each side below a line with its scale, and a line for the entry."""
        with Horizontal():
            for side in SIDES:
                with Vertical():
                    yield Label("", id=f"head-of-{side}")
                    yield HeatMap(id=f"jacobian-{side}")
        yield Label("", id="entry")

    def show(self, vector: VectorAnswer, key: int) -> None:
        """Show the Jacobians of a vector, with the cursor on a key unless the user moved it."""
        if self._jacobians is None or self._jacobians.answer is not vector:
            n_keys = vector.vector.n_keys
            is_part = n_keys > MOST_KEYS
            # The table beside it begins with the same keys.
            keys = largest(vector.scaled.ranking(), MOST_KEYS) if is_part else np.arange(n_keys)
            self._jacobians = Jacobians(vector, keys)
        self._start = vector.of, key
        self._draw()

    @on(HeatMap.Sized)
    def _draw(self) -> None:
        """Draw both maps, and note if cells stand for several entries at this size."""
        jacobians = self._jacobians
        if jacobians is None or not self.display:
            return
        vector, n_keys = jacobians.answer, len(jacobians.keys)
        row, column = self._place()
        for place, side in enumerate(SIDES):
            label = self.query_one(f"#head-of-{side}", Label)
            heads = jacobians.heads(place)
            head = next((text for text in heads if len(text) <= label.size.width), "")
            label.update(f"[${side}]{head}[/]", layout=False)
            picture = self.query_one(f"#jacobian-{side}", HeatMap)
            picture.drawing = jacobians.heat_map(place, (row, column))
            hidden = "each the largest of several" if picture.hides else ""
        self._say(row, column)
        signs = "rises", "falls"
        if self.app.has_class("-textures"):
            signs = f"{MORE[-1]} rises", f"{LESS[-1]} falls"
        symbol = SYMBOL[vector.wrt]
        legend = f"row i: p_i [$larger]{signs[0]}[/] or [$smaller]{signs[1]}[/] with {symbol}_j"
        brief = f"p_i [$larger]{signs[0]}[/] or [$smaller]{signs[1]}[/]"
        is_part = n_keys < vector.vector.n_keys
        among = f"the {n_keys:,} keys with the largest weights" if is_part else ""
        self.describe(
            f"Jacobian ∂p_i/∂{symbol}_j",
            among,
            legend,
            hidden,
            short=hidden.removeprefix("each the ") or brief,
        )

    @on(HeatMap.Hovered)
    def _hover(self, event: HeatMap.Hovered) -> None:
        """State the entry under the mouse, or the cursor's once it has left the maps."""
        if self._jacobians is not None:
            self._say(*self._within(event.place or self._place()))

    def _place(self) -> tuple[int, int]:
        """Return the row and the column of the cursor; the first for keys that are not shown."""
        assert self._jacobians
        if self._cursor is not None:
            return self._within(self._cursor)
        row, column = (int((self._jacobians.keys == key).argmax()) for key in self._start)
        return row, column

    def _within(self, place: tuple[int, int]) -> tuple[int, int]:
        """Return a row and a column, or the nearest that the present Jacobians have."""
        assert self._jacobians
        last = len(self._jacobians.keys) - 1
        return min(place[0], last), min(place[1], last)

    def _say(self, row: int, column: int) -> None:
        assert self._jacobians
        self.query_one("#entry", Label).update(self._jacobians.entry(row, column), layout=False)

    @on(HeatMap.Moved)
    def _move(self, event: HeatMap.Moved) -> None:
        self._cursor = event.place
        self._draw()

    @on(HeatMap.Chosen)
    def _choose(self) -> None:
        if self._cursor is not None and self._jacobians is not None:
            row, _ = self._place()
            self.post_message(self.Chosen(int(self._jacobians.keys[row])))
