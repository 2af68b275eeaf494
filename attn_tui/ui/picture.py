"""A widget that shows a drawing: curves, bars, a heat map, or a table of numbers."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import compress
from typing import Protocol, runtime_checkable

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.reactive import var
from textual.strip import Strip

from attn_tui.charts.cells import Cells
from attn_tui.charts.drawing import Drawing
from attn_tui.ui.pane import Pane
from attn_tui.ui.terminal.compositor import Spanned, Stretch
from attn_tui.ui.theme import colours_of


@runtime_checkable
class Text(Drawing, Protocol):
    """A drawing with a height of its own, so that it may need scrolling."""

    def height(self, columns: int) -> int:
        """Return its height in lines at a width."""


class Picture(Spanned):
    """Shows a drawing at the size of the widget; it is drawn once for each size and theme."""

    DEFAULT_CSS = """
    Picture { height: 1fr; width: 1fr; }
    """

    drawing: var[Drawing | None] = var(None, init=False)

    _cells: Cells | None = None
    """The cells on show; None before the first drawing and after a change of size or colour."""
    _base = Style()
    """The widget's own style, cached because Textual is slow to compute it."""

    def watch_drawing(self) -> None:
        """Show the new drawing, repainting only the cells that differ."""
        before = self._cells
        if before is None or self._is_of_another_size(before):
            self._cells = None
            self.refresh()
            return
        self._cells = now = self._drawn()
        differences = now.differences(before)
        if differences:
            spans = (Region(start, line, stop - start, 1) for line, start, stop in differences)
            self.refresh(*spans)

    def notify_style_update(self) -> None:
        """Draw again, since the colours may have changed."""
        super().notify_style_update()
        self._cells = None

    def _is_of_another_size(self, cells: Cells) -> bool:
        return (cells.columns, cells.lines) != self.content_size

    def _drawn(self) -> Cells:
        """Return the drawing at the size of the widget."""
        columns, lines = self.content_size
        if self.drawing is None or columns < 1 or lines < 1:
            return Cells(columns, lines)
        return self.drawing.draw(columns, lines, colours_of(self.app))

    def render_line(self, y: int) -> Strip:
        """Return a line of the drawing."""
        cells = self._cells
        if cells is None or self._is_of_another_size(cells):
            self._cells = cells = self._drawn()
            self._base = self.rich_style
        if y < cells.lines:
            return Strip(_segments(cells, self._base, y), cells.columns)
        return Strip.blank(self.content_size.width, self.rich_style)

    def spans(self, parts: Sequence[Stretch]) -> Sequence[Strip | None]:
        """Return parts of lines; None for a part beside the drawing, or with half a character."""
        cells = self._cells
        if cells is None or self._is_of_another_size(cells):
            return [None] * len(parts)
        left, top = self.content_offset
        places = [(y - top, start - left, stop - left) for y, start, stop in parts]
        can_part = [cells.can_part(*place) for place in places]
        drawn = (_segments(cells, self._base, *place) for place in compress(places, can_part))
        strips = self.filtered(drawn)
        return [next(strips) if can else None for can in can_part]


class PicturePane(Pane, Picture):
    """A pane that is a picture itself: one widget to draw, where a picture in a pane is two."""


class Sheet(Picture):
    """Shows a text at its full height, inside a container that scrolls."""

    DEFAULT_CSS = """
    Sheet { height: auto; }
    """

    def watch_drawing(self) -> None:
        """Show the new text, whose height may differ."""
        super().watch_drawing()
        if self._height(self.content_size.width) != self.content_size.height:
            self.refresh(layout=True)

    def _height(self, columns: int) -> int:
        return self.drawing.height(columns) if isinstance(self.drawing, Text) else 1

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the height of the text in lines at a width."""
        return self._height(width)


@lru_cache(maxsize=4096)
def _style(base: Style, colour: str, background: str) -> Style:
    """Return the style of a text; an empty colour is that of the base."""
    return base + Style(color=colour or None, bgcolor=background or None)


def _segments(
    cells: Cells, base: Style, line: int, start: int = 0, stop: int | None = None
) -> list[Segment]:
    """Return a line of a block of cells, or some columns of it.

    Args:
        cells: The block.
        base: The widget's own style, used for cells without a colour.
        line: The number of the line.
        start: The first column.
        stop: The column after the last; None for the end of the line.
    """
    return [
        Segment(text, _style(base, colour, background))
        for text, colour, background in cells.runs(line, start, stop)
    ]
