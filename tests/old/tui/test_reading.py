"""Texts that are read: scrolled by arrows and letters, and saved as they are."""

from pathlib import Path

import pytest

from attn_tui.old.tui.explore.screen import ExploreScreen
from attn_tui.old.tui.reading import ReadDialog
from tests.old.tui.person import MEDIUM, NARROW, WIDE, at_screen, settle


async def test_letters_scroll_as_arrows_do() -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("i")
        first = person.text
        await person.press("down")
        second = person.text
        await person.press("j")
        third = person.text
        assert first != second != third
        await person.press("k")
        assert person.text == second
        await person.press("k")
        assert person.text == first


async def test_what_is_read_is_saved_where_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with at_screen(MEDIUM) as person:
        await person.press("i")
        person.sees("s saves")
        await person.press("s")
        person.sees("attn-tui.txt")
        person.misses(".json")
        await person.press("enter")
        person.sees("Saved")
        assert "weights p; gradient" in (tmp_path / "attn-tui.txt").read_text("utf-8")
        # The help is no file, and says nothing of the kind.
        await person.press("question_mark")
        person.misses("saves")
        await person.press("s")
        person.misses("attn-tui.txt")


async def test_a_click_on_a_row_of_the_help_is_a_press_of_its_key() -> None:
    async with at_screen(WIDE) as person:
        for text, seen in (("Choose the scale rule", "Scale rule"), ("Show the next view", "")):
            await person.press("question_mark")
            chart = person.screen(ExploreScreen).view.chart
            while text not in person.text:
                await person.press("j")
            y = next(y for y, line in enumerate(person.lines) if text in line)
            await person.pilot.click(offset=(person.lines[y].index(text) + 3, y))
            await settle(person.pilot)
            if seen:
                person.sees(seen)
                await person.press("escape")
            else:
                assert person.screen(ExploreScreen).view.chart != chart


async def test_a_report_is_wrapped_behind_its_labels_and_tables_are_scrolled_sideways() -> None:
    async with at_screen(NARROW) as person:
        await person.press("i")
        person.sees("scores     typed: d_k moves only the\n           divisor")
        await person.press("pagedown", "pagedown")
        person.misses("×5.1e10")
        await person.press(*["right"] * 60)
        person.sees("×5.1e10")


async def test_brackets_are_read_as_they_stand_from_the_first_frame_on() -> None:
    async with at_screen(WIDE) as person:
        await person.app.push_screen(ReadDialog("Words", "E[q_i]E[k_i] = [/b]"))
        person.sees("E[q_i]E[k_i] = [/b]")
