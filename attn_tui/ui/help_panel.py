"""The help panel beside the panes; imported on demand because Markdown is slow to import."""

from typing import ClassVar

from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widgets import HelpPanel


class Help(HelpPanel, can_focus=True):
    """Textual's help panel, made to scroll as a whole and with keys."""

    # Tab and the mouse skip widgets with the default class of Textual's panel.
    DEFAULT_CLASSES = ""
    BORDER_TITLE = "Help"
    BORDER_SUBTITLE = "? closes"
    BINDINGS: ClassVar[list[BindingType]] = [*VerticalScroll.BINDINGS]
