"""A widget that shows a drawing: curves, bars, a heat map, or a table of numbers."""

from functools import lru_cache
from typing import Protocol, runtime_checkable

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.reactive import var
from textual.strip import Strip
from textual.widget import Widget

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Palette
from attn_tui.ui.theme import colours_of


class Drawing(Protocol):
    """Something that can be drawn at any size."""

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Return it in a block of cells, in the colours of each kind of data."""


@runtime_checkable
class Text(Drawing, Protocol):
    """A drawing that has as many lines as it has, so that it may have to be scrolled."""

    def height(self, columns: int) -> int:
        """Return its lines in a width."""


class Picture(Widget):
    """Shows a drawing at the size there is; it is drawn once for each size and theme."""

    DEFAULT_CSS = """
    Picture { height: 1fr; width: 1fr; }
    """

    drawing: var[Drawing | None] = var(None, init=False)

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._cells: Cells | None = None
        """What is shown; None until it is drawn at the first size, or in other colours."""
        self._base = Style()
        """The widget's own style as of the first drawing: Textual works it out slowly."""
        self._lines: list[Strip] = []

    def watch_drawing(self) -> None:
        """Show another drawing, and paint only the cells in which it differs."""
        before = self._cells
        if before is None or self._is_of_another_size(before):
            self._cells = None
            self.refresh()
            return
        self._cells = now = self._drawn()
        differences = now.differences(before)
        for line, _, _ in differences:
            self._lines[line] = _strip(now, line, self._base)
        if differences:
            spans = (Region(start, line, stop - start, 1) for line, start, stop in differences)
            self.refresh(*spans)

    def notify_style_update(self) -> None:
        """Draw in other colours."""
        super().notify_style_update()
        self._cells = None

    def _is_of_another_size(self, cells: Cells) -> bool:
        return (cells.columns, cells.lines) != self.content_size

    def _drawn(self) -> Cells:
        """Return the drawing at the size there is."""
        columns, lines = self.content_size
        if self.drawing is None or columns < 1 or lines < 1:
            return Cells(columns, lines)
        return self.drawing.draw(columns, lines, colours_of(self.app))

    def render_line(self, y: int) -> Strip:
        """Return a line of the drawing."""
        if self._cells is None or self._is_of_another_size(self._cells):
            self._cells = cells = self._drawn()
            self._base = self.rich_style
            self._lines = [_strip(cells, line, self._base) for line in range(cells.lines)]
        if y < len(self._lines):
            return self._lines[y]
        return Strip.blank(self.content_size.width, self.rich_style)


class Sheet(Picture):
    """Shows a text as high as it is, inside of what scrolls."""

    DEFAULT_CSS = """
    Sheet { height: auto; }
    """

    def watch_drawing(self) -> None:
        """Show another text, which may be of another height."""
        super().watch_drawing()
        if self._height(self.content_size.width) != self.content_size.height:
            self.refresh(layout=True)

    def _height(self, columns: int) -> int:
        return self.drawing.height(columns) if isinstance(self.drawing, Text) else 1

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the lines of the text in a width."""
        return self._height(width)


@lru_cache(maxsize=4096)
def _style(colour: str, background: str, bold: bool = False) -> Style:
    """Return the style of a text; an empty colour is the terminal's own."""
    return Style(color=colour or None, bgcolor=background or None, bold=bold or None)


def _strip(cells: Cells, line: int, base: Style) -> Strip:
    """Return a line of a block of cells.

    Args:
        cells: What is shown.
        line: Which line of it.
        base: The widget's own style, which stands wherever a cell has no colour.
    """
    segments = [
        Segment(text, base + _style(colour, background))
        for text, colour, background in cells.runs(line)
    ]
    return Strip(segments, cells.columns)
