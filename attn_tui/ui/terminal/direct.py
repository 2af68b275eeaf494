"""Widgets that skip queues of Textual: each message through one costs what three painted lines do.

A step of d_k repaints nine widgets, and its key would pass by six around the slider.
"""

from textual.events import Key
from textual.widget import Widget


class Repainted(Widget):
    """A widget that tells its screen of a repaint at once, not once its own queue is empty."""

    def check_idle(self) -> None:
        """Tell the screen, unless there is more to do."""
        has_more = self._layout_required or self._scroll_required or not self.is_mounted
        if self._repaint_required and not has_more:
            self._check_refresh()
        else:
            super().check_idle()


class BindingsOnly(Repainted):
    """A widget that takes no key, and has none around it that does: bindings alone act on keys."""

    def on_key(self, event: Key) -> None:
        """Give a key to the application, which asks for bindings, past all that is around it."""
        event.stop()
        self.app.post_message(event)
