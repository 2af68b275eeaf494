"""Lists: found by typing, moved in by arrows and the mouse, and each line says what it would do."""

import pytest
from textual.events import MouseScrollDown, MouseScrollUp

from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep import settings as sweep
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.dialogs import FindDialog, SeveralDialog
from attn_tui.old.tui.widgets.canvas import Canvas
from attn_tui.old.tui.widgets.choice_list import ChoiceList
from attn_tui.report.rows import plain
from tests.old.tui.person import MEDIUM, NARROW, WIDE, Person, at_screen, settle

SIZES = (WIDE, MEDIUM, NARROW)
NUMBERS = [Choice(str(number), f"line {number}", f"detail {number}") for number in range(50)]


def cursor(person: Person) -> str:
    """Return the line the cursor is on."""
    choices = person.app.screen.query_one(ChoiceList)
    assert choices.chosen
    assert choices.chosen.title[:9] in person.text
    return choices.chosen.title


@pytest.mark.parametrize("size", SIZES)
async def test_a_model_is_found_by_typing_and_chosen_by_enter(size: tuple[int, int]) -> None:
    async with at_screen(size) as person:
        await person.press("m")
        person.sees("BERT-base", "1 of 25")
        await person.write("gem2")
        person.sees(
            "Gemma-2-27B", "1 of 2", "query_pre_attn", "d_k 1,024 → 256, ÷ 32 → ÷ 16, cap 50"
        )
        person.misses("BERT", "Gemma-3")
        await person.press("down", "enter")
        setup = person.asked.draft.setup
        assert (setup.d_k, setup.scale.softcap) == (128, 50.0)


@pytest.mark.parametrize("size", SIZES)
async def test_what_a_rule_would_do_is_what_it_then_does(size: tuple[int, int]) -> None:
    async with at_screen(size) as person:
        await person.press("r", "down", "down")
        person.sees("÷ 32 → ÷ 1,024", "Yang")
        would = plain(person.app.screen.query_one("#preview", Canvas).rows[1:])
        assert "1,024" in would
        await person.press("enter")
        assert would.split() == " ".join(person.lines[1:3]).split()


async def test_a_d_k_that_is_held_stays_and_what_is_long_is_not_computed() -> None:
    async with at_screen(draft=Draft("q: 1, 2\nK: [[1, 0]]", Setup(2), "vectors")) as person:
        await person.press("m")
        await person.press("down")
        person.sees("÷ 1.41 as now")
        person.misses("d_k 2 →")
        await person.press("escape")
    async with at_screen(
        draft=Draft("n = 2001, seed = 1, vectors = 1", Setup(), "drawn")
    ) as person:
        await person.press("r", "down", "down")
        person.sees("÷ 32 → ÷ 1,024")
        person.misses("Divided by 1,024")


@pytest.mark.parametrize("size", SIZES)
async def test_arrows_pages_home_and_end_move_while_letters_and_blanks_type(
    size: tuple[int, int],
) -> None:
    async with at_screen(size) as person:
        person.app.push_screen(FindDialog("Lines", NUMBERS, "7"))
        await settle(person.pilot)
        person.sees("● line 7", "8 of 50", "detail 7")
        await person.press("end")
        assert cursor(person) == "line 49"
        await person.press("pageup")
        height = person.app.screen.query_one(ChoiceList).size.height
        assert cursor(person) == f"line {49 - height}"
        await person.press("home", "down", "down", "up")
        assert cursor(person) == "line 1"
        await person.write("line 3j")
        person.sees("Nothing matches 'line 3j'")
        await person.press("enter", "down")
        person.sees("Nothing matches")
        await person.press("backspace")
        assert cursor(person) == "line 3"
        person.sees("1 of 14")


async def test_each_line_is_seen_as_the_cursor_reaches_it_and_escape_gives_nothing() -> None:
    seen: list[str] = []
    results: list[str | None] = []
    async with at_screen() as person:
        dialog = FindDialog("Lines", NUMBERS, seen=seen.append)
        person.app.push_screen(dialog, results.append)
        await settle(person.pilot)
        await person.press("down", "4", "9", "q", "escape")
    assert seen[0] == "0"
    assert seen[1:4] == ["1", "4", "49"]
    assert results == [None]


async def test_what_is_offered_may_depend_on_what_is_typed() -> None:
    async with at_screen() as person:
        results: list[str | None] = []
        dialog = FindDialog("Sums", lambda typed: [Choice(typed, f"is {typed * 2}")])
        person.app.push_screen(dialog, results.append)
        await settle(person.pilot)
        await person.write("ab")
        person.sees("is abab")
        await person.press("enter")
        assert results == ["ab"]


@pytest.mark.parametrize("size", SIZES)
async def test_the_mouse_sees_scrolls_and_chooses(size: tuple[int, int]) -> None:
    async with at_screen(size) as person:
        results: list[str | None] = []
        person.app.push_screen(FindDialog("Lines", NUMBERS), results.append)
        await settle(person.pilot)
        choices = person.app.screen.query_one(ChoiceList)
        await person.pilot.hover(ChoiceList, offset=(3, 2))
        await settle(person.pilot)
        person.sees("detail 2")
        for kind in (MouseScrollDown, MouseScrollDown, MouseScrollUp):
            choices.post_message(kind(choices, 3, 2, 0, 0, 0, False, False, False))
        await settle(person.pilot)
        assert cursor(person) == "line 5"
        await person.click("ChoiceList", 3, 4)
        assert results == ["7"]


async def test_several_are_taken_in_and_out_by_enter_and_by_clicks() -> None:
    async with at_screen() as person:
        results: list[tuple[str, ...] | None] = []
        person.app.push_screen(SeveralDialog("Lines", NUMBERS, ("3", "1")), results.append)
        await settle(person.pilot)
        person.sees("[ ] line 0", "[x] line 1", "enter in or out", "esc done")
        await person.press("down", "enter")
        person.sees("[ ] line 1")
        await person.write("line 42")
        await person.press("enter")
        person.sees("[x] line 42")
        await person.press("ctrl+u")
        await person.click("ChoiceList", 3, 0)
        await person.press("escape")
        assert results == [("3", "42", "0")]


async def test_a_theme_is_shown_as_it_is_reached_and_restored_by_escape() -> None:
    async with at_screen() as person:
        before = person.app.theme
        await person.run("app.change_theme")
        await settle(person.pilot)
        await person.write("nord")
        assert person.app.theme == "nord"
        await person.press("escape")
        assert person.app.theme == before


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key", ["r", "m", "x", "slash"])
async def test_a_list_fits_at_any_size(size: tuple[int, int], key: str) -> None:
    async with at_screen(size) as person:
        await person.press(key)
        person.sees("Type to find", "enter chooses · esc")
        assert person.app.screen.query_one(ChoiceList).size.height >= 3
        await person.resize(40, 8)
        await person.press("down")
        cursor(person)


async def test_rules_of_a_sweep_are_found_too() -> None:
    setup = Setup().put(sweep.Settings(n=8, points=3, draws=64))
    async with at_screen(MEDIUM, Draft(EXAMPLE.text, setup), instrument="sweep") as person:
        await person.press("r")
        await person.write("granite")
        person.sees("[ ] inverse ", "1 of 1")
        await person.press("enter", "escape")
        assert person.settings(sweep.Settings).rules[-1] == "inverse"
