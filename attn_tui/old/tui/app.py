"""The application: holds what is asked, shows it on the visible instrument, and asks anew."""

import gc
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from math import inf
from os import environ
from pathlib import Path, PurePath
from typing import ClassVar

from textual import on
from textual.app import App
from textual.driver import Driver
from textual.events import AppBlur, AppFocus, Event, InputEvent, Paste, Resize
from textual.filter import LineFilter
from textual.notifications import SeverityLevel
from textual.timer import Timer

from attn_tui.compute.errors import InputError
from attn_tui.files import edits
from attn_tui.files.draft import Draft
from attn_tui.files.history import Asked, History, only_of
from attn_tui.instruments import INSTRUMENTS, load
from attn_tui.old.tui.actions import bindings, textual_action
from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.everywhere import SHARED
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from attn_tui.old.tui.sheet import Sheet
from attn_tui.old.tui.small import fit
from attn_tui.old.tui.theme import role_styles, role_variables
from attn_tui.old.tui.timers import Punctual
from attn_tui.old.tui.tooltips import Tooltips
from attn_tui.old.tui.turns import Turns
from attn_tui.old.tui.visiting import Visit
from attn_tui.old.tui.widgets.hint import Hint
from attn_tui.ui.app import SCREENS
from attn_tui.ui.crash import STATUS, Crash, crash
from attn_tui.ui.memory import remember_theme
from attn_tui.ui.terminal.ascii import ASCII_GLYPHS
from attn_tui.ui.terminal.cells import Cells
from attn_tui.ui.terminal.driver import thrifty
from attn_tui.ui.terminal.guard import VISIBLE, received

BREATH = 0.1
"""Seconds for which a key that is held is not held up by an answer to what it asked before."""


class AttnApp(Punctual, App[None]):
    """attn-tui on the screen.

    Args:
        draft: What is asked at the start; it must be readable.
        instrument: The name of the instrument shown first.
        clock: Seconds, from any moment on.
        ascii: Whether frames, bars, charts and marks are drawn in ASCII.

    Raises:
        InputError: If the draft cannot be read.
    """

    TITLE = "attn-tui"
    # One sheet: each that comes later has all parsed anew.
    CSS_PATH: ClassVar[list[str | PurePath]] = [
        "app.tcss",
        *sorted(Path(__file__).parent.glob("*/*.tcss")),
    ]
    ENABLE_COMMAND_PALETTE = False
    # Textual fails on a selection whose beginning is not there any more.
    ALLOW_SELECT = False
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
        self._cells = Cells()
        # Textual begins with an empty screen otherwise, laid out and drawn before the first.
        self.DEFAULT_MODE = instrument  # type: ignore[misc]
        super().__init__(ansi_color=True if no_color else None)
        self.stylesheet = Sheet(variables=self.get_css_variables())
        if no_color:
            # Textual turns a true-colour theme black when colours are taken out of it.
            self.theme = "ansi-dark"
        # Nothing is drawn before the first answer.
        self._until_shown = ExitStack()
        self._until_shown.enter_context(self.batch_update())
        self.history = History(Asked.first(draft))
        self._first = draft
        self._clock = clock
        self.in_ascii = ascii
        """Whether drawings keep to ASCII."""
        self._due = False
        self._silence: Timer | None = None
        self._shown_at = -inf
        self.crash: Crash | None = None
        self.parting = ""
        self.elsewhere = ""
        """The instrument that the program of those that are rebuilt is to go on with."""
        self.notice = ""
        """What is to be said there."""
        self.typed_ahead: list[Event] = []
        """What was typed for it."""
        self.visit: Visit | None = None
        self._tooltips = Tooltips(self)
        self.hint_of = self._tooltips.of
        """Returns what is said of a target now, or nothing."""
        self.turns = Turns(self, super().on_event, self._show_due)
        for each in INSTRUMENTS:
            if each.screen:
                self.add_mode(each.name, partial(_screen, each.screen))

    def get_css_variables(self) -> dict[str, str]:
        """Return the theme's variables and those of the roles."""
        variables = super().get_css_variables()
        variables |= role_variables(variables, self.native_ansi_color)
        self.role_styles = role_styles(variables)
        return variables

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Say something for some seconds, in place of what was said before.

        Of more than fit on the screen Textual would leave some there for good; and one that it
        shows anew as its time ends would hold up everything, since its timer never ends then.
        """
        self.clear_notifications()
        super().notify(message, title=title, severity=severity, timeout=inf, markup=markup)
        if self._silence:
            self._silence.stop()
        seconds = self.NOTIFICATION_TIMEOUT if timeout is None else timeout
        self._silence = self.set_timer(seconds, self.clear_notifications)

    def action_find(self) -> None:
        """Find anything that can be asked, looked at or done."""
        # Dialogues are imported when they are wanted, here and below: a start does without.
        from attn_tui.old.tui.finding import find_dialog

        if isinstance(self.screen, InstrumentScreen):
            self.push_screen(find_dialog(self.screen, not self.no_color), self._do)

    async def _do(self, action: str | None) -> None:
        if action is not None:
            await self.run_action(textual_action(action))

    def action_change_theme(self) -> None:
        """Choose the colours, which are shown as the cursor moves, and remembered."""
        from attn_tui.old.tui.dialogs import FindDialog

        themes = [Choice(name, name) for name in sorted(self.available_themes)]
        before = self.theme

        def show(name: str) -> None:
            self.theme = name

        def use(name: str | None) -> None:
            show(name or before)
            if name:
                remember_theme(name)

        self.push_screen(FindDialog("Theme", themes, before, show), use)

    def get_driver_class(self) -> type[Driver]:
        """Return what reads from the terminal, and writes to it."""
        return thrifty(super().get_driver_class(), self._cells)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Let no widget show what the terminal would obey, or glyphs that it lacks."""
        filters = [*super().get_line_filters(), VISIBLE]
        return [*filters, ASCII_GLYPHS] if self.in_ascii else filters

    async def on_event(self, event: Event) -> None:
        """Let what a person does have its turn; the rest is dealt with at once."""
        if self.elsewhere and isinstance(event, InputEvent | Paste) and not event.is_forwarded:
            self.typed_ahead.append(event)
            return
        if isinstance(event, InputEvent | Paste | AppFocus | AppBlur) and not event.is_forwarded:
            self._tooltips.notice(event)
            self.turns.take(received(event))
            return
        await super().on_event(event)
        if isinstance(event, Resize) and self.screen_stack:
            # What a terminal does with its cells then is its own affair, whatever the size.
            self.action_redraw()
            fit(self)

    def on_paste(self, event: Paste) -> None:
        """Take what was pasted where nothing is typed for scores."""
        if isinstance(self.screen, InstrumentScreen):
            self.screen.call_later(self.screen.action_part, "filing", "paste", (event.text,))

    @on(InstrumentScreen.Ready)
    def _on_ready(self) -> None:
        if self.visit and self.visit.home == self.current_mode:
            # Somebody went there without being led back, and keeps what was asked away.
            self.visit = None
        self._show()
        self._until_shown.close()
        self.turns.open()
        if not gc.isenabled():
            self.call_after_refresh(_keep_what_is_there)
        fit(self)

    @on(InstrumentScreen.Ask)
    def _on_ask(self, event: InstrumentScreen.Ask) -> None:
        before = self.history.present.draft
        self.come_to(self.history.ask(event.edit, event.gesture, self._clock()))
        now = self.history.present.draft
        if (now.source, now.text) != (before.source, before.text):
            # Where other scores are asked for, they are wanted to be seen.
            self.call_later(self.action_instrument, INSTRUMENTS[0].name)

    def action_undo(self) -> None:
        """Go one step back."""
        self._step(self.history.undo(), "Undone in", "Nothing to undo")

    def action_redo(self) -> None:
        """Go one step on."""
        self._step(self.history.redo(), "Done again in", "Nothing to redo")

    def _step(self, history: History, done: str, nothing: str) -> None:
        if history is self.history:
            self.notify(nothing, timeout=2)
            return
        there = only_of(self.history.present.draft, history.present.draft)
        self.come_to(history)
        if there and isinstance(self.screen, InstrumentScreen) and there != self.screen.NAME:
            title = next(each.title for each in INSTRUMENTS if each.name == there)
            self.notify(f"{done} {title}", timeout=3)

    def action_help(self) -> None:
        """Explain the pane that has the keys, and list what keys do on this screen."""
        from attn_tui.old.tui.key_help import help_dialog

        if self._base and (dialog := help_dialog(self._base, self.screen)):
            self.push_screen(dialog)

    def action_start(self) -> None:
        """Go back to what was asked first."""
        self.become(self._first)

    def become(self, draft: Draft) -> None:
        """Ask something else altogether, as one step of history."""
        self.come_to(self.history.ask(edits.become(draft), None, self._clock()))

    @property
    def asked(self) -> Asked:
        """What is asked."""
        return self.history.present

    @property
    def line(self) -> str:
        """The command line that asks what the instrument shows.

        Raises:
            InputError: If a command line cannot ask it.
        """
        from attn_tui.old.tui.copying import line_of

        base = self._base
        return line_of(base.NAME, self.history.present, base.view) if base else ""

    @property
    def _base(self) -> InstrumentScreen | None:
        """The instrument below whatever is open over it."""
        base = self.screen_stack[0] if self.screen_stack else None
        return base if isinstance(base, InstrumentScreen) else None

    def action_copy(self) -> None:
        """Copy the command line, and show it, for not every terminal takes it."""
        from attn_tui.old.tui.copying import copied

        if self._base:
            copied(self, lambda: self.line, self._base.view.left_out)

    async def action_quit(self) -> None:
        """Leave, with the command line that comes back here."""
        with suppress(InputError):
            self.parting = self.line
        self.exit()

    def action_help_quit(self) -> None:
        """Say what leaves, for ctrl+c is not it."""
        self.notify("q quits, ctrl+q wherever something is typed", timeout=2)

    def action_redraw(self) -> None:
        """Draw everything anew, for something else may have written on the terminal."""
        self._cells.forget()
        self.screen.refresh()

    async def action_instrument(self, name: str) -> None:
        """Go to an instrument as somebody asks, by what leads there from the present one."""
        if self.is_elsewhere(name):
            self.leave_for(name)
        elif isinstance(self.screen, InstrumentScreen) and (lead := self.screen.LEADS.get(name)):
            self.screen.do(lead)
        else:
            await self.go_to(name)

    def is_elsewhere(self, name: str) -> bool:
        """Return whether another program of ours shows an instrument now."""
        return name in (*SCREENS, "tour")

    def leave_for(self, name: str) -> None:
        """Let that program go on with what is asked, and with what is typed."""
        self.elsewhere = name
        self.typed_ahead = self.turns.hand_over()
        self.exit()

    async def go_to(self, name: str) -> None:
        """Go to an instrument, and to its full picture from that of another."""
        if isinstance(before := self.screen, InstrumentScreen):
            await self.switch_mode(name)
            here = self.screen
            if isinstance(here, InstrumentScreen) and here.view.full != before.view.full:
                here.do("full.turn")

    def come_to(self, history: History) -> None:
        """Ask what a history asks, with the steps that lead there."""
        self.history = history
        if not self._due:
            self._due = True
            self.call_later(self._show_due)

    def _show_due(self) -> None:
        """Show what is asked, unless a held key asks more in one breath: it may take its time."""
        if self._due and not (self.turns.repeating and self._clock() - self._shown_at < BREATH):
            self._show()

    def fail(self, error: BaseException) -> None:
        """Save what was asked, and remember what went wrong first."""
        self.crash = self.crash or crash(error, self.history.present)

    def _fatal_error(self) -> None:
        """End after an error nobody expected: Textual's own name, for there is no public one."""
        if error := sys.exception():
            self.fail(error)
        self.exit(return_code=STATUS)
        self._close_messages_no_wait()

    def _show(self) -> None:
        self._due = False
        if (base := self._base) and base.is_mounted:
            hint, visit = base.query_one(Hint), self.visit
            hint.words = visit.words if visit and visit.home != base.NAME else ()
            base.show(self.history.present)
        self._shown_at = self._clock()


def _keep_what_is_there() -> None:
    """Look for garbage from now on, but not among what the program and its first screen are.

    That would be a long search. It is done once: whatever is garbage at that moment stays for good.
    """
    gc.freeze()
    gc.enable()


def _screen(part: str) -> InstrumentScreen:
    screen: InstrumentScreen = load(part)()
    return screen
