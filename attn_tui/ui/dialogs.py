"""Dialogues over a screen: for reading a text, saving to a file and opening a file."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from rich.style import Style
from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import DirectoryTree, Input, Label, Static
from textual.widgets.directory_tree import DirEntry
from textual.widgets.tree import TreeNode
from textual.worker import Worker, WorkerState

from attn_tui.compute.errors import InputError
from attn_tui.compute.text import visible

Result = TypeVar("Result")


class Dialogue(ModalScreen[Result]):
    """A dialogue that closes only once, and only while it is on top.

    A second escape, or a thread that has read a file, may arrive before the dialogue is gone, and
    Textual 8 would return its result twice. Below the palette, it would close the palette instead.
    """

    _is_dismissed = False

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close with a result, unless it is closing already or another screen is on top."""
        if self._is_dismissed or not self.is_active:
            return AwaitComplete()
        self._is_dismissed = True
        return super().dismiss(result)


class TextScreen(Dialogue[bool]):
    """A text to read; dismissed with whether to save it.

    Args:
        title: The title of the box.
        text: The text.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,i", "close(False)", "Close"),
        Binding("s", "close(True)", "Save"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        """Lay out the text in a box that scrolls."""
        with VerticalScroll(classes="dialogue") as box:
            box.border_title = self._title
            box.border_subtitle = "esc closes, s saves"
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
        Binding("escape,q,question_mark", "dismiss", "Close"),
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
            box.border_subtitle = "esc closes"
            yield Markdown(self._text)


class FileScreen(Dialogue[Any]):
    """Asks for a file, by name or from a tree; dismissed with the result of using it.

    Args:
        title: What the file is for.
        use: Called with a path, in a thread; returns the result. If it raises InputError, the
            dialogue shows why and stays open.
        name: The text of the field at first.
        hint: The suffixes that a name may have.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Close")]

    def __init__(
        self, title: str, use: Callable[[str], Any], name: str = "", hint: str = ""
    ) -> None:
        super().__init__()
        self._title, self._use = title, use
        self._typed, self._hint = name, hint

    def compose(self) -> ComposeResult:
        """Lay out the field for the name, the hint or problem, and the tree of files."""
        with Vertical(classes="dialogue") as box:
            box.border_title = self._title
            box.border_subtitle = "enter takes it, esc closes"
            yield Input(self._typed, placeholder="path of a file", select_on_focus=False)
            yield Label(self._hint, markup=False, id="hint")
            yield Files(os.curdir)

    def on_mount(self) -> None:
        """Focus the field."""
        self.query_one(Input).focus()

    def action_leave(self) -> None:
        """Close without a file."""
        self.dismiss(None)

    @on(Input.Submitted)
    def _take(self, event: Input.Submitted) -> None:
        if event.value.strip():
            self._try(event.value)

    @on(DirectoryTree.FileSelected)
    def _take_file(self, event: DirectoryTree.FileSelected) -> None:
        event.stop()
        self._try(os.fspath(event.path))

    @work(thread=True, exclusive=True, exit_on_error=False)
    def _try(self, path: str) -> None:
        """Use a file and close with the result, or show why it cannot be used."""
        try:
            made = self._use(path)
        except InputError as error:
            self.app.call_from_thread(self._refuse, error.beside)
        else:
            self.app.call_from_thread(self.dismiss, made)

    @on(Worker.StateChanged)
    def _say_what_failed(self, event: Worker.StateChanged) -> None:
        """Show an unexpected error of a reader."""
        if event.state == WorkerState.ERROR:
            error = event.worker.error
            self._refuse(visible(f"this could not be read: {type(error).__name__}: {error}"))

    def _refuse(self, problem: str) -> None:
        hint = self.query_one("#hint", Label)
        hint.update(problem)
        hint.add_class("-wrong")


class Files(DirectoryTree):
    """A tree of files that escapes their names: Textual's own sends them to the terminal raw."""

    # Terminal fonts often lack the icons of Textual.
    ICON_NODE_EXPANDED, ICON_NODE, ICON_FILE = "▼ ", "▸ ", ""

    def filter_paths(self, paths: Iterable[Path]) -> Iterable[Path]:
        """Leave out hidden files."""
        return (path for path in paths if not path.name.startswith("."))

    def render_label(self, node: TreeNode[DirEntry], base_style: Style, style: Style) -> Text:
        """Return the label of a file, with invisible characters spelled out."""
        label = super().render_label(node, base_style, style)
        name = visible(label.plain)
        return label if name == label.plain else Text(name, label.style)
