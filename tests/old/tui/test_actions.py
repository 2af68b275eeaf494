"""One registry of actions: nothing is bound, shown or documented apart from it."""

from pathlib import Path

import pytest
from rich.console import Console

from attn_tui.instruments import INSTRUMENTS, Instrument, load
from attn_tui.old.tui.actions import Action, Section
from attn_tui.old.tui.key_help import KEYS as TABLE
from attn_tui.old.tui.key_help import key_help, sections
from tests.old.tui.person import MEDIUM, NARROW, WIDE, at_screen

KEYS = Path(__file__).parents[3] / "docs" / "keys.md"
ACTIONS = [action for section in sections() for action in section.actions]


def test_the_documented_key_table_is_the_registrys() -> None:
    """Renewed by ``python -m attn_tui.old.tui.key_help docs/keys.md``."""
    assert TABLE.put(KEYS.read_text("utf-8")) == KEYS.read_text("utf-8")
    assert KEYS.read_text("utf-8").count("\n") <= 75, "more than a page"


def help_at(width: int) -> str:
    console = Console(width=width)
    with console.capture() as capture:
        console.print(key_help())
    return capture.get()


def test_long_help_hangs_under_itself() -> None:
    titles = {each.title for each in sections()}
    for line in help_at(40).splitlines():
        assert line.strip() in {"", *titles} or line[1:3].strip() or line.startswith(" " * 15)


def test_keys_are_named_in_words_that_ascii_has() -> None:
    assert all(action.all_shown.isascii() for action in ACTIONS)


def test_every_key_is_in_the_help() -> None:
    shown = help_at(200)
    for action in ACTIONS:
        if action.keys or action.always:
            assert action.help in shown
            assert action.all_shown in shown


@pytest.mark.parametrize(
    "instrument", [each for each in INSTRUMENTS if each.screen], ids=lambda each: each.name
)
async def test_the_keys_of_the_present_instrument_are_listed_first(instrument: Instrument) -> None:
    async with at_screen((120, 200), instrument=instrument.name) as person:
        await person.press("f1")
        titles = [each.title for each in sections()]
        parts = [part.strip() for line in person.lines for part in line.split("│")]
        seen = [part for part in parts if part in titles]
        own = [each.title for each in load(instrument.screen).SECTIONS]
        assert seen[: len(own) + 1] == [*own, "Everywhere"]
        assert len(seen) == len(set(seen))


def test_no_printable_key_has_priority_over_a_text_field() -> None:
    for action in ACTIONS:
        assert all("ctrl+" in key or key[:1] == "f" or key == "enter" for key in action.always)


def test_no_two_actions_of_a_place_share_a_key() -> None:
    for section in sections():
        keys = [key for action in section.actions for key in (*action.keys, *action.always)]
        assert len(keys) == len(set(keys)), section.title


@pytest.mark.parametrize("instrument", [each.name for each in INSTRUMENTS if each.screen])
async def test_the_way_to_help_and_out_is_shown_at_every_size(instrument: str) -> None:
    async with at_screen(WIDE, instrument=instrument) as person:
        for size in (WIDE, MEDIUM, NARROW):
            await person.resize(*size)
            assert "/ Find  ? Help" in person.lines[-1]
            assert "q Quit" in person.lines[-1] or size == NARROW


def test_a_section_is_a_part_of_the_table() -> None:
    section = Section("Here", (Action("go", ("g",), "g", "Go", "Go there", always=("ctrl+g",)),))
    from attn_tui.old.tui.actions import key_table

    assert "| Here | `g, ctrl+g` Go there |" in key_table([section])
