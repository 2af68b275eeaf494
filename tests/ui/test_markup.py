"""Typed text is shown as it is, even in widgets that read markup."""

import pytest
from hypothesis import given
from hypothesis.strategies import text
from textual.content import Content

from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from attn_tui.ui.headline import Headline
from attn_tui.ui.markup import plain
from tests.pairs import everyday
from tests.ui.person import notices, press, shown

BROKEN = ("left_square_bracket", "slash", "b", "right_square_bracket")


@given(text("[]/\\ab=$'\"@ "))
def test_a_text_comes_out_of_its_markup_as_it_went_in(typed: str) -> None:
    assert Content.from_markup(plain(typed)).plain == typed


@pytest.mark.parametrize(
    ("keys", "place"),
    everyday(
        1,
        [
            (("e", "end", "space", *BROKEN), "scores"),
            (("slash", *"d_k", "space", *BROKEN, "1", "enter"), "notice"),
            (("d", *BROKEN, "enter"), "notice"),
            (("g", "tab", "tab", *BROKEN, "enter"), "settings"),
        ],
    ),
)
async def test_broken_markup_in_what_is_typed_is_named_in_the_error(
    keys: tuple[str, ...], place: str
) -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        await press(pilot, *("underscore" if key == "_" else key for key in keys))
        texts = {
            "scores": str(pilot.app.screen.query_one("#headline", Headline).render()),
            "notice": notices(pilot),
        }
        if place == "settings":
            texts["settings"] = str(pilot.app.screen.query_one("#problem").render())
        assert "/b" in texts[place]
