"""What a person can do on the screen of Dot products."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from attn_tui.compute.dots.answer import Settings
from attn_tui.compute.dots.draws import Draws
from attn_tui.compute.law.entries import Floats
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import Draft
from attn_tui.tui.dots import explanations
from attn_tui.tui.dots.fields import FIELDS
from attn_tui.tui.dots.screen import DotsScreen
from attn_tui.tui.dots.view import CHARTS
from tests.tui.person import MEDIUM, NARROW, WIDE, Person, at_screen

SOME = Setup(d_k=64).put(Settings(samples=5000))
SLOW = Setup(d_k=8192).put(Settings("uniform", samples=100))
"""Draws so slowly that a hundred million take hours."""


@asynccontextmanager
async def at_dots(
    size: tuple[int, int] = WIDE, setup: Setup = SOME, text: str = "a: 1, 2", source: str = "typed"
) -> AsyncIterator[Person]:
    draft = Draft(text, setup, source)
    async with at_screen(size, draft, instrument="dots") as person:
        yield person


def screen_of(person: Person) -> DotsScreen:
    screen = person.app.screen_stack[0]
    assert isinstance(screen, DotsScreen)
    return screen


@pytest.mark.parametrize("name", ["DRAWS", "SCALE", "READOUTS", "CHART"])
def test_help_says_everything_once(name: str) -> None:
    sentences = getattr(explanations, name).meaning.split(". ")
    pieces = [" ".join(words[at : at + 6]) for words in map(str.split, sentences)
              for at in range(len(words) - 5)]  # fmt: skip
    assert len(pieces) == len(set(pieces))


def settings_of(person: Person) -> Settings:
    return person.asked.experiment.setup.get(Settings)


@pytest.mark.parametrize("size", [WIDE, MEDIUM])
async def test_every_readout_has_its_error_and_the_exact_value_beside_it(
    size: tuple[int, int],
) -> None:
    async with at_dots(size) as person:
        person.sees("5,000 drawn at d_k = 64, seed 1", "unscaled q·k ± error", "scaled m·q·k")
        assert "65.2 ± 1.3" in person.line_with("variance")
        assert " 64 " in person.line_with("variance")
        for name in ("mean E[x]", "standard deviation", "mean size", "kurtosis", "within ±2√d_k"):
            assert "±" in person.line_with(name)
        person.sees("and grows as √d_k.")


async def test_d_k_is_one_on_all_instruments() -> None:
    async with at_dots() as person:
        await person.press("right_square_bracket")
        person.sees("drawn at d_k = 80", " 80 ")
        await person.press("1")
        person.sees("Scores", "80")
        await person.press("end", "2")
        person.sees("drawn at d_k = 65536")
        await person.press("u")
        person.sees("drawn at d_k = 80")


async def test_a_d_k_that_is_the_length_of_q_is_held_and_says_why() -> None:
    text = "q: 1, 0, 2\nK: [[1, 0, 1], [0, 1, 0]]"
    async with at_dots(text=text, source="vectors") as person:
        person.sees("drawn at d_k = 3", "d_k is held", "■")
        await person.press("right_square_bracket")
        person.sees("it moves when q does")
        assert person.asked.experiment.setup.d_k == 3


async def test_every_field_can_be_changed_by_keys() -> None:
    async with at_dots() as person:
        screen_of(person).query_one("#draws").focus()
        for name in (field.name for field in FIELDS):
            before = getattr(settings_of(person), name)
            await person.press("right")
            after = getattr(settings_of(person), name)
            assert after != before, name
            await person.press("left")
            assert getattr(settings_of(person), name) == (1000 if name == "samples" else before)
            await person.press("down")


async def test_fields_in_their_order() -> None:
    async with at_dots() as person:
        screen_of(person).query_one("#draws").focus()
        await person.press("right")
        person.sees("uniform")
        await person.press("down", "right")
        assert settings_of(person).samples == 10_000
        await person.press("down", "down", "enter")
        assert settings_of(person).tied
        person.sees("tied")
        await person.press("down", "enter")
        await person.write("0.5")
        await person.press("enter")
        assert settings_of(person).correlation == 0.5
        await person.press("up", "up", "up", "up", "enter")
        person.sees("a die's 1 to 6")
        await person.press("end", "enter")
        assert settings_of(person).entries == "die"
        person.sees("die 1–6")


@pytest.mark.parametrize(
    ("key", "text", "field", "value"),
    [
        ("n", "2e4", "samples", 20_000),
        ("s", "7", "seed", 7),
        ("c", "-0.25", "correlation", -0.25),
        ("m", "1.5", "mean_q", 1.5),
        ("M", "-2", "mean_k", -2.0),
    ],
)
async def test_fields_are_typed(key: str, text: str, field: str, value: object) -> None:
    async with at_dots() as person:
        await person.press(key)
        await person.write(text)
        await person.press("enter")
        assert getattr(settings_of(person), field) == value
        await person.press("u")
        assert settings_of(person) == Settings(samples=5000)


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("n", "0", "a whole number from 1"),
        ("n", "1e30", "to 100,000,000"),
        ("n", "-1", "a whole number from 1"),
        ("s", "1.5", "one such as 1024"),
        ("c", "2", "'2' will not do"),
        ("m", "nan", "-1,000,000"),
        ("i", "0", "whole numbers from"),
        ("i", "2,,4", "entry 2 of '2,,4' is empty"),
    ],
)
async def test_what_will_not_do_is_said_beside_the_field_and_the_picture_stays(
    key: str, text: str, expected: str
) -> None:
    async with at_dots() as person:
        await person.press(key)
        await person.write(text)
        await person.press("enter")
        person.sees(expected, "5,000 drawn at d_k = 64, seed 1", "density of q·k" * (key != "i"))
        await person.press("escape")
        assert settings_of(person) == Settings(samples=5000)
        person.misses(expected)


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
        await person.press("n")
        await person.pilot.press(*"1e8", "enter")
        await person.until_sees("x stops")
        await person.press("x")
        person.sees("of 100,000,000 drawn, stopped: x goes on")
        screen = screen_of(person)
        assert screen.answer is not None
        stopped = screen.answer.drawn
        assert 100 <= stopped < 10**8
        # What it shows is what was drawn, and another rule does not lose it.
        await person.press("t")
        await person.app.run_action("screen.rule('inverse')")
        await person.press("f5")
        assert screen.answer.drawn == stopped
        person.sees("stopped: x goes on", "m = 1/d_k")
        await person.pilot.press("x")
        await person.until_sees("x stops")
        while screen.answer.drawn <= stopped:
            await person.pilot.pause()
        await person.press("x")
        assert screen.answer.drawn > stopped
        # The time left is told from what is drawn since, not from all there is.
        assert screen._pace.first >= stopped


async def test_a_draw_that_was_stopped_is_still_so_when_it_is_done_again() -> None:
    async with at_dots(setup=SLOW) as person:
        person.sees("x Done")
        screen = screen_of(person)
        screen.action_change("samples", 6)
        await person.until_sees("x stops")
        person.sees("x Stop ")
        await person.press("x")
        person.sees("stopped: x goes on", "x Go")
        assert screen.answer is not None
        drawn = screen.answer.drawn
        await person.press("u", "U")
        person.sees("stopped: x goes on")
        assert screen.answer.drawn == drawn


async def test_leaving_stops_the_draw_and_coming_back_goes_on() -> None:
    async with at_dots(setup=SLOW) as person:
        await person.press("n")
        await person.pilot.press(*"1e8", "enter")
        await person.until_sees("x stops")
        screen = screen_of(person)
        await person.press("1")
        assert not screen.job.running
        assert screen.answer is not None
        drawn = screen.answer.drawn
        await person.pilot.press("2")
        while screen.answer.drawn <= drawn:
            await person.pilot.pause()
        await person.press("x")
        assert screen.answer.drawn > drawn


async def test_what_was_found_is_shown_again_without_drawing() -> None:
    async with at_dots() as person:
        screen = screen_of(person)
        found = screen.answer
        await person.press("1", "2")
        assert screen.answer is found


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_a_single_draw_says_why_there_are_no_errors(size: tuple[int, int]) -> None:
    async with at_dots(size, setup=Setup(d_k=64).put(Settings(samples=1))) as person:
        person.sees("NaN ± NaN", "1 drawn: one", "has no spread")


async def test_coming_back_to_a_law_and_seed_draws_nothing_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken, take = [], Draws.take

    def counting(draws: Draws, count: int) -> Floats:
        taken.append(count)
        return take(draws, count)

    monkeypatch.setattr(Draws, "take", counting)
    async with at_dots() as person:
        screen = screen_of(person)
        await person.press("right_square_bracket", "a", "right_square_bracket")
        found = screen.answer
        taken.clear()
        await person.press("u", "u", "u")
        person.sees("5,000 drawn at d_k = 64, seed 1")
        await person.press("U", "U", "U")
        assert taken == []
        assert screen.answer is not None
        assert found is not None
        assert screen.answer.unscaled == found.unscaled


async def test_more_samples_begin_with_those_that_were_drawn() -> None:
    async with at_dots() as person:
        await person.press("greater_than_sign")
        person.sees("10,000 drawn")
        await person.press("less_than_sign")
        person.sees("1,000 drawn")


async def test_rows_are_added_to_the_table_and_taken_away() -> None:
    async with at_dots() as person:
        await person.press("i")
        await person.write("8, 4096")
        await person.press("enter")
        assert settings_of(person).d_ks == (2, 4, 8, 512, 1024, 4096)
        person.sees("4,096", "coverage")
        screen_of(person).query_one("#charts").focus()
        await person.press("down", "delete")
        assert settings_of(person).d_ks == (2, 8, 512, 1024, 4096)
        await person.press("u", "u")
        assert settings_of(person).d_ks == (2, 4, 512, 1024)
        await person.press("t", "delete")
        person.sees("There is no row here")
        assert len(settings_of(person).d_ks) == 4


async def test_every_row_can_go() -> None:
    async with at_dots() as person:
        await person.app.run_action("screen.tab('table')")
        await person.press(*["delete"] * 6)
        person.sees("No rows: i adds one")
        assert settings_of(person).d_ks == ()


async def test_tying_the_components_leaves_the_cross_terms() -> None:
    async with at_dots() as person:
        await person.app.run_action("screen.tab('derivation')")
        await person.press("f5")
        person.sees("different products are uncorrelated")
        await person.press("T")
        person.sees("all components are one: nothing cancels", "4032", "and grows as d_k, for all")


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_every_tab_can_be_reached_by_key(size: tuple[int, int]) -> None:
    marks = {
        "histogram": "⠤ exact ≈ normal",
        "growth": "×1/√d_k",
        "table": "coverage",
        "derivation": "E[q_i k_i]",
        "draws": "ρ(q_i, k_i)",
        "readouts": "kurtosis",
    }
    async with at_dots(size) as person:
        screen = screen_of(person)
        seen = set()
        for _ in range(6 if screen.narrow else len(CHARTS)):
            name = screen.view.shown(screen.narrow)
            person.sees(marks[name])
            seen.add(name)
            await person.press("t")
        assert seen == set(marks if screen.narrow else CHARTS)


async def test_a_narrow_screen_shows_one_side_and_the_other() -> None:
    async with at_dots(NARROW) as person:
        person.sees("scaled m·q·k")
        await person.press("o")
        person.sees("unscaled q·k")
        await person.resize(*WIDE)
        person.sees("unscaled q·k ± error", "scaled m·q·k ± error")


async def test_a_terminal_resized_while_drawing_loses_nothing() -> None:
    async with at_dots(setup=SLOW) as person:
        await person.press("n")
        await person.pilot.press(*"1e8", "enter")
        await person.until_sees("x stops")
        for size in (NARROW, (10, 3), MEDIUM, WIDE):
            await person.pilot.resize_terminal(*size)
            await person.pilot.pause()
        await person.press("x")
        person.sees("stopped: x goes on", "density of q·k")


async def test_charts_in_ascii_and_on_a_logarithmic_axis() -> None:
    async with at_dots() as person:
        person.sees("linear")
        await person.press("l")
        person.sees(" log ", "1e-")
        await person.app.run_action("app.ascii")
        await person.press("f5")
        person.misses("█", "⣀")


async def test_every_pane_explains_itself() -> None:
    async with at_dots() as person:
        for selector, text in (
            ("#slider", "section 3.2.1"),
            ("#draws", "What is drawn"),
            ("#readouts", "Readouts"),
            ("#charts", "variance-gamma"),
        ):
            screen_of(person).query_one(selector).focus()
            await person.press("question_mark")
            person.sees(text)
            await person.press("escape")


async def test_a_click_on_a_field_puts_the_cursor_there() -> None:
    async with at_dots() as person:
        await person.click("#draws", 3, 2)
        assert screen_of(person).view.field == 2
        await person.press("right")
        assert settings_of(person).seed == 2


async def test_text_that_cannot_be_read_on_explore_does_not_matter_here() -> None:
    async with at_dots() as person:
        await person.press("1", "e")
        await person.write(" x")
        await person.press("escape", "2", "right_square_bracket")
        person.sees("drawn at d_k = 80")


async def test_undo_of_what_another_instrument_asked_says_so() -> None:
    async with at_dots() as person:
        await person.press("s", "9", "enter", "1", "u")
        person.sees("Undone in Dot products")
        assert settings_of(person).seed == 1
        await person.press("U")
        person.sees("Done again in Dot products")
        await person.press("2", "u")
        person.misses("Undone in Sweep")


async def test_a_rule_that_depends_on_n_says_which_n() -> None:
    async with at_dots(setup=replace(SOME, scale=Scale("log-length"))) as person:
        person.sees("n = 2 are the keys")
