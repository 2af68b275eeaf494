"""However often a panel or a dialogue is opened, no more widgets are alive than after two times."""

import gc
from asyncio import sleep
from collections.abc import Iterator

import pytest
from textual.events import Key
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widget import Widget

from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from tests.ui.person import app_of, shown

OPENINGS = 8

KEYS = "g?/rxiso"
"""What opens each."""


async def alive(pilot: Pilot[None]) -> int:
    """Return how many widgets are alive once nothing is under way."""
    await pilot.pause()
    await pilot.pause()
    gc.collect()
    gc.collect()
    return sum(isinstance(each, Widget) for each in gc.get_objects())


async def send(pilot: Pilot[None], key: str) -> None:
    """Send a key, and wait until it took effect; a tree of files goes on for ever."""
    app = app_of(pilot)
    name = key if len(key) > 1 or key.isalnum() else _character_to_key(key)
    app.post_message(Key(name, key if len(key) == 1 else None))
    await sleep(0)
    while not app.turns.idle:
        await sleep(0.001)


async def open_and_close(pilot: Pilot[None], key: str, times: int) -> None:
    for _ in range(times):
        await send(pilot, key)
        await send(pilot, "escape")
        while len(pilot.app.screen_stack) > 1:
            await send(pilot, "escape")


@pytest.fixture
def frozen() -> Iterator[None]:
    """Start as the program does: what there is when the first screen is ready is frozen."""
    gc.disable()
    yield
    gc.enable()
    gc.unfreeze()


@pytest.mark.slow
@pytest.mark.usefixtures("frozen")
@pytest.mark.parametrize("size", [(160, 45), (120, 40), (80, 24)])
async def test_no_widget_outlives_what_it_belongs_to(size: tuple[int, int]) -> None:
    async with AttnApp(EXAMPLE).run_test(size=size) as pilot:
        await shown(pilot)
        for key in KEYS:
            await open_and_close(pilot, key, 2)
            after_two = await alive(pilot)
            await open_and_close(pilot, key, OPENINGS - 2)
            # One widget kept per opening is what is looked for, not one that still draws.
            assert await alive(pilot) < after_two + OPENINGS - 2, key
