"""In a window without room for what has the focus, keys that move end nothing."""

from pathlib import Path

import pytest

from attn_tui.files.draft import EXAMPLE
from attn_tui.instruments import INSTRUMENTS
from attn_tui.ui.app import AttnApp
from tests.sweep.asked import DRAFT as QUICK
from tests.ui.person import burst, shown

PLACES = ("/", "r", "x", "o", "s", "i", "?", "g")
"""The keys that open a palette, a list, a dialogue or a panel."""

MOVES = ("pagedown", "pageup", "end", "pagedown", "home", "pageup", "down", "up", "tab")

ROOMS = ((80, 3), (2, 40), (1, 1))
"""Without a line, without a column, without either."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Save in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("size", ROOMS)
@pytest.mark.parametrize("instrument", [each.name for each in INSTRUMENTS])
async def test_keys_that_move_end_nothing(instrument: str, size: tuple[int, int]) -> None:
    draft = QUICK if instrument == "sweep" else EXAMPLE
    async with AttnApp(draft, instrument).run_test(size=size) as pilot:
        await shown(pilot)
        # In each of what takes the focus, and in what an enter opens there.
        for _ in range(4):
            await burst(pilot, *MOVES)
            await burst(pilot, "enter", *MOVES, "escape")
        assert pilot.app.is_running


@pytest.mark.slow
@pytest.mark.parametrize("size", ROOMS)
@pytest.mark.parametrize("place", PLACES)
async def test_keys_that_move_end_nothing_in_what_is_opened(
    place: str, size: tuple[int, int]
) -> None:
    async with AttnApp(EXAMPLE).run_test(size=size) as pilot:
        await shown(pilot)
        await burst(pilot, place)
        for _ in range(2):
            await burst(pilot, *MOVES)
        await burst(pilot, "enter", *MOVES)
        assert pilot.app.is_running
