"""A picture cut into columns, each a canvas, so that a small change sends little."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal

from attn_tui.charts.rows import Row, cells
from attn_tui.tui.widgets.canvas import Canvas


def part(row: Row, start: int, end: int) -> Row:
    """Return the cells of a row from a column up to another; half a wide character is a blank."""
    spans, x = [], 0
    for text, role in row:
        kept = ""
        for character in text:
            left, x = x, x + cells(character)
            if start <= left and x <= end:
                kept += character
            else:
                kept += " " * max(min(x, end) - max(left, start), 0)
        if kept:
            spans.append((kept, role))
    return tuple(spans)


class Mosaic(Horizontal):
    """Shows rows across canvases that stand side by side.

    A canvas sends what changed from its own left edge, so the more tiles there are, and the
    better they fit what changes together, the less is sent.
    """

    DEFAULT_CSS = """
    Mosaic > Canvas { height: 100%; }
    """

    def __init__(self, tiles: int, id: str | None = None) -> None:
        super().__init__(id=id)
        self._tiles = tuple(Canvas() for _ in range(tiles))

    def compose(self) -> ComposeResult:
        """Lay out the tiles."""
        yield from self._tiles

    def show(self, rows: Sequence[Row], widths: Sequence[int] = ()) -> None:
        """Show new rows; tiles have these widths in cells, or share the room evenly."""
        share = -(-self.size.width // len(self._tiles))
        left = 0
        for tile, width in zip(self._tiles, widths or [share] * len(self._tiles), strict=True):
            tile.styles.width = width
            tile.show([part(row, left, left + width) for row in rows])
            left += width
