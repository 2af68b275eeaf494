"""The part of an instrument's screen that lays nothing out: asking, reading, saving, opening."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.events import Idle
from textual.geometry import Size
from textual.message import Message
from textual.messages import Update
from textual.reactive import var
from textual.screen import Screen
from textual.timer import Timer

from attn_tui.compute.errors import InputError
from attn_tui.compute.text import listed, visible
from attn_tui.files import edits
from attn_tui.files.history import Edit, Question
from attn_tui.ui.d_k import DkPane
from attn_tui.ui.leaving import WRITERS
from attn_tui.ui.session_names import ENDING
from attn_tui.ui.setting import D_K, Setting
from attn_tui.ui.settings_panel import SettingsPanel
from attn_tui.ui.slider import Slider
from attn_tui.ui.terminal.compositor import SparseCompositor
from attn_tui.ui.typing import Typing

if TYPE_CHECKING:
    # Imported where they are used: the first screen does not wait for what is asked for later.
    from attn_tui.report.export import Forms
    from attn_tui.report.report import Report
    from attn_tui.ui.opening import Opened

PACE = 0.25
"""Seconds between two stops while d_k is played."""

COMMENT_SECONDS = 12.0
"""How long stays what is said about what is shown."""

ROOM = Size(80, 24)
"""The least screen on which something is said beside what it is about."""


READ = "{count} vectors were read: > goes through them in Explore, 4 shows all as rows of a head"
"""The message about a file of several vectors."""

LATE = "{thing} is not shown: something else was opened meanwhile"
"""The message where what was read is no longer waited for."""

SAVED: Mapping[str, str] = {
    ".svg": "picture", ".json": "numbers", ".csv": "tables", ".txt": "report",
    ".session": "all steps",
}  # fmt: skip
"""What a file holds, by the ending of its name."""

BOTH = (".svg", ".json")
"""The endings of the files that a name without an ending saves."""

USES: Mapping[str, str] = {
    ENDING: ": attn-tui replay {file} goes through it",
    ".json": ": in Python, attn_tui.load({file!r}) reads it",
}
"""What is said of a file that is saved to be read again, by its ending."""

NO_ENDING = "no ending: .svg and .json"

OPENED = ".npy, .npz, .csv, .txt: scores; .json: what was saved; .safetensors: a model's heads"
"""What can be opened, by the ending of its name."""

DEMOS = "demos"
"""The folder of captures with a known fault, where the program keeps its own notes."""

NO_DEMO = "It cannot be written: {problem}. attn-tui demo DIR writes it elsewhere"
"""The message where there is no place for such a capture."""


class AskingScreen(Screen[None]):
    """A screen with a question and its answer; it saves what is shown, and asks what a file holds.

    Every change to the question goes through `ask`, which posts a message.

    Attributes:
        NAME: The name of the instrument, as in the registry.
        GROUPS: Headings of the settings panel, each with its settings.
        HAS_D_K: Whether it has a pane of d_k.
        OPENS_SCORES: The instrument that a file of scores is opened in, if it is not this one.
    """

    NAME: ClassVar[str]

    GROUPS: ClassVar[Sequence[tuple[str, Sequence[Setting]]]] = ()
    HAS_D_K: ClassVar[bool] = True
    NO_N: ClassVar[str] = "There is no number of keys to move here"
    """Why the number of keys cannot be moved."""
    OPENS_SCORES: ClassVar[str] = ""
    session_text: Callable[[], Iterable[str]] = tuple
    """Returns all that has been asked, as a file holds it, in pieces."""
    has_files: bool = True
    """Whether files are opened and saved; not where the machine is somebody else's."""

    question: var[Question | None] = var(None, init=False)
    answer: var[Any] = var(None, init=False)

    @dataclass
    class Ask(Message):
        """The user changes the question.

        Attributes:
            edit: The change.
            gesture: A name shared by all changes of one gesture, such as a drag; or nothing.
        """

        edit: Edit
        gesture: str

    @dataclass
    class Go(Message):
        """The user goes to another instrument.

        Attributes:
            instrument: The name of the instrument.
            vector: The name of the vector to show there, or nothing.
        """

        instrument: str
        vector: str = ""

    class Back(Message):
        """The user goes back, and the instrument itself has nowhere to go back to."""

    class Ready(Message):
        """An instrument is ready to be given the present question."""

    def __init__(self) -> None:
        super().__init__()
        # Textual offers no other place for one; a step of d_k takes a sixth less with it.
        self._compositor = SparseCompositor()
        self.typing = Typing()
        """When somebody has typed last: what only refines an answer stands aside."""
        self._player: Timer | None = None
        self._direction = 1

    def post_message(self, message: Message) -> bool:
        """Note which widgets a key repaints; a message for each would cost more than its paint."""
        if self.typing.is_pending and isinstance(message, Update):
            self._dirty_widgets.add(message.widget)
            self.check_idle()
            return True
        return super().post_message(message)

    def on_idle(self, event: Idle) -> None:
        """Paint what a key changes once all of it has taken effect: in one frame, not in two."""
        if self.typing.is_pending:
            event.prevent_default()

    @property
    def present(self) -> Question:
        """The present question; the screen must have been given it."""
        assert self.question is not None
        return self.question

    @property
    def settings(self) -> list[Setting]:
        """All settings of the instrument, including d_k, which has a pane of its own."""
        return [D_K, *(setting for _, group in self.GROUPS for setting in group)]

    def on_screen_suspend(self) -> None:
        """Stop playing when the screen is hidden."""
        self._stop_playing()

    def ask(self, edit: Edit, gesture: str = "") -> None:
        """Change the question by an edit."""
        self.app.post_message(self.Ask(edit, gesture))

    def follow(self, question: Question) -> bool:
        """Take over a question that another one follows at once, without answering it.

        Returns:
            Whether that is possible: whether no key acts on what the answer before has drawn.
        """
        self.set_reactive(AskingScreen.question, question)
        self.show_numbers(question)
        return True

    def show_numbers(self, question: Question) -> None:
        """Show the numbers of a question that have sliders."""
        if self.HAS_D_K:
            self.query_one(DkPane).value = question.experiment.setup.d_k

    def comment(self, text: str) -> None:
        """Say something about what is shown, unless it would cover that on a small screen."""
        if self.size.width >= ROOM.width and self.size.height >= ROOM.height:
            self.app.notify(text, timeout=COMMENT_SECONDS, markup=False)

    def look_at(self, vector: str) -> None:
        """Show the vector with this name, if the instrument shows one at a time."""

    def preview(self, edit: Edit) -> str:
        """Return the headline after an edit, if it is known at once; else an empty text."""
        return ""

    @on(Slider.Moved, "#d_k")
    def _move_d_k(self, event: Slider.Moved) -> None:
        event.stop()
        self._ask_d_k(event.value, event.gesture)

    def _ask_d_k(self, d_k: int, gesture: str) -> None:
        self.ask(edits.setup(lambda setup: replace(setup, d_k=d_k)), gesture)

    def action_step_d_k(self, steps: int) -> None:
        """Move d_k by some stops, up or down."""
        # A message of the pane would go through all that is around it, at each key.
        self._ask_d_k(self.query_one(DkPane).after(steps), f"{D_K.name} step")

    def action_double_d_k(self, times: int) -> None:
        """Double or halve d_k."""
        self._ask_d_k(self.query_one(DkPane).doubled(times), f"{D_K.name} double")

    def action_type_d_k(self) -> None:
        """Focus the field of d_k."""
        self.query_one(DkPane).edit()

    def action_step_n(self, steps: int) -> None:
        """Move the number of keys by some stops, or say that it cannot be moved."""
        self.notify(self.NO_N, timeout=3)

    async def action_type_n(self) -> None:
        """Focus the field of the number of keys, or say that it cannot be moved."""
        self.notify(self.NO_N, timeout=3)

    def action_go_on(self) -> None:
        """Play d_k or stop if one pane is shown alone; otherwise stop or resume long work."""
        if self.is_playing:
            self._stop_playing()
        elif self.has_class("-full"):
            self._player = self.set_interval(PACE, self._play)
        else:
            self.stop_or_go_on()

    @property
    def is_playing(self) -> bool:
        """Whether d_k is being played."""
        return self._player is not None

    def stop_or_go_on(self) -> None:
        """Stop or resume long work."""

    def _play(self) -> None:
        """Move d_k by a stop, turning around at the ends of its scale."""
        slider = self.query_one(Slider)
        if slider.value in (slider.scale.minimum, slider.scale.maximum):
            self._direction = 1 if slider.value == slider.scale.minimum else -1
        slider.action_step(self._direction)

    def _stop_playing(self) -> None:
        if self._player is not None:
            self._player.stop()
            self._player = None

    @on(SettingsPanel.Changed)
    def _change_setting(self, event: SettingsPanel.Changed) -> None:
        self.ask(event.edit, f"set {event.name}")

    # Files and reports

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
        self.show_read("The report", lambda: self.app.push_screen(screen, self._save_text))

    def show_read(self, thing: str, show: Callable[[], object]) -> None:
        """Show what a thread has read, unless one has gone on to something else meanwhile.

        Args:
            thing: What it is, to say that it is not shown.
            show: Shows it.
        """

        def show_here() -> None:
            if self.is_current:
                show()
            else:
                self.notify(LATE.format(thing=thing), markup=False)

        self.app.call_from_thread(show_here)

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

        def save(path: str) -> list[str]:
            files = targets(path)
            with WRITERS.file(listed([visible(file) for file in files])):
                for file in files:
                    export(os.path.expanduser(file), forms)
            return files

        meanings = [f"{ending} {SAVED[ending]}" for ending in SAVED if ending in forms]
        hint = " · ".join([*meanings, NO_ENDING])
        self.app.push_screen(SaveScreen(save, forms, hint, name, targets), self._say_saved)

    def _say_saved(self, files: Sequence[str] | None) -> None:
        from attn_tui.ui.file_dialogs import present_folder

        if files is None:
            return
        names = listed([visible(file) for file in files])
        is_here = not any(map(os.path.dirname, files))
        where = f" in {visible(os.fspath(present_folder()))}" if is_here else ""
        ending = PurePath(files[-1]).suffix
        use = USES.get(ending, "").format(file=visible(files[-1]))
        self.notify(f"Saved {names}{where}{use}", timeout=8, markup=False)

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

        def show() -> None:
            self._ask_opened(question)
            self.comment(demo.about)

        self.show_read(demo.name, show)

    def _ask_opened(self, opened: "Opened | None") -> None:
        if opened is None:
            return
        self.ask(edits.become(opened.draft))
        there = opened.instrument or self.OPENS_SCORES
        if there not in ("", self.NAME):
            self.post_message(self.Go(there))
        if opened.n_vectors > 1:
            self.notify(READ.format(count=f"{opened.n_vectors:,}"), timeout=5)
