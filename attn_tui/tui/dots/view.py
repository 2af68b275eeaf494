"""What is looked at on the screen of Dot products; kept apart from what is asked, not undone."""

from dataclasses import dataclass, replace

from attn_tui.charts.sides import Side
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.field import fields_of

FIELDS = tuple(field for name, field in fields_of(Settings).items() if name != "d_ks")
"""The fields of the draws in their order; the rows of the table have keys of their own."""

PANES = {"draws": "Draws", "readouts": "Readouts"}
CHARTS = {
    "histogram": "Histogram",
    "growth": "Deviation over d_k",
    "table": "Table over d_k",
    "derivation": "Why d_k",
}
SHORT = {
    "draws": "Draw",
    "readouts": "Nums",
    "histogram": "Hist",
    "growth": "sd",
    "table": "d_k",
    "derivation": "Why",
}


@dataclass(frozen=True)
class View:
    """A way of looking.

    Attributes:
        field: The field of the draws that the cursor is on.
        row: The row of the table that the cursor is on.
        top: How many rows of the derivation are scrolled away.
        chart: The chart or table in the lower pane.
        tab: What a narrow screen shows: a pane or a chart.
        side: Which side is shown where there is room for one.
        log: Whether the axis of densities is logarithmic.
    """

    field: int = 0
    row: int = 0
    top: int = 0
    chart: str = "histogram"
    tab: str = "readouts"
    side: Side = "scaled"
    log: bool = False

    def shown(self, narrow: bool) -> str:
        """Return the tab that is shown."""
        return self.tab if narrow else self.chart

    def next_tab(self, narrow: bool) -> "View":
        """Return the view of the next tab: every pane in turn, or charts alone if wide."""
        places = [*PANES, *CHARTS] if narrow else [*CHARTS]
        return self.at(places[(places.index(self.shown(narrow)) + 1) % len(places)])

    def at(self, name: str) -> "View":
        """Return the view of a tab by its name."""
        return replace(self, tab=name, chart=name if name in CHARTS else self.chart)

    def other_side(self) -> "View":
        """Return the view of the other side."""
        return replace(self, side="unscaled" if self.side == "scaled" else "scaled")

    def field_moved(self, by: int) -> "View":
        """Return the view with the cursor on another field."""
        return replace(self, field=min(max(self.field + by, 0), len(FIELDS) - 1))

    def moved(self, dx: int, dy: int, n_rows: int, n_lines: int) -> "View":
        """Return the view after an arrow in the lower pane.

        Args:
            dx: To the right; any step shows the other side.
            dy: Down.
            n_rows: Rows of the table.
            n_lines: How many rows of the derivation may be scrolled away at most.
        """
        if dx:
            return self.other_side()
        return replace(
            self,
            row=min(max(self.row + dy, 0), max(n_rows - 1, 0)),
            top=min(max(self.top + dy, 0), n_lines),
        )
