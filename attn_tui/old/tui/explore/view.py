"""What is looked at on the Explore screen; kept apart from what is asked, and not undone."""

from dataclasses import dataclass, replace

from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.old.charts.sides import Quantity
from attn_tui.old.tui import view
from attn_tui.old.tui.explore.order import Sort


@dataclass(frozen=True)
class View(view.View):
    """A way of looking.

    Attributes:
        vector: Which vector is shown, from 0.
        key: The key the cursor is on.
        pointed: Whether it was put there; otherwise it is on the key of the largest weight.
        other: The second key of the Jacobian's cursor: the entry is ∂p_key/∂s_other.
        component: The first component of q and k that their table shows.
        line: The first line of the precision lab, where there is no room for all.
        anchor: The other end of a range of keys whose one end is the cursor, or None.
        top: How many keys of the order stand above the table's first line.
        sort: What keys are to be listed by.
        ranked: Whether the largest stood first when they were listed last.
        follows: Whether the list is scrolled to the cursor, which went there by itself; otherwise
            a cursor's key far down stands below the first ones.
        quantity: What the chart over d_k shows where there is room for one thing.
        zoomed: Whether a Jacobian too large for its map is seen around the cursor, not as a whole.
        anew: Whether the list begins at its top once there is the answer that was asked for.
        first: Which vector is seen of other scores that come.
        pinned: The answer that the present one is compared with, or None.
        pin: What was asked when it was pinned, in a few words.
    """

    tab: str = "weights"
    chart: str = "over_d_k"
    vector: int = 0
    key: int = 0
    pointed: bool = False
    other: int = 0
    component: int = 0
    line: int = 0
    anchor: int | None = None
    top: int = 0
    sort: Sort = "auto"
    ranked: bool = False
    follows: bool = False
    quantity: Quantity = "weights"
    zoomed: bool = False
    anew: bool = False
    first: int = 0
    pinned: VectorAnswer | None = None
    pin: str = ""

    def at(self, vector: int) -> "View":
        """Return the view of another vector, from the top of its keys on."""
        return replace(
            self, vector=vector, key=0, pointed=False, other=0, top=0, anchor=None, ranked=False,
            anew=True,
        )  # fmt: skip

    def pointing(self, key: int) -> "View":
        """Return the view with the cursor on a key, where it stays."""
        return replace(self, key=key, pointed=True)

    def held(self, n_vectors: int, n_keys: int, leader: int) -> "View":
        """Return the view with its places inside a text of so many vectors and keys.

        Args:
            n_vectors: How many there are.
            n_keys: How many the vector in view has.
            leader: Which has the largest weight, and the cursor, unless that was put elsewhere.
        """
        anchor = None if self.anchor is None else min(self.anchor, n_keys - 1)
        return replace(
            self,
            vector=min(self.vector, n_vectors - 1),
            key=min(self.key, n_keys - 1) if self.pointed else leader,
            other=min(self.other, n_keys - 1) if self.pointed else leader,
            anchor=anchor,
        )

    def scrolled(self, place: int, height: int, n_keys: int) -> "View":
        """Return the view scrolled so that a place in the order is among ``height`` lines."""
        top = min(max(self.top, place - height + 1), place)
        return replace(self, top=max(min(top, n_keys - height), 0))

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last key of the range that is selected; the cursor's key if none is."""
        ends = (self.key, self.key if self.anchor is None else self.anchor)
        return min(ends), max(ends)
