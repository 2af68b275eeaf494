"""What the keys of the Explore screen do with files: open one, save one."""

import os
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from pathlib import Path

from textual import on
from textual.message import Message

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore import VectorAnswer, answer
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
                complete=completed,
            )

    def action_save_file(self, text: str = "attn-tui.json") -> None:
        """Ask for a file and write what the screen shows to it."""
        if self.asked:
            # Taken now, since the line that asks for the name is not to be in the picture.
            picture = self.app.export_screenshot()
            save = partial(self._save, picture, self.asked.experiment, self.view.pinned)
            read = partial(_new_name, self.asked.error)
            self.request("save", text, read, save, eager=False, complete=completed)

    def _save(
        self, picture: str, experiment: Experiment, pinned: VectorAnswer | None, text: str
    ) -> None:
        """Write a file in a thread, for a million keys take a while."""
        self.run_worker(
            partial(self._write, picture, experiment, pinned, text), thread=True, group="save"
        )

    def _write(
        self, picture: str, experiment: Experiment, pinned: VectorAnswer | None, text: str
    ) -> None:
        path = text.removesuffix("!")
        error = None
        try:
            if path.lower().endswith(PICTURE):
                write_whole(path, [picture])
            else:
                for each in answer(experiment):
                    export(path, each, pinned)
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


def completed(text: str) -> str:
    """Return a path with as much more as all files have that begin so."""
    folder, begin = os.path.split(text)
    try:
        names = sorted(
            each.name + "/" * each.is_dir()
            for each in Path(folder or ".").expanduser().iterdir()
            if each.name.startswith(begin)
        )
    except OSError:
        return text
    if not names:
        return text
    same = takewhile(lambda pair: pair[0] == pair[1], zip(names[0], names[-1], strict=False))
    return os.path.join(folder, "".join(first for first, _ in same))


def _new_name(unread: InputError | None, text: str) -> str:
    """Return the name of a file to write; one that is there only if ``!`` is added to it."""
    name = text.strip()
    if unread and not name.removesuffix("!").lower().endswith(PICTURE):
        expected = "scores that are, or a picture of the screen: .svg"
        raise InputError("file", "the scores are not understood", expected)
    if not name.endswith("!") and Path(name).expanduser().exists():
        problem = f"{inert(Path(name).name)} is there already"
        raise InputError("file", problem, "another name, or ! behind it to write over it")
    return name
