"""Comparing two settings of one vector, or two vectors."""

from attn_tui.files.draft import Draft
from tests.old.tui.person import NARROW, at_screen


async def test_the_present_answer_is_pinned_and_let_go() -> None:
    async with at_screen() as person:
        await person.press("p")
        await person.put("d_k", "1")
        person.sees("pinned", "now", "Δp", "13.1 %", "~100 %", "−0.1309")
        person.sees("pinned a: m = 1/√d_k, d_k 1024")
        await person.press("p")
        person.misses("pinned", "Δp")
        person.sees("unscaled")


async def test_two_vectors_of_different_lengths_are_compared_key_by_key() -> None:
    async with at_screen(draft=Draft("a: 1, 2, 3\nb: 3, 1")) as person:
        await person.press("p", "right")
        person.sees("pinned", "s now", "−∞", "b: weights p")
        await person.resize(*NARROW)
        person.sees("pinned")
