"""Typed text is shown as it is, even in widgets that read markup."""

import pytest
from hypothesis import given
from hypothesis.strategies import text
from textual.command import CommandList
from textual.content import Content
from textual.events import Paste

from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from attn_tui.ui.markup import plain
from tests.pairs import slow_after
from tests.ui.person import notices, press, shown

PASTED = "[/b]"
BROKEN = ("left_square_bracket", "slash", "b", "right_square_bracket")


@given(text("[]/\\ab=$'\"@ "))
def test_a_text_comes_out_of_its_markup_as_it_went_in(typed: str) -> None:
    assert Content.from_markup(plain(typed)).plain == typed


@pytest.mark.parametrize(
    ("keys", "place", "text"),
    slow_after(
        1,
        [
            (("e", "end", "space", *BROKEN), "scores", "'/b' is not a number"),
            (("slash", *"d_k", "space", *BROKEN), "offers", "d_k [/b]\nd_k: '[/b]' is not a"),
            (("slash", *"d_k", "space", *BROKEN, "1", "enter"), "notice", "d_k: '[/b]1' is not a"),
            # In a field of numbers these keys do what they do elsewhere, but they can be pasted.
            (("d", PASTED, "enter"), "notice", "d_k: '[/b]' is not a whole number"),
            (("g", "tab", "tab", PASTED, "enter"), "settings", "softcap: '[/b]' is not a number"),
        ],
    ),
)
async def test_broken_markup_in_what_is_typed_is_named_in_the_error(
    keys: tuple[str, ...], place: str, text: str
) -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        for key in keys:
            if key == PASTED:
                pilot.app.post_message(Paste(PASTED))
                await shown(pilot)
            else:
                await press(pilot, "underscore" if key == "_" else key)
        screen = pilot.app.screen
        if place == "notice":
            read = notices(pilot)
        elif place == "offers":
            hits = screen.query_one(CommandList).options
            read = "\n\n".join(str(hit.prompt) for hit in hits)
        else:
            read = str(screen.query_one("#headline" if place == "scores" else "#problem").render())
        assert text in read
