"""A person at the screen, so that a test reads like what somebody does."""

import time
import unicodedata
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from textual.events import Event, Key, MouseMove, Paste
from textual.geometry import Offset
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input, TextArea

from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.files.history import Asked
from attn_tui.old.tui.actions import textual_action
from attn_tui.old.tui.app import AttnApp
from tests.settled import until_settled

T = TypeVar("T")

WIDE, MEDIUM, NARROW = (120, 40), (80, 24), (40, 15)
DEADLINE = 120.0


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


def unhurried(app: AttnApp) -> None:
    """Let what is said stand until something else is: a test may be seconds late to read it."""

    def notify(message: str, **how: Any) -> None:
        AttnApp.notify(app, message, **{**how, "timeout": DEADLINE})

    vars(app)["notify"] = notify


async def settle(pilot: Pilot[None], beside: bool = True) -> None:
    """Wait until all that was begun is over, and what came of it is on the screen.

    Args:
        pilot: Of the program.
        beside: Whether what goes on beside the screen is waited for too, as a file that is read.
    """
    assert isinstance(pilot.app, AttnApp)
    await until_settled(pilot.app, DEADLINE, beside)


def key_event(key: str) -> Key:
    """Return what comes of a key, by its name or by the character that it types."""
    if len(key) == 1:
        return Key(key if key.isalnum() else _character_to_key(key), key)
    try:
        named = unicodedata.lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(key, key)))
    except KeyError:
        return Key(key, None)
    return Key(key, named)


class Person:
    """Presses keys and reads the screen.

    Attributes:
        app: The program.
        pilot: Of the program.
        clock: What it takes for seconds.
        patient: Whether to wait until what goes on beside the screen is over too.
    """

    def __init__(self, app: AttnApp, pilot: Pilot[None], clock: Clock) -> None:
        self.app = app
        self.pilot = pilot
        self.clock = clock
        self.patient = True

    async def settle(self) -> None:
        """Wait until all that was begun is over, and what came of it is on the screen."""
        await settle(self.pilot, self.patient)

    async def _send(self, event: Event, seconds: float = 2.0) -> None:
        """Do one thing, so long after the one before."""
        self.clock.now += seconds
        self.app.post_message(event)
        await self.settle()

    async def press(self, *keys: str) -> None:
        """Press keys, each a second and more after the one before."""
        for key in keys:
            await self._send(key_event(key))

    async def burst(self, *keys: str) -> None:
        """Press keys that arrive all at once, as over a slow line."""
        self.clock.now += 2.0
        for key in keys:
            self.app.post_message(key_event(key))
        await self.settle()

    async def hold(self, key: str, times: int) -> None:
        """Hold a key down until it has come so many times."""
        self.clock.now += 2.0
        for _ in range(times):
            await self._send(key_event(key), 0.03)

    async def write(self, text: str) -> None:
        """Type a text quickly."""
        keys = {"\n": "enter", " ": "space"}
        for character in text:
            await self._send(key_event(keys.get(character, character)), 0.1)

    async def paste(self, text: str) -> None:
        """Paste a text."""
        await self._send(Paste(text))

    async def run(self, action: str) -> None:
        """Do what an action or a line of the palette does, a second and more after the last key."""
        self.clock.now += 2.0
        await self.app.run_action(textual_action(action))
        await self.settle()

    async def put(self, name: str, text: str) -> None:
        """Ask for the value of a setting that a text says."""
        await self.run(f"fields.set({name!r}, {text!r})")

    async def click(self, selector: str, x: int, y: int = 0, times: int = 1) -> None:
        """Click on a place of a widget."""
        self.clock.now += 2.0
        await self.pilot.click(selector, offset=(x, y), times=times)
        await self.settle()

    async def hover(self, selector: str, x: int, y: int = 0) -> str:
        """Move the mouse to a place of a widget, and return what is said of it once it rests."""
        at = self.app.screen.query_one(selector).region.offset + Offset(x, y)
        await self._send(MouseMove(None, *at, 0, 0, 0, False, False, False, *at))
        widget, _ = self.app.screen.get_widget_at(*at)
        asked = (node.tooltip for node in widget.ancestors_with_self if isinstance(node, Widget))
        return str(next((said for said in asked if said is not None), ""))

    async def resize(self, columns: int, lines: int) -> None:
        """Make the terminal another size."""
        await self.pilot.resize_terminal(columns, lines)
        await self.settle()

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
    instrument: str = "attention",
    tooltips: bool = False,
    ascii: bool = False,
) -> AsyncIterator[Person]:
    """Start the program on a screen of a size."""
    clock = Clock()
    app = AttnApp(draft, instrument, clock, ascii)
    unhurried(app)
    if theme:
        app.theme = theme
    async with app.run_test(size=size, notifications=True, tooltips=tooltips) as pilot:
        await settle(pilot)
        still(app)
        yield Person(app, pilot, clock)
