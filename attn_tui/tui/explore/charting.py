"""The chart of the vector in view, and what it needs computed before it is drawn."""

from typing import Any

from attn_tui.tui.explore.chart_data import Needed
from attn_tui.tui.explore.charts import CHARTS, Drawn
from attn_tui.tui.explore.found import Found
from attn_tui.tui.explore.panes import ExploreChart
from attn_tui.tui.explore.view import View
from attn_tui.tui.parts import Host


class VectorChart:
    """Draws the chart of a screen.

    Args:
        screen: It computes what takes long.
    """

    def __init__(self, screen: Host) -> None:
        self._screen = screen
        self._data: tuple[object, Any] = (None, None)

    @property
    def _pane(self) -> ExploreChart:
        (pane,) = self._screen.query("ExploreChart")
        assert isinstance(pane, ExploreChart)
        return pane

    def needed(self, found: Found | None, view: View) -> Needed | None:
        """Return what a chart needs besides the answer, if anything."""
        return CHARTS[view.chart].needed(found.question.experiment, view) if found else None

    def draw(self, found: Found, view: View) -> bool:
        """Draw the chart, unless what it needs is still to be computed; return whether it is."""
        if not self._pane.canvas.size:
            return True
        if needed := self.needed(found, view):
            self._screen.computing.ask(needed.key, needed.work)
            job = self._screen.computing.job
            data = job.result(needed.key)
            if data is None:
                if job.state == "failed" or not self._has_data(needed):
                    self._pane.wait(job.state == "failed")
                return False
            self._data = (needed.key, data)
        self._pane.draw(self.drawn(found, view))
        return True

    def drawn(self, found: Found, view: View) -> Drawn:
        """Return what a chart is drawn from; what was computed for another one is not for it."""
        data = self._data[1] if self._has_data(self.needed(found, view)) else None
        n_keys, experiment = found.answer.vector.n_keys, found.question.experiment
        return Drawn(found.shown, n_keys, experiment, view, data, *self._pane.canvas.size)

    def _has_data(self, needed: Needed | None) -> bool:
        """Return whether there are data for such a chart, though maybe of another question."""
        return needed is not None and type(self._data[0]) is type(needed.key)
