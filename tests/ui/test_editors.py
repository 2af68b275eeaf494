"""While something is typed the footer has the keys of the editor; a first click selects it all."""

import pytest
from textual.pilot import Pilot
from textual.widgets import TextArea
from textual.widgets._footer import FooterKey

from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from tests.ui.person import press, shown


def footer(pilot: Pilot[None]) -> list[str]:
    """Return the keys in the footer as they are displayed, with what they do."""
    return [f"{key.key_display} {key.description}" for key in pilot.app.screen.query(FooterKey)]


@pytest.mark.parametrize(
    ("keys", "leading"),
    [
        (["e"], ["esc Done", "tab Next"]),
        (["d"], ["⏎ Set", "esc Cancel"]),
        (["g", "tab", "tab"], ["⏎ Set", "esc Done", "tab Next"]),
        (["6", "e"], ["⏎ Done", "esc Clear", "tab Next"]),
    ],
)
async def test_the_footer_shows_the_keys_of_an_editor_and_none_that_it_types(
    keys: list[str], leading: list[str]
) -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        before = footer(pilot)
        await press(pilot, *keys)
        await pilot.pause()
        assert footer(pilot) == [*leading, "f1 Help"]
        await press(pilot, "escape", "1")
        await pilot.pause()
        assert footer(pilot) == before


async def test_a_first_click_selects_the_scores_and_a_second_places_the_cursor() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        scores = screen.query_one("#scores", TextArea)
        await pilot.click(scores, offset=(4, 0))
        assert scores.selected_text == "a: 100, 120, 150"
        await pilot.click(scores, offset=(4, 0))
        assert (scores.selected_text, scores.cursor_location) == ("", (0, 4))
        await press(pilot, "escape", "e")
        await pilot.click(scores, offset=(2, 0))
        assert (scores.selected_text, scores.cursor_location) == ("", (0, 2))
        await press(pilot, "escape")
        await pilot.click(scores, offset=(4, 0))
        await press(pilot, "7")
        assert screen.present.draft.text == "7"
