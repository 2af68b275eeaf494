"""The Sweep screen, for tests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep.settings import Settings
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.old.tui.widgets.headline import HeadlinePane
from tests.old.tui.person import MEDIUM, Person, at_screen

SMALL = Settings(n=8, points=8, map_points=5, n_range=(2, 512), draws=64)


def draft(**changes: Any) -> Draft:
    return Draft(EXAMPLE.text, Setup(64).put(replace(SMALL, **changes)))


@asynccontextmanager
async def at_sweep(
    size: tuple[int, int] = MEDIUM, start: Draft | None = None
) -> AsyncIterator[Person]:
    async with at_screen(size, start or draft(), instrument="sweep") as person:
        await person.press("f5")
        yield person


def headline(person: Person) -> str:
    """Return what the headline says, as one line."""
    region = person.app.screen_stack[0].query_one(HeadlinePane).region
    return " ".join(" ".join(person.lines[region.y : region.bottom]).split())
