"""When a chart is drawn: what is known of how long it takes is known of that chart."""

from collections.abc import Callable
from math import inf
from typing import Any

import pytest

from attn_tui.old.tui import charting
from attn_tui.old.tui.charting import Charting
from attn_tui.old.tui.view import View


class Timer:
    def stop(self) -> None:
        pass


class Charts:
    """A screen with charts that are drawn at once, or when its timer has run."""

    def __init__(self) -> None:
        self.view = View(chart="a")
        self.known = True
        self.drawn: list[str] = []
        self.due: Callable[[], None] = lambda: None
        self.charting = Charting(self)

    def draw_chart(self) -> bool:
        self.drawn.append(self.view.chart)
        return self.known

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Any:
        self.due = callback
        return Timer()


def test_a_chart_that_was_quick_is_drawn_at_once_whatever_another_took(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(charting, "QUICK", inf)
    screen = Charts()
    # What is still computed while it is drawn waits the next time too.
    for chart, known in (("a", True), ("slow", False)):
        screen.view, screen.known = View(chart=chart), known
        screen.charting.soon()
        assert chart not in screen.drawn
        screen.due()
        assert screen.drawn[-1] == chart
        assert not screen.charting.due
    screen.charting.soon()
    assert screen.charting.due
    screen.view = View(chart="a")
    screen.charting.soon()
    assert screen.drawn == ["a", "slow", "a"]
    assert not screen.charting.due
