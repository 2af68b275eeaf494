"""The chart of the vector in view, and what it needs computed before it is drawn."""

from functools import cached_property
from typing import Any

from attn_tui.old.tui.explore.chart_data import Needed
from attn_tui.old.tui.explore.charts import CHARTS, TABS, Drawn
from attn_tui.old.tui.explore.looking import ExploreHost
from attn_tui.old.tui.explore.panes import ExploreChart


class VectorChart:
    """Draws the chart of a screen.

    Args:
        screen: It computes what takes long.
    """

    def __init__(self, screen: ExploreHost) -> None:
        self._screen = screen
        self._data: tuple[tuple[object, ...], Any] = ((), None)

    @cached_property
    def _pane(self) -> ExploreChart:
        (pane,) = self._screen.query("ExploreChart")
        assert isinstance(pane, ExploreChart)
        return pane

    @property
    def _needed(self) -> Needed | None:
        """What the chart needs besides the answer, if anything."""
        found, view = self._screen.answer, self._screen.looked
        return CHARTS[view.chart].needed(found.question.experiment, view) if found else None

    @property
    def is_computed(self) -> bool:
        """Whether what the chart needs is what is computed now, or was last."""
        needed = self._needed
        return needed is not None and needed.key == self._screen.computing.job.question

    def draw(self) -> bool:
        """Draw the chart, unless what it needs is still to be computed; return whether it is."""
        if not (self._screen.answer and self._pane.canvas.size):
            return True
        if needed := self._needed:
            self._screen.computing.ask(needed.key, needed.work)
            job = self._screen.computing.job
            data = job.result(needed.key)
            if data is None:
                if job.state == "failed" or not self._has_data(needed):
                    self._pane.wait(job.state == "failed")
                return False
            self._data = (needed.key, data)
        if drawn := self.drawn:
            self._pane.draw(drawn)
        return True

    @property
    def drawn(self) -> Drawn | None:
        """What the chart is drawn from; what was computed for another one is not for it."""
        if (found := self._screen.answer) is None:
            return None
        data = self._data[1] if self._has_data(self._needed) else None
        n_keys, experiment = found.answer.vector.n_keys, found.question.experiment
        size, looked = self._pane.canvas.size, self._screen.looked
        alone = self._screen.narrow and not TABS[looked.tab].apart
        return Drawn(found.shown, n_keys, experiment, looked, data, *size, alone)

    def _has_data(self, needed: Needed | None) -> bool:
        """Return whether there are data for such a chart, though maybe of another question."""
        return needed is not None and self._data[0][:1] == needed.key[:1]
