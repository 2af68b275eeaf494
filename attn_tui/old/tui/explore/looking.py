"""Ways of looking at a vector: which, its keys and their order, a comparison."""

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from attn_tui.old.tui import looking
from attn_tui.old.tui.explore.answering import Answering
from attn_tui.old.tui.explore.charts import CHARTS, offered
from attn_tui.old.tui.explore.drawing import pin_text
from attn_tui.old.tui.explore.order import Sort
from attn_tui.old.tui.explore.view import View
from attn_tui.old.tui.full import FullPicture
from attn_tui.old.tui.parts import Host

if TYPE_CHECKING:
    from attn_tui.old.tui.explore.charting import VectorChart


class ExploreHost(Host, Protocol):
    """A screen that shows a vector.

    Attributes:
        answering: Answers about it.
    """

    answering: Answering

    @property
    def looked(self) -> View:
        """The view of the vector whose answer is there."""

    @property
    def vector_chart(self) -> "VectorChart":
        """What the chart is drawn from."""


class Looking(looking.Looking[ExploreHost]):
    """What changes the view and asks nothing."""

    def offers(self, name: str) -> bool:
        """Return whether there is something to look at: not every source has vectors."""
        asked = self._screen.asked
        return asked is None or offered(name, asked.experiment)

    def next_vector(self, by: int = 1) -> None:
        """Show the next vector, or the one before."""
        screen = self._screen
        if screen.asked:
            following = (screen.view.vector + by) % len(screen.asked.experiment.vectors)
            screen.look(screen.view.at(following))

    def sort(self, by: Sort | None = None) -> None:
        """List keys by weight, from the largest on, or else by position; the list begins anew."""
        view = self._screen.view
        sort: Sort = by or ("position" if view.ranked else "weight")
        # The largest come with the cursor on the first of them.
        pointed = view.pointed and sort == "position"
        self._screen.look(replace(view, sort=sort, top=0, follows=False, pointed=pointed))

    def point(self, key: int, other: int | None = None) -> None:
        """Put the cursor on a key, and on another one whose score is changed."""
        view = self._screen.view
        other = view.other if other is None else other
        # By position it is seen among its neighbours.
        view = replace(view.pointing(key), other=other, follows=not view.ranked)
        self._screen.look(view)

    def move(self, keys: int, anchor: int | None = None) -> None:
        """Move the cursor by so many keys of the list, which follows it.

        Args:
            keys: How many down.
            anchor: The other end of what is selected, or None.
        """
        screen = self._screen
        if screen.answer and screen.asked:
            order = screen.scene(screen.asked).order
            key = order.key(order.place(screen.view.key) + keys)
            screen.look(replace(screen.view.pointing(key), anchor=anchor, follows=True))

    def select(self, keys: int) -> None:
        """Move the cursor, and select what it goes over."""
        view = self._screen.view
        self.move(keys, view.key if view.anchor is None else view.anchor)

    def arrow(self, dx: int, dy: int) -> None:
        """Do what an arrow does in the chart."""
        if drawn := self._screen.vector_chart.drawn:
            self._screen.look(CHARTS[drawn.view.chart].moved(drawn, dx, dy))

    def pin(self) -> None:
        """Pin the present answer, or let go of the one that is pinned."""
        view, found = self._screen.view, self._screen.answer
        if view.pinned or found is None:
            self._screen.look(replace(view, pinned=None, pin=""))
        else:
            pin = pin_text(found.answer, found.question.experiment)
            self._screen.look(replace(view, pinned=found.answer, pin=pin))


class ExploreFull(FullPicture[ExploreHost]):
    """The weights or a chart alone."""

    @property
    def is_drawn(self) -> bool:
        """Whether the answer is to what is asked, and drawn."""
        return super().is_drawn and not self._screen.answering.is_old
