"""The command line that asks what a screen shows, and how it gets into somebody's hands."""

from collections.abc import Callable, Iterator
from functools import partial
from os import environ
from shlex import quote, split
from typing import Any

from rich.text import Text
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from attn_tui.compute.errors import InputError
from attn_tui.files.history import Asked
from attn_tui.instruments import INSTRUMENTS, load
from attn_tui.old.tui.reading import ReadDialog
from attn_tui.old.tui.view import View
from attn_tui.report.rows import cells
from attn_tui.ui.terminal.clipboard import load_tmux


def line_of(instrument: str, asked: Asked, view: View) -> str:
    """Return the command line that asks what an instrument shows.

    Raises:
        InputError: If a command line cannot ask it.
    """
    shown = next(each for each in INSTRUMENTS if each.name == instrument)
    line: str = load(view.command or shown.line)(asked)
    return line


def copied(app: App[Any], line: Callable[[], str], left_out: str) -> None:
    """Copy a command line, and show it, for not every terminal takes it; or say why there is none.

    Args:
        app: What has the terminal.
        line: Returns it, or raises an InputError.
        left_out: What it does not ask, in a sentence, or nothing.
    """
    try:
        text = line()
    except InputError as error:
        app.notify(str(error), timeout=5, markup=False)
        return
    app.copy_to_clipboard(text)
    if environ.get("TMUX") and not app.is_headless:
        app.run_worker(partial(load_tmux, text), thread=True)
    app.push_screen(CopyDialog(text, left_out))


def rows_of(line: str, width: int) -> list[str]:
    """Return a command line in rows that a shell reads as one, if they are pasted together.

    A row that goes on ends with a backslash in the last column, for blanks behind one would undo
    it. What is longer than a row is cut in pieces, each quoted for itself.
    """
    rows = [""]
    for word in split(line):
        for place, piece in enumerate(_pieces(word, max(width - 1, 8))):
            before = " " if place == 0 and rows != [""] else ""
            if cells(rows[-1] + before + piece) < width:
                rows[-1] += before + piece
                continue
            if rows[-1]:
                # Blanks are between words here, but not between the pieces of one.
                blanks = " " * (width - 1 - cells(rows[-1])) if place == 0 else ""
                rows[-1] += f"{blanks}\\"
                rows.append("")
            rows[-1] = before + piece
    return rows


def _pieces(word: str, rest: int) -> Iterator[str]:
    """Yield what a shell reads as one word, in pieces of at most so many cells, the first less."""
    room = rest - 1
    quoted = quote(word)
    if cells(quoted) <= room:
        yield quoted
        return
    is_plain = quoted == word
    while word:
        length = room if is_plain else max(room - 2, 1)
        while length > 1 and cells(_quoted(word[:length], is_plain)) > room:
            length -= 1
        yield _quoted(word[:length], is_plain)
        word = word[length:]
        # Only before the first there is a blank.
        room = rest


def _quoted(piece: str, is_plain: bool) -> str:
    return piece if is_plain else quote(piece) if "'" in piece else f"'{piece}'"


class Command(Static):
    """A command line that can be selected with the mouse, from the first column to the last."""

    def __init__(self, line: str) -> None:
        super().__init__()
        self._line = line

    def on_resize(self) -> None:
        """Break the line where the screen ends."""
        rows = rows_of(self._line, self.size.width)
        self.update(Text("\n".join(rows), no_wrap=True))


class CopyDialog(ReadDialog):
    """The command line that was copied, for not every terminal takes it.

    Args:
        line: The command line.
        left_out: What it does not ask, in a sentence, or nothing.
    """

    def __init__(self, line: str, left_out: str = "") -> None:
        said = (
            "It was sent to the terminal. If nothing pastes, it is here: select it with the mouse, "
            "holding shift, or leave with q, which prints it."
        )
        super().__init__("The command that asks this", Text(f"{said}\n{left_out}".strip()))
        self._line = line

    def compose_box(self) -> ComposeResult:
        """Yield the line, and what became of it."""
        with VerticalScroll():
            yield Command(self._line)
            yield Static()
            yield Static(self._text)
