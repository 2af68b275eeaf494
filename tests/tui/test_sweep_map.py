"""The map of a sweep and the vectors behind it, as a person uses them."""

from dataclasses import replace

import pytest

from attn_tui.compute.scale import Scale
from attn_tui.compute.sweep.settings import Settings
from attn_tui.files.draft import EXAMPLE
from attn_tui.tui.sweep.screen import SweepScreen
from tests.tui.at_sweep import at_sweep, draft
from tests.tui.person import WIDE


async def test_tabs_sweep_d_k_or_n_or_both() -> None:
    async with at_sweep(WIDE, draft(crossovers=False)) as person:
        await person.press("t")
        assert person.settings(Settings).over == "n"
        person.sees("n 10, nearest to 8: A")
        await person.press("t")
        assert person.settings(Settings).view == "map"
        person.sees("median ‖∂p/∂s‖_F, unscaled", "n\\d_k")
        await person.press("o")
        person.sees("median ‖∂p/∂s‖_F, 1/√d_k")
        await person.press("slash", "v")
        person.sees("mean ‖∂p/∂s‖_F: unscaled over 1/√d_k")
        await person.press("v")
        person.sees("d*: median ×1", "larger up to d_k ≈", "; d* ")
        await person.press("up", "right")
        n, d_k = person.settings(Settings).n, person.asked.experiment.setup.d_k
        assert (n, d_k) == (32, 861)
        person.sees("n = 32, d_k = 861: unscaled the median", "e Explore  ")
        await person.press("]")
        person.sees("n = 32, d_k = 861: unscaled the median", "e Explore n 32, d_k 861")
        await person.press("t")
        person.sees("‖∂p/∂s‖_F unscaled over scaled, log")


async def test_a_click_moves_the_cursor_of_the_map_and_a_second_opens_explore() -> None:
    async with at_sweep(WIDE, draft(view="map", ratio=True)) as person:
        row = next(y for y, line in enumerate(person.lines) if line.startswith(" 32"))
        top = next(y for y, line in enumerate(person.lines) if line.startswith("median"))
        await person.click("#chart", 20, row - top)
        assert person.settings(Settings).n == 32
        await person.click("#chart", 20, row - top, times=2)
        person.sees("drawn")
        assert person.app.screen_stack[0].NAME == "explore"  # type: ignore[attr-defined]


@pytest.mark.parametrize("keys", [("e",), ("tab", "tab", "enter")])
async def test_explore_opens_on_a_vector_drawn_at_the_cursor(keys: tuple[str, ...]) -> None:
    async with at_sweep() as person:
        await person.press("A")
        await person.write("5")
        await person.press("enter")
        person.sees("d_k 48 mean, median: A", "e Explore n 8, d_k 48")
        await person.press(*keys)
        assert person.asked.draft.source == "drawn"
        assert person.asked.experiment.vectors[0].n_keys == 8
        # 48 is the place nearest to 64: its numbers were shown, and its vector is.
        assert person.asked.experiment.setup.d_k == 48
        person.sees("seed = 5", "n = 8", "draw: weights p")
        await person.press("u")
        assert person.asked.draft.text == EXAMPLE.text


async def test_enter_on_the_map_opens_explore_on_a_vector_drawn_at_the_cursor() -> None:
    async with at_sweep(WIDE) as person:
        await person.press("t", "t", "right", "up")
        n, d_k = person.settings(Settings).n, person.asked.draft.setup.d_k
        await person.press("enter")
        assert person.app.screen_stack[0].NAME == "explore"  # type: ignore[attr-defined]
        assert f"n = {n}," in person.asked.draft.text
        assert person.asked.draft.setup.d_k == d_k


@pytest.mark.parametrize(
    ("rules", "view", "keys", "rule"),
    [
        ((), "curves", (), "inverse-sqrt"),
        (("none", "inverse"), "curves", (), "inverse"),
        (("inverse", "inverse-sqrt"), "curves", (), "inverse-sqrt"),
        (("none",), "curves", (), "none"),
        (("none", "inverse", "mup"), "map", ("o", "o"), "mup"),
        ((), "map", (), "none"),
    ],
)
async def test_explore_opens_under_a_rule_that_is_compared(
    rules: tuple[str, ...], view: str, keys: tuple[str, ...], rule: str
) -> None:
    asked = draft(rules=rules, view=view, crossovers=False)
    asked = replace(asked, setup=replace(asked.setup, scale=Scale(softcap=5.0)))
    async with at_sweep(start=asked) as person:
        before = person.asked.draft
        await person.press(*keys, "e")
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
            assert ("applied" in person.text) == bool(said)
            assert said in person.text
            await person.press("2")
            there = said and f"Not applied here: {said.partition(': ')[2]}"
            there = "Not applied here: QK-norm" if scale.qk_norm else there
            assert there in " ".join(person.text.split())


async def test_tabs_that_arrive_together_all_count() -> None:
    async with at_sweep(WIDE) as person:
        await person.burst("t", "t")
        assert person.settings(Settings).view == "map"
        await person.burst("t", "t")
        assert (person.settings(Settings).view, person.settings(Settings).over) == ("curves", "n")


async def test_the_tab_that_is_open_shows_the_chart_again() -> None:
    async with at_sweep(WIDE) as person:
        await person.press("i")
        person.misses("letters mean")
        await person.run("looking.tab('d_k')")
        await person.press("f5")
        person.sees("letters mean")
