"""The application: holds what is asked, shows it on the visible instrument, and asks anew."""

import asyncio
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from os import environ

from textual import on
from textual.app import App, SystemCommand
from textual.driver import Driver
from textual.events import Event
from textual.filter import LineFilter
from textual.screen import Screen

from attn_tui.charts.look_alikes import write_look_alikes
from attn_tui.files.draft import Draft
from attn_tui.instruments import INSTRUMENTS, load
from attn_tui.tui.actions import bindings
from attn_tui.tui.dialogs import ReadDialog
from attn_tui.tui.driver import accept_any_bytes, placing
from attn_tui.tui.everywhere import SHARED
from attn_tui.tui.guard import VISIBLE, received
from attn_tui.tui.instrument_screen import InstrumentScreen
from attn_tui.tui.key_help import key_help
from attn_tui.tui.messages import HistoryStep
from attn_tui.tui.state import Asked, History, only_of
from attn_tui.tui.terminal import lacks_blocks, leave_on_signals
from attn_tui.tui.theme import role_variables


class AttnApp(App[None]):
    """attn-tui on the screen.

    Args:
        draft: What is asked at the start; it must be readable.
        instrument: The name of the instrument shown first.
        clock: Seconds, from any moment on.
        ascii: Whether to begin with drawings in ASCII.

    Raises:
        InputError: If the draft cannot be read.
    """

    TITLE = "attn-tui"
    CSS_PATH = "app.tcss"
    BINDINGS = bindings(SHARED)

    def __init__(
        self,
        draft: Draft,
        instrument: str = INSTRUMENTS[0].name,
        clock: Callable[[], float] = time.monotonic,
        ascii: bool = False,
    ) -> None:
        no_color = bool(environ.get("NO_COLOR"))
        if not no_color:
            # An empty one asks for nothing, though Textual would heed it.
            environ.pop("NO_COLOR", None)
        super().__init__(ansi_color=True if no_color else None)
        if no_color:
            # Textual turns a true-colour theme black when colours are taken out of it.
            self.theme = "ansi-dark"
        self.history = History(Asked.first(draft))
        self._first = instrument
        self._clock = clock
        self._ascii = ascii
        self._due = False
        for each in INSTRUMENTS:
            self.add_mode(each.name, partial(_screen, each.screen))

    def get_css_variables(self) -> dict[str, str]:
        """Return the theme's variables and those of the roles."""
        variables = super().get_css_variables()
        return variables | role_variables(variables, self.native_ansi_color)

    async def on_event(self, event: Event) -> None:
        """Take what comes from the terminal as text alone."""
        await super().on_event(received(event))

    def get_driver_class(self) -> type[Driver]:
        """Return what writes to the terminal."""
        return placing(super().get_driver_class())

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Let no widget show what the terminal would obey."""
        return [*super().get_line_filters(), VISIBLE]

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Yield everything that can be done on a screen, for the palette."""
        instrument = screen if isinstance(screen, InstrumentScreen) else None
        for action in (*(instrument.ACTIONS if instrument else ()), *SHARED):
            if action.palette:
                keys = f"key {action.all_shown}" if action.all_shown else ""
                yield SystemCommand(action.help, keys, partial(self.run_action, action.run))
        for command in instrument.commands() if instrument else ():
            yield SystemCommand(command.title, command.help, partial(self.run_action, command.run))
        if not self.no_color:
            yield SystemCommand("Theme", "Choose the colours", self.action_change_theme)
        yield SystemCommand(
            "Suspend", "Go back to the shell; fg returns", self.action_suspend_process
        )

    async def on_mount(self) -> None:
        """Go to the first instrument."""
        await self.switch_mode(self._first)

    @on(InstrumentScreen.Ready)
    def _on_ready(self) -> None:
        self._show()

    @on(InstrumentScreen.Ask)
    def _on_ask(self, event: InstrumentScreen.Ask) -> None:
        self._become(self.history.ask(event.edit, event.gesture, self._clock()))

    @on(InstrumentScreen.Step)
    def _on_step(self, event: InstrumentScreen.Step) -> None:
        # The editor must have seen what it said come back before that is undone.
        if self._due:
            self._show()
        before = self.history.present.draft
        if event.by < 0:
            self._become(self.history.undo(), "Nothing to undo")
        else:
            self._become(self.history.redo(), "Nothing to redo")
        there = only_of(before, self.history.present.draft)
        if there and isinstance(self.screen, InstrumentScreen) and there != self.screen.NAME:
            title = next(each.title for each in INSTRUMENTS if each.name == there)
            self.notify(f"{'Undone' if event.by < 0 else 'Done again'} in {title}", timeout=3)

    def action_undo(self) -> None:
        """Go one step back, behind what the pane with the focus has still to say."""
        (self.focused or self.screen).post_message(HistoryStep(-1))

    def action_redo(self) -> None:
        """Go one step on, behind what the pane with the focus has still to say."""
        (self.focused or self.screen).post_message(HistoryStep(1))

    def action_keys(self) -> None:
        """List every key, those of the present instrument first."""
        base = self.screen_stack[0]
        if isinstance(base, InstrumentScreen) and not isinstance(self.screen, ReadDialog):
            self.push_screen(ReadDialog("Keys", key_help(base.SECTIONS)))

    def action_ascii(self) -> None:
        """Draw in ASCII, or in blocks."""
        self._ascii = not self._ascii
        self._show()

    async def action_instrument(self, name: str) -> None:
        """Go to an instrument."""
        if isinstance(self.screen, InstrumentScreen):
            await self.switch_mode(name)

    def _become(self, history: History, unchanged: str = "") -> None:
        if history is self.history and unchanged:
            self.notify(unchanged, timeout=2)
        self.history = history
        if unchanged:
            self._show()
        elif not self._due:
            # What is asked in one breath is answered once: an answer may take longer than a key.
            self._due = True
            self.call_later(self._show)

    def _show(self) -> None:
        self._due = False
        base = self.screen_stack[0] if self.screen_stack else None
        if isinstance(base, InstrumentScreen):
            base.draw_in_ascii(self._ascii)
            base.show(self.history.present)


def _screen(part: str) -> InstrumentScreen:
    screen: InstrumentScreen = load(part)()
    return screen


def run(draft: Draft) -> int:
    """Run the program on the terminal and return its exit status."""
    accept_any_bytes()
    stream = sys.__stderr__
    assert stream is not None  # Textual writes to it.
    write_look_alikes(stream, environ)
    app = AttnApp(draft, ascii=lacks_blocks(stream.encoding, environ))
    asyncio.run(_run(app))
    return app.return_code or 0


async def _run(app: AttnApp) -> None:
    leave_on_signals(asyncio.get_running_loop(), partial(app.exit, None))
    await app.run_async()
