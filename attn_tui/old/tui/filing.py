"""What any screen does with files: open one, save what is shown in any form, read it as text."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeVar

from attn_tui.captures.suffixes import TENSORS, suffix_of
from attn_tui.compute.counted import counted
from attn_tui.compute.errors import InputError
from attn_tui.compute.setup import Setup
from attn_tui.files import edits
from attn_tui.files.draft import Draft, parse
from attn_tui.files.paths import true_path
from attn_tui.files.watch import Watch
from attn_tui.old.tui.computing import Task
from attn_tui.old.tui.job import Job
from attn_tui.old.tui.parts import Host, Part
from attn_tui.report.export import Forms, export, watched
from attn_tui.ui.crash import Reports

if TYPE_CHECKING:
    from attn_tui.old.tui.file_dialogs import FileDialog

T = TypeVar("T")

PATIENCE = 0.3
"""Seconds after which it is said that something goes on."""


class Filing(Part[Host]):
    """Opens files, saves what is shown in any form, and reads it as text.

    Args:
        screen: Whose files these are.
        captures: How names end that mean captures of heads there.
    """

    NAME = "filing"

    def __init__(self, screen: Host, captures: Sequence[str] = TENSORS) -> None:
        super().__init__(screen)
        self._captures, self._reports = captures, Reports()

    async def read(self) -> None:
        """Open all there is to say as text, which is written beside the screen."""

        def said(text: str) -> None:
            from attn_tui.old.tui.reading import ReadDialog

            def save(wanted: bool | None) -> None:
                if wanted:
                    self._ask({".txt": lambda: [text]}, "attn-tui.txt")

            if text:
                self._screen.choosing.open(
                    ReadDialog("In words and numbers", text, saves=True), save
                )
            else:
                self._screen.notify("There is nothing to say yet", timeout=3)

        def failed(problem: str) -> None:
            self._screen.notify(problem, timeout=9, markup=False)

        await self.see_through("Writing", lambda _: self._screen.said(), said, failed)

    def save(self) -> None:
        """Ask for a file and write what the screen shows to it."""
        from attn_tui.old.tui.picture import forms, screen_picture

        # Taken now, since the dialogue that asks for the name is not to be in the picture.
        self._ask({**self._screen.forms(), **forms(screen_picture(self._screen))}, "attn-tui.json")

    def _ask(self, forms: Forms, text: str, problem: str = "") -> None:
        """Ask for a file, and write one of these forms to it; or ask again, with the problem."""
        from attn_tui.old.tui.file_dialogs import SaveDialog

        self._over(SaveDialog(text, forms, problem), partial(self._save, forms))

    async def _save(self, forms: Forms, text: str) -> None:
        """Write a file beside the screen, for a million keys take a while."""
        from attn_tui.old.tui.file_dialogs import HOLDS, whole

        path = true_path(text)

        def write(watch: Watch) -> str:
            export(path, {suffix: partial(watched, form, watch) for suffix, form in forms.items()})
            return HOLDS.get(PurePath(path).suffix.lower(), "")

        def saved(holds: str) -> None:
            said = f"Saved {whole(text)}{': ' * bool(holds)}{holds}"
            self._screen.notify(said, timeout=6, markup=False)

        title = f"Saving {os.path.basename(text)}"
        await self.see_through(title, write, saved, partial(self._ask, forms, text))

    def open(self, text: str = "", problem: str = "") -> None:
        """Ask for a file and open it; or ask again, with the problem."""
        from attn_tui.old.tui.file_dialogs import OpenDialog

        self._over(OpenDialog(text, problem), self._open)

    def open_other(self, text: str = "", problem: str = "") -> None:
        """Ask for a capture to compare with; or ask again, with the problem."""
        from attn_tui.old.tui.file_dialogs import OpenDialog

        take = partial(self._open_capture, name="other", again=self.open_other)
        self._over(OpenDialog(text, problem), take)

    async def open_capture(self, text: str) -> None:
        """Open a capture on the screen of Heads."""
        await self._open_capture(text, "capture", self.open)

    async def _open_capture(self, text: str, name: str, again: Callable[[str, str], None]) -> None:
        """Read the headers of a capture beside the screen, and ask about its heads."""
        if (asked := self._screen.asked) is None:
            return
        from attn_tui.engine.answer import opened as open_as
        from attn_tui.engine.settings import Settings

        path = true_path(text)
        settings = asked.draft.setup.get(Settings)

        def read(_: Watch) -> dict[str, object]:
            from attn_tui.files.models.opening import open_configured

            if name != "capture":
                open_as(settings, (path,))
                return {name: (path,)}
            # What is expected is of the model of one folder.
            same = {*map(os.path.dirname, settings.capture)} <= {os.path.dirname(path)}
            config = settings.config if same else ""
            try:
                found = open_configured((path,), settings.layouts, settings.names, config)
            except InputError as error:
                if not settings.layouts and error.field != "config":
                    raise
                # They were of the capture before.
                found = open_configured((path,), "", settings.names)
            return {name: (path,), "config": found.config, "layouts": found.layouts}

        async def shown(value: dict[str, object]) -> None:
            def change(setup: Setup) -> Setup:
                return setup.put(replace(setup.get(Settings), **value))  # type: ignore[arg-type]

            self._screen.ask(edits.setup(change))
            await self._screen.run_action("app.instrument('heads')")

        await self.see_through(
            f"Opening {os.path.basename(text)}",
            read,
            lambda value: self._screen.run_worker(shown(value)),
            partial(again, text),
        )

    async def _open(self, text: str) -> None:
        """Read a file beside the screen, and ask what it asks."""
        if (asked := self._screen.asked) is None:
            return
        if suffix_of(text) in self._captures:
            await self.open_capture(text)
            return

        def read(watch: Watch) -> Draft:
            # No start waits for what reads files.
            from attn_tui.files.opening import open_draft

            return open_draft(true_path(text), asked.draft.setup, watch)

        def opened(draft: Draft) -> None:
            self._screen.ask(edits.become(draft))

        title = f"Opening {os.path.basename(text)}"
        await self.see_through(title, read, opened, partial(self.open, text))

    async def paste(self, text: str) -> None:
        """Ask for scores that were pasted where nothing is typed, read beside the screen.

        Whoever pastes numbers wants to see what they are: Explore shows it.
        """
        if (asked := self._screen.asked) is None or not text.strip():
            return

        async def shown(draft: Draft) -> None:
            self._screen.ask(edits.scores(draft))
            await self._screen.run_action("app.instrument('explore')")
            vectors = parse(draft).vectors
            count, what = len(vectors), "vector"
            if count == 1:
                count, what = vectors.n_keys, "score"
            said = f"Pasted {counted(count, what)}: u goes back"
            self._screen.notify(said, timeout=4)

        def failed(problem: str) -> None:
            said = f"Nothing is changed by the paste: {problem}"
            self._screen.notify(said, timeout=8, markup=False)

        def done(draft: Draft) -> None:
            self._screen.run_worker(shown(draft))

        await self.see_through(
            "Reading what was pasted", lambda _: asked.draft.pasted(text), done, failed
        )

    def _over(self, dialog: "FileDialog", take: Callable[[str], Awaitable[None]]) -> None:
        async def named(text: str | None) -> None:
            if text is not None:
                await take(text)

        if not self._screen.choosing.open(dialog, named) and dialog.problem:
            self._screen.notify(dialog.problem, timeout=9, markup=False)

    async def see_through(
        self,
        title: str,
        work: Callable[[Watch], T],
        done: Callable[[T], None],
        again: Callable[[str], None],
    ) -> None:
        """Do some work in a thread; where it takes long, say how far it is and offer to stop it.

        Args:
            title: What is being done.
            work: The work; it calls what it is given with the share done.
            done: Called with what it came to.
            again: Called with the problem if its input will not do.
        """
        job: Job[T] = Job().asked(title, time.monotonic())
        task = Task(job, lambda task: work(task.watch), words=self._failed)
        self._screen.run_worker(task.run, thread=True, group="work")

        def ended(_: None = None) -> None:
            if task.stopped():
                self._screen.notify("Stopped: nothing is changed", timeout=3)
            elif task.job.state == "failed":
                again(task.job.problem)
            elif (outcome := task.job.result(title)) is not None:
                done(outcome)

        end = time.monotonic() + PATIENCE
        # Nothing is said over what another key has opened in between.
        while task.job.running and (time.monotonic() < end or not self._screen.is_active):
            await asyncio.sleep(0.005)
        if task.job.running:
            from attn_tui.old.tui.work import WorkDialog

            self._screen.choosing.open(WorkDialog(title, task), ended)
        else:
            ended()

    def _failed(self, error: Exception) -> str:
        """Say why a file will not do; what nobody expected has a report."""
        if isinstance(error, InputError):
            return error.beside
        if isinstance(error, MemoryError):
            return "there is not enough memory; expected less"
        return self._reports.words(error, self._screen.asked)
