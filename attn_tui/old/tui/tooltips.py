"""What a click would do, said where the mouse rests; not for long, and not while one types."""

from typing import TYPE_CHECKING

from textual.events import Event, MouseMove
from textual.timer import Timer
from textual.widgets import Tooltip

from attn_tui.old.tui.actions import textual_action
from attn_tui.old.tui.everywhere import SHARED
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from attn_tui.old.tui.widgets.canvas import Target

if TYPE_CHECKING:
    from textual.app import App

SECONDS = 5.0
"""How long it stands over what one reads."""


class Tooltips:
    """Lets canvases say it while the mouse has moved last.

    Args:
        app: Textual asks its widgets, and shows what they say.
    """

    def __init__(self, app: "App[None]") -> None:
        self._app = app
        self._points = False
        self._timer: Timer | None = None

    def notice(self, event: Event) -> None:
        """Take notice of what a person does: whatever it is, what was said goes."""
        self._points = isinstance(event, MouseMove)
        self._hide()
        if self._timer:
            self._timer.stop()
        if self._points:
            self._timer = self._app.set_timer(self._app.TOOLTIP_DELAY + SECONDS, self._hide)

    def _hide(self) -> None:
        for each in self._app.screen.children if self._app.screen_stack else ():
            if isinstance(each, Tooltip):
                each.display = False

    def of(self, target: Target) -> str:
        """Return what is said of a target now, or nothing."""
        screen = self._app.screen
        if target.words or not (self._points and isinstance(screen, InstrumentScreen)):
            return target.words * self._points
        run = textual_action(target.action)
        every = (*screen.ACTIONS, *SHARED)
        return next((action.help for action in every if action.run == run), "")
