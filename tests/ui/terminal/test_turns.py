"""Keys that come faster than the screen: each has its effect before the next one."""

import json
from pathlib import Path

import pytest

from attn_tui.files.draft import EXAMPLE
from attn_tui.old.tui.reading import ReadDialog
from attn_tui.old.tui.widgets.score_editor import ScoreEditor
from tests.old.tui.person import MEDIUM, at_screen, settle


@pytest.mark.parametrize(
    "keys",
    [
        "m enter enter",
        "r down enter enter enter",
        "question_mark escape escape",
        "question_mark question_mark question_mark",
        "f1 q escape f1 escape",
        "i escape i escape escape",
        "ctrl+p pageup",
        "ctrl+p pagedown end home",
        "ctrl+p escape escape",
        "ctrl+p u n d o enter enter",
        "ctrl+p enter enter escape",
        "2 question_mark escape 3 f1 escape 1",
        "d escape escape r escape",
        "ctrl+o escape ctrl+s escape escape",
    ],
)
async def test_keys_in_one_burst_end_nothing_and_leave_the_screen_usable(keys: str) -> None:
    async with at_screen(MEDIUM) as person:
        await person.burst(*keys.split())
        await person.burst("escape", "escape", "1")
        await person.press("d", "ctrl+u", *"512", "enter")
        assert person.asked.experiment.setup.d_k == 512


async def test_enter_behind_a_choice_is_for_what_has_the_focus_then() -> None:
    async with at_screen() as person:
        await person.burst("r", "home", "down", "enter", "d", "ctrl+u", "6", "4", "enter")
        assert person.asked.experiment.setup.d_k == 64
        assert person.asked.experiment.setup.scale.rule != "inverse-sqrt"


async def test_what_is_typed_at_once_in_the_editor_is_undone_as_one_step() -> None:
    async with at_screen() as person:
        await person.burst("e", "7", "comma", "ctrl+z")
        assert person.asked.draft == EXAMPLE
        assert person.app.screen.query_one(ScoreEditor).text == EXAMPLE.text


async def test_a_dialogue_hears_nothing_once_it_is_dismissed() -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("question_mark")
        dialogue = person.app.screen
        assert isinstance(dialogue, ReadDialog)
        dialogue.dismiss(None)
        dialogue.dismiss(None)
        await settle(person.pilot)
        assert len(person.app.screen_stack) == 1


async def test_a_long_burst_is_answered_less_often_than_it_has_keys() -> None:
    async with at_screen() as person:
        shown = 0
        show = person.app.screen.show  # type: ignore[attr-defined]

        def counted(asked: object) -> None:
            nonlocal shown
            shown += 1
            show(asked)

        person.app.screen.show = counted  # type: ignore[attr-defined]
        await person.burst(*["right_square_bracket"] * 20)
        assert person.asked.experiment.setup.d_k > 2048
        assert shown < 10


async def test_a_key_that_reads_the_screen_finds_what_the_keys_before_it_asked(
    tmp_path: Path,
) -> None:
    path = tmp_path / "asked.json"
    async with at_screen() as person:
        keys = [*"d64", "enter", "right_square_bracket", "right_square_bracket", "ctrl+s"]
        await person.burst(*keys)
        await person.paste(str(path))
        await person.press("enter")
        person.sees("Saved")
        d_k = person.asked.experiment.setup.d_k
    assert d_k > 64
    assert json.loads(path.read_text())["experiment"]["d_k"] == d_k


@pytest.mark.parametrize("size", [(1, 1), (2, 40), (3, 3), (200, 2)])
async def test_a_terminal_too_small_for_anything_ends_nothing(size: tuple[int, int]) -> None:
    async with at_screen(MEDIUM) as person:
        await person.resize(*size)
        for key in ("question_mark", "r", "ctrl+p", "f1", "i", "2", "3", "d", "u"):
            await person.press(key, "escape")
        await person.resize(*MEDIUM)
        await person.press("1")
        person.sees("[100 120 150]", "Unscaled, key 2", "62.5 %")
