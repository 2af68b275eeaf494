"""A person at the screen, so that a test reads like what somebody does."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from textual.events import Key, MouseMove, Paste
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input, TextArea

from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.tui.actions import textual_action
from attn_tui.tui.app import AttnApp
from attn_tui.tui.instrument_screen import InstrumentScreen
from attn_tui.tui.state import Asked

T = TypeVar("T")

WIDE, MEDIUM, NARROW = (120, 40), (80, 24), (40, 15)
DEADLINE = 120.0
CHARACTERS = {"left_square_bracket": "[", "right_square_bracket": "]", "plus": "+", "minus": "-"}
"""What keys that have names in Textual type."""


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def still(app: AttnApp) -> None:
    """Keep cursors from blinking, so that a picture is always the same."""
    for editor in app.screen.query(TextArea):
        editor.cursor_blink = False
    for field in app.screen.query(Input):
        field.cursor_blink = False


async def settle(pilot: Pilot[None]) -> None:
    """Wait until the chart shows the present answer and nothing is left to do."""
    end = time.monotonic() + DEADLINE
    while True:
        await pilot.pause()
        screen = pilot.app.screen_stack[0]
        app = pilot.app
        assert isinstance(app, AttnApp)
        if isinstance(screen, InstrumentScreen) and screen.settled and app.turns.idle:
            break
        assert time.monotonic() < end, "the screen does not settle"
    await pilot.pause()


class Person:
    """Presses keys and reads the screen."""

    def __init__(self, app: AttnApp, pilot: Pilot[None], clock: Clock) -> None:
        self.app = app
        self.pilot = pilot
        self.clock = clock

    async def press(self, *keys: str) -> None:
        """Press keys, each a second and more after the one before."""
        for key in keys:
            self.clock.now += 2.0
            await self.pilot.press(key)
            await settle(self.pilot)

    async def burst(self, *keys: str) -> None:
        """Press keys that arrive all at once, as over a slow line."""
        self.clock.now += 2.0
        for key in keys:
            self.app.post_message(Key(key, CHARACTERS.get(key, key if len(key) == 1 else None)))
        await settle(self.pilot)

    async def hold(self, key: str, times: int) -> None:
        """Hold a key down until it has come so many times."""
        self.clock.now += 2.0
        for _ in range(times):
            self.clock.now += 0.03
            await self.pilot.press(key)
        await settle(self.pilot)

    async def write(self, text: str) -> None:
        """Type a text quickly."""
        keys = {"\n": "enter", " ": "space"}
        for character in text:
            self.clock.now += 0.1
            await self.pilot.press(keys.get(character, character))
        await settle(self.pilot)

    async def paste(self, text: str) -> None:
        """Paste a text."""
        self.clock.now += 2.0
        self.app.post_message(Paste(text))
        await settle(self.pilot)

    async def run(self, action: str) -> None:
        """Do what an action or a line of the palette does, a second and more after the last key."""
        self.clock.now += 2.0
        await self.app.run_action(textual_action(action))
        await settle(self.pilot)

    async def put(self, name: str, text: str) -> None:
        """Ask for the value of a setting that a text says."""
        await self.run(f"fields.set({name!r}, {text!r})")

    async def click(self, selector: str, x: int, y: int = 0, times: int = 1) -> None:
        """Click on a place of a widget."""
        self.clock.now += 2.0
        await self.pilot.click(selector, offset=(x, y), times=times)
        await settle(self.pilot)

    async def hover(self, selector: str, x: int, y: int = 0) -> str:
        """Move the mouse to a place of a widget, and return what is said of it once it rests."""
        at = self.app.screen.query_one(selector).region.offset + Offset(x, y)
        self.app.post_message(MouseMove(None, *at, 0, 0, 0, False, False, False, *at))
        await settle(self.pilot)
        widget, _ = self.app.screen.get_widget_at(*at)
        asked = (node.tooltip for node in widget.ancestors_with_self if isinstance(node, Widget))
        return str(next((said for said in asked if said is not None), ""))

    async def resize(self, columns: int, lines: int) -> None:
        """Make the terminal another size."""
        await self.pilot.resize_terminal(columns, lines)
        await settle(self.pilot)

    @property
    def lines(self) -> list[str]:
        """The lines of the screen."""
        return [strip.text.rstrip() for strip in self.app.screen._compositor.render_strips()]

    @property
    def text(self) -> str:
        """The whole screen."""
        return "\n".join(self.lines)

    def sees(self, *texts: str) -> None:
        """Check that texts stand on the screen."""
        for text in texts:
            assert text in self.text, f"no {text!r} on\n{self.text}"

    async def until_sees(self, text: str) -> None:
        """Wait until a text stands on the screen."""
        end = time.monotonic() + DEADLINE
        while text not in self.text:
            assert time.monotonic() < end, f"no {text!r} on\n{self.text}"
            await self.pilot.pause()

    def misses(self, *texts: str) -> None:
        """Check that texts do not stand on the screen."""
        for text in texts:
            assert text not in self.text, f"{text!r} on\n{self.text}"

    def screen(self, kind: type[T]) -> T:
        """Return the screen of the instrument, which is of a kind."""
        screen = self.app.screen_stack[0]
        assert isinstance(screen, kind)
        return screen

    def settings(self, kind: type[T]) -> T:
        """Return what is asked of an instrument, by the class of its settings."""
        return self.asked.draft.setup.get(kind)

    @property
    def asked(self) -> Asked:
        """What is asked."""
        return self.app.history.present

    def line_with(self, wanted: Callable[[str], bool] | str) -> str:
        """Return the first line that holds a text, or for which something is true."""
        holds = wanted if callable(wanted) else lambda line: wanted in line
        return next(line for line in self.lines if holds(line))


@asynccontextmanager
async def at_screen(
    size: tuple[int, int] = WIDE,
    draft: Draft = EXAMPLE,
    theme: str = "",
    instrument: str = "explore",
    tooltips: bool = False,
) -> AsyncIterator[Person]:
    """Start the program on a screen of a size."""
    clock = Clock()
    app = AttnApp(draft, instrument, clock)
    if theme:
        app.theme = theme
    async with app.run_test(size=size, notifications=True, tooltips=tooltips) as pilot:
        await settle(pilot)
        still(app)
        yield Person(app, pilot, clock)
