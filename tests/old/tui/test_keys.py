"""One table of keys: the same on every screen, and each key does or says something there."""

import re

import pytest
from textual.binding import Binding

from attn_tui.compute.dots import settings as dots
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep import settings as sweep
from attn_tui.files.draft import Draft
from attn_tui.instruments import INSTRUMENTS, load
from attn_tui.old.tui.everywhere import KEYS, SHARED
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from tests.old.tui.person import MEDIUM, WIDE, Person, at_screen

SMALL = sweep.Settings(n=8, points=4, map_points=4, n_range=(2, 64), draws=64, crossovers=False)
QUICK = Setup(64).put(dots.Settings(samples=1000)).put(SMALL)
DRAFT = Draft("n = 8, seed = 3", QUICK, "drawn")
NAMES = [each.name for each in INSTRUMENTS if each.screen]


def base(person: Person) -> InstrumentScreen:
    screen = person.app.screen_stack[0]
    assert isinstance(screen, InstrumentScreen)
    return screen


@pytest.mark.parametrize("name", NAMES)
def test_every_screen_binds_the_keys_of_the_table_and_no_other_printable_one(name: str) -> None:
    screen = load(next(each.screen for each in INSTRUMENTS if each.name == name))
    bound = {
        key
        for binding in screen.BINDINGS
        if isinstance(binding, Binding)
        for key in binding.key.split(",")
    }
    table = {key for action in KEYS.values() for key in (*action.keys, *action.always)}
    assert table <= bound
    # Those of the full picture are there as well, what opens a claim or a head, and what takes
    # every row of it.
    assert bound - table <= {"escape", "enter", "w"}


@pytest.mark.parametrize("name", NAMES)
async def test_each_key_does_or_says_something_on_every_screen(name: str) -> None:
    async with at_screen(MEDIUM, DRAFT, instrument=name) as person:
        for meaning, action in KEYS.items():
            person.app.clear_notifications()
            await person.press("escape", "escape")
            before = person.text, person.asked, person.app.focused
            await person.press(action.keys[0])
            after = person.text, person.asked, person.app.focused
            assert after != before, meaning
            assert base(person) is person.app.screen_stack[0]
            assert person.app.current_mode == name


@pytest.mark.parametrize("name", NAMES)
def test_a_key_means_the_same_everywhere(name: str) -> None:
    screen = load(next(each.screen for each in INSTRUMENTS if each.name == name))
    for common in KEYS.values():
        (action,) = [each for each in screen.ACTIONS if each.help == common.help]
        assert action.keys == common.keys
        # One that has no common way has one here, or says why there is none.
        assert action.run


MOVED = {
    "minus": 48, "left_square_bracket": 48, "plus": 80, "equals_sign": 80,
    "right_square_bracket": 80, "left_curly_bracket": 32, "right_curly_bracket": 128,
}  # fmt: skip


def d_k_of(person: Person) -> int:
    screen = base(person)
    value: int = screen.SETTINGS["d_k"].value(screen)
    return value


@pytest.mark.parametrize("name", NAMES)
async def test_d_k_is_moved_doubled_and_typed_by_the_same_keys(name: str) -> None:
    async with at_screen(MEDIUM, DRAFT, instrument=name) as person:
        for key, d_k in MOVED.items():
            await person.press(key)
            assert d_k_of(person) == d_k, key
            await person.press("u")
            assert d_k_of(person) == 64
        await person.press("d", "1", "2", "8", "enter")
        assert d_k_of(person) == 128


@pytest.mark.parametrize("name", NAMES)
async def test_the_start_is_one_key_away_and_one_back(name: str) -> None:
    async with at_screen(MEDIUM, DRAFT, instrument=name) as person:
        await person.press("plus", "a", "plus", "plus")
        asked = person.asked.draft
        assert asked != DRAFT
        await person.press("0")
        assert person.asked.draft == DRAFT
        await person.press("u")
        assert person.asked.draft == asked
        await person.press("U")
        assert person.asked.draft == DRAFT


@pytest.mark.parametrize("name", NAMES)
async def test_the_keys_begin_on_the_picture_and_tab_goes_to_the_settings_first(name: str) -> None:
    async with at_screen(WIDE, DRAFT, instrument=name) as person:
        screen = base(person)
        ring = [each.id for each in screen.drawer.ring]
        assert ring[1] == "settings"
        assert screen.focused is screen.drawer.ring[0]
        seen = []
        for _ in ring:
            assert screen.focused is not None
            seen.append(screen.focused.id)
            await person.press("tab")
        assert seen == ring
        for wanted in [ring[0], *reversed(ring[1:])]:
            assert screen.focused is not None
            assert screen.focused.id == wanted
            await person.press("shift+tab")


def test_nothing_needs_a_ctrl_key_a_capital_or_altgr() -> None:
    for action in (*KEYS.values(), *SHARED):
        if not (action.keys or action.always):
            continue
        plain = [key for key in action.keys if re.fullmatch(r"[a-z0-9]|[a-z_]{2,}", key)]
        altgr = {"left_square_bracket", "right_square_bracket", "left_curly_bracket",
                 "right_curly_bracket"}  # fmt: skip
        # Find does the rest, but for going back, which tab does by going round.
        assert {*plain} - altgr or action.palette or action is KEYS["pane_before"], action
        if action.always:
            assert action.keys or action.palette, action


@pytest.mark.parametrize("name", NAMES)
async def test_slow_terminals_lose_no_key_of_the_table(name: str) -> None:
    async with at_screen(MEDIUM, DRAFT, instrument=name) as person:
        await person.burst("plus", "plus", "u", "d", "2", "5", "6", "enter", "minus", "v", "v")
        assert d_k_of(person) == 224
