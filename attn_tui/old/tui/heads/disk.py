"""Looks now and then whether the files of a capture are what they were when it was opened."""

import asyncio

from attn_tui.captures.fingerprint import Fingerprint
from attn_tui.compute.errors import InputError
from attn_tui.old.tui.parts import Host, Part

EVERY = 2.0
"""Seconds between two looks."""


class Disk(Part[Host]):
    """What became of files meanwhile."""

    NAME = "disk"

    def __init__(self, screen: Host) -> None:
        super().__init__(screen)
        self._outdated: tuple[Fingerprint, str] | None = None

    def watch(self) -> None:
        """Begin to look, beside the screen: a disk may be far away."""
        self._screen.set_interval(EVERY, self._look)

    def _look(self) -> None:
        mark = self._mark
        if mark and self._screen.is_current and not self.changed:
            self._screen.run_worker(self.verify(mark), group="disk")

    @property
    def _mark(self) -> Fingerprint | None:
        answer = self._screen.answer
        return answer.table.capture.fingerprint if answer else None

    @property
    def changed(self) -> str:
        """Why what is shown is not what is on the disk any more, or nothing."""
        if self._outdated is None or self._outdated[0] is not self._mark:
            return ""
        return f"{self._outdated[1]}: space reads it again"

    async def verify(self, mark: Fingerprint) -> None:
        """Say so if files are not what they were."""
        try:
            await asyncio.to_thread(mark.verify)
        except InputError as error:
            self._outdated = mark, error.problem
            self._screen.draw()

    def read_again(self) -> None:
        """Forget what was read, and read what there is now."""
        for each in self._screen.computings:
            each.forget()
        self._screen.go_on()
