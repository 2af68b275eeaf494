"""The part of an instrument's screen that reads reports, and saves and opens files."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from textual import work

from attn_tui.compute.text import listed, visible
from attn_tui.files import edits
from attn_tui.files.draft import Draft, parse
from attn_tui.ui.asking_screen import AskingScreen
from attn_tui.ui.leaving import WRITERS

if TYPE_CHECKING:
    # Imported where they are used: the first screen does not wait for what is asked for later.
    from attn_tui.report.export import Forms

READ = "{count} vectors were read: > goes through them in Explore, 4 shows all as rows of a head"
"""The message about a file of several vectors."""

SAVED: Mapping[str, str] = {
    ".svg": "picture", ".json": "numbers", ".csv": "tables", ".txt": "report",
}  # fmt: skip
"""What a file holds, by the ending of its name."""

BOTH = (".svg", ".json")
"""The endings of the files that a name without an ending saves."""

NO_ENDING = "no ending: .svg and .json"

OPENED = ".npy, .npz, .csv, .txt: scores; .json: what was saved"
"""What can be opened, by the ending of its name."""


@dataclass(frozen=True)
class Opened:
    """What a file asks.

    Attributes:
        draft: The question.
        n_vectors: How many vectors of scores it has.
    """

    draft: Draft
    n_vectors: int


class FilesScreen(AskingScreen):
    """Saves what is shown, and asks the question of a file."""

    def forms(self) -> "Forms":
        """Return the forms that can be saved, by the suffix of the file."""
        return {}

    def report(self) -> str:
        """Return the whole report as text."""
        return "".join(str(piece) for piece in self.forms()[".txt"]())

    @work(thread=True, exclusive=True, group="report", exit_on_error=False)
    def action_read(self) -> None:
        """Show the whole report as text."""
        from attn_tui.ui.dialogs import TextScreen

        screen = TextScreen(self.report_title, self.report())
        self.app.call_from_thread(self.app.push_screen, screen, self._save_text)

    @property
    def report_title(self) -> str:
        """The title of the report."""
        return "In words and numbers"

    def _save_text(self, wanted: bool | None) -> None:
        if wanted:
            self._ask_file("attn-tui.txt")

    def action_save(self) -> None:
        """Ask for a file, and save what is shown."""
        self._ask_file("attn-tui")

    def _picture(self) -> Iterator[str]:
        yield self.app.export_screenshot(title="attn-tui")

    def _ask_file(self, name: str) -> None:
        from attn_tui.report.export import export
        from attn_tui.ui.file_dialogs import SaveScreen

        # Taken before the dialogue covers the screen.
        picture = [*self._picture()]
        forms: Forms = {".svg": lambda: iter(picture), **self.forms()}

        def targets(path: str) -> list[str]:
            if PurePath(path).suffix:
                return [path]
            return [f"{path}{ending}" for ending in BOTH if ending in forms]

        def save(path: str) -> str:
            files = targets(path)
            names = listed([visible(file) for file in files])
            with WRITERS.file(names):
                for file in files:
                    export(os.path.expanduser(file), forms)
            return names

        meanings = [f"{ending} {SAVED[ending]}" for ending in SAVED if ending in forms]
        hint = " · ".join([*meanings, NO_ENDING])
        self.app.push_screen(SaveScreen(save, forms, hint, name, targets), self._say_saved)

    def _say_saved(self, files: str | None) -> None:
        if files is not None:
            self.notify(f"Saved {files}", markup=False)

    def action_open(self) -> None:
        """Ask for a file of scores, of queries and keys, or of a whole question, and open it."""
        from attn_tui.files.draft import open_draft
        from attn_tui.files.formats import SUFFIXES
        from attn_tui.ui.file_dialogs import FileScreen

        setup = self.present.draft.setup

        def read(path: str) -> Opened:
            draft = open_draft(os.path.expanduser(path), setup)
            # Counted here, since by the time that the dialogue closes the file may be gone.
            return Opened(draft, len(parse(draft).vectors))

        self.app.push_screen(FileScreen("Open a file", read, SUFFIXES, OPENED), self._ask_opened)

    def _ask_opened(self, opened: Opened | None) -> None:
        if opened is None:
            return
        self.ask(edits.become(opened.draft))
        if opened.n_vectors > 1:
            self.notify(READ.format(count=f"{opened.n_vectors:,}"), timeout=5)
