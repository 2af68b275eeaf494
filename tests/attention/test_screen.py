"""Attention on the screen."""

from textual.pilot import Pilot

from attn_tui.attention.screen import AttentionScreen
from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from tests.ui.person import press, shown


async def at(pilot: Pilot[None], *keys: str) -> AttentionScreen:
    """Press keys, and return Attention once all is worked out and shown."""
    screen = await press(pilot, *keys) if keys else await shown(pilot)
    assert isinstance(screen, AttentionScreen)
    return screen


async def test_it_shows() -> None:
    async with AttnApp(EXAMPLE, "attention").run_test(size=(120, 40)) as pilot:
        screen = await at(pilot)
        print(screen.headline)
        print(screen.query_one("#unscaled").content_size)
        assert screen.cursor == (11, 2)
