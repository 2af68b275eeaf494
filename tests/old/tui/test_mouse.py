"""What a click does on every canvas, and what is said of it where the mouse rests."""

import re

import pytest
from textual.events import MouseScrollDown
from textual.widgets import Tooltip

from attn_tui.compute.dots.settings import Settings as Dots
from attn_tui.compute.log_scale import D_K, N_KEYS, LogScale
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep.settings import Settings as Sweep
from attn_tui.files.draft import Draft
from attn_tui.old.tui.dots.screen import DotsScreen
from attn_tui.old.tui.explore.screen import ExploreScreen
from attn_tui.old.tui.sweep.screen import SweepScreen
from attn_tui.old.tui.widgets.slider import ticks, value_at
from tests.old.tui.person import MEDIUM, NARROW, WIDE, Person, at_screen, settle

TEN = Draft(", ".join(map(str, range(0, 50, 5))), Setup(64))


def d_k(person: Person) -> int:
    """Return the d_k that is asked."""
    return person.asked.draft.setup.d_k


@pytest.mark.parametrize("width", [24, 40, 70, 110, 190])
@pytest.mark.parametrize("scale", [D_K, N_KEYS])
def test_labels_of_a_track_snap_and_stops_lie_between_them(scale: LogScale, width: int) -> None:
    for left, text in ticks(scale, width):
        for x in range(left - 1, left + len(text) + 1):
            if 0 <= x < width:
                assert value_at(scale, width, x) == int(text)
    values = [value_at(scale, width, x, snaps=False) for x in range(width)]
    assert values == sorted(values)
    assert {*values} <= {*scale.stops}
    assert (values[0], values[-1]) == (scale.minimum, scale.maximum)
    assert {value_at(scale, width, x) for x in range(width)} <= {*scale.stops}
    # Powers of two are not jumped over by a drag where there is room for them.
    if width >= 40:
        assert {2**power for power in range(1, 17)} <= {*values}


async def test_a_click_near_64_is_64_wherever_the_thumb_is() -> None:
    for size in (MEDIUM, WIDE):
        async with at_screen(size) as person:
            slider = person.app.screen.query_one("#slider").region
            column = person.lines[slider.y].index("64", slider.x) - slider.x
            for start in ("60", "64", "70", "1024"):
                for x in range(column - 1, column + 3):
                    await person.run(f"fields.set('d_k', '{start}')")
                    assert await person.hover("#slider", x) == "Go to d_k = 64"
                    await person.click("#slider", x)
                    assert d_k(person) == 64


async def test_a_click_on_the_chart_over_d_k_goes_to_a_round_one_there() -> None:
    async with at_screen(MEDIUM) as person:
        top = person.app.screen.query_one("#chart").region.y
        await person.run("looking.tab('over_d_k')")
        await settle(person.pilot)
        ticks_line = next(n for n, line in enumerate(person.lines) if n > top and "d_k 1" in line)
        for text in ("256", "16", "4096"):
            x = person.lines[ticks_line].index(f" {text} ") + 1 + (len(text) - 1) // 2
            assert await person.hover("#chart", x, 3) == f"Go to d_k = {int(text):,}"
            await person.click("#chart", x, 3)
            assert d_k(person) == int(text)
        assert top < ticks_line


async def test_a_bar_and_a_row_are_their_key() -> None:
    async with at_screen(WIDE, TEN) as person:
        await person.run("looking.tab('bars')")
        await settle(person.pilot)
        chart = person.app.screen.query_one("#chart").region
        tick = next(line for line in person.lines[chart.y :] if re.search(r"\b5 +6 +7", line))
        x = tick.index("7") - chart.x
        said = await person.hover("#chart", x, 6)
        assert re.fullmatch(r"Key 7: [\d.]+ %; twice: its gradient", said)
        await person.click("#chart", x, 6)
        view = person.screen(ExploreScreen).view
        assert view.key == 7
        assert said.split()[2] in person.line_with("▸")
        await person.click("#chart", x, 6, times=2)
        assert person.asked.draft.setup.settings
        person.sees("gradient of p₇")
        assert await person.hover("#table", 5, 3) == "Key 1: 0.3 %; twice: its gradient"


async def test_of_many_keys_in_a_column_a_click_finds_the_largest() -> None:
    scores = ", ".join(str((7 * key) % 1000) for key in range(1000))
    async with at_screen(MEDIUM, Draft(scores)) as person:
        await person.run("looking.tab('bars')")
        await settle(person.pilot)
        found_now = person.screen(ExploreScreen).answer
        assert found_now
        chart = person.app.screen.query_one("#chart").size
        keys = []
        for x in range(chart.width):
            if found := re.match(r"Key (\d+):", await person.hover("#chart", x, 2)):
                keys.append(int(found[1]))
        assert len(keys) > 50
        assert keys == sorted({*keys})
        assert found_now.answer.scaled.weights().argmax() in keys


async def test_heads_of_the_table_sort_it_and_switch_the_gradient() -> None:
    scores = ", ".join(str((7 * key) % 100) for key in range(300))
    async with at_screen(WIDE, Draft(scores)) as person:
        head = person.app.screen.query_one("#table").region
        titles = person.lines[head.y + 1]
        key, weight = titles.index("key"), titles.index("divided") - head.x
        assert not await person.hover("#table", weight, 1)
        assert await person.hover("#table", key, 1) == "Sort by key"
        await person.click("#table", key, 1)
        person.misses("largest scaled first")
        assert not await person.hover("#table", key, 1)
        assert await person.hover("#table", weight, 1) == "Sort by weight, the largest first"
        await person.click("#table", weight, 1)
        person.sees("largest scaled first")
        gradient = titles.rindex("scaled")
        assert "logits z" in await person.hover("#table", gradient, 1)
        await person.click("#table", gradient, 1)
        person.sees("w.r.t. z")
        assert "scores s" in await person.hover("#table", gradient, 0)


async def test_a_cell_of_the_jacobian_is_said_and_selected() -> None:
    async with at_screen(WIDE) as person:
        await person.run("looking.tab('jacobian')")
        await settle(person.pilot)
        said = await person.hover("#chart", 30, 8)
        found = re.match(r"Go to ∂p_(\d)/∂s_(\d) = \S+ unscaled, \S+ scaled", said)
        assert found
        await person.click("#chart", 30, 8)
        view = person.screen(ExploreScreen).view
        assert [str(view.key), str(view.other)] == [*found.groups()]


async def test_rows_of_the_band_and_of_the_table_of_dot_products_answer() -> None:
    async with at_screen(WIDE, instrument="dots") as person:
        assert "σ = 32, exactly" in await person.hover("#picture", 50, 5)
        assert "σ = 1, exactly" in await person.hover("#picture", 50, 15)
        await person.run("looking.tab('over_d_k')")
        await settle(person.pilot)
        top = person.app.screen.query_one("#chart").region.y
        row = next(n for n, line in enumerate(person.lines[top:]) if line.split()[:1] == ["16"])
        assert await person.hover("#chart", 50, row) == "Go to d_k = 16"
        await person.click("#chart", 50, row)
        assert d_k(person) == 16
        await person.run("looking.tab('table')")
        await settle(person.pilot)
        rows = person.settings(Dots).d_ks
        said = await person.hover("#chart", 20, 3)
        assert said == f"Row of d_k = {rows[2]:,}; twice: go there"
        await person.click("#chart", 20, 3)
        assert person.screen(DotsScreen).view.row == 2
        person.app.screen.query_one("#chart").post_message(
            MouseScrollDown(None, 3, 3, 0, 1, 0, False, False, False)
        )
        await settle(person.pilot)
        assert person.screen(DotsScreen).view.row == 3
        await person.click("#chart", 20, 3, times=2)
        assert d_k(person) == rows[2]


async def test_a_place_of_the_sweep_is_said_and_gone_to() -> None:
    draft = Draft("1, 2", Setup(64).put(Sweep(view="map", draws=20)))
    async with at_screen(WIDE, draft, instrument="sweep") as person:
        said = await person.hover("#chart", 30, 4)
        found = re.fullmatch(r"Go to n = ([\d,]+), d_k = ([\d,]+); twice: open it in Explore", said)
        assert found
        await person.click("#chart", 30, 4)
        n, at = (int(text.replace(",", "")) for text in found.groups())
        assert (person.settings(Sweep).n, d_k(person)) == (n, at)
        assert isinstance(person.app.screen, SweepScreen)


async def test_what_is_said_goes_with_the_next_key_and_comes_with_the_mouse() -> None:
    async with at_screen(MEDIUM, tooltips=True) as person:
        person.app.TOOLTIP_DELAY = 0.0
        assert await person.hover("#headline", 5) == "Read all there is to say"
        await person.until_sees("Read all there is to say")
        await person.press("right_square_bracket")
        person.misses("Read all there is to say")
        (tooltip,) = person.app.screen.query(Tooltip)
        assert not tooltip.display
        # What the mouse was about to say is not said after a key either.
        assert not person.app.screen.query_one("#headline").tooltip
        assert await person.hover("#formula", 5) == "Edit the scores"


async def test_bars_say_what_their_keys_and_tabs_do() -> None:
    async with at_screen(NARROW) as person:
        for n, line in enumerate(person.lines[:1]):
            assert await person.hover("#title", line.index("2"), n) != ""
