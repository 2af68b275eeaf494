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


def strip(cells: Cells, line: int, base: Style) -> Strip:
    """Return a line of a block of cells.

    Args:
        cells: What is shown.
        line: Which line of it.
        base: The widget's own style, which stands wherever a cell has no colour.
    """
    segments = [
        Segment(text, base + style(colour, background))
        for text, colour, background in cells.runs(line)
    ]
    return Strip(segments, cells.columns)
