"""The rows of the table of Dot products: added, and taken away."""

from attn_tui.compute.dots.settings import Settings
from attn_tui.old.tui.dots.screen import DotsScreen
from tests.old.tui.at_dots import at_dots


async def test_rows_are_added_to_the_table_and_taken_away() -> None:
    async with at_dots() as person:
        await person.run("draws.add_row")
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


async def test_a_row_that_will_not_do_is_said_beside_the_line() -> None:
    async with at_dots() as person:
        await person.run("draws.add_row")
        await person.write("2,,4")
        await person.press("enter")
        person.sees("entry 2 of '2,,4' is empty")
        await person.press("escape")
        assert person.settings(Settings) == Settings(samples=5000)


async def test_every_row_can_go() -> None:
    async with at_dots() as person:
        await person.run("looking.tab('table')")
        await person.press(*["delete"] * 6)
        person.sees("No rows: the setting rows at d_k adds some")
        assert person.settings(Settings).d_ks == ()
