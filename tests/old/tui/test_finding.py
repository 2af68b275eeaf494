"""Find: everything by any of its names, and what is typed behind a name is set."""

import pytest

from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.mask import Mask
from attn_tui.compute.sweep import settings as sweep
from attn_tui.files.draft import EXAMPLE
from attn_tui.instruments import INSTRUMENTS
from attn_tui.old.tui.dialogs import FindDialog
from attn_tui.old.tui.finding import finder, typed_values
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from tests.old.tui.person import MEDIUM, NARROW, WIDE, at_screen


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_a_name_and_a_value_set_it_with_a_preview(size: tuple[int, int]) -> None:
    async with at_screen(size) as person:
        await person.press("slash")
        await person.write("d_k 64")
        person.sees("d_k: 1,024 → 64")
        await person.press("enter")
        assert person.asked.draft.setup.d_k == 64
        await person.press("u")
        assert person.asked.draft.setup.d_k == 1024


@pytest.mark.parametrize(
    ("typed", "part", "name", "value"),
    [
        ("cap 50", "scale", "softcap", 50.0),
        ("soft cap=30", "scale", "softcap", 30.0),
        ("temperature temperature:4", "scale", "rule", "temperature"),
        ("temperature 4", "scale", "rule", "temperature"),
        ("rule temperature 4", "scale", "rule", "temperature"),
        ("mup 64", "scale", "rule", "mup"),
        ("rule inverse", "scale", "rule", "inverse"),
        ("mask 1", "", "mask", Mask(((1, 2),))),
        ("causal", "", "mask", Mask(causal=True)),
        ("float16", "precision", "format", "float16"),
        ("gem2 27", "", "model", "gemma-2-27b"),
        ("d_head 80", "", "d_k", 80),
    ],
)
async def test_what_is_typed_is_found_by_any_name(
    typed: str, part: str, name: str, value: object
) -> None:
    async with at_screen() as person:
        await person.press("slash")
        await person.write(typed)
        await person.press("enter")
        setup = person.asked.draft.setup
        assert getattr(getattr(setup, part) if part else setup, name) == value
        assert person.asked.draft.text == EXAMPLE.text


async def test_what_an_instrument_is_about_comes_behind_what_is_called_so() -> None:
    async with at_screen() as person:
        find = finder(person.app.screen_stack[0], themes=False)  # type: ignore[arg-type]
        titles = [each.title for each in find("vectors")]
        assert titles.index("from: from q and K") < titles.index("Go to Explore")
        assert [each.title for each in find("variance")] == ["Go to Dot products"]


async def test_scores_are_set_only_where_they_can_be_read() -> None:
    async with at_screen() as person:
        await person.press("slash")
        await person.write("from q")
        await person.press("enter")
        assert person.asked.draft.source == "vectors"
        await person.press("escape", "0", "slash")
        await person.write("scores 1 x")
        person.sees("'x' is not a number")
        await person.press("enter")
        assert person.asked.draft == EXAMPLE


@pytest.mark.parametrize("instrument", [each.name for each in INSTRUMENTS if each.screen])
async def test_what_the_screen_calls_a_setting_means_no_other(instrument: str) -> None:
    async with at_screen(instrument=instrument) as person:
        screen = person.screen(InstrumentScreen)  # type: ignore[type-abstract]
        for each in screen.SETTINGS.values():
            assert len([*typed_values(screen, f"{each.label} 2")]) <= 1, each.label


async def test_escape_leaves_all_as_it_was() -> None:
    async with at_screen() as person:
        before = person.asked
        await person.press("ctrl+p")
        await person.write("d_k 64")
        await person.press("escape")
        assert person.asked is before
        assert isinstance(person.app.screen, InstrumentScreen)


async def test_a_value_that_will_not_do_says_why_and_changes_nothing() -> None:
    async with at_screen() as person:
        before = person.asked
        await person.press("slash")
        await person.write("d_k 0")
        person.sees("'0' will not do", "1 to 65,536")
        await person.press("enter")
        assert person.asked is before
        await person.until_sees("'0' will not do")


async def test_what_is_held_says_why() -> None:
    async with at_screen() as person:
        await person.press("slash")
        await person.write("n 12")
        person.sees("Scores are not drawn")
        await person.press("enter")
        assert person.asked.draft.source == "typed"


async def test_the_settings_of_other_instruments_are_theirs() -> None:
    async with at_screen(instrument="dots") as person:
        await person.press("slash")
        await person.write("entries die")
        await person.press("enter")
        assert person.settings(Settings).entries == "die"
    async with at_screen(instrument="sweep") as person:
        await person.press("slash")
        await person.write("n 8")
        await person.press("enter")
        assert person.settings(sweep.Settings).n == 8


async def test_an_example_is_shown_where_scores_are() -> None:
    async with at_screen(instrument="dots") as person:
        await person.press("slash")
        await person.write("hardly any gap")
        await person.press("enter")
        assert person.app.current_mode == "explore"
        assert person.asked.draft.text == "a: 0, 0.1, 0.2"


@pytest.mark.parametrize("instrument", [each.name for each in INSTRUMENTS if each.screen])
async def test_everything_there_is_can_be_found_by_its_title(instrument: str) -> None:
    async with at_screen(instrument=instrument) as person:
        screen = person.screen(InstrumentScreen)  # type: ignore[type-abstract]
        found = finder(screen, themes=True)
        every = found("")
        titles = [choice.title for choice in every]
        for setting in screen.SETTINGS.values():
            assert setting.label in titles
            for name in setting.names:
                assert any(
                    choice.value.startswith("fields.") and f"'{setting.name}'" in choice.value
                    for choice in found(name)
                ), name
        for action in screen.ACTIONS:
            assert not action.palette or not screen.can(action) or action.help in titles
        for choice in every:
            assert choice in found(choice.title), choice.title


async def test_no_value_behind_a_name_is_offered_that_is_not_typed() -> None:
    async with at_screen() as person:
        screen = person.screen(InstrumentScreen)  # type: ignore[type-abstract]
        assert not [*typed_values(screen, "d_k")]
        assert not [*typed_values(screen, "undo the last change")]
        assert [each.title for each in typed_values(screen, "D_K = 2")] == ["d_k: 1,024 → 2"]


async def test_the_key_that_opens_it_may_be_pasted_too() -> None:
    async with at_screen() as person:
        found = finder(person.screen(InstrumentScreen), False)  # type: ignore[type-abstract]
        assert found("/d_k 64") == found("d_k 64")
        assert found("/d_k 64")[0].title == "d_k: 1,024 → 64"


async def test_everything_is_offered_at_once_and_done() -> None:
    async with at_screen() as person:
        await person.press("slash")
        assert isinstance(person.app.screen, FindDialog)
        await person.write("undo")
        await person.press("enter")
        person.sees("Nothing to undo")


async def test_what_a_value_would_do_is_said_before_it_is_chosen() -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("slash")
        await person.write("d_k 64")
        person.sees("Divided by 8 it takes 98 %")
        await person.press("ctrl+u")
        await person.write("gem2")
        person.sees("Divided by 16 and capped")
        await person.press("escape")
        person.sees("Divided by 32 it takes 62 %")


async def test_what_is_of_no_use_here_comes_last_however_well_it_matches() -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("slash")
        await person.write("q and\n")
        assert person.asked.draft.source == "vectors"
        # What is typed next is them.
        await person.write("q: 3 4")
        assert person.asked.draft.text == "q: 3 4"


async def test_actions_are_found_by_what_they_are_for() -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("slash")
        # Until something is typed, before settings, which have a place of their own.
        person.sees("Choose the scale rule")
        person.misses("soft cap")
        await person.write("projector")
        person.sees("one picture as large")
        await person.press("enter")
        assert person.screen(InstrumentScreen).view.full  # type: ignore[type-abstract]
