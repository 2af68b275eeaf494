"""What is looked at on the screen of Dot products; kept apart from what is asked, not undone."""

from dataclasses import dataclass, replace

from attn_tui.old.tui import view
from attn_tui.old.tui.view import Tab

TABS = {
    "picture": Tab("Picture", "Bells", apart=True),
    "moments": Tab("Moments", "Nums"),
    "over_d_k": Tab("Over d_k", "d_k"),
    "derivation": Tab("Why d_k", "Why"),
    "table": Tab("Table", "Table"),
}


@dataclass(frozen=True)
class View(view.View):
    """A way of looking.

    Attributes:
        row: The row of the table that the cursor is on.
        top: How many rows of the derivation are scrolled away.
    """

    tab: str = "picture"
    chart: str = "moments"
    row: int = 0
    top: int = 0

    LOG = True

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
