"""Without colours, whatever a colour marks is marked in another way."""

import pytest
from textual.widgets import Switch

from attn_tui.charts.colour import Depth
from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from attn_tui.ui.theme import depth_of
from tests.pairs import slow_after
from tests.sweep.asked import DRAFT
from tests.ui.person import press, read, shown


@pytest.mark.parametrize("way", slow_after(0, ["NO_COLOR", "ASCII", "16 colours"]))
async def test_without_colours_focus_and_choices_are_marked_by_lines_and_words(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "NO_COLOR":
        monkeypatch.setenv("NO_COLOR", "1")
    if way == "16 colours":
        monkeypatch.setattr("textual.constants.COLOR_SYSTEM", "standard")
    app = AttnApp(EXAMPLE, ascii=way == "ASCII")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        assert depth_of(app) is Depth.TEXTURES
        assert screen.pane("d_k-pane").styles.border_top[0] == "heavy"
        assert screen.pane("weights-pane").styles.border_top[0] == "round"
        assert screen.query_one("Tab.-active").styles.text_style.reverse
        assert not screen.query_one("Tab#dots").styles.text_style.reverse
        screen = await press(pilot, "g")
        words = {str(switch.render()) for switch in screen.query(Switch)}
        assert words == {"no", "stable"}


@pytest.mark.slow
async def test_without_colours_each_picture_says_once_what_its_marks_mean(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with AttnApp(EXAMPLE, "attention").run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        assert "▒ Unscaled █ Divided by 32" in read(pilot)
    async with AttnApp(DRAFT, "sweep").run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        assert "x unscaled ⠶ 1/√d_k" in read(pilot)
        assert "⠶ scaled" not in read(pilot)
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        await press(pilot, "t")
        assert "row i: p_i █ rises or ≡ falls with s_j" in read(pilot)
        await pilot.resize_terminal(80, 24)
        await shown(pilot)
        assert "p_i █ rises or ≡ falls ─" in read(pilot)


async def test_with_colours_borders_are_thin_and_pictures_are_filled() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        assert depth_of(pilot.app) is Depth.TRUE
        assert screen.pane("d_k-pane").styles.border_top[0] == "round"
