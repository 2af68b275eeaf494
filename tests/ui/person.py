"""Shared by tests of screens: press keys as one person would, and wait until they took effect."""

from collections.abc import Callable
from contextlib import suppress
from inspect import getsource
from typing import Any

from textual.command import CommandList, CommandPalette
from textual.content import Content
from textual.events import Key
from textual.keys import _character_to_key
from textual.notifications import Notification
from textual.pilot import Pilot
from textual.worker import Worker, WorkerCancelled

from attn_tui.ui.app import AttnApp
from attn_tui.ui.instrument_screen import InstrumentScreen
from attn_tui.ui.pane import Pane

# Notifications stay until they are read, however slow the machine is.
setattr(Notification, "time_left", property(lambda notice: notice.timeout + 3600.0))  # noqa: B010


PATIENCE = 500
"""In how many rounds in a row nothing may run, while something is waited for, before it fails."""


def app_of(pilot: Pilot[None]) -> AttnApp:
    """Return the application to test."""
    assert isinstance(pilot.app, AttnApp)
    return pilot.app


def unfinished(pilot: Pilot[None]) -> list[Worker[Any]]:
    """Return the workers that will finish some day.

    A tree of files has one that waits for folders for as long as it is there.
    """
    workers = pilot.app.workers
    return [each for each in workers if not each.is_finished and each.group != "_loader"]


async def shown(pilot: Pilot[None]) -> InstrumentScreen:
    """Wait until the question is asked, answered and shown, and return the instrument."""
    app = app_of(pilot)
    await pilot.pause()
    while not app.turns.idle or app.instrument is None or app.instrument.question is None:
        await pilot.pause()
    while working := unfinished(pilot):
        # A worker cancelled by a new question must not end the wait for the others.
        with suppress(WorkerCancelled):
            await app.workers.wait_for_complete(working)
    await pilot.pause()
    while app.screen_stack and (app.screen._layout_required or app.screen._dirty_widgets):
        # Textual draws at most sixty times a second.
        await pilot.pause()
    assert app.instrument
    return app.instrument


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    """Wait until something holds, for as long as anything runs that may bring it about.

    Raises:
        AssertionError: With what was waited for and what is on the screen, if nothing runs.
    """
    idle = 0
    while not holds():
        if idle == PATIENCE:
            source = getsource(getattr(holds, "func", holds)).strip()
            raise AssertionError(f"waited in vain: {source}\nOn the screen: {read(pilot)}")
        await pilot.pause()
        idle = 0 if unfinished(pilot) else idle + 1


async def press(pilot: Pilot[None], *keys: str) -> InstrumentScreen:
    """Press keys one by one, and wait until the result is shown."""
    await pilot.press(*keys)
    return await shown(pilot)


async def burst(pilot: Pilot[None], *keys: str) -> InstrumentScreen:
    """Press keys that arrive at once, as over a slow line, and wait until the result is shown."""
    for key in keys:
        is_one = len(key) == 1
        name = _character_to_key(key) if is_one and not key.isalnum() else key
        pilot.app.post_message(Key(name, key if is_one else None))
    return await shown(pilot)


def shown_title(pane: Pane) -> str:
    """Return the title of a pane as it is read, its key included."""
    return Content.from_markup(pane.border_title or "").plain


def notices(pilot: Pilot[None]) -> str:
    """Return the texts of notifications."""
    return "\n".join(notice.message for notice in pilot.app._notifications)


def read(pilot: Pilot[None]) -> str:
    """Return what is on the screen, as one line, so that a sentence may be broken anywhere."""
    strips = pilot.app.screen._compositor.render_strips()
    return " ".join(" ".join(strip.text for strip in strips).split())


async def click_on(
    pilot: Pilot[None], text: str, right: int = 0, down: int = 0, label: str = ""
) -> None:
    """Click where a text is read first, behind its label, or so many cells away from there."""
    for y, strip in enumerate(pilot.app.screen._compositor.render_strips()):
        before, _, line = strip.text.partition(label) if label else ("", "", strip.text)
        if text in line:
            x = len(before) + len(label) + line.index(text)
            await pilot.click(offset=(x + right, y + down))
            return
    raise AssertionError(f"no {text!r} on the screen")


async def find_all(pilot: Pilot[None], words: str, key: str = "slash") -> list[str]:
    """Type words into the palette, or a list that a key opens; return its hits, best first."""
    await burst(pilot, key, *words)
    palette = pilot.app.screen
    assert isinstance(palette, CommandPalette)
    offers = palette.query_one(CommandList)
    return [str(option.prompt) for option in offers.options]


async def take_first(pilot: Pilot[None], words: str, key: str = "slash") -> InstrumentScreen:
    """Choose the first hit of the palette, or of a list that a key opens."""
    await find_all(pilot, words, key)
    await burst(pilot, "enter")
    await until(pilot, lambda: not isinstance(pilot.app.screen, CommandPalette))
    return await shown(pilot)
