"""The settings drawer: which lines there are, and where its cursor is."""

from typing import Any

from attn_tui.compute.dots import settings as dots
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep import settings as sweep
from attn_tui.files.draft import Draft
from attn_tui.instruments import INSTRUMENTS
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from attn_tui.old.tui.settings import Group, Setting
from attn_tui.old.tui.widgets.settings import SettingsPane
from tests.old.tui.person import Person

SMALL = sweep.Settings(n=8, points=4, map_points=4, n_range=(2, 64), draws=64, crossovers=False)
SETUP = Setup(64).put(dots.Settings(samples=1000)).put(SMALL)
DRAWN = Draft("n = 8, seed = 3, vectors = 2", SETUP, "drawn")
TYPED = Draft("a: 1, 2, 3\nb: 3, 2, 1", SETUP)
NAMES = [each.name for each in INSTRUMENTS if each.screen]

PICTURES = {
    "explore": "#table", "dots": "#picture", "sweep": "#charts", "attention": "#charts",
    "heads": "#charts",
}  # fmt: skip
SEEN = {"heads": ("Capture", "seed")}
"""A group, and perhaps a setting, that are seen only where settings are; of others, Scale."""
WITH_D_K = [name for name in NAMES if name != "heads"]
"""Instruments with a d_k; that of a capture is its own."""


def base(person: Person) -> InstrumentScreen:
    screen = person.app.screen_stack[0]
    assert isinstance(screen, InstrumentScreen)
    return screen


def has_keys(person: Person, selector: str) -> bool:
    """Return whether a pane, or something in it, has the keys."""
    pane = base(person).query_one(selector)
    focused = person.app.focused
    return focused is not None and pane in focused.ancestors_with_self


def here(person: Person) -> Setting | Group:
    """Return what the cursor of the drawer is on."""
    return base(person).drawer.here


def line(person: Person, label: str) -> str:
    """Return the line of a setting in the drawer."""
    pane = base(person).query_one(SettingsPane).region
    rows = [row[pane.x : pane.right] for row in person.lines[pane.y : pane.bottom]]
    return next(row for row in rows if row[1:].strip("▸ ").startswith(label))


def value(person: Person, name: str) -> Any:
    """Return what a setting is."""
    screen = base(person)
    return screen.SETTINGS[name].value(screen)


async def go_to(person: Person, name: str) -> None:
    """Go to a setting by arrows alone; groups that are folded on the way are opened."""
    await person.press("home")
    for _ in range(80):
        place = here(person)
        if isinstance(place, Group) and name in [each.name for each in place.settings]:
            await person.press("right")
        elif isinstance(place, Setting) and place.name == name:
            return
        else:
            await person.press("down")
    raise AssertionError(f"no way to {name}")
