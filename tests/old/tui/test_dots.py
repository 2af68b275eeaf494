"""What the screen of Dot products shows."""

from dataclasses import replace

import pytest

from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.old.tui.dots import explanations
from attn_tui.old.tui.dots.screen import DotsScreen
from attn_tui.old.tui.dots.view import TABS
from tests.old.tui.at_dots import SOME, at_dots
from tests.old.tui.person import MEDIUM, NARROW, WIDE, Person


@pytest.mark.parametrize("name", ["SCALE", "PICTURE", "CHART"])
def test_help_says_everything_once(name: str) -> None:
    sentences = getattr(explanations, name).meaning.split(". ")
    pieces = [" ".join(words[at : at + 6]) for words in map(str.split, sentences)
              for at in range(len(words) - 5)]  # fmt: skip
    assert len(pieces) == len(set(pieces))


async def test_a_line_is_said_to_be_exact_where_there_is_one() -> None:
    for entries, what in (
        ("normal", "bars drawn, line exact, each"),
        ("coins", "bars drawn, each"),
    ):
        async with at_dots(WIDE, Setup(d_k=64).put(Settings(entries, samples=500))) as person:  # type: ignore[arg-type]
            person.sees(f"{what} to its own height")


@pytest.mark.parametrize("size", [WIDE, MEDIUM])
async def test_every_readout_has_its_error_and_the_exact_value_beside_it(
    size: tuple[int, int],
) -> None:
    async with at_dots(size) as person:
        person.sees("5,000 drawn", "unscaled q·k ± error", "scaled m·q·k")
        # σ is in the picture.
        assert "65.2 ± 1.3" in person.line_with("variance σ²")
        assert " 64 " in person.line_with("variance")
        assert "±" in person.line_with("mean E[x]")
        person.sees("it grows as √d_k.")
        # The other readouts are in the text.
        said = person.screen(DotsScreen).said()
        for name in ("standard deviation", "mean size", "kurtosis", "within ±2√d_k"):
            assert "±" in next(line for line in said.splitlines() if name in line)
        await person.press("i")
        person.sees("In words and numbers", "standard deviation")


async def test_the_headline_stands_above_the_picture_and_follows_d_k() -> None:
    for size in (WIDE, MEDIUM, NARROW):
        async with at_dots(size) as person:
            for d_k, spread in ((64, 8), (128, 11)):
                said = person.line_with("q·k is typically")
                assert f"±{spread}" in said
                if size != NARROW:
                    assert f"At d_k = {d_k}, " in said
                assert "Divided by √d_k" in person.lines[2]
                assert person.lines[1] == said
                assert "▒ q·k" in person.text.partition("Divided by √d_k")[2]
                await person.press("right_curly_bracket")


def widths(person: Person) -> dict[str, int]:
    """Return the columns of the bells, by what they are made of, at their widest."""
    return {glyph: max(line.count(glyph) for line in drawn(person)) for glyph in "▒█"}


def drawn(person: Person) -> list[str]:
    """Return the lines of the picture."""
    region = person.screen(DotsScreen).query_one("#picture").region
    return person.lines[region.y : region.bottom]


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_twice_the_d_k_widens_only_the_unscaled_bell(size: tuple[int, int]) -> None:
    async with at_dots(size) as person:
        axis = drawn(person)[-1]
        assert "1,000" in axis
        brackets = [line for line in drawn(person) if "σ = " in line]
        before = widths(person)
        await person.press("right_curly_bracket")
        assert person.asked.experiment.setup.d_k == 128
        after = widths(person)
        assert after["▒"] > before["▒"]
        assert abs(after["█"] - before["█"]) <= 1
        assert drawn(person)[-1] == axis
        unscaled, scaled = (line for line in drawn(person) if "σ = " in line)
        assert "σ = 8 " in brackets[0]
        assert "σ = 11.3" in unscaled
        assert scaled == brackets[1]


async def test_d_k_is_one_on_all_instruments() -> None:
    async with at_dots() as person:
        await person.press("right_square_bracket")
        person.sees("At d_k = 80, ", " 80 ")
        await person.press("1")
        person.sees("÷ √80", "80")
        await person.put("d_k", "65536")
        await person.press("2")
        person.sees("At d_k = 65,536, ")
        await person.press("u")
        person.sees("At d_k = 80, ")


async def test_a_d_k_that_is_the_length_of_q_is_held_and_says_why() -> None:
    text = "q: 1, 0, 2\nK: [[1, 0, 1], [0, 1, 0]]"
    async with at_dots(text=text, source="vectors") as person:
        person.sees("At d_k = 3, ", "■")
        await person.press("right_square_bracket")
        person.sees("it moves when q does")
        assert person.asked.experiment.setup.d_k == 3


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_a_single_draw_says_why_there_are_no_errors(size: tuple[int, int]) -> None:
    async with at_dots(size, setup=Setup(d_k=64).put(Settings(samples=1))) as person:
        await person.run("looking.tab('moments')")
        await person.press("f5")
        person.sees("NaN ± NaN", "1 drawn: one", "has no spread")


async def test_tying_the_components_leaves_the_cross_terms() -> None:
    async with at_dots() as person:
        await person.run("looking.tab('derivation')")
        await person.press("f5")
        person.sees("Different products know nothing of each other", "Var(q·k) = 64 + 0")
        await person.run("fields.change('tied', 1)")
        person.sees(
            "All components are one number, so nothing cancels",
            "64·63·1",
            "So the variance of q·k is d_k², not d_k.",
        )
        # The first seed's draws are among the few that disagree with the law.
        await person.press("a")
        person.sees("it is still ±8, and grows as √d_k.")


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_every_tab_can_be_reached_by_key(size: tuple[int, int]) -> None:
    marks = {
        "picture": "σ = 8",
        "moments": "σ² ",
        "over_d_k": "65,536",
        "table": "coverage",
        "derivation": "E[q_i k_i]",
    }
    charts = [name for name, tab in TABS.items() if not tab.apart]
    async with at_dots(size) as person:
        screen = person.screen(DotsScreen)
        seen = set()
        for _ in range(len(TABS) if screen.narrow else len(charts)):
            name = screen.view.present(screen.narrow)
            person.sees(marks[name])
            seen.add(name)
            await person.press("t")
        assert seen == set(marks if screen.narrow else charts)


async def test_a_narrow_screen_shows_one_side_below_the_other() -> None:
    async with at_dots(NARROW) as person:
        assert person.lines[0].endswith(" 1/√d_k")
        await person.press("t")
        sides = [y for y, line in enumerate(person.lines) if "± error" in line]
        assert len(sides) == 2
        assert " scaled m·q·k" in person.lines[sides[0]]
        await person.run("looking.other_side")
        assert "unscaled q·k" in person.lines[sides[0]]
        assert " scaled m·q·k" in person.lines[sides[1]]
        await person.resize(*WIDE)
        person.sees("unscaled q·k ± error", "scaled m·q·k ± error")


async def test_charts_on_a_linear_and_on_a_logarithmic_axis() -> None:
    async with at_dots() as person:
        person.sees("axis: signed log", "−1,000")
        bell = drawn(person)
        await person.press("v")
        person.sees("axis: linear", "−20")
        person.misses("1,000")
        assert drawn(person) != bell


async def test_every_pane_explains_itself() -> None:
    async with at_dots() as person:
        for keys, selector, text in (
            ((), "#picture", "four standard deviations of q·k to either side"),
            (("tab",), "#settings", "z = m·q·k; by default m = 1/√d_k"),
            (("tab",), "#charts", "standard error"),
        ):
            await person.press(*keys)
            assert person.screen(DotsScreen).focused is person.screen(DotsScreen).query_one(
                selector
            )
            await person.press("question_mark")
            person.sees(text)
            await person.press("escape")


async def test_text_that_cannot_be_read_on_explore_does_not_matter_here() -> None:
    async with at_dots() as person:
        await person.press("1", "e")
        await person.write(" x")
        await person.press("escape", "2", "right_square_bracket")
        person.sees("At d_k = 80, ")


async def test_undo_of_what_another_instrument_asked_says_so() -> None:
    async with at_dots() as person:
        await person.put("seed", "9")
        await person.press("1", "u")
        person.sees("Undone in Dot products")
        assert person.settings(Settings).seed == 1
        await person.press("U")
        person.sees("Done again in Dot products")
        await person.press("2", "u")
        person.misses("Undone in Sweep")


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_the_keys_are_never_lost_between_panes(size: tuple[int, int]) -> None:
    async with at_dots(size) as person:
        screen = person.screen(DotsScreen)
        for _ in TABS:
            for _ in range(3):
                await person.press("tab")
                assert screen.focused is not None
                assert screen.focused.region.height > 0
                await person.burst("t", "right", "down", "left", "up")
                assert screen.focused is not None
                assert screen.focused.region.height > 0
            await person.press("t")


async def test_a_rule_that_depends_on_n_says_which_n() -> None:
    async with at_dots(setup=replace(SOME, scale=Scale("log-length"))) as person:
        person.sees("Scaled by the rule log-length", "m = ln n/(ln 512·√d_k)", "█ × 0.0139")
        await person.press("i")
        person.sees("n = 2 being the keys of the scores asked for")
