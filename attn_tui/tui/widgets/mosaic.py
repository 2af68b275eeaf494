"""A picture cut into columns, each a canvas, so that a small change sends little."""

from collections.abc import Sequence
from itertools import pairwise

from textual.app import ComposeResult
from textual.containers import Horizontal

from attn_tui.charts.rows import Row, Span, cells
from attn_tui.compute.visible import clusters
from attn_tui.tui.widgets.canvas import Canvas, shown


def divided(row: Row, widths: Sequence[int]) -> list[Row]:
    """Return a row cut into parts of some widths in cells; half a wide character is a blank."""
    parts: list[list[Span]] = [[] for _ in widths]
    rooms = list(widths)
    tile = 0
    for text, role in row:
        rest = text
        while rest and tile < len(rooms):
            head, rest = _split(rest, rooms[tile])
            if head:
                parts[tile].append((head, role))
                rooms[tile] -= cells(head)
            if rest:
                tile += 1
    return [tuple(spans) for spans in parts]


def _split(text: str, room: int) -> tuple[str, str]:
    """Return what of a text fits into a room, and the rest."""
    if text.isascii():
        return text[:room], text[room:]
    used = 0
    parts = clusters(text)
    for place, part in enumerate(parts):
        used += cells(part)
        if used > room:
            blanks = room - (used - cells(part))
            left = cells(part) - blanks if blanks else 0
            rest = "".join(parts[place + bool(blanks) :])
            return "".join(parts[:place]) + " " * blanks, " " * left + rest
    return text, ""


class Mosaic(Horizontal):
    """Shows rows across canvases that stand side by side.

    A canvas sends what changed from its own left edge, so the more tiles there are, and the
    better they fit what changes together, the less is sent.
    """

    DEFAULT_CSS = """
    Mosaic > Canvas { width: 1fr; height: 100%; }
    """

    def __init__(self, tiles: int, id: str | None = None) -> None:
        super().__init__(id=id)
        self._tiles = tuple(Canvas() for _ in range(tiles))

    def compose(self) -> ComposeResult:
        """Lay out the tiles."""
        yield from self._tiles

    def show(self, rows: Sequence[Row], widths: Sequence[int] = ()) -> None:
        """Show new rows; tiles have these widths in cells, or share the room as 1fr does."""
        for tile, width in zip(self._tiles, widths, strict=False):
            tile.styles.width = width
        count, total = len(self._tiles), self.size.width
        edges = [total * index // count for index in range(count + 1)]
        widths = widths or [right - left for left, right in pairwise(edges)]
        pieces = [divided(shown(row, total), widths) for row in rows]
        for index, tile in enumerate(self._tiles):
            tile.show([piece[index] for piece in pieces])
