"""The screen of Dot products, for tests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import Draft
from tests.old.tui.person import WIDE, Person, at_screen

SOME = Setup(d_k=64).put(Settings(samples=5000))
SLOW = Setup(d_k=8192).put(Settings("uniform", samples=100))
"""Draws so slowly that a hundred million take hours."""


@asynccontextmanager
async def at_dots(
    size: tuple[int, int] = WIDE, setup: Setup = SOME, text: str = "a: 1, 2", source: str = "typed"
) -> AsyncIterator[Person]:
    draft = Draft(text, setup, source)
    async with at_screen(size, draft, instrument="dots") as person:
        yield person
