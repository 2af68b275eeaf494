"""What the panes of the Explore screen are given to show."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from attn_tui.files.draft import EXAMPLE
from attn_tui.files.examples import example_of
from attn_tui.old.tui import scene
from attn_tui.old.tui.explore import table_rows
from attn_tui.old.tui.explore.charts import TABS
from attn_tui.old.tui.explore.found import Found, headline_of
from attn_tui.old.tui.explore.order import Keys, Order
from attn_tui.old.tui.explore.view import View
from attn_tui.report.headline import Factor, Headline
from attn_tui.report.rows import Row

LEAST_CHART = 8
"""Lines from which on a chart stands below a narrow table."""

LEAST_APART = 4
"""Lines of keys from which on the cursor's key may stand apart below the first ones."""


@dataclass(frozen=True, eq=False)
class Scene(scene.Scene):
    """What Explore shows.

    Attributes:
        view: How the vector is looked at whose answer is there.
        answer: What there is to show, which may be older than what is asked; None before all.
        taken: Lines that all but the table and the chart take.
        typical: What the scale does to the median gradient of such draws, once it is known.
        editing: Whether the editor has the keys.
        late: Whether the answer is that to an older question, and will be for a while.
    """

    answer: Found | None
    view: View
    taken: int
    typical: Factor | None
    editing: bool
    late: bool

    @property
    def is_unread(self) -> bool:
        """Whether what is shown is about the last scores that could be read."""
        return self.asked.error is not None

    @property
    def is_old(self) -> bool:
        """Whether what is shown is not the answer to what is asked, and fades."""
        return self.is_unread or self.late

    @property
    def n_vectors(self) -> int:
        """How many vectors there are."""
        return len(self.asked.experiment.vectors)

    @property
    def ranked(self) -> bool:
        """Whether the largest weights stand first: as is chosen, or where not all are in sight."""
        assert self.answer
        sort = self.answer.question.sort
        few = self.answer.shown.vector.n_keys <= self.lines
        return sort == "weight" or (sort == "auto" and not few)

    @cached_property
    def order(self) -> Order:
        """The order keys are listed in."""
        assert self.answer
        return self.answer.order if self.ranked else Order(self.answer.shown.vector.n_keys)

    def scrolled(self) -> "Scene":
        """Return the scene with the cursor's key in sight."""
        if self.answer is None:
            return self
        view, lines = replace(self.view, ranked=self.ranked), self.lines
        if view.ranked and not (self.view.ranked or self.editing):
            view = replace(view, top=0)
        place = self.order.place(view.key)
        if not view.follows and lines >= LEAST_APART and place >= lines:
            view = view if view.top <= place < view.top + lines else replace(view, top=0)
        else:
            view = view.scrolled(place, lines, self.order.n_keys)
        return replace(self, view=view)

    @property
    def keys(self) -> tuple[Keys, int]:
        """The keys that are in sight, and how many are left out before the last of them."""
        view, lines, order = self.view, self.lines, self.order
        place = order.place(view.key)
        if view.top <= place < view.top + lines:
            return order.between(view.top, view.top + lines), 0
        first = order.between(0, lines - 2)
        return np.append(first, view.key), place - first.size

    @property
    def shows_table(self) -> bool:
        """Whether the table is in sight."""
        return not self.narrow or TABS[self.view.tab].apart

    @property
    def shows_chart(self) -> bool:
        """Whether the chart is in sight."""
        if not (self.narrow and self.shows_table):
            return True
        # Few keys leave room for it below them.
        has_room = self.answer and self._room - self.answer.shown.vector.n_keys >= LEAST_CHART
        return bool(has_room) and not self.view.full

    @property
    def half(self) -> str:
        """The half of the table that a narrow screen shows; nothing where both are shown."""
        return "" if not self.narrow else self.view.tab if self.shows_table else "weights"

    @property
    def headline(self) -> Headline | None:
        """Who has the weight on either side, and what becomes of the gradient."""
        return headline_of(self.answer, self.typical) if self.answer else None

    @property
    def hint(self) -> str:
        """What to look at, of an example; of the one at the start the headline says all."""
        example = None if self.view.pinned else example_of(self.asked.draft)
        return example.look if example and example.draft != EXAMPLE else ""

    @cached_property
    def statistics(self) -> Sequence[Row]:
        """The lines below the table."""
        assert self.answer
        if self.view.full or self._is_low:
            return ()
        shown = self.answer.shown
        if not self.narrow:
            in_sight = self.ranked and not self.view.top and not shown.compared
            in_sight = in_sight or shown.vector.n_keys <= self.lines
            said = table_rows.statistics(shown, self.width, False, in_sight)
            return [table_rows.statistics_row(said)]
        of_gradient = self.half == "gradient"
        rows = table_rows.gradient_statistics(shown) if of_gradient else (
            table_rows.statistics(shown, self.width, True)
        )  # fmt: skip
        return [table_rows.statistics_row((row,)) for row in rows]

    @property
    def around(self) -> int:
        """Lines of the table that are no keys: heads and statistics."""
        heads = 2 if not self.narrow else 1
        if self.view.full or self._is_low:
            return heads
        return heads + (1 if not self.narrow else 3 if self.half == "gradient" else 2)

    @property
    def _is_low(self) -> bool:
        """Whether a key is in sight only where the statistics are not."""
        return self.narrow and self.height - self.taken < 6

    @property
    def lines(self) -> int:
        """How many keys are in sight."""
        assert self.answer
        # No line above a chart is needed where there is none.
        most = self._room + (not self.shows_chart) if self.narrow else self._room // 2
        return min(self.answer.shown.vector.n_keys, max(most, 1))

    @property
    def _room(self) -> int:
        """Lines for keys and the chart."""
        return self.height - self.taken - 1 - self.around

    @property
    def tall(self) -> int:
        """How many lines a key takes: in the full picture bars are as thick as fits."""
        has_bars = self.view.full and self.half == "weights"
        return max(self._room // self.lines, 1) if has_bars else 1
