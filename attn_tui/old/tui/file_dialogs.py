"""Dialogues that ask for a file: one to open, or a name to save under in one of several forms."""

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import PurePath
from typing import ClassVar

from textual.widgets import Input

from attn_tui.captures.suffixes import TENSORS
from attn_tui.compute.errors import inert
from attn_tui.files.paths import entries, shown_path, true_path
from attn_tui.files.readers import SUFFIXES as READABLE
from attn_tui.old.tui.actions import Action, Section, bindings
from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.dialogs import CLOSE, MOVE, ListDialog

FILE = (
    *MOVE[:4],
    Action("complete", ("tab",), "tab", "Complete", "Complete the name", palette=False),
    Action(
        "choose", ("enter",), "enter", "Take", "Open the folder or file, or save", palette=False
    ),
    CLOSE,
)

SUFFIXES = (*READABLE, *TENSORS)
"""Endings of files that can be opened: scores, questions, and heads."""

KEYS = {"up, down": "", "tab": "complete"}
"""What keys do in both dialogues."""

HOLDS: Mapping[str, str] = {
    ".json": "everything; opened, it asks the same again",
    ".csv": "the numbers, for a spreadsheet",
    ".txt": "all there is to say, as text",
    ".svg": "a picture for browsers and papers",
    ".png": "a picture of pixels",
    ".ans": "a picture for terminals: cat shows it",
}
"""What a file holds, by the ending of its name."""


class FileDialog(ListDialog[str | None]):
    """A name to type or to choose; escape gives none.

    Args:
        title: What is done with the file.
        text: The name to start with.
        problem: Why that will not do, or nothing.
    """

    BINDINGS = bindings(FILE)
    SECTION = Section("Where a file is named", FILE)
    SAID_FIRST = True

    def __init__(self, title: str, text: str, problem: str) -> None:
        super().__init__(title, self.offered)
        self._text = text
        self.problem = problem
        self.says = True

    def field(self) -> Input:
        """Return the line to type in, whose text is selected."""
        return Input(self._text, compact=True, placeholder=self.HINT)

    def offered(self, typed: str) -> Sequence[Choice]:
        """Return what there is for a name as far as it is typed."""
        raise NotImplementedError

    def mark(self, value: str) -> str:
        """Mark nothing."""
        return ""

    def find(self, typed: str) -> None:
        """Look for another name, which has no problem yet."""
        if typed != self._text:
            self._text, self.problem = typed, ""
        super().find(typed)

    @property
    def name_typed(self) -> str:
        """The name, without blanks around it."""
        return self._text.strip()

    def fill(self, text: str) -> None:
        """Put another text in the place of what is typed."""
        field = self.query_one(Input)
        field.value = text
        field.action_end()

    def action_complete(self) -> None:
        """Add what all names have that begin as typed."""
        self.fill(completed(self._text))

    def complain(self, problem: str) -> None:
        """Say why the name will not do."""
        self.problem = problem
        self.say()


class OpenDialog(FileDialog):
    """Asks for a file to open, and lists what there is."""

    HINT = "Type a name, or choose"
    KEYS: ClassVar = {**KEYS, "enter opens": "choose", "esc": "dismiss(None)"}
    LEAST = 12

    def __init__(self, text: str = "", problem: str = "") -> None:
        super().__init__("Open a file", text, problem)
        self._listed: tuple[str | None, list[str]] = (None, [])

    def offered(self, typed: str) -> Sequence[Choice]:
        """Return the folders and the files that can be opened, those first that begin as typed."""
        folder, begin = os.path.split(typed)
        low = begin.casefold()
        if self._listed[0] != folder:
            self._listed = folder, [*map(shown_path, filter(_can_be_opened, _names(folder)))]
        found = [
            (not name.casefold().startswith(low), not name.endswith(os.sep), name)
            for name in self._listed[1]
            if low in name.casefold() and (begin or not name.startswith("."))
        ]
        # A folder may always be left by what stands first.
        names = [os.path.join(os.pardir, "")] * (not begin) + [name for *_, name in sorted(found)]
        return [Choice(os.path.join(folder, name), name) for name in names]

    def start(self, typed: str, choices: Sequence[Choice]) -> int | None:
        """Start on what begins as typed, or on nothing: what is typed is not given up unseen."""
        begin = os.path.basename(typed).casefold()
        begins = (
            place
            for place, each in enumerate(choices)
            if each.title.casefold().startswith(begin) and not each.title.startswith("..")
        )
        return next(begins, None)

    def nothing(self, typed: str) -> str:
        """Say what could be opened."""
        return f"Nothing here begins so that ends in {', '.join(SUFFIXES)}"

    def said(self) -> tuple[str, str]:
        """Say what is wrong, or where this is."""
        if self.problem:
            return self.problem, "error"
        return f"In {whole(os.path.dirname(self._text))}", "muted"

    def take(self, value: str) -> None:
        """Go into a folder, or close with a file."""
        if value.endswith(os.sep):
            self.fill(value)
        else:
            self.dismiss(value)

    def action_choose(self) -> None:
        """Take the line the cursor is on, or else what is typed."""
        if choice := self.lines.chosen:
            self.take(choice.value)
        elif self.name_typed:
            self.dismiss(self.name_typed)
        else:
            self.complain("no file is named; expected a name")


class SaveDialog(FileDialog):
    """Asks for a name to save under, whose ending says in which form.

    Args:
        text: The name to start with.
        suffixes: The endings there are.
        problem: Why the name will not do, or nothing.
    """

    KEYS: ClassVar = {**KEYS, "enter saves": "choose", "esc": "dismiss(None)"}

    def __init__(self, text: str, suffixes: Iterable[str], problem: str = "") -> None:
        super().__init__("Save what is shown", text, problem)
        self._forms = [
            Choice(suffix, f"{suffix:<7}{HOLDS.get(suffix, '')}".rstrip()) for suffix in suffixes
        ]
        self._there = ""

    def offered(self, typed: str) -> Sequence[Choice]:
        """Return every form."""
        return self._forms

    def start(self, typed: str, choices: Sequence[Choice]) -> int | None:
        """Start on the form that the ending says."""
        suffixes = [choice.value for choice in choices]
        suffix = PurePath(typed.strip()).suffix.lower()
        return suffixes.index(suffix) if suffix in suffixes else None

    def mark(self, value: str) -> str:
        """Mark the form that the ending says."""
        return "● " if self._is_taken(value) else "  "

    def _is_taken(self, form: str) -> bool:
        return PurePath(self.name_typed).suffix.lower() == form

    def said(self) -> tuple[str, str]:
        """Say what is wrong, or where the file will be."""
        if self.problem:
            return self.problem, "error"
        return f"Writes {whole(self.name_typed)}" * bool(self.name_typed), "muted"

    def take(self, value: str) -> None:
        """Take the form that was clicked; a click on that which is taken saves."""
        if self._is_taken(value):
            self.action_choose()
        else:
            self._end_in(value)

    def _end_in(self, value: str) -> None:
        name = self.name_typed
        suffix = PurePath(name).suffix
        known = suffix.lower() in (choice.value for choice in self._forms)
        self.fill((name.removesuffix(suffix) if known else name) + value)

    def action_move(self, lines: int) -> None:
        """Take the form so many lines down."""
        super().action_move(lines)
        if choice := self.lines.chosen:
            self._end_in(choice.value)

    def action_page(self, pages: int) -> None:
        """Take the first form or the last."""
        self.action_move(pages * len(self._forms))

    def action_choose(self) -> None:
        """Close with the name; that of a file that is there has to be entered twice."""
        name = self.name_typed
        if not name:
            self.complain("no file is named; expected a name")
        elif self.start(name, self._forms) is None:
            self.complain("its suffix is none of ours; expected one of these at its end")
        elif (name != self._there or not self.problem) and os.path.isfile(true_path(name)):
            self._there = name
            shown = inert(os.path.basename(true_path(name)))
            self.complain(f"{shown} is there already: enter again writes over it")
        else:
            self.dismiss(name)


def _names(folder: str) -> list[str]:
    return entries(true_path(folder))


def _can_be_opened(name: str) -> bool:
    return name.endswith(os.sep) or PurePath(name).suffix.lower() in SUFFIXES


def completed(text: str) -> str:
    """Return a path with as much more as all files have that begin so."""
    folder, begin = os.path.split(text)
    if text.startswith("~") and not folder and os.path.isdir(true_path(text)):
        return os.path.join(text, "")
    names = [name for name in map(shown_path, _names(folder)) if name.startswith(begin)]
    if not names:
        return text
    same = takewhile(lambda pair: pair[0] == pair[1], zip(min(names), max(names), strict=False))
    return os.path.join(folder, "".join(first for first, _ in same))


def whole(text: str) -> str:
    """Return the whole path of a name as it is shown; of one that can have none the name."""
    try:
        return shown_path(os.path.abspath(true_path(text)))
    except ValueError:
        return text
