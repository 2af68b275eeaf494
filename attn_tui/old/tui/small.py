"""Says over all that is open that the window is too small for it, as long as it is."""

from typing import Any

from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.screen import ModalScreen

from attn_tui.old.tui.actions import Action, bindings
from attn_tui.old.tui.sized import Sized
from attn_tui.old.tui.widgets.canvas import Canvas
from attn_tui.report.headline import SHORT, wrapped

LEAST = Size(SHORT + 2, 6)
"""Columns and lines from which on each instrument has room for its headline and for d_k."""


class SmallWindow(ModalScreen[None], Sized[None]):
    """Says how large the window is, and how large it is to be."""

    BINDINGS = bindings([Action("app.quit", ("q",), "q", "Quit", "Leave", palette=False)])

    def compose(self) -> ComposeResult:
        """Yield the words."""
        yield Canvas()

    def on_screen_resume(self) -> None:
        """Go, where the window grew while something else was open over this."""
        self.app.call_later(fit, self.app)

    def on_resize(self) -> None:
        """Say it in the room there is."""
        width, height = self.size
        text = f"{width}×{height} is too small: {LEAST.width}×{LEAST.height} at least"
        lines = wrapped(text, max(width, 1), most=max(height, 1))
        canvas = self.query_one(Canvas)
        canvas.styles.height = height
        canvas.show([((line, "strong"),) for line in lines])


def fit(app: App[Any]) -> None:
    """Say that the window is too small, where it is; else show again what was open."""
    is_small = app.size.width < LEAST.width or app.size.height < LEAST.height
    if isinstance(app.screen, SmallWindow):
        if not is_small:
            app.pop_screen()
    elif is_small:
        app.push_screen(SmallWindow())
