"""Dot products on the screen: draws are shown, stopped and repeated."""

import json

from textual.pilot import Pilot

from attn_tui.dots.charts import Bells
from attn_tui.dots.screen import DotsScreen
from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from attn_tui.ui.dialogs import columns_of_text
from attn_tui.ui.picture import Picture


async def shown(pilot: Pilot[None], drawn: int, d_k: int) -> DotsScreen:
    """Wait until the screen shows ``drawn`` draws at a d_k, and return it."""
    app = pilot.app
    assert isinstance(app, AttnApp)
    for _ in range(2000):
        await pilot.pause()
        screen = app.instrument
        answer = screen.answer if isinstance(screen, DotsScreen) else None
        if answer and answer.drawn == drawn and answer.law.d_k == d_k and app.turns.idle:
            assert isinstance(screen, DotsScreen)
            return screen
    raise AssertionError("nothing is drawn")


async def test_a_step_draws_at_another_d_k_on_an_axis_that_can_be_made_linear() -> None:
    async with AttnApp(EXAMPLE, "dots").run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot, 100_000, 1024)
        assert "±32" in screen.headline
        await pilot.press("right_curly_bracket")
        screen = await shown(pilot, 100_000, 2048)
        assert "±45" in screen.headline
        bells = screen.query_one("#bells-pane", Picture).drawing
        assert isinstance(bells, Bells)
        assert bells.stretched
        await pilot.press("v", "a")
        screen = await shown(pilot, 100_000, 2048)
        bells = screen.query_one("#bells-pane", Picture).drawing
        assert isinstance(bells, Bells)
        assert not bells.stretched
        assert (
            screen.pane("bells-pane").border_subtitle
            == "linear axis · 100,000 drawn, heights to fit"
        )


async def test_what_was_drawn_is_read_as_wide_as_there_is_room_and_saved() -> None:
    async with AttnApp(EXAMPLE, "dots").run_test(size=(80, 24)) as pilot:
        screen = await shown(pilot, 100_000, 1024)
        report = screen.report_text()
        assert report.startswith("At d_k = 1,024, q·k is typically ±32")
        assert max(map(len, report.splitlines())) <= columns_of_text(80) < 80
        forms = {ending: "".join(map(str, write())) for ending, write in screen.forms().items()}
        assert json.loads(forms[".json"])["samples"] == 100_000
        assert forms[".csv"].startswith("part,d_k,samples,seed,side")
        assert "q·k ± error     exact      m·q·k ± error" in forms[".txt"]
