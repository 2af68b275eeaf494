"""The one way of drawing: rows of (text, role), of which only what changed is sent again."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from attn_tui.charts.rows import Row, cells, fitted, length
from attn_tui.compute.visible import clusters

SERIES = tuple(f"series{index}" for index in range(6))
SIZES = tuple(f"{sign}{size}" for sign in ("positive", "negative") for size in range(1, 5))
ROLES = (
    *("text", "muted", "label", "title", "axis", "strong", "key"),
    *("unscaled", "scaled", "pinned", "error", "zero", "cursor", "focus", "tab"),
    *SERIES,
    *SIZES,
)
"""Every role a row may use; the style sheet gives each a look."""

ROLE_CLASSES = frozenset(f"role--{role}" for role in ROLES)
"""Component classes of the screen that canvases stand on.

They are the screen's, so that the style sheet is matched with each role once, and not once for
each canvas: half of the time a screen takes to appear would go there.
"""

FADING = frozenset(("text", "unscaled", "scaled", "strong", "label"))
"""Roles that a canvas shows as muted while what it shows is not what is asked."""


def _cells(row: Row, width: int) -> list[tuple[str, str]]:
    """Return the cells of a row, padded and cut to a width; a wide one fills two."""
    filled = [
        (cluster, role)
        for text, role in row
        for cluster in clusters(text)
        for _ in range(cells(cluster))
    ][:width]
    return filled + [(" ", "text")] * (width - len(filled))


def difference(old: Row, new: Row, width: int) -> tuple[int, int] | None:
    """Return the first changed column and the one behind the last, or None where none differs."""
    if old == new:
        return None
    before, after = _cells(old, width), _cells(new, width)
    changed = [x for x in range(width) if before[x] != after[x]]
    return (changed[0], changed[-1] + 1) if changed else None


def shown(row: Row, width: int) -> Row:
    """Return a row as it is shown: one that does not fit ends in an ellipsis.

    A number cut short would be read as another number.
    """
    return fitted(row, width) if width and length(row) > width else row


class Canvas(Widget):
    """Shows the rows it is given, cut to its size.

    A canvas sends the changed part of a line from its own left edge, so what changes often is
    best put on a canvas of its own.
    """

    DEFAULT_CSS = """
    Canvas { width: 100%; height: 1; }
    """

    rows: tuple[Row, ...] = ()
    faded = False

    def show(self, rows: Sequence[Row]) -> None:
        """Show new rows."""
        old, self.rows = self.rows, tuple(rows)
        if not self.is_mounted:
            return
        width, height = self.size
        nothing: Row = ()
        regions = []
        for y in range(min(height, max(len(old), len(self.rows)))):
            before = shown(old[y], width) if y < len(old) else nothing
            after = shown(self.rows[y], width) if y < len(self.rows) else nothing
            if span := difference(before, after, width):
                regions.append(Region(span[0], y, span[1] - span[0], 1))
        if regions:
            self.refresh(*regions)

    def render_line(self, y: int) -> Strip:
        """Return one line of the rows as Textual wants it."""
        width = self.size.width
        row = shown(self.rows[y], width) if y < len(self.rows) else ()
        segments = [Segment(text, self._look(role)) for text, role in row]
        return Strip(segments).adjust_cell_length(width, self._look("text")).simplify()

    def _look(self, role: str) -> Style:
        shown_as = "muted" if self.faded and role in FADING else role
        return self.screen.get_component_rich_style(f"role--{shown_as}")

    def fade(self, faded: bool) -> None:
        """Show whether the rows are still the answer to what is asked."""
        if faded != self.faded:
            self.faded = faded
            self.refresh()
