"""From cells of charts to the strips that Textual shows."""

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from attn_tui.charts.cells import Cells


@lru_cache(maxsize=4096)
def style(colour: str, background: str, bold: bool = False) -> Style:
    """Return the style of a text; an empty colour is the terminal's own."""
    return Style(color=colour or None, bgcolor=background or None, bold=bold or None)


def strips(cells: Cells, base: Style) -> list[Strip]:
    """Return the lines of a block of cells.

    Args:
        cells: What is shown.
        base: The widget's own style, which stands wherever a cell has no colour.
    """
    lines = []
    for line in range(cells.lines):
        segments = [
            Segment(text, base + style(colour, background))
            for text, colour, background in cells.runs(line)
        ]
        lines.append(Strip(segments, cells.columns))
    return lines
