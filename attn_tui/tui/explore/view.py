"""What is looked at on the Explore screen; kept apart from what is asked, and not undone."""

from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.jacobian import Side
from attn_tui.charts.over_d_k import Quantity

QUANTITIES: tuple[Quantity, ...] = get_args(Quantity)
TABLES = {"weights": "Weights", "gradient": "Gradient"}
CHARTS = {"bars": "Chart of weights", "jacobian": "Jacobian", "over_d_k": "Over d_k"}
SHORT = {"bars": "Chart", "jacobian": "J", "over_d_k": "d_k"}


@dataclass(frozen=True)
class View:
    """A way of looking.

    Attributes:
        vector: Which vector is shown, from 0.
        key: The key the cursor is on.
        other: The second key of the Jacobian's cursor: the entry is ∂p_key/∂s_other.
        top: How many keys of the order stand above the table's first line.
        by_score: Whether the largest score comes first.
        table: The half of the table a narrow screen shows.
        chart: The chart that is shown.
        shows_chart: Whether a narrow screen shows the chart rather than the table.
        quantity: What the chart over d_k shows where there is room for one thing.
        side: Which Jacobian is shown where there is room for one.
        log: Whether charts are logarithmic.
        ascii: Whether bars and charts keep to ASCII.
    """

    vector: int = 0
    key: int = 0
    other: int = 0
    top: int = 0
    by_score: bool = False
    table: str = "weights"
    chart: str = "bars"
    shows_chart: bool = False
    quantity: Quantity = "weights"
    side: Side = "scaled"
    log: bool = False
    ascii: bool = False

    def next_tab(self, narrow: bool) -> "View":
        """Return the view of the next tab: tables and charts in turn, or charts alone if wide."""
        places = [*TABLES, *CHARTS] if narrow else [*CHARTS]
        here = self.chart if self.shows_chart or not narrow else self.table
        return self.tab(places[(places.index(here) + 1) % len(places)])

    def tab(self, name: str) -> "View":
        """Return the view of a tab by its name."""
        if name in CHARTS:
            return replace(self, chart=name, shows_chart=True)
        return replace(self, table=name, shows_chart=False)

    def next_quantity(self, steps: int) -> "View":
        """Return the view of the next quantity over d_k, or of one further on."""
        present = QUANTITIES.index(self.quantity)
        return replace(self, quantity=QUANTITIES[(present + steps) % len(QUANTITIES)])

    def other_side(self) -> "View":
        """Return the view of the other Jacobian."""
        return replace(self, side="unscaled" if self.side == "scaled" else "scaled")

    def at(self, vector: int) -> "View":
        """Return the view of another vector, from its first key on."""
        return replace(self, vector=vector, key=0, other=0, top=0)

    def held(self, n_vectors: int, n_keys: int) -> "View":
        """Return the view with its places inside a text of so many vectors and keys."""
        return replace(
            self,
            vector=min(self.vector, n_vectors - 1),
            key=min(self.key, n_keys - 1),
            other=min(self.other, n_keys - 1),
        )

    def scrolled(self, place: int, height: int, n_keys: int) -> "View":
        """Return the view scrolled so that a place in the order is among ``height`` lines."""
        top = min(max(self.top, place - height + 1), place)
        return replace(self, top=max(min(top, n_keys - height), 0))


def ordered(scores: NDArray[np.float64], by_score: bool) -> NDArray[np.intp]:
    """Return the keys in the order they are listed; equal scores keep their order."""
    if by_score:
        return np.argsort(-scores, kind="stable")
    return np.arange(scores.size)
