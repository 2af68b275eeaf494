"""The dialogue in which a text is read."""

from collections.abc import Mapping
from typing import ClassVar, cast

from rich.console import RenderableType
from rich.segment import Segment
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import ScrollableContainer
from textual.strip import Strip
from textual.widgets import Static

from attn_tui.charts.look_alikes import in_words, row_in_ascii
from attn_tui.report.reflow import reflowed
from attn_tui.report.rows import WIDTH
from attn_tui.tui.actions import Action, Section, bindings, quiet
from attn_tui.tui.dialogs import Dialog
from attn_tui.tui.widgets.canvas import Styled, shown

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


class Legible(Static):
    """A text whose signs are in ASCII where the application keeps to it."""

    def render_line(self, y: int) -> Strip:
        """Return one line of it."""
        strip = super().render_line(y)
        if not cast("Styled", self.app).in_ascii:
            return strip
        styles = {str(at): span.style for at, span in enumerate(strip)}
        row = [(span.text, str(at)) for at, span in enumerate(strip)]
        # Blanks at the end make room for words.
        while len(row) > 1 and row[-1][0].isspace():
            row[-2:] = [(row[-2][0] + row[-1][0], row[-2][1])]
        # Of what is cut now only the ellipsis is new.
        plain = shown(row_in_ascii(tuple(row)), self.size.width)
        cut = ((text.replace("…", "."), role) for text, role in plain)
        segments = [Segment(text, styles.get(role)) for text, role in cut]
        return Strip(segments).adjust_cell_length(self.size.width)


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
            yield Legible(self._shown(WIDTH), classes="report" * isinstance(self._text, str))

    def on_resize(self) -> None:
        """Wrap a report to the room there is, once that is known."""
        self.call_after_refresh(self._wrap)

    def _wrap(self) -> None:
        if isinstance(self._text, str):
            room = self.query_one(ScrollableContainer).scrollable_content_region.width
            self.query_one(Legible).update(self._shown(room))

    def _shown(self, width: int) -> RenderableType:
        if not isinstance(self._text, str):
            return self._text
        # As the command prints it where only ASCII is known, column by column.
        known = cast("Styled", self.app).in_ascii
        text = in_words(self._text, "ascii") if known else self._text
        return Text(reflowed(text, width), no_wrap=True)

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
