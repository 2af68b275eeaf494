"""What a chart is before it has a size: on the screen, and in a report."""

from typing import Protocol

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Palette


class Drawing(Protocol):
    """Something that can be drawn at any size."""

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Return the drawing as a block of cells, in the colours given."""
