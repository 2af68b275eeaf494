"""Settings: each is stepped, typed, chosen and given its default on its line, by keys alone."""

import pytest
from textual.widgets import Input

from attn_tui.compute.dots import settings as dots
from attn_tui.compute.mask import Mask
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import Draft
from attn_tui.instruments import INSTRUMENTS, load
from attn_tui.old.tui.drawer import name_of
from tests.old.tui.at_dots import SOME, at_dots
from tests.old.tui.at_drawer import (
    DRAWN,
    NAMES,
    TYPED,
    WITH_D_K,
    base,
    go_to,
    has_keys,
    here,
    line,
    value,
)
from tests.old.tui.person import MEDIUM, NARROW, WIDE, at_screen


@pytest.mark.parametrize("name", WITH_D_K)
async def test_d_k_is_typed_in_its_own_line_wherever_the_cursor_is(name: str) -> None:
    async with at_screen(WIDE, TYPED, instrument=name) as person:
        await person.press("tab", "end", "d")
        assert name_of(here(person)) == "d_k"
        await person.press("8", "enter")
        assert "8" in line(person, "d_k")


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


@pytest.mark.parametrize("draft", [TYPED, DRAWN], ids=["typed", "drawn"])
@pytest.mark.parametrize("instrument", NAMES)
async def test_del_gives_every_setting_its_default(instrument: str, draft: Draft) -> None:
    async with at_screen(WIDE, draft, instrument=instrument) as person:
        screen = base(person)
        await person.press("tab")
        for name, setting in screen.SETTINGS.items():
            screen.drawer.point(name)
            await person.press("delete")
            assert setting.held(screen) or setting.is_default(screen), name
            assert screen.asked is not None


@pytest.mark.parametrize("instrument", NAMES)
async def test_what_an_instrument_has_not_is_said_and_nothing_happens(instrument: str) -> None:
    async with at_screen(WIDE, TYPED, instrument=instrument) as person:
        for keys in (("m", "enter"), ("r", "enter"), ("f", "space", "space", "escape"), ("d",)):
            await person.press(*keys)
            await person.press("escape")
            assert instrument == base(person).NAME


async def test_del_on_scores_is_undone_like_any_edit() -> None:
    async with at_screen(WIDE, TYPED) as person:
        await person.press("tab")
        await go_to(person, "scores")
        await person.press("delete")
        assert value(person, "scores") == "a: 100, 120, 150"
        await person.press("u")
        assert value(person, "scores") == TYPED.text


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


async def test_a_setting_that_is_typed_by_its_key_is_typed_on_its_line() -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("tab", "down", "d")
        await person.write("7")
        assert "7" in person.line_with("d_k  ")[:30]
        await person.press("enter")
        assert person.asked.draft.setup.d_k == 7
