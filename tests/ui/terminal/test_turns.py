"""Keys that come faster than the screen: each has its effect before the next one."""

import json
from pathlib import Path

import pytest
from textual.events import Event, Key, Paste
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import TextArea

from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from tests.ui.person import press, shown

NAMED = {"enter": "\r", "escape": "\x1b", "ctrl+u": "\x15", "ctrl+p": "\x10", "ctrl+z": "\x1a"}


async def burst(pilot: Pilot[None], *keys: str, pasted: str = "") -> None:
    """Type keys that come in one packet, in which a text may be pasted before the last key."""
    events: list[Event] = [Key(key, key if len(key) == 1 else NAMED.get(key)) for key in keys]
    if pasted:
        events.insert(-1, Paste(pasted))
    for event in events:
        pilot.app.post_message(event)
    await shown(pilot)


def d_k_of(pilot: Pilot[None]) -> int:
    app = pilot.app
    assert isinstance(app, AttnApp)
    return app.history.present.experiment.setup.d_k


@pytest.mark.parametrize(
    "keys",
    [
        "m enter enter",
        "r down enter enter enter",
        "question_mark escape question_mark question_mark",
        "i escape i escape escape",
        "ctrl+p pagedown end home escape escape",
        "ctrl+p u n d o enter enter",
        "2 question_mark escape 3 f1 escape 1",
        "d escape escape r escape",
        "ctrl+o escape ctrl+s escape escape",
    ],
)
async def test_keys_in_one_burst_end_nothing_and_leave_the_screen_usable(keys: str) -> None:
    async with AttnApp(EXAMPLE).run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        await burst(pilot, *keys.split())
        await burst(pilot, "escape", "escape", "1")
        await press(pilot, "d", "ctrl+u", *"512", "enter")
        assert d_k_of(pilot) == 512


async def test_letters_behind_the_key_of_the_palette_are_typed_into_it() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        await burst(pilot, "slash", *"d_k", "space", *"64", "enter", "d", "ctrl+u", "9", "enter")
        assert d_k_of(pilot) == 9
        await press(pilot, "u")
        assert d_k_of(pilot) == 64


async def test_a_key_that_reads_the_screen_finds_what_the_keys_before_it_asked(
    tmp_path: Path,
) -> None:
    path = tmp_path / "asked.json"
    async with AttnApp(EXAMPLE).run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        keys = ["d", "ctrl+u", *"64", "enter", "escape", "plus", "plus", "ctrl+s", "ctrl+u"]
        await burst(pilot, *keys, "enter", pasted=str(path))
        d_k = d_k_of(pilot)
    assert d_k > 64
    assert json.loads(path.read_text())["experiment"]["d_k"] == d_k


async def test_what_went_wrong_in_a_key_is_the_application_s(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(self: Screen[None]) -> None:
        raise ZeroDivisionError

    async def press_it() -> None:
        async with AttnApp(EXAMPLE).run_test(size=(80, 24)) as pilot:
            screen = await shown(pilot)
            monkeypatch.setattr(type(screen), "action_edit", fail)
            await burst(pilot, "e")

    with pytest.raises(ZeroDivisionError):
        await press_it()


@pytest.mark.parametrize("size", [(1, 1), (2, 40), (3, 3), (200, 2)])
async def test_a_terminal_too_small_for_anything_ends_nothing(size: tuple[int, int]) -> None:
    async with AttnApp(EXAMPLE).run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        await pilot.resize_terminal(*size)
        for key in ("question_mark", "r", "ctrl+p", "f1", "i", "2", "d", "u"):
            await press(pilot, key, "escape")
        await pilot.resize_terminal(80, 24)
        screen = await press(pilot, "1")
        assert "key 2" in screen.headline
        assert screen.query_one("#scores", TextArea).text == EXAMPLE.text
