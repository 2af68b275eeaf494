"""The part of an instrument's screen that reads reports, and saves and opens files."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work
from textual.reactive import var

from attn_tui.compute.errors import InputError
from attn_tui.compute.text import listed, visible
from attn_tui.files import edits
from attn_tui.ui.asking_screen import AskingScreen
from attn_tui.ui.leaving import WRITERS
from attn_tui.ui.session_names import ENDING

if TYPE_CHECKING:
    # Imported where they are used: the first screen does not wait for what is asked for later.
    from attn_tui.report.export import Forms
    from attn_tui.report.report import Report
    from attn_tui.ui.opening import Opened

READ = "{count} vectors were read: > goes through them in Explore, 4 shows all as rows of a head"
"""The message about a file of several vectors."""

SAVED: Mapping[str, str] = {
    ".svg": "picture", ".json": "numbers", ".csv": "tables", ".txt": "report",
    ".session": "all steps",
}  # fmt: skip
"""What a file holds, by the ending of its name."""

BOTH = (".svg", ".json")
"""The endings of the files that a name without an ending saves."""

REPLAYS = ": attn-tui replay {file} goes through it"
"""What is said of a session that is saved for others."""

NO_ENDING = "no ending: .svg and .json"

OPENED = ".npy, .npz, .csv, .txt: scores; .json: what was saved; .safetensors: a model's heads"
"""What can be opened, by the ending of its name."""

DEMOS = "demos"
"""The folder of captures with a known fault, where the program keeps its own notes."""

NO_DEMO = "It cannot be written: {problem}. attn-tui demo DIR writes it elsewhere"
"""The message where there is no place for such a capture."""


class FilesScreen(AskingScreen):
    """Saves what is shown, and asks the question of a file.

    Attributes:
        NAME: The name of the instrument.
        OPENS_SCORES: The instrument that a file of scores is opened in, if it is not this one.
    """

    NAME: ClassVar[str]
    OPENS_SCORES: ClassVar[str] = ""
    session_text: Callable[[], Iterable[str]] = tuple
    """Returns all that has been asked, as a file holds it, in pieces."""
    has_files: bool = True
    """Whether files are opened and saved; not where the machine is somebody else's."""

    answer: var[Any] = var(None, init=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is available: files are not, where there are none."""
        if action in ("open", "save"):
            return self.has_files
        return super().check_action(action, parameters)

    def report(self, answer: Any, width: int | None = None) -> "Report":
        """Return the report on an answer.

        Args:
            answer: The answer.
            width: The width in columns at which it is read on the screen; None if it is saved.
        """
        raise NotImplementedError

    def forms(self) -> "Forms":
        """Return the forms that can be saved, by the suffix of the file; none without an answer."""
        from attn_tui.report.forms import forms

        answer = self.answer
        return {} if answer is None else forms(lambda: self.report(answer))

    def report_text(self) -> str:
        """Return the report on the answer as text, as wide as the screen has room for."""
        from attn_tui.report.text import text
        from attn_tui.ui.dialogs import columns_of_text

        width = columns_of_text(self.size.width)
        return "" if self.answer is None else "".join(text(self.report(self.answer, width), width))

    @work(thread=True, exclusive=True, group="report", exit_on_error=False)
    def action_read(self) -> None:
        """Show the whole report as text."""
        from attn_tui.ui.dialogs import TextScreen

        screen = TextScreen(self.report_title, self.report_text())
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
        forms: Forms = {
            ".svg": lambda: iter(picture), **self.forms(), ".session": self.session_text,
        }  # fmt: skip

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
        if files is None:
            return
        how = REPLAYS.format(file=files) if files.endswith(ENDING) else ""
        self.notify(f"Saved {files}{how}", timeout=8, markup=False)

    def action_open(self) -> None:
        """Ask for a file, and open it in the instrument that reads it."""
        from attn_tui.captures.suffixes import SUFFIXES as CAPTURES
        from attn_tui.files.formats import SUFFIXES
        from attn_tui.ui.file_dialogs import FileScreen
        from attn_tui.ui.opening import opened

        draft = self.present.draft
        endings = dict.fromkeys((*SUFFIXES, *CAPTURES))
        dialogue = FileScreen("Open a file", lambda path: opened(path, draft), endings, OPENED)
        self.app.push_screen(dialogue, self._ask_opened)

    @work(thread=True, exclusive=True, group="demo", exit_on_error=False)
    def open_demo(self, name: str) -> None:
        """Write a capture with a known fault beside the notes of the program, and open it."""
        from attn_tui.captures.demo import demos, write_demo
        from attn_tui.ui.memory import folder
        from attn_tui.ui.opening import opened

        demo = next(demo for demo in demos() if demo.name == name)
        try:
            path = write_demo(folder() / DEMOS, demo)
            question = opened(str(path), self.present.draft)
        except (OSError, InputError) as error:
            problem = error.message if isinstance(error, InputError) else str(error)
            say = partial(self.notify, NO_DEMO.format(problem=problem), markup=False)
            self.app.call_from_thread(say, severity="warning")
            return
        self.app.call_from_thread(self._ask_opened, question)
        self.app.call_from_thread(self.comment, demo.about)

    def _ask_opened(self, opened: "Opened | None") -> None:
        if opened is None:
            return
        self.ask(edits.become(opened.draft))
        there = opened.instrument or self.OPENS_SCORES
        if there not in ("", self.NAME):
            self.post_message(self.Go(there))
        if opened.n_vectors > 1:
            self.notify(READ.format(count=f"{opened.n_vectors:,}"), timeout=5)
