"""What only refines an answer stands aside while somebody types; what answers does not."""

from threading import Event

import pytest

from attn_tui.ui import typing
from attn_tui.ui.app import AttnApp
from attn_tui.ui.typing import REST, Typing
from tests.sweep.asked import DRAFT
from tests.ui.person import shown


class Clock:
    """A clock that runs only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(typing, "time", clock)
    return clock


def test_work_waits_for_a_rest_after_the_last_key(clock: Clock) -> None:
    keys = Typing()
    assert not keys.stand_aside(lambda: False)
    assert clock.now == 0.0
    keys.note()
    assert not keys.stand_aside(lambda: False)
    assert clock.now == REST


def test_work_that_nobody_wants_any_more_does_not_wait(clock: Clock) -> None:
    keys = Typing()
    keys.note()
    assert keys.stand_aside(lambda: True)
    assert clock.now == 0.0


@pytest.mark.slow
async def test_sweep_shows_first_draws_while_a_key_is_held_and_refines_them_after_it(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stands_aside = Event()

    def sleep(seconds: float) -> None:
        """Let others run: the rest is not over before the clock is moved."""
        stands_aside.set()
        Event().wait(0.001)

    monkeypatch.setattr(clock, "sleep", sleep)
    app = AttnApp(DRAFT, "sweep")
    app.turns.typing.note()
    async with app.run_test(size=(120, 40)) as pilot:
        progress = 0.0
        while not progress or (progress < 1.0 and not stands_aside.is_set()):
            await pilot.pause()
            if app.instrument is not None and app.instrument.answer is not None:
                progress = app.instrument.answer.progress
        assert progress < 1.0
        clock.now += REST
        screen = await shown(pilot)
        assert screen.answer.progress == 1.0
