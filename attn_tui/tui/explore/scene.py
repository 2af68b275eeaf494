"""What the panes of the Explore screen are given to show."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from attn_tui.charts.rows import Row
from attn_tui.report.headline import Factor, Headline
from attn_tui.tui import scene
from attn_tui.tui.explore import table_rows
from attn_tui.tui.explore.charts import TABS
from attn_tui.tui.explore.found import Found, headline_of
from attn_tui.tui.explore.view import View

ROOMY = 100
"""Columns from which labels are spelled out."""


@dataclass(frozen=True, eq=False)
class Scene(scene.Scene):
    """What Explore shows.

    Attributes:
        view: How the vector is looked at whose answer is there.
        answer: What there is to show, which may be older than what is asked; None before all.
        taken: Lines that all but the table and the chart take.
        typical: What the scale does to the median gradient of such draws, once it is known.
        editing: Whether the editor has the keys.
    """

    answer: Found | None
    view: View
    taken: int
    typical: Factor | None
    editing: bool

    @property
    def n_vectors(self) -> int:
        """How many vectors there are."""
        return len(self.asked.experiment.vectors)

    def scrolled(self) -> "Scene":
        """Return the scene with the cursor's key in sight, and keys in the order that was found."""
        if (found := self.answer) is None:
            return self
        place = found.order.place(self.view.key)
        view = self.view.scrolled(place, self.lines, found.shown.vector.n_keys)
        return replace(self, view=replace(view, sort=found.question.sort))

    @property
    def shows_table(self) -> bool:
        """Whether the table is in sight."""
        return not self.narrow or TABS[self.view.tab].apart

    @property
    def half(self) -> str:
        """The half of the table that a narrow screen shows; nothing where both are shown."""
        return "" if not self.narrow else self.view.tab if self.shows_table else "weights"

    @property
    def headline(self) -> Headline | None:
        """Who has the weight on either side, and what becomes of the gradient."""
        return headline_of(self.answer, self.typical) if self.answer else None

    @cached_property
    def statistics(self) -> Sequence[Row]:
        """The lines below the table."""
        assert self.answer
        shown = self.answer.shown
        if not self.narrow:
            return [table_rows.statistics_row(table_rows.statistics(shown, self.width, False))]
        of_gradient = self.half == "gradient"
        rows = table_rows.gradient_statistics(shown) if of_gradient else (
            table_rows.statistics(shown, self.width, True)
        )  # fmt: skip
        return [table_rows.statistics_row((row,)) for row in rows]

    @property
    def around(self) -> int:
        """Lines of the table that are no keys."""
        return len(self.statistics) + (2 if not self.narrow else 1)

    @property
    def lines(self) -> int:
        """How many keys are in sight."""
        assert self.answer
        room = self.height - self.taken - 1 - self.around
        most = room if self.narrow else room // 2
        return min(self.answer.shown.vector.n_keys, max(most, 1))
