"""Drawing on the screen of Dot products: stopped, gone on with, and not done twice."""

import pytest

from attn_tui.compute.dots.draws import Draws
from attn_tui.compute.law.entries import Floats
from attn_tui.old.tui.dots.screen import DotsScreen
from tests.old.tui.at_dots import SLOW, at_dots
from tests.old.tui.person import MEDIUM, NARROW, WIDE


async def test_drawing_anew_takes_the_next_seed() -> None:
    async with at_dots() as person:
        before = person.line_with("variance")
        await person.press("a")
        person.sees("seed 2")
        assert person.line_with("variance") != before
        await person.press("u")
        assert person.line_with("variance") == before


async def test_a_draw_is_stopped_keeps_its_count_and_goes_on() -> None:
    async with at_dots(setup=SLOW) as person:
        await person.run("fields.type('samples')")
        await person.pilot.press(*"1e8", "enter")
        await person.until_sees("space stops")
        await person.press("space")
        person.sees("of 100,000,000 drawn, stopped: space goes on")
        screen = person.screen(DotsScreen)
        assert screen.answer is not None
        stopped = screen.answer.drawn
        assert 100 <= stopped < 10**8
        # What it shows is what was drawn, and another rule does not lose it.
        await person.press("t")
        await person.run("scale.rule('inverse')")
        await person.press("f5")
        assert screen.answer.drawn == stopped
        person.sees("stopped: space goes on", "m = 1/d_k")
        await person.pilot.press("space")
        await person.until_sees("space stops")
        while screen.answer.drawn <= stopped:
            await person.pilot.pause()
        await person.press("space")
        assert screen.answer.drawn > stopped
        # The time left is told from what is drawn since, not from all there is.
        assert screen._pace.first >= stopped


async def test_a_draw_that_was_stopped_is_still_so_when_it_is_done_again() -> None:
    async with at_dots(setup=SLOW) as person:
        person.misses("space Stop", "space Go")
        screen = person.screen(DotsScreen)
        screen.fields.change("samples", 6)
        await person.until_sees("space stops")
        person.sees("space Stop ")
        await person.press("space")
        person.sees("stopped: space goes on", "space Go")
        assert screen.answer is not None
        drawn = screen.answer.drawn
        await person.press("u", "U")
        person.sees("stopped: space goes on")
        assert screen.answer.drawn == drawn


async def test_leaving_stops_the_draw_and_coming_back_goes_on() -> None:
    async with at_dots(setup=SLOW) as person:
        await person.run("fields.type('samples')")
        await person.pilot.press(*"1e8", "enter")
        await person.until_sees("space stops")
        screen = person.screen(DotsScreen)
        await person.press("1")
        assert not screen.job.running
        assert screen.answer is not None
        drawn = screen.answer.drawn
        await person.pilot.press("2")
        while screen.answer.drawn <= drawn:
            await person.pilot.pause()
        await person.press("space")
        assert screen.answer.drawn > drawn


async def test_what_was_found_is_shown_again_without_drawing() -> None:
    async with at_dots() as person:
        screen = person.screen(DotsScreen)
        found = screen.answer
        await person.press("1", "2")
        assert screen.answer is found


async def test_coming_back_to_a_law_and_seed_draws_nothing_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken, take = [], Draws.take

    def counting(draws: Draws, count: int) -> Floats:
        taken.append(count)
        return take(draws, count)

    monkeypatch.setattr(Draws, "take", counting)
    async with at_dots() as person:
        screen = person.screen(DotsScreen)
        await person.press("right_square_bracket", "a", "right_square_bracket")
        found = screen.answer
        taken.clear()
        await person.press("u", "u", "u")
        person.sees("5,000 drawn")
        await person.press("U", "U", "U")
        assert taken == []
        assert screen.answer is not None
        assert found is not None
        assert screen.answer.unscaled == found.unscaled


async def test_more_samples_begin_with_those_that_were_drawn() -> None:
    async with at_dots() as person:
        await person.run("fields.change('samples', 1)")
        person.sees("10,000 drawn")
        await person.run("fields.change('samples', -1)")
        person.sees("1,000 drawn")


async def test_a_terminal_resized_while_drawing_loses_nothing() -> None:
    async with at_dots(setup=SLOW) as person:
        await person.run("fields.type('samples')")
        await person.pilot.press(*"1e8", "enter")
        await person.until_sees("space stops")
        for size in (NARROW, (10, 3), MEDIUM, WIDE):
            await person.pilot.resize_terminal(*size)
            await person.pilot.pause()
        await person.press("space")
        person.sees("stopped: space goes on", "▒ q·k", "█ ÷√d_k", "σ = 90.5")
