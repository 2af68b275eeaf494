"""Takes pictures of screens, in words and in colour, and compares them with those kept."""

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.old.tui.picture import picture_of
from attn_tui.old.tui.svg import svg
from tests.old.tui.person import MEDIUM, NARROW, WIDE, Person, at_screen, still

baseline = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="pictures are drawn on the baseline, Python 3.11"
)

Size = tuple[int, int]
ALL = (WIDE, MEDIUM, NARROW)

Deed = Callable[[Person], Awaitable[None]]


def typed(*keys: str, text: str = "", then: tuple[str, ...] = ()) -> Deed:
    """Press keys, type a text, and press more keys."""

    async def deed(person: Person) -> None:
        await person.press(*keys)
        if text:
            await person.write(text)
        await person.press(*then)

    return deed


def done_by(*actions: str) -> Deed:
    """Do what actions do."""

    async def deed(person: Person) -> None:
        for action in actions:
            await person.run(action)
            await person.press("f5")

    return deed


def tab(name: str, *keys: str) -> Deed:
    """Go to a tab and press keys there."""

    async def deed(person: Person) -> None:
        await person.run(f"looking.tab('{name}')")
        await person.press("f5", *keys)

    return deed


NOTHING = typed()


@dataclass(frozen=True)
class Shot:
    """What a picture is of.

    Attributes:
        draft: What is asked.
        deed: What is done before.
        sizes: The sizes of the terminal: where it begins, and what it becomes.
        instrument: The name of the instrument.
        theme: The name of the theme, NO_COLOR, or nothing for the one at the start.
    """

    draft: Draft = EXAMPLE
    deed: Deed = NOTHING
    sizes: tuple[Size, ...] = ALL
    instrument: str = "explore"
    theme: str = ""


async def text_of(shot: Shot) -> str:
    """Return what is seen between title line and key bar, which have goldens of their own."""
    return "".join([_block(size, text) async for size, text in _seen(shot)])


async def bars_of(shot: Shot) -> tuple[str, str]:
    """Return the title lines and the key bars."""
    seen = [(size, text.split("\n")) async for size, text in _seen(shot, bars=True)]
    titles = [_block(size, lines[0]) for size, lines in seen]
    keys = [_block(size, lines[-1]) for size, lines in seen]
    return "".join(titles), "".join(keys)


async def colours_of(shot: Shot) -> str:
    """Return a picture of what is seen between title line and key bar, in the first size."""
    async with done(shot) as person:
        return "".join(svg(picture_of(person.app.screen)))


async def _seen(shot: Shot, bars: bool = False) -> AsyncIterator[tuple[Size, str]]:
    """Yield what one terminal shows that becomes one size after the other."""
    async with done(shot, bars) as person:
        for size in shot.sizes:
            await person.resize(*size)
            yield size, person.text


@asynccontextmanager
async def done(shot: Shot, bars: bool = False) -> AsyncIterator[Person]:
    """Have somebody do what a shot says, in the first of its sizes."""
    async with at_screen(shot.sizes[0], shot.draft, shot.theme, shot.instrument) as person:
        for bar in person.app.screen.query("#title, #key-bar"):
            bar.visible = bars
        await shot.deed(person)
        still(person.app)
        await person.pilot.pause()
        yield person


def _block(size: Size, text: str) -> str:
    return f"--- {size[0]}×{size[1]}\n{text}\n"
