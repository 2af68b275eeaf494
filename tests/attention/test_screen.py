"""Attention on the screen: two maps with one cursor, the row below, and what is read and saved."""

import pytest
from textual.pilot import Pilot

from attn_tui.attention.screen import AttentionScreen
from attn_tui.explore.screen import ExploreScreen
from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from tests.ui.person import press, shown


async def at(pilot: Pilot[None], *keys: str) -> AttentionScreen:
    """Press keys, and return Attention once all is worked out and shown."""
    screen = await press(pilot, *keys) if keys else await shown(pilot)
    assert isinstance(screen, AttentionScreen)
    return screen


@pytest.mark.parametrize("is_open", [False, True])
async def test_enter_opens_the_row_in_explore(is_open: bool) -> None:
    async with AttnApp(EXAMPLE, "attention").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot, *"14" * is_open, "up", "up")
        assert screen.cursor == (9, 2)
        weights = screen.shown.row(9)[1].weights()
        for keys, row in ((("enter",), 9), (("4", "up", "enter"), 8), (("4", "down", "enter"), 9)):
            explore = await press(pilot, *keys)
            assert isinstance(explore, ExploreScreen)
            assert explore.index == row
            assert explore.answer
            assert explore.answer.index == row
            if row == 9:
                assert (explore.answer.vector.scaled.weights() == weights).all()
