"""What the panes of the screen of Attention are given to show."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.attention.answer import Answer, compare
from attn_tui.compute.attention.head import is_drawn
from attn_tui.old.tui import scene
from attn_tui.old.tui.attention.view import View
from attn_tui.report.attention.headline import headline, typical_factor
from attn_tui.report.headline import Headline


@dataclass(frozen=True, eq=False)
class Scene(scene.Scene):
    """What Attention shows.

    Attributes:
        view: What is looked at.
        answer: The best there is, which may be older than what is asked; None before all.
        late: Whether it is older, and will be for a while.
    """

    answer: Answer | None
    view: View
    late: bool

    @property
    def is_unread(self) -> bool:
        """Whether it is about the last scores that could be read, which a drawn head has not."""
        return self.asked.error is not None and not is_drawn(self.asked.experiment)

    @property
    def is_old(self) -> bool:
        """Whether what is shown is not the answer to what is asked, and fades."""
        return self.is_unread or self.late

    @cached_property
    def shown(self) -> Answer | None:
        """The answer, beside the one that is pinned where they are of one size."""
        pinned, answer = self.view.pinned, self.answer
        return (compare(pinned, answer) if pinned and answer else None) or answer

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The rows of the map, from the top down: by position also those that are to come."""
        assert self.answer
        if self.view.sort == "position":
            return np.arange(self.answer.n_queries)
        return self.listed

    @cached_property
    def listed(self) -> NDArray[np.intp]:
        """The rows that are known, from the top down."""
        assert self.shown
        rows = self.shown.rows
        if self.view.sort == "position":
            return rows
        return rows[np.argsort(self.shown.scaled.entropy[rows], kind="stable")]

    @cached_property
    def cursor(self) -> tuple[int, int]:
        """The query and the key that the cursor is on, among those that are known."""
        assert self.answer
        rows, view = self.listed, self.view
        query = int(rows.max() if view.query is None else rows[np.abs(rows - view.query).argmin()])
        if view.key is None:
            return query, int(self.answer.unscaled.key[query])
        # Rows that are typed need not be of one length.
        return query, min(view.key, int(self.answer.lengths[query]) - 1)

    @cached_property
    def headline(self) -> Headline | None:
        """How many keys a query shares its weight among, on either side."""
        return headline(self.shown) if self.shown else None

    def offers(self, name: str) -> bool:
        """Return whether there is something to look at in a tab: no output is without a V."""
        return name != "output" or (self.answer is not None and self.answer.has_values)

    @property
    def sign(self) -> int:
        """What dividing typically does to the gradient."""
        if self.answer is None:
            return 0
        factor = typical_factor(self.answer)
        return 0 if not factor.known or factor.stays else 1 if factor.log > 0.0 else -1
