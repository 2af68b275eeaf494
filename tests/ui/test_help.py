"""Help: every pane has a text, and every text has a pane."""

import re
from importlib.resources import files

import pytest
from textual.widgets import Markdown

from attn_tui.files.draft import EXAMPLE
from attn_tui.instruments import INSTRUMENTS
from attn_tui.ui.app import AttnApp
from attn_tui.ui.dialogs import HelpScreen
from attn_tui.ui.help import name_of, read
from attn_tui.ui.help_panel import Help
from attn_tui.ui.pane import Pane
from tests.sweep.asked import DRAFT as QUICK
from tests.ui.person import press, shown

FEWEST, MOST = 40, 140
"""The range of words in a text: enough to explain a picture, and few enough to be read."""

NAMES = {path.name.removesuffix(".md") for path in files("attn_tui").joinpath("help").iterdir()}


@pytest.mark.slow
async def test_each_pane_and_each_screen_has_a_text_of_its_own_and_no_text_is_left_over() -> None:
    known = {instrument.name for instrument in INSTRUMENTS}
    for instrument in [*known]:
        async with AttnApp(QUICK, instrument).run_test(size=(120, 40)) as pilot:
            screen = await shown(pilot)
            names = [name_of(instrument, pane) for pane in screen.query(Pane)]
            assert len(set(names)) == len(names)
            known |= {*names}
    assert known == NAMES
    texts = {name: read(name) for name in known}
    assert len({*texts.values()}) == len(texts)
    for name, text in texts.items():
        assert FEWEST <= len(text.split()) <= MOST, name
        assert text.startswith("# "), name


def test_no_text_calls_a_colour_dark_or_light_which_it_is_in_one_theme_alone() -> None:
    word = re.compile(r"\b(?:dark|light|bright|pale)(?:e?r|e?st)?\b")
    assert {name: found for name in NAMES if (found := word.findall(read(name)))} == {}


@pytest.mark.slow
async def test_where_there_is_little_room_help_is_a_text_over_the_panes() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(80, 24)) as pilot:
        await shown(pilot)

        async def helped(*keys: str) -> str:
            await press(pilot, *keys, "question_mark")
            dialogue = pilot.app.screen
            assert isinstance(dialogue, HelpScreen)
            text = dialogue.query_one(Markdown).source
            await press(pilot, "escape")
            return text

        text = await helped()
        assert text.startswith(read("explore-d_k"))
        for name in ("explore", "explore-weights", "explore-gradient", "explore-weights-over"):
            assert read(name).strip() in text
        assert "| `g` |" in text
        assert read("explore-jacobian").strip() not in text
        text = await helped("tab", "tab")
        assert text.startswith(read("explore-weights"))
        text = await helped("f")
        assert text.startswith(read("explore-weights"))
        assert read("explore-gradient").strip() not in text


@pytest.mark.slow
async def test_from_120_columns_on_help_stands_beside_the_panes_and_follows_the_focus() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await press(pilot, "question_mark")
        text = screen.query_one("#widget-help", Markdown)
        assert text.source.strip() == read("explore-d_k").strip()
        # No text is cut, and the weights are still visible.
        assert text.size.height == text.virtual_size.height
        assert screen.pane("weights-pane").size.width > 40
        await press(pilot, "tab", "tab")
        assert text.source.strip() == read("explore-weights").strip()
        await pilot.click("#keys-over")
        await shown(pilot)
        assert text.source.strip() == read("explore-keys-over").strip()
        panel = screen.query_one(Help)
        await press(pilot, "question_mark")
        assert not panel.display
        await press(pilot, "question_mark", "escape")
        assert not panel.display


@pytest.mark.slow
async def test_help_stays_open_when_the_instrument_changes_and_stays_closed() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await press(pilot, "question_mark")
        screen = await press(pilot, "2")
        panel = screen.query_one(Help)
        assert panel.display
        assert panel.query_one(Markdown).source == read("dots-d_k")
        await press(pilot, "question_mark")
        screen = await press(pilot, "1")
        assert not screen.query_one(Help).display


async def test_the_text_of_help_does_not_touch_the_scroll_bar() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await press(pilot, "question_mark")
        panel = screen.query_one(Help)
        bar = panel.vertical_scrollbar.region
        column = [
            strip.text[bar.x - 1]
            for strip in screen._compositor.render_strips()[bar.y : bar.bottom]
        ]
        assert panel.max_scroll_y > 0
        assert set(column) == {" "}
        # The text itself is there: it once was one column wide.
        assert panel.query_one(Markdown).region.width > 25
