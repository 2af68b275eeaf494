"""Ways of looking at a vector: which, its keys and their order, a comparison."""

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.whole import parse_whole
from attn_tui.tui import looking
from attn_tui.tui.explore.answering import Answering
from attn_tui.tui.explore.charts import CHARTS, offered
from attn_tui.tui.explore.drawing import pin_text
from attn_tui.tui.explore.found import Found
from attn_tui.tui.explore.order import Sort
from attn_tui.tui.explore.scene import Scene
from attn_tui.tui.explore.view import View
from attn_tui.tui.full import FullHost, FullPicture
from attn_tui.tui.parts import Host
from attn_tui.tui.state import Asked
from attn_tui.tui.widgets.entry import Request

if TYPE_CHECKING:
    from attn_tui.tui.explore.charting import VectorChart


class ExploreHost(Host, Protocol):
    """A screen that shows a vector."""

    @property
    def found(self) -> Found | None:
        """What there is to show, which may be older than what is asked."""

    @property
    def looked(self) -> View:
        """The view of the vector whose answer is there."""

    @property
    def vector_chart(self) -> "VectorChart":
        """What the chart is drawn from."""

    @property
    def view(self) -> View:
        """What is looked at."""

    def scene(self, asked: Asked) -> Scene:
        """Return what panes are to show."""


class Looking(looking.Looking[ExploreHost]):
    """What changes the view and asks nothing."""

    def can(self, verb: str) -> bool:
        """Leave the key of a selection to what plays, where something does."""
        return super().can(verb) and not (verb == "anchor" and self._screen.view.full)

    def offers(self, name: str) -> bool:
        """Return whether there is something to look at: not every source has vectors."""
        asked = self._screen.asked
        return asked is None or offered(name, asked.experiment)

    def next_vector(self) -> None:
        """Show the next vector."""
        screen = self._screen
        if screen.asked:
            following = (screen.view.vector + 1) % len(screen.asked.experiment.vectors)
            screen.look(screen.view.at(following))

    def sort(self, by: Sort | None = None) -> None:
        """List keys by weight, from the largest on, or else by position; the list begins anew."""
        view = self._screen.view
        sort: Sort = by or ("position" if view.ranked else "weight")
        self._screen.look(replace(view, sort=sort, top=0, follows=False))

    def go_to_key(self) -> None:
        """Go to a key by its number."""
        if self._screen.found:
            last = self._screen.found.answer.vector.n_keys - 1

            def read(text: str) -> int:
                key = parse_whole("key", text)
                if not 0 <= key <= last:
                    raise InputError("key", f"{inert(text)} will not do", f"0 to {last:,}")
                return key

            request = Request("key", str(self._screen.view.key), read, self.point)
            self._screen.choosing.request(request)

    def point(self, key: int, other: int | None = None) -> None:
        """Put the cursor on a key, and on another one whose score is changed."""
        view = self._screen.view
        other = view.other if other is None else other
        # By position it is seen among its neighbours.
        self._screen.look(replace(view, key=key, other=other, follows=not view.ranked))

    def move(self, keys: int) -> None:
        """Move the cursor by so many keys of the list, which follows it."""
        screen = self._screen
        if screen.found and screen.asked:
            order = screen.scene(screen.asked).order
            key = order.key(order.place(screen.view.key) + keys)
            screen.look(replace(screen.view, key=key, follows=True))

    def anchor(self) -> None:
        """Begin to select a range of keys at the cursor, or give it up."""
        view = self._screen.view
        self._screen.look(replace(view, anchor=view.key if view.anchor is None else None))

    def arrow(self, dx: int, dy: int) -> None:
        """Do what an arrow does in the chart."""
        if drawn := self._screen.vector_chart.drawn:
            self._screen.look(CHARTS[drawn.view.chart].moved(drawn, dx, dy))

    def pin(self) -> None:
        """Pin the present answer, or let go of the one that is pinned."""
        view, found = self._screen.view, self._screen.found
        if view.pinned or found is None:
            self._screen.look(replace(view, pinned=None, pin=""))
        else:
            pin = pin_text(found.answer, found.question.experiment)
            self._screen.look(replace(view, pinned=found.answer, pin=pin))


class ExploreFullHost(FullHost, Protocol):
    """A screen that shows a vector, and can show one picture alone."""

    answering: Answering


class ExploreFull(FullPicture[ExploreFullHost]):
    """The weights or a chart alone."""

    @property
    def is_drawn(self) -> bool:
        """Whether the answer is to what is asked, and drawn."""
        return super().is_drawn and not self._screen.answering.is_old
