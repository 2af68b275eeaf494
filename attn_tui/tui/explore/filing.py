"""What the keys of the Explore screen do with files: open one, and what is saved of a vector."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import PurePath

from attn_tui.compute.errors import InputError
from attn_tui.compute.explore.answer import answer
from attn_tui.files.draft import Draft
from attn_tui.files.opening import open_draft
from attn_tui.files.paths import true_path
from attn_tui.files.watch import Watch
from attn_tui.report.explore import csv, json, text
from attn_tui.report.explore.contents import Contents
from attn_tui.report.export import Forms
from attn_tui.tui import edits
from attn_tui.tui.explore.base import ExploreBase
from attn_tui.tui.filing import completed

READ_KEYS = 100
"""Keys that are listed where all is said as text."""


class FilingActions(ExploreBase):
    """Actions that read and write files."""

    def action_open_file(self, text: str = "", problem: str = "") -> None:
        """Ask for a file and open it; or ask again, with the problem."""
        self.request("open", text, str.strip, self._open, False, completed, problem)

    async def _open(self, text: str) -> None:
        """Read a file beside the screen, and ask what it asks."""
        if self.asked:
            setup = self.asked.draft.setup

            def read(watch: Watch) -> Draft:
                return open_draft(true_path(text), setup, watch)

            def opened(draft: Draft) -> None:
                self.ask(edits.become(draft))

            title = f"Opening {PurePath(text).name}"
            await self.see_through(title, read, opened, partial(self.action_open_file, text))

    def forms(self) -> Forms:
        """Return what can be written: all vectors, compared with the one that is pinned."""
        if self.asked is None:
            return {}
        experiment, unread = self.asked.experiment, self.asked.error
        pinned = () if self.view.pinned is None else (self.view.pinned,)

        def form(render: Callable[..., Iterator[str]]) -> Callable[[], Iterator[str]]:
            def written() -> Iterator[str]:
                if unread:
                    expected = "scores that are, or a picture of the screen: .svg"
                    raise InputError("file", "the scores are not understood", expected)
                for found in answer(experiment):
                    yield from render(found, Contents(pinned=pinned))

            return written

        return {".txt": form(text.render), ".json": form(json.render), ".csv": form(csv.render)}

    def said(self) -> str:
        """Return all there is to say of the vector."""
        if self.found is None:
            return ""
        experiment, index = self.found.question.experiment, self.found.question.vector
        return "".join(text.render_vector(experiment, index, self.found.answer, READ_KEYS))
