"""The lines of the tour above the key bar, where answers are picked."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from attn_tui.old.tui.actions import Action, Section, bindings, quiet
from attn_tui.old.tui.everywhere import KEYS
from attn_tui.old.tui.scene import LOW
from attn_tui.old.tui.tour_rows import Panel, panel
from attn_tui.old.tui.widgets.canvas import Canvas, Target
from attn_tui.tour.step import Progress

PICKING = (
    Action(
        "app.tour('move', -1)", ("left", "up", "h", "k"), "arrows", "Answer",
        "Go to another answer", bar=1, palette=False,
    ),
    quiet("app.tour('move', 1)", "right", "down", "l", "j"),
    Action("app.tour('pick')", ("enter",), "enter", "Guess", "Guess so", bar=1, palette=False),
    Action(
        "app.tour('leave')", ("escape",), "esc", "Leave",
        "Leave the tour; x goes on with it", bar=1, palette=False,
    ),
)  # fmt: skip
NEXT = Action(
    "app.tour('next')", (), "enter", "Next", "Go to the next step once this one is done",
    bar=1, palette=False, always=("enter",),
)  # fmt: skip
LEAVE = Action(
    "app.tour('leave')", ("escape",), "esc", "Leave",
    "Go back to the step from elsewhere; from there leave the tour, with all as it was",
    bar=1, palette=False,
)  # fmt: skip
SKIP = replace(
    KEYS["example"], label="Skip", help="Go on without what there is to do, or choose an example",
    bar=1,
)  # fmt: skip
GOING = (NEXT, quiet("app.tour('wait')", "enter"), LEAVE)
"""What can be done at any step, wherever the keys go."""

SECTIONS = (
    Section("In the tour", (NEXT, SKIP, LEAVE)),
    Section("At a guess of the tour", PICKING),
)


class TourPane(Canvas):
    """What a step of the tour says; it has the keys while a guess is wanted."""

    DEFAULT_CSS = """
    TourPane { display: none; }
    """
    BINDINGS = bindings(PICKING)
    BAR: Sequence[Action] = PICKING
    progress: Progress | None = None
    away = False
    _panel = Panel()

    def see(self, scene: Any) -> None:
        """Say it; it has no place in the full picture."""
        self.display = self.progress is not None and not scene.view.full
        if self.progress and self.display:
            low = self.screen.size.height < LOW
            self._panel = panel(self.progress, self.away, max(self.screen.size.width, 12), low)
            self.styles.height = len(self._panel.rows)
            self.show(self._panel.rows)

    @property
    def going(self) -> Sequence[Action]:
        """What leads on from here, and away, for the key bar of what has the keys."""
        if self.progress is None or not self.display:
            return ()
        if self.away:
            return (replace(LEAVE, label="Back"),)
        return {"done": (NEXT, LEAVE), "try": (SKIP, LEAVE), "guess": (LEAVE,)}[self.progress.phase]

    def target_at(self, x: int, y: int) -> Target | None:
        """Return what a click on an answer does, or on what is to be done."""
        return self._panel.target_at(x, y)
