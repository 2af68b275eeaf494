"""What every instrument does with files: save what is shown in any form, and read it as text."""

import os
from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from itertools import takewhile

from rich.text import Text
from textual import on
from textual.message import Message

from attn_tui.compute.errors import InputError, inert
from attn_tui.files.paths import entries, shown_path, true_path
from attn_tui.report.export import Forms, export
from attn_tui.tui.actions import Action
from attn_tui.tui.dialogs import ReadDialog
from attn_tui.tui.scaling import ScalingScreen

READ_ACTION = Action(
    "screen.read", ("y",), "y", "Say", "Read all there is to say of what is shown as text"
)
SAVE_ACTION = Action(
    "screen.save_file", (), "", "Save",
    "Save what is shown: the name's ending says in which form, .svg for a picture",
    always=("ctrl+s",),
)  # fmt: skip

PICTURE = ".svg"


class FilingScreen(ScalingScreen):
    """A screen whose answer can be saved, and read as text."""

    @dataclass
    class Saved(Message):
        """A file has been written, or could not be.

        Attributes:
            text: The name as it was typed.
            error: Why it could not, or None.
        """

        text: str
        error: InputError | None

    @abstractmethod
    def forms(self) -> Forms:
        """Return what can be written of the present answer; nothing while there is none."""

    @abstractmethod
    def said(self) -> str:
        """Return all there is to say of what is shown; nothing while there is no answer."""

    def action_read(self) -> None:
        """Open all there is to say as text."""
        if text := self.said():
            self.app.push_screen(ReadDialog("In words and numbers", Text(text)))
        else:
            self.notify("There is nothing to say yet", timeout=3)

    def action_save_file(self, text: str = "attn-tui.json", problem: str = "") -> None:
        """Ask for a file and write what the screen shows to it; or ask again, with the problem."""
        # Taken now, since the line that asks for the name is not to be in the picture.
        picture = self._picture()
        forms = {**self.forms(), PICTURE: lambda: [picture]}
        save = partial(self._save, forms)
        self.request("save", text, _new_name, save, False, completed, problem)

    def _picture(self) -> str:
        """Return the screen as a picture, without what pops up over it for some seconds."""
        racks = [rack for rack in self.query("ToastRack") if rack.display]
        for rack in racks:
            rack.display = False
        self._compositor.reflow(self, self.size)
        picture = self.app.export_screenshot()
        for rack in racks:
            rack.display = True
        return picture

    def _save(self, forms: Forms, text: str) -> None:
        """Write a file in a thread, for a million keys take a while."""
        self.run_worker(partial(self._write, forms, text), thread=True, group="save")

    def _write(self, forms: Forms, text: str) -> None:
        error = None
        try:
            export(true_path(text.removesuffix("!")), forms)
        except InputError as found:
            error = found
        self.post_message(self.Saved(text, error))

    @on(Saved)
    def _on_saved(self, event: Saved) -> None:
        event.stop()
        if event.error:
            self.action_save_file(event.text, event.error.beside)
        else:
            self.notify(f"Saved {event.text.removesuffix('!')}", timeout=2, markup=False)


def completed(text: str) -> str:
    """Return a path with as much more as all files have that begin so."""
    folder, begin = os.path.split(text)
    shown = map(shown_path, entries(true_path(folder)))
    names = [name for name in shown if name.startswith(begin)]
    if not names:
        return text
    same = takewhile(lambda pair: pair[0] == pair[1], zip(min(names), max(names), strict=False))
    return os.path.join(folder, "".join(first for first, _ in same))


def _new_name(text: str) -> str:
    """Return the name of a file to write; one that is there only if ``!`` is added to it."""
    name = text.strip()
    path = true_path(name)
    if not name.endswith("!") and os.path.exists(path):
        problem = f"{inert(os.path.basename(path))} is there already"
        raise InputError("file", problem, "another name, or ! behind it to write over it")
    return name
