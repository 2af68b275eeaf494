"""Runs the program on the terminal, from the first question to the parting line."""

import asyncio
from dataclasses import replace
from os import environ
from typing import TYPE_CHECKING, NoReturn

from attn_tui.compute.sweep import settings as sweep
from attn_tui.files.draft import Draft
from attn_tui.instruments import INSTRUMENTS
from attn_tui.ui.app import NOT_KEPT, AttnApp
from attn_tui.ui.heap import Heap
from attn_tui.ui.keys import keep_no_lines
from attn_tui.ui.leaving import leave
from attn_tui.ui.memory import (
    is_first_start,
    remember_background,
    remembered_background,
    remembered_theme,
)
from attn_tui.ui.preferences import NONE, Preferences
from attn_tui.ui.preferences_file import preferences
from attn_tui.ui.sessions import Keeping
from attn_tui.ui.terminal.background import Background, shade_of
from attn_tui.ui.terminal.filters import lacks_blocks
from attn_tui.ui.terminal.input import Parser
from attn_tui.ui.terminal.size import measure
from attn_tui.ui.theme import DARK, LIGHT, check_theme

if TYPE_CHECKING:
    from attn_tui.files.session import Restored
    from attn_tui.tour.step import Tour

NOT_ASKED = Background()

SHADES = {"light": LIGHT.name, "dark": DARK.name}
"""The themes for the background of a terminal."""


def run(
    draft: Draft, mouse: bool = True, theme: str | None = None,
    tour: "Tour | None" = None, place: int | None = None,
    instrument: str = INSTRUMENTS[0].name, ascii: bool = False,
    background: Background = NOT_ASKED,
    keeping: Keeping = NOT_KEPT, opened: "Restored | None" = None,
    is_visitor: bool = False, preferred: Preferences | None = None,
) -> NoReturn:  # fmt: skip
    """Run the program on the terminal, and end the process.

    Args:
        draft: The first question.
        mouse: Whether the terminal reports the mouse.
        theme: The name of the theme, or None for the one chosen last.
        tour: The tour to start at once, if any.
        place: The index of the step at which the tour begins; None for where it was left.
        instrument: The name of the first instrument.
        background: What the terminal was asked about its background.
        ascii: Whether to draw in ASCII even if the terminal is not known to lack other glyphs.
        keeping: How what is asked is kept for the next start.
        opened: A session to take up, in place of the first question.
        is_visitor: Whether files are shut, since the machine is somebody else's.
        preferred: What somebody prefers; None to read it.

    Raises:
        InputError: If there is no such theme, or the terminal is too large.
    """
    size = measure()
    keep_no_lines()
    if preferred is None:
        preferred = NONE if is_visitor else preferences()
    in_ascii = ascii or preferred.ascii or lacks_blocks(environ.get("TERM", ""))
    offers_tour = is_first_start() and preferred.offer_tour and tour is None
    if opened is not None:
        draft, instrument = opened.session.steps[0], opened.session.instrument
    app = AttnApp(
        opening(draft), instrument, ascii=in_ascii, tour=tour, place=place,
        theme=_theme(theme, preferred, background), offers_tour=offers_tour, keeping=keeping,
        opened=opened, is_visitor=is_visitor, preferred=preferred,
    )  # fmt: skip
    app.taking_over = background.restore
    app.active = Heap(app.is_computing).note
    Parser.ahead = background.typed
    Parser.coloured = _remember_colour
    # A loop that asyncio itself runs would join the threads at its end.
    app.run(mouse=mouse, size=size, loop=asyncio.new_event_loop())
    background.restore()
    app.sessions.close()
    leave(app.return_code or 0, app.parting)


def opening(draft: Draft) -> Draft:
    """Return the draft to open with: Sweep shows its map unless its settings were changed."""
    if draft.setup.get(sweep.Settings) != sweep.Settings():
        return draft
    return replace(draft, setup=draft.setup.put(sweep.Settings(view="map", ratio=True)))


def _theme(named: str | None, preferred: Preferences, background: Background) -> str:
    """Return the name of a theme, or nothing.

    It is that of the option or the environment, or else the preferred one, or else the one chosen
    last, or else the one for the background of the terminal, now or when it last answered.
    """
    name = named or environ.get("TEXTUAL_THEME")
    if name:
        check_theme(name, preferred.themes)
        return name
    if preferred.theme:
        return preferred.theme
    shade = background.shade()
    remember_background(shade)
    return remembered_theme() or SHADES.get(shade or remembered_background(), "")


def _remember_colour(colour: str) -> None:
    """Remember an answer of the terminal that came too late for this start."""
    remember_background(shade_of(colour))
