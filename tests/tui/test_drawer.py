"""The settings drawer: where it opens, and what is done on each of its lines by keys alone."""

from typing import Any

import pytest
from textual.widgets import Input

from attn_tui.compute.dots import settings as dots
from attn_tui.compute.mask import Mask
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep import settings as sweep
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.instruments import INSTRUMENTS, load
from attn_tui.tui.drawer import name_of
from attn_tui.tui.instrument_screen import InstrumentScreen
from attn_tui.tui.settings import Group, Setting
from attn_tui.tui.widgets.settings import SettingsPane
from tests.tui.at_dots import SOME, at_dots
from tests.tui.person import MEDIUM, NARROW, WIDE, Person, at_screen

SMALL = sweep.Settings(n=8, points=4, map_points=4, n_range=(2, 64), draws=64, crossovers=False)
SETUP = Setup(64).put(dots.Settings(samples=1000)).put(SMALL)
DRAWN = Draft("n = 8, seed = 3, vectors = 2", SETUP, "drawn")
TYPED = Draft("a: 1, 2, 3\nb: 3, 2, 1", SETUP)
NAMES = [each.name for each in INSTRUMENTS]

PICTURES = {"explore": "#table", "dots": "#picture", "sweep": "#charts"}


def base(person: Person) -> InstrumentScreen:
    screen = person.app.screen_stack[0]
    assert isinstance(screen, InstrumentScreen)
    return screen


def has_keys(person: Person, selector: str) -> bool:
    """Return whether a pane, or something in it, has the keys."""
    pane = base(person).query_one(selector)
    focused = person.app.focused
    return focused is not None and pane in focused.ancestors_with_self


def here(person: Person) -> Setting | Group:
    """Return what the cursor of the drawer is on."""
    return base(person).drawer.here


def line(person: Person, label: str) -> str:
    """Return the line of a setting in the drawer."""
    pane = base(person).query_one(SettingsPane).region
    rows = [row[pane.x : pane.right] for row in person.lines[pane.y : pane.bottom]]
    return next(row for row in rows if row[1:].strip("▸ ").startswith(label))


def value(person: Person, name: str) -> Any:
    """Return what a setting is."""
    screen = base(person)
    return screen.SETTINGS[name].value(screen)


async def go_to(person: Person, name: str) -> None:
    """Go to a setting by arrows alone; groups that are folded on the way are opened."""
    await person.press("home")
    for _ in range(80):
        place = here(person)
        if isinstance(place, Group) and name in [each.name for each in place.settings]:
            await person.press("right")
        elif isinstance(place, Setting) and place.name == name:
            return
        else:
            await person.press("down")
    raise AssertionError(f"no way to {name}")


@pytest.mark.parametrize("name", NAMES)
async def test_d_k_is_typed_in_its_own_line_wherever_the_cursor_is(name: str) -> None:
    async with at_screen(WIDE, TYPED, instrument=name) as person:
        await person.press("tab", "end", "d")
        assert name_of(here(person)) == "d_k"
        await person.press("8", "enter")
        assert "8" in line(person, "d_k")


@pytest.mark.parametrize("name", NAMES)
async def test_the_keys_begin_at_the_picture_and_tab_goes_round(name: str) -> None:
    async with at_screen(MEDIUM, TYPED, instrument=name) as person:
        picture = PICTURES[name]
        assert has_keys(person, picture)
        person.misses("Scale")
        await person.press("tab")
        assert has_keys(person, "#settings")
        # Beside it, the picture is still there.
        assert base(person).query_one(picture).region.width == MEDIUM[0] - 36
        person.sees("Scale", "d_k")
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


STEPPED = {
    "explore": ("n", "vector", "d_k", "rule", "model", "precision", "naive", "round_scores",
        "arithmetic", "wrt", "seed", "vectors", "key", "sort", "axis", "side", "zoomed", "from"),
    "dots": ("entries", "tied", "correlation", "mean_q", "mean_k", "samples", "seed", "d_k",
        "rule", "model", "axis", "side"),
    "sweep": ("n", "draws", "seed", "d_k", "model", "statistic", "ratio", "of",
        "points", "map_points", "crossovers", "axis", "bands", "whole"),
}  # fmt: skip
"""Settings with a next value."""


@pytest.mark.parametrize(("instrument", "names"), STEPPED.items())
async def test_left_and_right_step_live_and_open_nothing(
    instrument: str, names: tuple[str, ...]
) -> None:
    screen = load(next(each.screen for each in INSTRUMENTS if each.name == instrument))
    assert {*names} <= {*screen.SETTINGS}
    async with at_screen(WIDE, DRAWN, instrument=instrument) as person:
        await person.press("tab")
        for name in names:
            await go_to(person, name)
            before, history = value(person, name), len(person.app.history.past)
            await person.press("right")
            after = value(person, name)
            if after == before:
                await person.press("left")
                after = value(person, name)
            assert after != before, name
            assert len(person.app.screen_stack) == 1
            assert has_keys(person, "#settings")
            assert not isinstance(person.app.focused, Input)
            # What was asked is one step back; what was looked at is none.
            while len(person.app.history.past) > history:
                await person.press("u")
                assert value(person, name) == before


async def test_a_run_of_steps_is_one_undo_and_shift_steps_by_little() -> None:
    async with at_screen(WIDE, TYPED) as person:
        await person.press("tab")
        await go_to(person, "d_k")
        await person.hold("right", 4)
        assert value(person, "d_k") == 128
        await person.press("u")
        assert value(person, "d_k") == 64
        await person.press("shift+right", "shift+right", "shift+left")
        assert value(person, "d_k") == 65
        person.sees("÷ √65")
        await go_to(person, "softcap")
        await person.press("right")
        assert value(person, "softcap") is None
        await person.put("softcap", "50")
        await person.press("shift+right")
        assert value(person, "softcap") == 50.01
        await person.press("left")
        assert value(person, "softcap") == pytest.approx(49.91)


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_a_digit_begins_to_type_a_number_and_leaves_for_no_instrument(
    size: tuple[int, int],
) -> None:
    async with at_screen(size, TYPED) as person:
        await person.press("tab")
        await go_to(person, "d_k")
        await person.press("2", "1", "3")
        assert base(person).NAME == "explore"
        field = person.app.focused
        assert isinstance(field, Input)
        assert field.value == "213"
        person.sees("enter Apply", "esc Back")
        await person.press("enter")
        assert value(person, "d_k") == 213
        assert "213" in line(person, "d_k")
        assert has_keys(person, "#settings")
        assert here(person) is base(person).SETTINGS["d_k"]
        await person.press("9", "escape")
        assert value(person, "d_k") == 213
        assert has_keys(person, "#settings")
        # Where no number is typed they leave.
        await go_to(person, "rule")
        await person.press("2")
        assert base(person).NAME == "dots"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("samples", "2e4", 20_000),
        ("seed", "7", 7),
        ("correlation", "-0.25", -0.25),
        ("mean_q", "1.5", 1.5),
        ("mean_k", "-2", -2.0),
        ("d_ks", "8, 4096", (8, 4096)),
        ("d_k", "65", 65),
    ],
)
async def test_enter_types_a_number_over_what_it_is(name: str, text: str, expected: object) -> None:
    async with at_dots() as person:
        before = value(person, name)
        await person.press("tab")
        await go_to(person, name)
        await person.press("enter")
        field = person.app.focused
        assert isinstance(field, Input)
        assert field.value == base(person).SETTINGS[name].kind.text(before)
        await person.write(text)
        await person.press("enter")
        assert value(person, name) == expected
        await person.press("u")
        assert value(person, name) == before


async def test_enter_flips_two_and_chooses_among_more() -> None:
    async with at_dots() as person:
        await person.press("tab")
        await go_to(person, "tied")
        await person.press("enter")
        assert person.settings(dots.Settings).tied
        await person.press("enter")
        assert not person.settings(dots.Settings).tied
        await go_to(person, "entries")
        await person.press("enter")
        person.sees("standard normal", "±1 coins", "die 1–6")
        await person.press("escape")
        assert has_keys(person, "#settings")
        await person.press("enter", "end", "enter")
        assert person.settings(dots.Settings).entries == "die"
        assert has_keys(person, "#settings")


async def test_enter_on_scores_rules_and_models_goes_where_they_are_asked_for() -> None:
    async with at_screen(WIDE, TYPED) as person:
        await person.press("tab")
        for name, seen in (("rule", "Vaswani et al. 2017"), ("model", "BERT-base")):
            await go_to(person, name)
            await person.press("enter")
            person.sees(seen)
            await person.press("escape")
            assert has_keys(person, "#settings")
        await go_to(person, "scores")
        await person.press("enter")
        assert has_keys(person, "#editor")


@pytest.mark.parametrize("key", ["delete", "backspace"])
async def test_del_goes_back_to_the_default(key: str) -> None:
    async with at_screen(WIDE, DRAWN) as person:
        await person.press("tab")
        for name, text in (("d_k", "77"), ("softcap", "5"), ("mask", "1"), ("seed", "9")):
            await person.put(name, text)
            await go_to(person, name)
            setting = base(person).SETTINGS[name]
            assert not setting.is_default(base(person))
            await person.press(key)
            assert setting.is_default(base(person))
        # Of keys nothing is masked: that is what it does in the table.
        assert value(person, "mask") == Mask()


async def test_a_causal_mask_is_typed_where_masks_are() -> None:
    async with at_screen(WIDE, DRAWN) as person:
        await person.press("tab")
        await go_to(person, "mask")
        await person.press("enter")
        await person.write("causal")
        await person.press("enter")
        assert value(person, "mask") == Mask(causal=True)
        assert "causal" in line(person, "mask")


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("samples", "0", "a whole number from 1"),
        ("samples", "1e30", "100,000,000"),
        ("samples", "-1", "a whole number from 1"),
        ("seed", "1.5", "'1.5' is not a whole number"),
        ("correlation", "2", "'2' will not do"),
        ("mean_q", "nan", "-1,000,000"),
        ("d_ks", "0", "whole numbers from"),
        ("d_ks", "2,,4", "entry 2 of '2,,4' is empty"),
        ("d_k", "65537", "1 to 65,536"),
    ],
)
@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_what_will_not_do_is_said_beside_it_and_nothing_is_lost(
    name: str, text: str, expected: str, size: tuple[int, int]
) -> None:
    async with at_dots(size) as person:
        asked = person.asked
        await person.press("tab")
        await go_to(person, name)
        await person.press("enter")
        await person.write(text)
        await person.press("enter")
        width = base(person).query_one("#settings").region.width
        said = " ".join(" ".join(each[:width].strip(" │") for each in person.lines).split())
        assert expected in said
        field = person.app.focused
        assert isinstance(field, Input)
        assert field.value == text
        await person.press("escape")
        assert person.asked == asked
        assert person.settings(dots.Settings) == SOME.get(dots.Settings)


async def test_what_has_no_use_here_says_why_and_does_nothing() -> None:
    async with at_screen(WIDE, TYPED) as person:
        asked = person.asked
        await person.press("tab")
        for name, why in (
            ("n", "Scores are not drawn"),
            ("qk_norm", "QK-norm acts on q and k"),
            ("round_vectors", "There are no q and k to round"),
        ):
            await go_to(person, name)
            assert "not here" in line(person, base(person).SETTINGS[name].label)
            person.sees(why)
            for key in ("right", "left", "delete", "enter"):
                await person.press(key)
                assert person.asked == asked
                assert not isinstance(person.app.focused, Input)
            assert person.text.count(why) == 1
    vectors = Draft("q: 1, 0\nK: [[1, 0], [0, 1]]", Setup(), "vectors")
    async with at_screen(WIDE, vectors) as person:
        await person.press("tab")
        await go_to(person, "d_k")
        person.sees("d_k is the length of q")


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


async def test_a_setting_that_is_typed_by_its_key_is_typed_on_its_line() -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("tab", "down", "d")
        await person.write("7")
        assert "7" in person.line_with("d_k  ")[:30]
        await person.press("enter")
        assert person.asked.draft.setup.d_k == 7


async def test_the_footer_says_what_keys_do_on_the_line() -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("tab")
        assert "arrows Step  enter Type  esc Close" in person.lines[-1]
        await person.press("right")
        assert "del Default" in person.lines[-1]
        await person.press("down")
        assert "enter Choose" in person.lines[-1]
        await person.press("end")
        assert "arrows Go  enter Open" in person.lines[-1]
