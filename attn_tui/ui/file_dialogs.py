"""Dialogues that ask for a file: to open one, and to save to one."""

import os
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from stat import S_ISREG
from typing import Any, ClassVar

from rich.style import Style
from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Key
from textual.widgets import DirectoryTree, Input, Label
from textual.widgets.directory_tree import DirEntry
from textual.widgets.input import Selection
from textual.widgets.tree import TreeNode
from textual.worker import Worker, WorkerState

from attn_tui.compute.errors import InputError
from attn_tui.compute.numbers import byte_size
from attn_tui.compute.text import visible
from attn_tui.files.paths import typed_path
from attn_tui.ui.dialogs import Dialogue
from attn_tui.ui.editors import LineField
from attn_tui.ui.repeat import Repeat

EXISTS = "{files}: already there. Enter again replaces what is there; another name keeps it."
"""The question before files are replaced."""


class FileScreen(Dialogue[Any]):
    """Asks for a file, by name or from a tree; dismissed with the result of using it.

    Args:
        title: What the file is for.
        use: Called with a path, in a thread; returns the result. If it raises InputError, the
            dialogue shows why and stays open.
        endings: The suffixes of the files that the tree offers, in lower case.
        hint: What the endings mean.
        name: The text of the field at first; it is selected, so that typing replaces it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="close"),
        Binding("down", "into_list(1)", "The list", show=False, id="into_list"),
        Binding("up", "into_list(-1)", "The list", show=False, id="out_of_list"),
    ]

    def __init__(
        self,
        title: str,
        use: Callable[[str], Any],
        endings: Iterable[str] = (),
        hint: str = "",
        name: str = "",
    ) -> None:
        super().__init__()
        self._title, self._use = title, use
        self._endings, self._hint = tuple(endings), hint
        self._typed = name

    def compose(self) -> ComposeResult:
        """Lay out the field for the name, the hint or problem, and the tree of files."""
        with Vertical(classes="dialogue") as box:
            box.border_title = self._title
            box.border_subtitle = (
                "[@click=screen.into_list(1)]↓ list[/], [@click=screen.click]⏎ takes it[/], "
                "[@click=screen.leave]esc closes[/]"
            )
            yield LineField(self._typed, placeholder="path of a file", select_on_focus=False)
            yield Label(self._hint, markup=False, id="hint")
            yield Files(present_folder(), self._endings)

    def on_mount(self) -> None:
        """Focus the field, with its text selected."""
        field = self.query_one(Input)
        field.focus()
        field.selection = Selection(0, len(field.value))

    def action_leave(self) -> None:
        """Close without a file."""
        self.dismiss(None)

    async def action_into_list(self, steps: int) -> None:
        """Go from the field into the list, some lines below the marked one, or above it."""
        files = self.query_one(Files)
        if not files.root.children:
            # A key may come before the files are listed; it would find the folder above alone.
            await files.reload()
        files.focus()
        files.step(steps)

    async def on_key(self, event: Key) -> None:
        """Type into the field from the list too, whose own key is the space bar."""
        field = self.query_one(Input)
        if field.has_focus or event.key == "space":
            return
        if event.character is not None and event.is_printable:
            event.stop()
            field.focus()
            field.replace(event.character, *field.selection)

    @on(Input.Submitted)
    def action_submit(self) -> None:
        """Take the name in the field, or the marked line of the list if there is none."""
        path, files = typed_path(self.query_one(Input).value), self.query_one(Files)
        if path:
            self.take(path)
        else:
            files.step(0)
            files.action_select_cursor()

    @on(DirectoryTree.FileSelected)
    def _pick(self, event: DirectoryTree.FileSelected) -> None:
        event.stop()
        self.pick(os.fspath(event.path))

    def action_click(self) -> None:
        """Take the name in the field, by the mouse."""
        self.action_submit()

    def take(self, path: str) -> None:
        """Use a file that was typed."""
        self.use(path)

    def found(self, path: str) -> str:
        """Return the file that a path stands for: itself, or the only one it begins, if any."""
        # A Path raises for a name that is too long, and for a user who is not known.
        place = os.path.expanduser(path)
        typed = Path(place)
        if os.path.exists(place) or typed.suffix or not typed.name:
            return path
        begun = [file for file in siblings(typed) if file.name.startswith(typed.name)]
        files = [file for file in begun if file.suffix.lower() in self._endings]
        return os.fspath(files[0]) if len(files) == 1 else path

    def pick(self, path: str) -> None:
        """Use a file that was picked in the tree."""
        self.use(path)

    @work(thread=True, exclusive=True, exit_on_error=False)
    def use(self, path: str) -> None:
        """Use a file and close with the result, or show why it cannot be used."""
        try:
            result = self._use(self.found(path))
        except InputError as error:
            self.app.call_from_thread(self.refuse, path, error.message)
        else:
            self.app.call_from_thread(self.dismiss, result)

    def refuse(self, path: str, problem: str) -> None:
        """Say why a path cannot be used, and go into it if it is a folder: more may lie there."""
        folder = os.path.abspath(os.path.expanduser(path))
        if os.path.isdir(folder):
            self.query_one(Files).path = Path(folder)
            self.query_one(Input).value = ""
        self.warn(problem)

    @on(Worker.StateChanged)
    def _say_what_failed(self, event: Worker.StateChanged) -> None:
        """Show an unexpected error of a reader."""
        if event.state == WorkerState.ERROR:
            error = event.worker.error
            self.warn(visible(f"this could not be read: {type(error).__name__}: {error}"))

    def warn(self, problem: str) -> None:
        """Show a problem in place of the hint."""
        hint = self.query_one("#hint", Label)
        hint.update(problem)
        hint.add_class("-wrong")


class SaveScreen(FileScreen):
    """Asks for the file to save to, and once more before it replaces one.

    Args:
        use: As in `FileScreen`.
        endings: The suffixes that a name may have, in lower case.
        hint: What the endings mean.
        name: The proposed name.
        targets: Returns the files that a path would write.
    """

    def __init__(
        self,
        use: Callable[[str], Any],
        endings: Iterable[str],
        hint: str,
        name: str,
        targets: Callable[[str], Sequence[str]],
    ) -> None:
        super().__init__("Save what is shown", use, endings, hint, name)
        self._targets = targets
        self._confirmed = ""
        self._enter = Repeat()
        self._is_repeat = False

    @on(Input.Submitted)
    def _note_repeat(self) -> None:
        """Note whether enter may be held; this is called before the name is taken."""
        self._is_repeat = self._enter.note()

    def action_click(self) -> None:
        """Take the name in the field, by the mouse, which no key holds."""
        self._is_repeat = False
        self.action_submit()

    def take(self, path: str) -> None:
        """Save to a file, unless it exists and nobody has been asked about it.

        A key that is held does not answer.
        """
        files = [*filter(None, map(described, self._targets(path)))]
        if files and (path != self._confirmed or self._is_repeat):
            self._confirmed = path
            self.warn(EXISTS.format(files=", ".join(files)))
            return
        self.use(path)

    def found(self, path: str) -> str:
        """Return the path: the beginning of a name is a name to save to."""
        return path

    def pick(self, path: str) -> None:
        """Fill in the name of a file that was picked; enter then saves to it."""
        field = self.query_one(Input)
        field.value = from_here(path)
        field.cursor_position = len(field.value)
        field.focus()

    @on(Input.Changed)
    def _forget(self) -> None:
        """Ask again about another name."""
        self._confirmed = ""
        hint = self.query_one("#hint", Label)
        hint.update(self._hint)
        hint.remove_class("-wrong")

    @on(DirectoryTree.DirectorySelected)
    def _go_into(self, event: DirectoryTree.DirectorySelected) -> None:
        """Put the name into the folder that was picked."""
        tree, field = self.query_one(Files), self.query_one(Input)
        name = os.path.basename(typed_path(field.value))
        folder = tree.folder if event.node is tree.root else event.path
        # Without a name yet, a folder ends with its separator, so that one can be typed behind it.
        is_here = folder == present_folder()
        field.value = name if is_here else os.path.join(from_here(folder), name)


class Files(DirectoryTree):
    """A tree of files that escapes their names: Textual's own sends them to the terminal raw.

    Its first line leads to the folder above.

    Args:
        folder: The folder whose files it lists.
        endings: The suffixes of the files listed, in lower case; without any, all are.
    """

    # Terminal fonts often lack the icons of Textual.
    ICON_NODE_EXPANDED, ICON_NODE, ICON_FILE = "▼ ", "▸ ", "  "

    def __init__(self, folder: Path, endings: Sequence[str] = ()) -> None:
        super().__init__(folder)
        self._endings = endings
        self.show_guides = False
        self.guide_depth = 2

    def step(self, steps: int) -> None:
        """Mark a line below, or above if ``steps`` is negative; the first is marked at first."""
        self.cursor_line = max(self.cursor_line, 0) + steps
        self.scroll_to_line(self.cursor_line, animate=False)

    def action_cursor_up(self) -> None:
        """Mark the line above, or go back to the field from the first."""
        if self.cursor_line > 0:
            super().action_cursor_up()
        else:
            self.screen.focus_previous()

    @property
    def folder(self) -> Path:
        """The folder whose files it lists."""
        return Path(self.path)

    def filter_paths(self, paths: Iterable[Path]) -> Iterable[Path]:
        """Leave out hidden files, and those that nobody could use here."""
        return (path for path in paths if not path.name.startswith(".") and self._is_of_use(path))

    def _is_of_use(self, path: Path) -> bool:
        if os.path.isdir(path):
            return os.access(path, os.R_OK | os.X_OK)
        has_ending = not self._endings or path.suffix.lower() in self._endings
        return has_ending and os.path.isfile(path) and os.access(path, os.R_OK)

    @on(DirectoryTree.DirectorySelected)
    def _go_up(self, event: DirectoryTree.DirectorySelected) -> None:
        """Go to the folder above from the first line."""
        if event.node is self.root:
            self.path = self.folder.parent

    def render_label(self, node: TreeNode[DirEntry], base_style: Style, style: Style) -> Text:
        """Return the label of a file, with invisible characters spelled out."""
        if node is self.root:
            return Text(visible(f"▴ .. above {self.folder}"), base_style + style)
        label = super().render_label(node, base_style, style)
        name = visible(label.plain)
        return label if name == label.plain else Text(name, label.style)


def siblings(path: Path) -> Sequence[Path]:
    """Return what lies in the folder of a path; nothing if it cannot be listed."""
    try:
        return [*path.parent.iterdir()]
    except (OSError, ValueError):
        return []


def present_folder() -> Path:
    """Return the folder that relative paths start from, or that of the user if it is gone."""
    try:
        return Path.cwd()
    except OSError:
        return Path.home()


def from_here(path: str | Path) -> str:
    """Return a path as one types it: from the present folder if it lies there."""
    folder, place = present_folder(), Path(path)
    return os.fspath(place.relative_to(folder) if place.is_relative_to(folder) else place)


def described(path: str) -> str:
    """Return the name, the size and the date of a file; empty if there is none."""
    try:
        status = os.stat(os.path.expanduser(path))
    except (OSError, ValueError):
        return ""
    if not S_ISREG(status.st_mode):
        return ""
    date = datetime.fromtimestamp(status.st_mtime)
    return f"{visible(os.path.basename(path))} ({byte_size(status.st_size)}, {date:%Y-%m-%d %H:%M})"
