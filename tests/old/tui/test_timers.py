import asyncio

import pytest
from textual import _time
from textual.widgets._toast import Toast

from attn_tui.old.tui.app import AttnApp
from tests.old.tui.person import NARROW, at_screen


async def test_what_is_to_be_done_once_is_done_though_the_process_had_to_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Between the first two looks at the clock, of a timer that begins, ten seconds go by."""
    clock = _time.get_time
    looks = {"app": iter((0.0,)), "screen": iter((0.0,))}

    def get_time() -> float:
        task = asyncio.current_task()
        late = looks.get(task.get_name()) if task else None
        return clock() + (next(late, 10.0) if late else 0.0)

    async with at_screen(NARROW) as person:
        monkeypatch.setattr(_time, "get_time", get_time)
        done: list[str] = []
        person.app.set_timer(0.001, lambda: done.append("app"), name="app")
        person.app.screen.set_timer(0.001, lambda: done.append("screen"), name="screen")
        for _ in range(5):
            await person.pilot.pause()
        assert sorted(done) == ["app", "screen"]


async def test_what_is_said_takes_the_place_of_what_was_said_before_and_goes() -> None:
    """Of more than fit, Textual leaves some on the terminal when they go."""
    async with at_screen(NARROW) as person:
        for words in ("one", "two", "three"):
            person.app.notify(words, timeout=60.0)
            await person.pilot.pause()
        assert [toast.render().plain for toast in person.app.screen.query(Toast)] == ["three"]
        AttnApp.notify(person.app, "four", timeout=0.001)
        while person.app.screen.query(Toast):
            await person.pilot.pause()
