"""Texts that are read: scrolled by arrows and letters, and saved as they are."""

from pathlib import Path

import pytest

from tests.tui.person import MEDIUM, at_screen


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
        await person.until_sees("Saved")
        assert "weights p; gradient" in (tmp_path / "attn-tui.txt").read_text("utf-8")
        # The help is no file, and says nothing of the kind.
        await person.press("question_mark")
        person.misses("saves")
        await person.press("s")
        person.misses("attn-tui.txt")
