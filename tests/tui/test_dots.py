"""What the screen of Dot products shows."""

from dataclasses import replace

import pytest

from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.tui.dots import explanations
from attn_tui.tui.dots.screen import DotsScreen
from attn_tui.tui.dots.view import TABS
from tests.tui.at_dots import SOME, at_dots
from tests.tui.person import MEDIUM, NARROW, WIDE


@pytest.mark.parametrize("name", ["DRAWS", "SCALE", "READOUTS", "CHART"])
def test_help_says_everything_once(name: str) -> None:
    sentences = getattr(explanations, name).meaning.split(". ")
    pieces = [" ".join(words[at : at + 6]) for words in map(str.split, sentences)
              for at in range(len(words) - 5)]  # fmt: skip
    assert len(pieces) == len(set(pieces))


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


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_a_single_draw_says_why_there_are_no_errors(size: tuple[int, int]) -> None:
    async with at_dots(size, setup=Setup(d_k=64).put(Settings(samples=1))) as person:
        person.sees("NaN ± NaN", "1 drawn: one", "has no spread")


async def test_tying_the_components_leaves_the_cross_terms() -> None:
    async with at_dots() as person:
        await person.run("looking.tab('derivation')")
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
    charts = [name for name, tab in TABS.items() if not tab.apart]
    async with at_dots(size) as person:
        screen = person.screen(DotsScreen)
        seen = set()
        for _ in range(6 if screen.narrow else len(charts)):
            name = screen.view.present(screen.narrow)
            person.sees(marks[name])
            seen.add(name)
            await person.press("t")
        assert seen == set(marks if screen.narrow else charts)


async def test_a_narrow_screen_shows_one_side_and_the_other() -> None:
    async with at_dots(NARROW) as person:
        person.sees("scaled m·q·k")
        await person.press("o")
        person.sees("unscaled q·k")
        await person.resize(*WIDE)
        person.sees("unscaled q·k ± error", "scaled m·q·k ± error")


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
            person.screen(DotsScreen).query_one(selector).focus()
            await person.press("question_mark")
            person.sees(text)
            await person.press("escape")


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
        assert person.settings(Settings).seed == 1
        await person.press("U")
        person.sees("Done again in Dot products")
        await person.press("2", "u")
        person.misses("Undone in Sweep")


async def test_a_rule_that_depends_on_n_says_which_n() -> None:
    async with at_dots(setup=replace(SOME, scale=Scale("log-length"))) as person:
        person.sees("n = 2 are the keys")
