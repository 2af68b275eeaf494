"""The settings drawer: where it opens and closes, its lines, and the keys below."""

import re

import pytest
from textual.widgets import Input

from attn_tui.compute.dots import settings as dots
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.old.tui.settings import Group, Setting
from tests.old.tui.at_dots import at_dots
from tests.old.tui.at_drawer import (
    DRAWN,
    NAMES,
    PICTURES,
    SEEN,
    TYPED,
    base,
    go_to,
    has_keys,
    here,
    line,
)
from tests.old.tui.person import MEDIUM, NARROW, WIDE, at_screen


@pytest.mark.parametrize("name", NAMES)
async def test_the_keys_begin_at_the_picture_and_tab_goes_round(name: str) -> None:
    async with at_screen(MEDIUM, TYPED, instrument=name) as person:
        picture, title = PICTURES[name], SEEN.get(name, ("Scale",))
        assert has_keys(person, picture)
        person.misses(*title)
        await person.press("tab")
        assert has_keys(person, "#settings")
        # Beside it, the picture is still there.
        assert base(person).query_one(picture).region.width == MEDIUM[0] - 36
        person.sees(*title)
        for _ in range(5):
            await person.press("tab")
            if has_keys(person, picture):
                break
        assert has_keys(person, picture)
        person.misses("arrows Step")
        await person.press("shift+tab", "shift+tab")
        for _ in range(5):
            if has_keys(person, "#settings"):
                break
            await person.press("shift+tab")
        assert has_keys(person, "#settings")
        await person.press("escape")
        assert has_keys(person, picture)
        assert not base(person).query_one("#settings").display


@pytest.mark.parametrize("leave", ["tab", "shift+tab", "escape"])
@pytest.mark.parametrize("name", NAMES)
async def test_on_a_narrow_screen_it_stands_in_the_place_of_the_picture(
    name: str, leave: str
) -> None:
    async with at_screen(NARROW, TYPED, instrument=name) as person:
        before = person.lines[:-1]
        await person.press("tab")
        assert base(person).query_one("#settings").region.width == NARROW[0]
        assert not base(person).query_one("#panes").display
        await person.press(leave)
        assert not has_keys(person, "#settings")
        assert person.lines[:-1] == before
        assert has_keys(person, PICTURES[name])


async def test_on_a_wide_screen_it_stays_while_the_keys_go_elsewhere() -> None:
    for columns, stays in ((110, True), (109, False)):
        async with at_screen((columns, 40), TYPED) as person:
            await person.press("tab", "tab")
            assert not has_keys(person, "#settings")
            assert base(person).query_one("#settings").display is stays
            await person.press("tab" if not stays else "shift+tab", "escape")
            assert not base(person).query_one("#settings").display


@pytest.mark.parametrize("size", [WIDE, NARROW])
@pytest.mark.parametrize("instrument", NAMES)
async def test_every_setting_is_reached_by_arrows_and_has_its_line(
    instrument: str, size: tuple[int, int]
) -> None:
    async with at_screen(size, DRAWN, instrument=instrument) as person:
        await person.press("tab", "home")
        screen = base(person)
        reached: list[Setting] = []
        while not reached or here(person) is not reached[-1]:
            place = here(person)
            if isinstance(place, Group):
                await person.press("right")
                continue
            assert isinstance(place, Setting)
            reached.append(place)
            pane = screen.query_one("#settings").region
            rows = [row[pane.x : pane.right - 1] for row in person.lines[pane.y : pane.bottom]]
            (row,) = [row for row in rows if row.startswith("▸")]
            assert row[1:].strip().startswith(place.label)
            said = " ".join(" ".join(each.strip(" │") for each in rows).split())
            assert (place.held(screen) or place.help)[1:20] in said
            await person.press("down")
        assert [each.name for each in reached] == [*screen.SETTINGS]


async def test_groups_at_their_defaults_fold_and_unfold() -> None:
    async with at_screen(WIDE, EXAMPLE) as person:
        await person.press("tab")
        person.sees("Precision: 5 at their defaults", "Gradient: 2 at their defaults")
        person.misses("arithmetic", "16 bits")
        for key in ("enter", "right"):
            await person.press("end", "home")
            while not isinstance(here(person), Group):
                await person.press("down")
            folded = here(person)
            assert isinstance(folded, Group)
            await person.press(key)
            person.misses(f"{folded.title}: ")
            assert here(person) is folded.settings[0]
    async with at_screen(WIDE, EXAMPLE) as person:
        await person.put("precision", "float32")
        await person.press("tab")
        person.misses("Precision: 5")
        label = base(person).SETTINGS["precision"].label
        assert "float32" in line(person, label)


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_the_footer_says_what_keys_do_there(size: tuple[int, int]) -> None:
    async with at_screen(size, TYPED) as person:
        outside = person.lines[-1]
        assert "Settings" in outside or size == NARROW
        await person.press("tab")
        # Where there is little room it says what one could not guess.
        first = "del Default" if size == NARROW else "arrows Step"
        for text in (first, "enter Type", "esc Close"):
            assert text in person.lines[-1]
        assert "Rule" not in person.lines[-1]
        await go_to(person, "d_k")
        await person.press("enter")
        for text in ("enter Apply", "esc Back"):
            assert text in person.lines[-1]
        assert "Step" not in person.lines[-1]
        await person.press("escape")
        assert first in person.lines[-1]
        await person.press("escape")
        assert person.lines[-1] == outside
        await person.press("e")
        assert "Rule" not in person.lines[-1]
        assert "q Quit" not in person.lines[-1]
        assert "esc" in person.lines[-1]


async def test_the_keys_below_say_what_they_do_in_the_settings_too() -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("tab", "right")
        for label, said in (("Default", "Go back to its default"), ("Close", "Close the settings")):
            assert await person.hover("#key-bar", person.lines[-1].index(label)) == said


async def test_clicks_go_to_a_line_step_it_and_enter_it() -> None:
    async with at_dots() as person:
        await person.press("tab")
        pane = base(person).query_one("#settings").region
        y = next(
            n
            for n, each in enumerate(person.lines)
            if each[: pane.right].strip(" ▸").startswith("seed")
        )
        await person.click("#settings", 4, y - pane.y)
        assert here(person) is base(person).SETTINGS["seed"]
        await person.click("#settings", person.lines[y].index("›"), y - pane.y)
        assert person.settings(dots.Settings).seed == 2
        await person.click("#settings", 4, y - pane.y)
        assert isinstance(person.app.focused, Input)


async def test_it_closes_where_it_is_not_docked_once_the_keys_are_elsewhere() -> None:
    async with at_screen(WIDE) as person:
        await person.press("tab", "tab")
        person.sees("‹ 1,024 ›")
        await person.resize(*MEDIUM)
        person.misses("‹ 1,024 ›")
    async with at_screen(MEDIUM) as person:
        await person.press("tab")
        person.sees("‹ 1,024 ›")
        await person.click("#table", 5, 2)
        person.misses("‹ 1,024 ›")


async def test_the_footer_says_what_keys_do_on_the_line() -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("tab", "down", "down")
        # More than fit are not begun to be listed.
        assert re.search(r"one of \d\d\.", person.text)
        await person.press("up", "up")
        assert "arrows Step  enter Type  esc Close" in person.lines[-1]
        await person.press("right")
        assert "del Default" in person.lines[-1]
        await person.press("down")
        assert "enter Choose" in person.lines[-1]
        await person.press("end")
        assert "arrows Go  enter Open" in person.lines[-1]


async def test_beside_it_few_keys_leave_room_for_the_chart_too() -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("tab")
        person.sees("62.5 %", "p of the 3 largest keys", "65536")
        # What the table says the chart does not say again.
        assert person.text.count("62.5 %") == 1
    async with at_screen(MEDIUM, Draft(", ".join(map(str, range(40))))) as person:
        await person.press("tab")
        person.misses("largest keys")


async def test_the_edge_stands_beside_what_is_typed_too() -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("tab", "enter")
        edges = {row[35:36] for row in person.lines[3:-1]}
        assert edges == {"│"}
