"""The panel of help beside the panes; imported when it is wanted, for Markdown takes its time."""

from typing import ClassVar

from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widgets import HelpPanel


class Help(HelpPanel, can_focus=True):
    """Textual's panel of help, scrolled as a whole and by keys as well."""

    # Tab and the mouse leave out what has Textual's own class.
    DEFAULT_CLASSES = ""
    BORDER_TITLE = "Help"
    BORDER_SUBTITLE = "? closes"
    BINDINGS: ClassVar[list[BindingType]] = [*VerticalScroll.BINDINGS]
