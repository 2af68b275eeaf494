"""Windows too small for what is said first: that is said, and nothing is lost."""

import pytest
from textual.events import Resize
from textual.geometry import Size

from attn_tui.instruments import INSTRUMENTS
from attn_tui.old.tui.dialogs import FindDialog
from attn_tui.old.tui.small import LEAST
from attn_tui.old.tui.widgets.headline import HeadlinePane
from tests.old.tui.person import MEDIUM, at_screen


@pytest.mark.parametrize("instrument", [each.name for each in INSTRUMENTS if each.screen])
async def test_each_instrument_says_its_verdict_in_the_least_window(instrument: str) -> None:
    async with at_screen((LEAST.width, LEAST.height), instrument=instrument) as person:
        rows = person.app.screen.query_one(HeadlinePane).rows
        said = [text for row in rows for text, _ in row]
        assert said
        assert "…" not in "".join(said)
        for line in said:
            person.sees(line.strip())


async def test_what_was_open_is_open_again_once_there_is_room() -> None:
    async with at_screen(MEDIUM) as person:
        await person.press("r", "m", "u")
        before = person.text
        for size in ((30, 10), (10, 3), (30, 10)):
            await person.resize(*size)
            await person.press("escape")
        assert len(person.app.screen_stack) == 3
        await person.resize(*MEDIUM)
        assert isinstance(person.app.screen, FindDialog)
        assert person.text == before


async def test_q_leaves_a_window_that_is_too_small() -> None:
    async with at_screen((20, 6)) as person:
        await person.press("q")
        assert not person.app.is_running


@pytest.mark.parametrize("opens", [(), ("r",), ("o",), ("i",)])
@pytest.mark.parametrize("size", [MEDIUM, (20, 6)])
async def test_no_screen_keeps_a_size_that_the_window_had_before(
    opens: tuple[str, ...], size: tuple[int, int]
) -> None:
    async with at_screen(MEDIUM) as person:
        await person.press(*opens)
        await person.resize(*size)
        for screen in person.app.screen_stack:
            for each in (Size(70, 12), person.app.size):
                screen.post_message(Resize(each, each))
                # Only those that come one right after the other are taken together.
                screen.call_later(_nothing)
        await person.settle()
        assert {each.size for each in person.app.screen_stack} == {person.app.size}


def _nothing() -> None:
    pass
