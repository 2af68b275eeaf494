"""A pane: a region with a round border, a title, and how it was made at the lower right."""

from typing import Self

from textual.containers import Container
from textual.geometry import Region
from textual.widget import Widget


class Pane(Container):
    """Holds widgets behind a border with a title.

    Args:
        title: What it shows.
        id: As of every widget.
        classes: As of every widget.
        widgets: What it holds.
    """

    ALLOW_MAXIMIZE = True

    def __init__(
        self, title: str, *widgets: Widget, id: str | None = None, classes: str | None = None
    ) -> None:
        self._lines: tuple[Region, ...] = ()
        super().__init__(*widgets, id=id, classes=classes)
        self.border_title = title

    def on_mount(self) -> None:
        """Take the focus where nothing in it does, so that it can be explained and shown alone."""
        self.can_focus = not any(widget.can_focus for widget in self.query("*"))

    def describe(self, title: str, subtitle: str = "") -> None:
        """Set title and subtitle, and paint the lines of the border that they change.

        The first time all is painted: Textual may have dropped what it drew while it started.
        """
        width, height = self.outer_size
        is_first = self.border_subtitle is None
        if self.border_title != title:
            self._lines = () if is_first else (Region(-1, -1, width, 1),)
            self.border_title = title
        if self.border_subtitle != subtitle:
            self._lines = () if is_first else (Region(-1, height - 2, width, 1),)
            self.border_subtitle = subtitle
        self._lines = ()

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        """Paint anew: for a title a line, though Textual asks for the pane with all inside."""
        lines = regions or self._lines
        return super().refresh(*lines, repaint=repaint, layout=layout, recompose=recompose)
