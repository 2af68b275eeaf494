"""Somebody at the screen of Heads, with a capture open."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from attn_tui.captures.suffixes import EXAMPLE_NAME
from attn_tui.compute.setup import Setup
from attn_tui.engine.settings import Settings
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.old.tui.heads.screen import HeadsScreen
from tests.old.tui.person import WIDE, Person, at_screen


def captured(**asked: Any) -> Draft:
    """Return what asks for heads of the example, or of another capture."""
    return replace(EXAMPLE, setup=Setup().put(Settings(**{"capture": (EXAMPLE_NAME,), **asked})))


@asynccontextmanager
async def at_heads(size: tuple[int, int] = WIDE, **asked: Any) -> AsyncIterator[Person]:
    async with at_screen(size, captured(**asked), instrument="heads") as person:
        yield person


def here(person: Person) -> tuple[int, int]:
    screen = person.screen(HeadsScreen)
    head = screen.heads.here
    assert head is not None
    return head.layer, head.head
