"""What the keys of the Explore screen do with files: open one, save one."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from textual import on
from textual.message import Message

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore import answer
from attn_tui.files.opening import open_draft
from attn_tui.report.export import export, write_whole
from attn_tui.tui import edits
from attn_tui.tui.explore.base import ExploreBase

PICTURE = ".svg"


class FilingActions(ExploreBase):
    """Actions that read and write files."""

    @dataclass
    class Saved(Message):
        """A file has been written, or could not be.

        Attributes:
            text: The name as it was typed.
            error: Why it could not, or None.
        """

        text: str
        error: InputError | None

    def action_open_file(self) -> None:
        """Ask for a file and open it."""
        if self.asked:
            setup = self.asked.draft.setup
            self.request(
                "open",
                "",
                lambda text: edits.become(open_draft(text.strip(), setup)),
                self.ask,
                eager=False,
            )

    def action_save_file(self, text: str = "attn-tui.json") -> None:
        """Ask for a file and write what the screen shows to it."""
        if self.asked:
            # Taken now, since the line that asks for the name is not to be in the picture.
            picture = self.app.export_screenshot()
            save = partial(self._save, picture, self.asked.experiment)
            self.request("save", text, _new_name, save, eager=False)

    def _save(self, picture: str, experiment: Experiment, text: str) -> None:
        """Write a file in a thread, for a million keys take a while."""
        self.run_worker(partial(self._write, picture, experiment, text), thread=True, group="save")

    def _write(self, picture: str, experiment: Experiment, text: str) -> None:
        path = text.removesuffix("!")
        error = None
        try:
            if path.lower().endswith(PICTURE):
                write_whole(path, [picture])
            else:
                for each in answer(experiment):
                    export(path, each)
        except InputError as found:
            error = found
        self.post_message(self.Saved(text, error))

    @on(Saved)
    def _on_saved(self, event: Saved) -> None:
        event.stop()
        if event.error:
            self.action_save_file(event.text)
            self.complain(str(event.error))
        else:
            self.notify(f"Saved {event.text.removesuffix('!')}", timeout=4, markup=False)


def _new_name(text: str) -> str:
    """Return the name of a file to write; one that is there only if ``!`` is added to it."""
    name = text.strip()
    if not name.endswith("!") and Path(name).expanduser().exists():
        problem = f"{inert(Path(name).name)} is there already"
        raise InputError("file", problem, "another name, or ! behind it to write over it")
    return name
