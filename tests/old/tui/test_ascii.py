"""With ASCII glyphs pictures are drawn in ASCII alone, and text is what it is elsewhere."""

import re

import pytest

from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.instruments import INSTRUMENTS
from tests.old.tui.person import MEDIUM, WIDE, Person, at_screen

DRAWN = Draft("n = 40, seed = 1", Setup(d_k=64), "drawn")

GLYPHS = re.compile("[\u2500-\u25ff\u2800-\u28ff]")
"""Frames, blocks, shapes and braille."""


def check_glyphs(person: Person) -> None:
    """Check that nothing on the screen is drawn with what fonts may lack."""
    assert not (found := set(GLYPHS.findall(person.text))), f"{found} on\n{person.text}"


@pytest.mark.parametrize("instrument", [each.name for each in INSTRUMENTS if each.screen])
async def test_every_view_and_box_is_drawn_in_ascii(instrument: str) -> None:
    async with at_screen(WIDE, DRAWN, instrument=instrument, ascii=True) as person:
        for _ in person.app.screen_stack[0].TABS:  # type: ignore[attr-defined]
            await person.press("t")
            check_glyphs(person)
        for opened, closed in (("i", "escape"), ("question_mark", "escape"), ("tab", "tab")):
            await person.press(opened)
            check_glyphs(person)
            await person.press(closed)
        await person.press("slash")
        check_glyphs(person)
        person.sees("+- Find -")


async def test_signs_of_sentences_stay() -> None:
    async with at_screen(WIDE, EXAMPLE, ascii=True) as person:
        person.sees("[100 120 150] ÷ √1024 = [3.1 3.8 4.7]", "‖∂p/∂s‖ 1.87e-13 → 0.0127")
        check_glyphs(person)


async def test_without_it_blocks_are_drawn() -> None:
    async with at_screen(MEDIUM) as person:
        person.sees("█", "▒", "━")
