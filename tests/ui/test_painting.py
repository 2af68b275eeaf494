"""Painting: a key repaints only what changes, and the result is right."""

import pytest

from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from tests.ui.person import press


@pytest.mark.slow
@pytest.mark.parametrize("instrument", ["explore", "dots"])
async def test_a_screen_painted_bit_by_bit_is_the_one_that_is_painted_as_a_whole(
    instrument: str,
) -> None:
    async with AttnApp(EXAMPLE, instrument).run_test(size=(120, 40)) as pilot:
        await press(pilot, "minus", "plus", "plus", "right_curly_bracket")
        bits = pilot.app.export_screenshot(simplify=True)
        for widget in (pilot.app.screen, *pilot.app.screen.walk_children()):
            widget.refresh()
            widget.notify_style_update()
        await pilot.pause()
        assert pilot.app.export_screenshot(simplify=True) == bits
