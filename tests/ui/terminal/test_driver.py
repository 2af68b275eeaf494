"""What the way to the terminal makes of sizes that come faster than they are told."""

import asyncio
import os
import signal
from threading import Thread
from types import FrameType

import pytest

from attn_tui.ui.terminal import flow
from attn_tui.ui.terminal.cells import Cells
from attn_tui.ui.terminal.driver import thrifty

DEADLINE = 60.0
"""Seconds after which a test fails that waits for something."""


class Interrupted:
    """Is told of a second size while it tells of the first."""

    def __init__(self) -> None:
        self.size = 1
        self.told: list[int] = []

    def write(self, data: str) -> None:
        pass

    def start_application_mode(self) -> None:
        signal.signal(signal.SIGWINCH, self._tell)

    def _tell(self, number: int, frame: FrameType | None) -> None:
        size = self.size
        if size == 1:
            self.size = 2
            os.kill(os.getpid(), signal.SIGWINCH)
        self.told.append(size)


@pytest.mark.skipif(not hasattr(signal, "SIGWINCH"), reason="sizes do not come by signal")
async def test_the_last_size_is_told_last() -> None:
    before = signal.getsignal(signal.SIGWINCH)
    driver = thrifty(Interrupted, Cells())()  # type: ignore[arg-type, call-arg]
    try:
        driver.start_application_mode()
        os.kill(os.getpid(), signal.SIGWINCH)
        async with asyncio.timeout(DEADLINE):
            while len(driver.told) < 2:  # type: ignore[attr-defined]
                await asyncio.sleep(0)
        assert driver.told == [1, 2]  # type: ignore[attr-defined]
    finally:
        signal.signal(signal.SIGWINCH, before)


def test_leaving_waits_for_the_answers_that_the_shell_would_take_for_typing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(flow, "PARTING", DEADLINE)
    pictures = flow.Flow(lambda data, request: bool(data))
    pictures.begin()
    pictures.answered()
    pictures.write("\x1b[1;1Hone")
    leaving = Thread(target=pictures.end)
    leaving.start()
    leaving.join(0.05)
    assert leaving.is_alive()
    pictures.answered()
    leaving.join(DEADLINE)
    assert not leaving.is_alive()
