"""Somebody at the screen of Heads, with a capture open."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from attn_tui.captures.suffixes import EXAMPLE_NAME
from attn_tui.compute.setup import Setup
from attn_tui.engine.settings import Settings
from attn_tui.files.draft import EXAMPLE
from attn_tui.tui.heads.screen import HeadsScreen
from tests.tui.person import WIDE, Person, at_screen


@asynccontextmanager
async def at_heads(size: tuple[int, int] = WIDE, **asked: object) -> AsyncIterator[Person]:
    settings = Settings(**{"capture": (EXAMPLE_NAME,), **asked})  # type: ignore[arg-type]
    draft = replace(EXAMPLE, setup=Setup().put(settings))
    async with at_screen(size, draft, instrument="heads") as person:
        yield person


def here(person: Person) -> tuple[int, int]:
    screen = person.screen(HeadsScreen)
    head = screen.heads.here
    assert head is not None
    return head.layer, head.head
