"""The dialogue in which a text is read."""

from collections.abc import Mapping
from typing import ClassVar

from rich.console import RenderableType
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import ScrollableContainer
from textual.widgets import Static

from attn_tui.old.tui.actions import Action, Section, bindings, quiet
from attn_tui.old.tui.dialogs import Dialog
from attn_tui.report.reflow import reflowed
from attn_tui.report.rows import WIDTH

READ = (
    Action("scroll(1)", ("j",), "up, down", "", "Scroll; so do j and k", palette=False),
    quiet("scroll(-1)", "k"),
    Action("save", ("s", "ctrl+s"), "s", "Save", "Save the text", palette=False),
    Action(
        "dismiss(None)",
        ("escape", "q", "enter", "question_mark", "i"),
        "esc",
        "Close",
        "Close the text",
        palette=False,
    ),
)


class ReadDialog(Dialog[bool | None]):
    """A text that can be scrolled, and perhaps saved, which is then what comes of it.

    Args:
        title: What it is.
        text: The text.
        saves: Whether it can be saved.
    """

    BINDINGS = bindings(READ)
    SECTION = Section("In a text", READ)
    KEYS: ClassVar = {"up, down scroll": "", "esc closes": "dismiss(None)"}

    def __init__(self, title: str, text: RenderableType, saves: bool = False) -> None:
        super().__init__(title)
        self._saves = saves
        self.HORIZONTAL_BREAKPOINTS = [(0, "-tight"), (86, "-wide")]
        self._text = text

    def compose_box(self) -> ComposeResult:
        """Yield the text."""
        with ScrollableContainer():
            # Never as markup: claims say E[q_i].
            yield Static(self._shown(WIDTH), classes="report" * isinstance(self._text, str))

    def on_resize(self) -> None:
        """Wrap a report to the room there is, once that is known."""
        self.call_after_refresh(self._wrap)

    def _wrap(self) -> None:
        if isinstance(self._text, str):
            room = self.query_one(ScrollableContainer).scrollable_content_region.width
            self.query_one(Static).update(self._shown(room))

    def _shown(self, width: int) -> RenderableType:
        if not isinstance(self._text, str):
            return self._text
        return Text(reflowed(self._text, width), no_wrap=True)

    @property
    def keys(self) -> Mapping[str, str]:
        """What keys do, and saving where it can be done."""
        return {"s saves": "save", **self.KEYS} if self._saves else self.KEYS

    def action_press(self, key: str) -> None:
        """Close the text, and press a key of what is below it."""
        self.dismiss(None)
        self.app.call_later(self.app.simulate_key, key)

    def action_scroll(self, lines: int) -> None:
        """Scroll by lines."""
        self.query_one(ScrollableContainer).scroll_relative(y=lines, animate=False)

    def action_save(self) -> None:
        """Close, and have it saved."""
        if self._saves:
            self.dismiss(True)
