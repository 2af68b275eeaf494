"""Keys faster than the screen: each takes effect before the next one."""

import json
from pathlib import Path

import pytest
from textual.events import MouseDown, MouseUp
from textual.screen import Screen
from textual.widgets._footer import FooterKey

from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from tests.pairs import slow_after
from tests.ui.person import burst, notices, press, shown

MEDIUM = (80, 24)


@pytest.mark.slow
@pytest.mark.parametrize(
    "keys",
    slow_after(
        2,
        [
            "question_mark escape escape f1 q escape",
            "slash u n d o enter enter slash escape escape",
            "2 question_mark escape 6 i escape escape 1",
            "d escape escape r escape m enter enter",
            "ctrl+o escape ctrl+s escape escape",
        ],
    ),
)
async def test_keys_in_one_burst_end_nothing_and_leave_the_screen_usable(keys: str) -> None:
    async with AttnApp(EXAMPLE).run_test(size=MEDIUM) as pilot:
        await shown(pilot)
        await burst(pilot, *keys.split())
        await burst(pilot, "escape", "escape", "1")
        screen = await press(pilot, "d", "ctrl+u", *"512", "enter")
        assert screen.question is not None
        assert screen.question.experiment.setup.d_k == 512


@pytest.mark.slow
async def test_letters_behind_the_key_of_the_palette_are_typed_into_it() -> None:
    async with AttnApp(EXAMPLE).run_test(size=MEDIUM) as pilot:
        await shown(pilot)
        screen = await burst(pilot, *"/d_k 64", "enter", "d", "ctrl+u", "9", "enter")
        assert screen.present.experiment.setup.d_k == 9
        screen = await press(pilot, "u")
        assert screen.present.experiment.setup.d_k == 64


@pytest.mark.slow
async def test_letters_behind_a_click_on_the_footer_are_typed_into_what_it_opens() -> None:
    async with AttnApp(EXAMPLE).run_test(size=MEDIUM) as pilot:
        screen = await shown(pilot)
        (rule,) = (one for one in screen.query(FooterKey) if one.key == "r")
        x, y = rule.region.offset
        for kind in (MouseDown, MouseUp):
            pilot.app.post_message(kind(None, x, y, 0, 0, 1, False, False, False))
        screen = await burst(pilot, *"mup", "enter")
        assert screen.present.experiment.setup.scale.rule == "mup"


async def test_what_went_wrong_in_a_key_is_the_application_s(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(self: Screen[None]) -> None:
        raise ZeroDivisionError

    async def press_it() -> None:
        async with AttnApp(EXAMPLE).run_test(size=MEDIUM) as pilot:
            screen = await shown(pilot)
            monkeypatch.setattr(type(screen), "action_edit", fail)
            await burst(pilot, "e")

    with pytest.raises(ZeroDivisionError):
        await press_it()


@pytest.mark.slow
async def test_a_key_that_reads_the_screen_finds_what_the_keys_before_it_asked(
    tmp_path: Path,
) -> None:
    path = tmp_path / "asked.json"
    async with AttnApp(EXAMPLE).run_test(size=MEDIUM) as pilot:
        await shown(pilot)
        keys = [*"d64", "enter", "right_square_bracket", "right_square_bracket", "ctrl+s"]
        await burst(pilot, *keys, "ctrl+u", *str(path), "enter")
        assert "Saved" in notices(pilot)
        screen = await shown(pilot)
        assert screen.question is not None
        d_k = screen.question.experiment.setup.d_k
    assert d_k > 64
    assert json.loads(path.read_text())["experiment"]["d_k"] == d_k


@pytest.mark.slow
async def test_a_terminal_too_small_for_anything_ends_nothing() -> None:
    async with AttnApp(EXAMPLE).run_test(size=MEDIUM) as pilot:
        await shown(pilot)
        for size in ((1, 1), (2, 40), (200, 2)):
            await pilot.resize_terminal(*size)
            await burst(pilot, *"?r", "escape", *"/", "escape", *"i", "escape", *"26du", "escape")
        await pilot.resize_terminal(*MEDIUM)
        screen = await press(pilot, "1")
        assert screen.question is not None
        assert screen.question.draft == EXAMPLE
