"""Dialogues over a screen, and those that show a text to read."""

from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

Result = TypeVar("Result")


class ClosingOnce(Screen[Result]):
    """A screen that closes only once, and only while it is on top.

    A second escape, or a thread that has read a file, may arrive before the dialogue is gone, and
    Textual 8 would return its result twice. Below the palette, it would close the palette instead.
    A class names it behind what it looks like: Textual takes styles from the first base alone.
    """

    _is_dismissed = False

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close with a result, unless it is closing already or another screen is on top."""
        if self._is_dismissed or not self.is_active:
            return AwaitComplete()
        self._is_dismissed = True
        return super().dismiss(result)


class Dialogue(ModalScreen[Result], ClosingOnce[Result]):
    """A dialogue over an instrument."""


class TextScreen(Dialogue[bool]):
    """A text to read; dismissed with whether to save it.

    Args:
        title: The title of the box.
        text: The text.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,i", "close(False)", "Close", id="close"),
        Binding("s", "close(True)", "Save", id="save_text"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        """Lay out the text in a box that scrolls."""
        with VerticalScroll(classes="dialogue") as box:
            box.border_title = self._title
            box.border_subtitle = (
                "[@click=screen.close(False)]esc closes[/], [@click=screen.close(True)]s saves[/]"
            )
            yield Static(self._text, markup=False)

    def action_close(self, save: bool) -> None:
        """Close, returning whether to save the text."""
        self.dismiss(save)


def columns_of_text(columns: int) -> int:
    """Return the width of a text in a dialogue, from 20 to 80, for a screen of some columns."""
    # Nine tenths of the screen, less the border, a blank on either side and the scroll bar.
    return max(20, min(columns * 9 // 10 - 6, 80))


class HelpScreen(Dialogue[None]):
    """A text in Markdown, such as what a pane shows and what keys do there.

    Args:
        text: The Markdown.
        title: The title of the box.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "dismiss", "Close", id="close"),
    ]

    def __init__(self, text: str, title: str = "Help") -> None:
        super().__init__()
        self._text, self._title = text, title

    def compose(self) -> ComposeResult:
        """Lay out the text in a box that scrolls."""
        # Imported here so that starting the program does not wait for its Markdown parser.
        from textual.widgets import Markdown

        with VerticalScroll(classes="dialogue") as box:
            box.border_title = self._title
            box.border_subtitle = "[@click=screen.dismiss]esc closes[/]"
            yield Markdown(self._text)
