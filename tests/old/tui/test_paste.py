"""Scores that are pasted where nothing is typed."""

import pytest

from attn_tui.compute.setup import Setup
from attn_tui.files.draft import Draft
from tests.old.tui.person import Person, at_screen, settle

DRAWN = Draft("n = 8, seed = 1", Setup(64), "drawn")
PRODUCTS = Draft("q: 1, 0\nK: [[1, 0], [0, 1]]", Setup(64), "vectors")


def asked(person: Person) -> tuple[str, str]:
    """Return where the scores come from, and their text."""
    return person.asked.draft.source, person.asked.draft.text


@pytest.mark.parametrize(
    ("draft", "pasted", "kind"),
    [
        (DRAWN, "n = 4, seed = 2", "drawn"),
        (DRAWN, "4, 5", "typed"),
        (PRODUCTS, "q: 2, 0\nK: [[1, 1], [0, 1]]", "vectors"),
        (PRODUCTS, "[[1, 2], [3, 4]]", "typed"),
    ],
)
async def test_it_is_read_as_the_present_kind_or_else_as_scores(
    draft: Draft, pasted: str, kind: str
) -> None:
    async with at_screen(draft=draft) as person:
        await person.paste(pasted)
        person.sees("u goes back")
        assert asked(person) == (kind, pasted)
        await person.press("u")
        assert person.asked.draft == draft


@pytest.mark.parametrize(
    ("pasted", "said"),
    [
        ("1 2 three", "'three' is not a number; expected numbers"),
        ("1 \x1b]2;x\x07 2", "is not a number"),
        ("a: 1\na: 2", "two vectors are named 'a'"),
    ],
)
async def test_what_cannot_be_read_changes_nothing_and_says_why(pasted: str, said: str) -> None:
    async with at_screen() as person:
        before = person.app.history
        await person.paste(pasted)
        person.sees("Nothing is changed by the paste")
        (note,) = person.app._notifications
        assert said in note.message
        assert person.app.history is before
        person.sees("[100 120 150]")


async def test_blanks_ask_nothing() -> None:
    async with at_screen(draft=DRAWN) as person:
        before = person.app.history
        await person.paste(" \n ")
        await settle(person.pilot)
        assert person.app.history is before


async def test_a_million_numbers_are_attached() -> None:
    async with at_screen() as person:
        await person.paste("\n".join(map(str, range(1_000_000))))
        person.sees("of 1,000,000 keys")
        await settle(person.pilot)
        assert asked(person) == ("typed", "a: <#1 1,000,000 scores>")
        assert len(person.app.history.past) == 1


async def test_where_something_is_typed_a_paste_stays() -> None:
    async with at_screen() as person:
        await person.press("d")
        await person.paste("64")
        assert asked(person) == ("typed", "a: 100, 120, 150")
        await person.press("enter")
        assert person.asked.draft.setup.d_k == 64
        await person.press("ctrl+p")
        await person.paste("1 2 3")
        await person.press("escape", "r")
        await person.paste("1 2 3")
        await person.press("escape")
        assert asked(person) == ("typed", "a: 100, 120, 150")
        await person.press("e", "end")
        await person.paste(", 7")
        assert asked(person) == ("typed", "a: 100, 120, 150, 7")
