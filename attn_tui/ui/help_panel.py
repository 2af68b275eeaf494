"""The help panel beside the panes; imported on demand because Markdown is slow to import."""

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.events import Mount
from textual.screen import Screen
from textual.widgets import KeyPanel, Markdown, Static


class Help(VerticalScroll, can_focus=True):
    """A text on what has the focus, and the keys that work now.

    Textual's own HelpPanel leaves a watcher on its screen whenever it is removed; this one is
    mounted once and hidden.
    """

    BORDER_TITLE = "Help"
    BORDER_SUBTITLE = "? closes"
    BINDINGS: ClassVar[list[BindingType]] = [*VerticalScroll.BINDINGS]

    def compose(self) -> ComposeResult:
        """Lay out the text, and below it the keys."""
        yield Markdown(id="widget-help")
        yield CalmKeys(id="keys-help")

    def on_mount(self) -> None:
        """Follow the keys that work."""
        self.screen.bindings_updated_signal.subscribe(self, self._show_keys)

    async def show(self, text: str) -> None:
        """Show a text in Markdown, and the keys that work now."""
        self.display = True
        markdown = self.query_one(Markdown)
        if markdown.source != text:
            await markdown.update(text)
        self._show_keys()

    def _show_keys(self, screen: Screen[Any] | None = None) -> None:
        if self.display:
            self.query_one(CalmKeys).show()


class CalmKeys(KeyPanel):
    """Textual's table of keys, which is drawn when it is asked to be."""

    def _on_mount(self, event: Mount) -> None:
        """Keep Textual from mounting the table anew at each change of keys, even while hidden."""
        event.prevent_default()

    def show(self) -> None:
        """Draw the keys that work now."""
        self.query_one(Static).refresh(layout=True)
