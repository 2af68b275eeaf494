"""What is looked at, apart from what is asked: tabs, the side, logarithms; it is not undone."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

from attn_tui.report.sides import Side

Axis = Literal["auto", "linear", "log"]
"""What axes are; auto, what suits a picture."""


@dataclass(frozen=True)
class Tab:
    """Something to look at.

    Attributes:
        title: Its name in the palette, and on the tabs where there is room.
        short: The same where there is little.
        apart: Whether it is a pane that has a tab only where panes are shown one at a time.
    """

    title: str
    short: str
    apart: bool = False


@dataclass(frozen=True)
class View:
    """A way of looking.

    Attributes:
        tab: What is shown where panes are shown one at a time.
        chart: What the lower pane shows elsewhere.
        side: Which side is shown where there is room for one.
        axis: Whether charts are linear or logarithmic.
        full: Whether one pane is shown alone, as large as fits.
        settings: Whether the drawer of settings is open.
        setting: The name of the setting that its cursor is on, or the title of a folded group.
        unfolded: The titles of groups that are unfolded though all is at its default.
        pinned: What answers are compared with, or nothing.
    """

    tab: str = ""
    chart: str = ""
    side: Side = "scaled"
    axis: Axis = "auto"
    full: bool = False
    settings: bool = False
    setting: str = "d_k"
    unfolded: frozenset[str] = frozenset()
    pinned: Any = None

    LOG: ClassVar[bool] = False
    """Whether charts are logarithmic unless somebody wants it otherwise."""

    @property
    def log(self) -> bool:
        """Whether charts are logarithmic."""
        return self.LOG if self.axis == "auto" else self.axis == "log"

    @property
    def command(self) -> str:
        """What writes the command line of what is looked at, if its instrument's does not."""
        return ""

    @property
    def left_out(self) -> str:
        """What is looked at that no command line asks, in a sentence, or nothing."""
        return "" if self.pinned is None else "What is pinned is left out."

    def present(self, narrow: bool) -> str:
        """Return the tab that is shown."""
        return self.tab if narrow else self.chart

    def other_side(self) -> Self:
        """Return the view of the other side."""
        return replace(self, side="unscaled" if self.side == "scaled" else "scaled")
