"""A pane: a region with a round border, a title, and how it was made at the lower right."""

from textual.containers import Container
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
        super().__init__(*widgets, id=id, classes=classes)
        self.border_title = title

    def on_mount(self) -> None:
        """Take the focus where nothing in it does, so that it can be explained and shown alone."""
        self.can_focus = not any(widget.can_focus for widget in self.query("*"))

    def describe(self, title: str, subtitle: str = "") -> None:
        """Set title and subtitle, if they change: even the same text repaints all inside."""
        if self.border_title != title:
            self.border_title = title
        if self.border_subtitle != subtitle:
            self.border_subtitle = subtitle
