"""What is looked at on the Sweep screen; kept apart from what is asked, and not undone."""

from dataclasses import dataclass, replace

from attn_tui.charts.sweep.map import Of
from attn_tui.charts.sweep.signs import DEFAULT_LOOK, Look


@dataclass(frozen=True)
class View:
    """A way of looking.

    Attributes:
        look: How charts are drawn.
        of: What a map shows over draws.
        rule: Which rule a map shows, counted on without end.
        numbers: Whether the numbers stand in place of the chart.
        top: How many lines of the numbers stand above the first that is seen.
    """

    look: Look = DEFAULT_LOOK
    of: Of = "median"
    rule: int = 0
    numbers: bool = False
    top: int = 0

    def other_of(self) -> "View":
        """Return the view of the other of mean and median."""
        return replace(self, of="mean" if self.of == "median" else "median")
