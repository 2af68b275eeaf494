"""The fields of Dot products: how they are changed, and what will not do."""

import pytest

from attn_tui.compute.dots.settings import Settings
from attn_tui.tui.dots.screen import DotsScreen
from attn_tui.tui.dots.view import FIELDS
from tests.tui.at_dots import at_dots
from tests.tui.person import Person


async def at_fields(person: Person) -> None:
    """Go to the fields."""
    await person.run("looking.tab('draws')")
    await person.press("f5", "shift+tab")
    assert person.screen(DotsScreen).query_one("#draws").has_focus


async def test_every_field_can_be_changed_by_keys() -> None:
    async with at_dots() as person:
        await at_fields(person)
        for name in (field.name for field in FIELDS):
            before = getattr(person.settings(Settings), name)
            await person.press("right")
            after = getattr(person.settings(Settings), name)
            assert after != before, name
            await person.press("left")
            assert getattr(person.settings(Settings), name) == (
                1000 if name == "samples" else before
            )
            await person.press("down")


async def test_fields_in_their_order() -> None:
    async with at_dots() as person:
        await at_fields(person)
        await person.press("right")
        person.sees("uniform")
        await person.press("down", "right")
        assert person.settings(Settings).samples == 10_000
        await person.press("down", "down", "enter")
        assert person.settings(Settings).tied
        person.sees("tied")
        await person.press("down", "enter")
        await person.write("0.5")
        await person.press("enter")
        assert person.settings(Settings).correlation == 0.5
        await person.press("up", "up", "up", "up", "enter")
        person.sees("a die's 1 to 6")
        await person.press("end", "enter")
        assert person.settings(Settings).entries == "die"
        person.sees("die 1–6")


@pytest.mark.parametrize(
    ("key", "text", "field", "value"),
    [
        ("n", "2e4", "samples", 20_000),
        ("s", "7", "seed", 7),
        ("c", "-0.25", "correlation", -0.25),
        ("m", "1.5", "mean_q", 1.5),
        ("M", "-2", "mean_k", -2.0),
    ],
)
async def test_fields_are_typed(key: str, text: str, field: str, value: object) -> None:
    async with at_dots() as person:
        await person.press(key)
        await person.write(text)
        await person.press("enter")
        assert getattr(person.settings(Settings), field) == value
        await person.press("u")
        assert person.settings(Settings) == Settings(samples=5000)


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("n", "0", "a whole number from 1"),
        ("n", "1e30", "100,000,000"),
        ("n", "-1", "a whole number from 1"),
        ("s", "1.5", "'1.5' is not a whole number"),
        ("c", "2", "'2' will not do"),
        ("m", "nan", "-1,000,000"),
        ("i", "0", "whole numbers from"),
        ("i", "2,,4", "entry 2 of '2,,4' is empty"),
    ],
)
async def test_what_will_not_do_is_said_beside_the_field_and_the_picture_stays(
    key: str, text: str, expected: str
) -> None:
    async with at_dots() as person:
        await person.press(key)
        await person.write(text)
        await person.press("enter")
        person.sees(expected, "σ = 8", "│ Table │" if key == "i" else "variance")
        await person.press("escape")
        person.sees("5,000 drawn")
        assert person.settings(Settings) == Settings(samples=5000)
        person.misses(expected)


async def test_rows_are_added_to_the_table_and_taken_away() -> None:
    async with at_dots() as person:
        await person.press("i")
        await person.write("8, 4096")
        await person.press("enter")
        assert person.settings(Settings).d_ks == (2, 4, 8, 512, 1024, 4096)
        person.sees("4,096", "coverage")
        person.screen(DotsScreen).query_one("#charts").focus()
        await person.press("down", "delete")
        assert person.settings(Settings).d_ks == (2, 8, 512, 1024, 4096)
        await person.press("u", "u")
        assert person.settings(Settings).d_ks == (2, 4, 512, 1024)
        await person.press("t", "delete")
        person.sees("There is no row here")
        assert len(person.settings(Settings).d_ks) == 4


async def test_every_row_can_go() -> None:
    async with at_dots() as person:
        await person.run("looking.tab('table')")
        await person.press(*["delete"] * 6)
        person.sees("No rows: i adds one")
        assert person.settings(Settings).d_ks == ()


async def test_a_click_on_a_field_puts_the_cursor_there() -> None:
    async with at_dots() as person:
        await person.run("looking.tab('draws')")
        await person.press("f5")
        await person.click("#draws", 3, 2)
        assert person.screen(DotsScreen).view.field == 2
        await person.press("right")
        assert person.settings(Settings).seed == 2
