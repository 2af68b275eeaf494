"""Typing a value in place of the slider, or stepping it, and what is said of that meanwhile."""

import pytest

from attn_tui.compute.dots import settings as dots
from attn_tui.compute.mask import Mask
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep import settings as sweep
from attn_tui.files.draft import Draft
from tests.old.tui.person import MEDIUM, at_screen


@pytest.mark.parametrize("instrument", ["explore", "dots", "sweep"])
async def test_keys_directly_behind_a_typed_value_do_what_they_do(instrument: str) -> None:
    setup = Setup(8).put(dots.Settings(samples=50)).put(sweep.Settings(n=8, points=4, draws=64))
    async with at_screen(draft=Draft("a: 1, 2", setup), instrument=instrument) as person:
        await person.press("d", "ctrl+u")
        await person.burst("6", "5", "enter", "right_square_bracket", "right_square_bracket")
        assert person.asked.experiment.setup.d_k == 96


async def test_what_will_do_is_said_below_what_is_typed() -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("d")
        person.sees(
            "─ Dimension of one head's queries and keys ─", "│ a whole number from 1 to 65,536"
        )
        await person.press("ctrl+u", "0", "enter")
        person.sees("'0' will not do")
        await person.press("backspace")
        person.misses("'0' will not do")
        person.sees("│ a whole number")
        await person.press("escape")
        person.misses("a whole number")
        await person.run("fields.type('mask')")
        person.sees("─ Keys that have no weight ─", "12: or causal", "causal: vector 0 sees key 0")
        await person.press("escape")
        await person.run("scale.rule('fixed')")
        person.sees("a: what stands in for d_k")
        await person.press("escape")
        # Beside the settings it stands below all of them.
        await person.press("tab", "enter")
        person.misses("─ Dimension")
        assert person.text.count("a whole number") == 1


async def test_a_mask_is_causal_with_one_arrow() -> None:
    async with at_screen(MEDIUM, Draft("1, 2, 3\n3, 2, 1", Setup(mask=Mask(((2, 3),))))) as person:
        await person.press("tab")
        await person.run("drawer.point('mask')")
        assert "enter Type" in person.lines[-1]
        for shown in ("causal, 2", "2"):
            await person.press("right")
            assert str(person.asked.draft.setup.mask) == shown
