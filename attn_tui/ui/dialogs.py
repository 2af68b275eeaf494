"""Dialogues over a screen: a text to read, a file to save to, a file to open."""

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
    """Closes once, however often it is asked to, and only where it lies over all others.

    A second escape, or a thread that has made something of a file, may come before it is gone, and
    Textual 8 would give its result a second time. From below the palette it would close that.
    """

    _is_dismissed = False

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close it with a result, unless it closes already or something lies over it."""
        if self._is_dismissed or not self.is_active:
            return AwaitComplete()
        self._is_dismissed = True
        return super().dismiss(result)


class TextScreen(Dialogue[bool]):
    """A text to read; dismissed with whether it is to be saved.

    Args:
        title: What it is.
        text: What it says.
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
        """Close it."""
        self.dismiss(save)


def columns_of_text(columns: int) -> int:
    """Return how many columns a text has to be read on a screen of so many, from 20 to 80."""
    # Nine tenths, less the border, a blank on either side and the scroll bar.
    return max(20, min(columns * 9 // 10 - 6, 80))


class HelpScreen(Dialogue[None]):
    """A text in Markdown: what a pane shows, and what keys do there.

    Args:
        text: Markdown.
        title: What it is.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "dismiss", "Close"),
    ]

    def __init__(self, text: str, title: str = "Help") -> None:
        super().__init__()
        self._text, self._title = text, title

    def compose(self) -> ComposeResult:
        """Lay out the text in a box that scrolls."""
        # A parser of Markdown comes with it, for which the start is not to wait.
        from textual.widgets import Markdown

        with VerticalScroll(classes="dialogue") as box:
            box.border_title = self._title
            box.border_subtitle = "esc closes"
            yield Markdown(self._text)


class FileScreen(Dialogue[Any]):
    """Asks for a file: a name to type above a tree of files; dismissed with what is made of it.

    Args:
        title: What the file is for.
        use: From a path to what is made of it, in a thread; raises InputError where nothing is, and
            the dialogue says why and stays.
        name: What is typed at first.
        hint: What names may end in.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Close")]

    def __init__(
        self, title: str, use: Callable[[str], Any], name: str = "", hint: str = ""
    ) -> None:
        super().__init__()
        self._title, self._use = title, use
        self._typed, self._hint = name, hint

    def compose(self) -> ComposeResult:
        """Lay out the line for the name, what is wrong with it, and the files there are."""
        with Vertical(classes="dialogue") as box:
            box.border_title = self._title
            box.border_subtitle = "enter takes it, esc closes"
            yield Input(self._typed, placeholder="path of a file", select_on_focus=False)
            yield Label(self._hint, markup=False, id="hint")
            yield Files(os.curdir)

    def on_mount(self) -> None:
        """Stand behind the name."""
        self.query_one(Input).focus()

    def action_leave(self) -> None:
        """Take no file."""
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
        """Make of a file what can be made of it, or say why nothing can."""
        try:
            made = self._use(path)
        except InputError as error:
            self.app.call_from_thread(self._refuse, error.beside)
        else:
            self.app.call_from_thread(self.dismiss, made)

    @on(Worker.StateChanged)
    def _say_what_failed(self, event: Worker.StateChanged) -> None:
        """Say what went wrong that no reader expected."""
        if event.state == WorkerState.ERROR:
            error = event.worker.error
            self._refuse(visible(f"this could not be read: {type(error).__name__}: {error}"))

    def _refuse(self, problem: str) -> None:
        hint = self.query_one("#hint", Label)
        hint.update(problem)
        hint.add_class("-wrong")


class Files(DirectoryTree):
    """A tree of files whose names are text: Textual's own sends to the terminal what they hold."""

    # Fonts of terminals often lack Textual's.
    ICON_NODE_EXPANDED, ICON_NODE, ICON_FILE = "▼ ", "▸ ", ""

    def filter_paths(self, paths: Iterable[Path]) -> Iterable[Path]:
        """Leave out files that are hidden."""
        return (path for path in paths if not path.name.startswith("."))

    def render_label(self, node: TreeNode[DirEntry], base_style: Style, style: Style) -> Text:
        """Return a name in which all that cannot be seen is spelled out."""
        label = super().render_label(node, base_style, style)
        shown = visible(label.plain)
        return label if shown == label.plain else Text(shown, label.style)
