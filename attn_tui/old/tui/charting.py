"""When a chart is drawn: a quick one with the numbers, another after a rest."""

import time
from collections.abc import Callable
from math import inf
from typing import Protocol

from textual.timer import Timer

from attn_tui.old.tui.view import View

QUICK = 0.01
"""Seconds of work: a chart drawn in fewer is drawn with the numbers; the next frame takes 17 ms."""

DELAY = 0.04
"""Seconds of rest before a chart is drawn, so that a held key is not slowed by it."""


class ChartingHost(Protocol):
    """A screen with a chart."""

    @property
    def view(self) -> View:
        """How it is looked at."""

    def draw_chart(self) -> bool:
        """Draw the chart in the size it has; return whether all it shows is known."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Call something later."""


class Charting:
    """Draws the chart of a screen in time.

    Args:
        screen: Its chart is drawn.
    """

    def __init__(self, screen: ChartingHost) -> None:
        self._screen = screen
        self._timer: Timer | None = None
        self._took: dict[str, float] = {}

    @property
    def due(self) -> bool:
        """Whether the chart is still to be drawn."""
        return self._timer is not None

    def soon(self, later: bool = True) -> None:
        """Draw the chart at once if it was drawn quickly the last time, else after a rest.

        If it is to be drawn already, then maybe not later than that.
        """
        if self._took.get(self._screen.view.chart, inf) < QUICK:
            self._draw()
        elif later or not self.due:
            self._end_timer()
            self._timer = self._screen.set_timer(DELAY, self._draw)

    def _draw(self) -> None:
        self._end_timer()
        begun = time.thread_time()
        drawn = self._screen.draw_chart()
        # What must be computed before it is drawn is not worth beginning at each key.
        took = time.thread_time() - begun if drawn else inf
        self._took[self._screen.view.chart] = took

    def _end_timer(self) -> None:
        if self._timer:
            self._timer.stop()
            self._timer = None
