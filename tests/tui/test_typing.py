"""Typing a value in place of the slider, on every instrument."""

import pytest

from attn_tui.compute.dots import settings as dots
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep import settings as sweep
from attn_tui.files.draft import Draft
from tests.tui.person import at_screen


@pytest.mark.parametrize("instrument", ["explore", "dots", "sweep"])
async def test_keys_directly_behind_a_typed_value_do_what_they_do(instrument: str) -> None:
    setup = Setup(8).put(dots.Settings(samples=50)).put(sweep.Settings(n=8, points=4, draws=64))
    async with at_screen(draft=Draft("a: 1, 2", setup), instrument=instrument) as person:
        await person.press("d", "ctrl+u")
        await person.burst("6", "5", "enter", "right_square_bracket", "right_square_bracket")
        assert person.asked.experiment.setup.d_k == 96
