"""The map of a sweep and the vectors behind it, as a person uses them."""

from dataclasses import replace

import pytest

from attn_tui.compute.scale import Scale
from attn_tui.compute.sweep.settings import Settings
from attn_tui.files.draft import EXAMPLE
from attn_tui.old.tui.running import opening
from attn_tui.old.tui.sweep.panes import SweepChart
from attn_tui.old.tui.sweep.screen import SweepScreen
from tests.old.tui.at_sweep import at_sweep, draft, headline
from tests.old.tui.person import MEDIUM, NARROW, WIDE


async def test_tabs_sweep_d_k_or_n_or_both() -> None:
    async with at_sweep(WIDE, draft(crossovers=False)) as person:
        await person.press("t")
        assert person.settings(Settings).over == "n"
        person.sees("unscaled", "1/√d_k")
        await person.press("t")
        person.sees("At n = 8, d_k = 64:")
        await person.press("t")
        assert person.settings(Settings).view == "map"
        person.sees("what dividing by √d_k does to the median of 64 draws", "n\\d_k")
        await person.run("looking.other_of")
        person.sees("what dividing by √d_k does to the mean of 64 draws")
        await person.run("looking.other_of")
        await person.press("up", "right")
        n, d_k = person.settings(Settings).n, person.asked.experiment.setup.d_k
        assert (n, d_k) == (32, 91)
        assert headline(person).startswith("Here (32 keys, d_k = 91) dividing by √d_k makes")
        await person.press("t")
        assert person.settings(Settings).over == "d_k"


async def test_the_map_shows_what_dividing_does_and_curves_the_numbers_themselves() -> None:
    async with at_sweep(WIDE, draft(crossovers=False)) as person:
        await person.run("looking.tab('map')")
        await person.press("f5")
        assert person.settings(Settings).view == "map"
        person.sees("▼12", "▲≫", "dividing makes it 26 times smaller", "[ ] nearest to you")
        await person.run("looking.ratio")
        # It is turned off by hand, and then both rules have a map.
        person.sees("median ‖∂p/∂s‖_F, unscaled")
        person.misses("▼12", "dividing makes")
        await person.run("looking.other_rule")
        person.sees("median ‖∂p/∂s‖_F, 1/√d_k")
        await person.run("looking.ratio")
        await person.press("t")
        assert person.settings(Settings).over == "d_k"
        person.sees("‖∂p/∂s‖_F, median of 64 draws")
        person.misses("dividing by √d_k does")
        await person.press("T")
        person.sees("▼12")


async def test_a_map_without_a_rule_to_compare_shows_the_numbers_themselves() -> None:
    async with at_sweep(WIDE, draft(rules=("none",), crossovers=False)) as person:
        await person.run("looking.tab('map')")
        await person.press("f5")
        person.sees("median ‖∂p/∂s‖_F, unscaled", "Only the rule none is compared here")


async def test_the_headline_follows_the_cursor_on_the_map() -> None:
    async with at_sweep(MEDIUM, draft(view="map", ratio=True, crossovers=False)) as person:
        grid = person.screen(SweepScreen)
        said = []
        for keys in (("right",), ("right", "right"), ("up",), ("left", "left", "left")):
            await person.press(*keys)
            n, d_k = person.settings(Settings).n, person.asked.experiment.setup.d_k
            assert grid.answer is not None
            assert (n, d_k) in grid.answer.points.places
            # Where the second sentence needs the room, the sliders alone say where it is.
            assert headline(person).startswith(
                (f"Here ({n:,} keys, d_k = {d_k:,}) dividing", "Here dividing")
            )
            said.append(headline(person))
        assert len(set(said)) == len(said)
        assert "over a million times larger" in said[1]
        assert "times smaller" in said[3]


async def test_a_place_beside_those_drawn_is_drawn_for_itself() -> None:
    async with at_sweep(MEDIUM, draft(view="map", ratio=True, crossovers=False)) as person:
        screen = person.screen(SweepScreen)
        assert screen.answer is not None
        assert (8, 64) not in screen.answer.points.places
        found = screen.answer.here
        assert found is not None
        assert [*found.places] == [(8, 64)]
        assert headline(person).startswith("Here (8 keys, d_k = 64)")
        await person.press("plus", "full_stop")
        assert headline(person).startswith("Here (12 keys, d_k = 80)")
        # At a place of the map there is nothing more to draw.
        await person.press("right")
        await person.press("up")
        assert screen.answer.here is None
        n, d_k = person.settings(Settings).n, person.asked.experiment.setup.d_k
        assert headline(person).startswith(f"Here ({n:,} keys, d_k = {d_k:,})")


async def test_arrows_move_on_a_map_that_was_just_opened() -> None:
    async with at_sweep(MEDIUM, draft(crossovers=False)) as person:
        await person.press("T", "up")
        assert person.settings(Settings).n == 32
        assert isinstance(person.app.focused, SweepChart)


async def test_a_click_moves_the_cursor_of_the_map_and_a_second_opens_explore() -> None:
    async with at_sweep(WIDE, draft(view="map", ratio=True)) as person:
        row = next(y for y, line in enumerate(person.lines) if line.startswith(" 32"))
        top = person.screen(SweepScreen).query_one("#chart").region.y
        await person.click("#chart", 20, row - top)
        assert person.settings(Settings).n == 32
        await person.click("#chart", 20, row - top, times=2)
        person.sees("drawn")
        assert person.app.screen_stack[0].NAME == "explore"  # type: ignore[attr-defined]


@pytest.mark.parametrize("key", ["enter", ""])
async def test_explore_opens_on_a_vector_drawn_at_the_cursor(key: str) -> None:
    async with at_sweep() as person:
        await person.put("seed", "5")
        await (person.press(key) if key else person.run("places.explore"))
        assert person.asked.draft.source == "drawn"
        assert person.asked.experiment.vectors[0].n_keys == 8
        # 48 is the place drawn that is nearest, and not what was asked.
        assert person.asked.experiment.setup.d_k == 64
        assert person.asked.draft.text == "n = 8, seed = 5, vectors = 1"
        person.sees("draw: weights p")
        await person.press("u")
        assert person.asked.draft.text == EXAMPLE.text


async def test_enter_on_the_map_opens_explore_on_a_vector_drawn_at_the_cursor() -> None:
    async with at_sweep(WIDE) as person:
        await person.press("T", "right", "up")
        n, d_k = person.settings(Settings).n, person.asked.draft.setup.d_k
        await person.press("enter")
        assert person.app.screen_stack[0].NAME == "explore"  # type: ignore[attr-defined]
        assert f"n = {n}," in person.asked.draft.text
        assert person.asked.draft.setup.d_k == d_k


@pytest.mark.parametrize(
    ("rules", "view", "others", "rule"),
    [
        ((), "curves", 0, "inverse-sqrt"),
        (("none", "inverse"), "curves", 0, "inverse"),
        (("inverse", "inverse-sqrt"), "curves", 0, "inverse-sqrt"),
        (("none",), "curves", 0, "none"),
        (("none", "inverse", "mup"), "map", 2, "mup"),
        ((), "map", 0, "none"),
    ],
)
async def test_explore_opens_under_a_rule_that_is_compared(
    rules: tuple[str, ...], view: str, others: int, rule: str
) -> None:
    asked = draft(rules=rules, view=view, crossovers=False)
    asked = replace(asked, setup=replace(asked.setup, scale=Scale(softcap=5.0)))
    async with at_sweep(start=asked) as person:
        before = person.asked.draft
        for _ in range(others):
            await person.run("looking.other_rule")
        await person.press("enter")
        assert person.asked.draft.setup.scale == Scale(rule, softcap=5.0)
        await person.press("3")
        found = person.screen(SweepScreen).answer
        assert found is not None
        assert found.rules == (rules or ("none", "inverse-sqrt"))
        await person.press("u")
        assert person.asked.draft == before


async def test_what_is_not_applied_is_said() -> None:
    asked = draft(crossovers=False)
    for scale, said in (
        (Scale(), ""),
        (Scale(softcap=5.0, sink=0.0), "Not applied here: soft cap, sink"),
        (Scale(qk_norm=True), "QK-norm applied: ∂L/∂q is not known"),
    ):
        start = replace(asked, setup=replace(asked.setup, scale=scale))
        async with at_sweep(start=start) as person:
            assert ("applied" in person.lines[4]) == bool(said)
            assert said in person.lines[4]
            await person.run("looking.tab('numbers')")
            assert said in person.text
            await person.press("2", "i")
            there = said and f"Not applied here: {said.partition(': ')[2]}"
            there = "Not applied here: QK-norm" if scale.qk_norm else there
            assert there in " ".join(person.text.split())


async def test_on_a_narrow_screen_the_numbers_say_what_is_not_applied() -> None:
    asked = draft(crossovers=False)
    start = replace(asked, setup=replace(asked.setup, scale=Scale(softcap=5.0)))
    async with at_sweep(NARROW, start) as person:
        person.misses("applied")
        await person.run("looking.tab('numbers')")
        person.sees("Not applied here: soft cap.")


async def test_tabs_that_arrive_together_all_count() -> None:
    async with at_sweep(WIDE) as person:
        await person.burst("t", "t", "t")
        assert person.settings(Settings).view == "map"
        await person.burst("t", "t")
        assert (person.settings(Settings).view, person.settings(Settings).over) == ("curves", "n")


async def test_the_tab_that_is_open_shows_the_chart_again() -> None:
    async with at_sweep(WIDE) as person:
        await person.run("looking.tab('numbers')")
        person.misses("the middle half")
        await person.run("looking.tab('d_k')")
        await person.press("f5")
        person.sees("the middle half")


def test_the_program_opens_sweep_on_its_map_unless_something_is_asked_of_it() -> None:
    assert opening(EXAMPLE).setup.get(Settings) == Settings(view="map", ratio=True)
    asked = draft()
    assert opening(asked) is asked
