"""Help: a person learns what each pane shows, and nobody keeps a text that nothing shows."""

from importlib.resources import files

import pytest
from textual.widgets import Markdown

from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import SCREENS, AttnApp
from attn_tui.ui.dialogs import HelpScreen
from attn_tui.ui.help import name_of, read
from attn_tui.ui.pane import Pane
from tests.sweep.asked import DRAFT as QUICK
from tests.ui.person import press, shown

FEWEST, MOST = 40, 140
"""Words of a text: enough to say how to read a picture, and few enough to be read."""

NAMES = {path.name.removesuffix(".md") for path in files("attn_tui").joinpath("help").iterdir()}


async def test_each_pane_and_each_screen_has_a_text_of_its_own_and_no_text_is_left_over() -> None:
    known = {*SCREENS}
    for instrument in SCREENS:
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


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_help_begins_with_the_pane_that_has_the_focus_and_holds_what_else_is_there(
    size: tuple[int, int],
) -> None:
    async with AttnApp(EXAMPLE).run_test(size=size) as pilot:
        await shown(pilot)

        async def helped(*keys: str) -> str:
            screen = await press(pilot, *keys, "question_mark")
            dialogue = pilot.app.screen
            assert isinstance(dialogue, HelpScreen)
            assert dialogue.size == screen.size
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
