"""The application: the present question, the instrument that shows it, and the theme."""

import gc
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from os import environ
from traceback import format_exception
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import App
from textual.binding import Binding, BindingType
from textual.command import CommandPalette, Provider
from textual.driver import Driver
from textual.events import AppBlur, AppFocus, Event, InputEvent, Key, Paste, Resize
from textual.filter import LineFilter
from textual.theme import BUILTIN_THEMES, Theme
from textual.widgets import Input, TextArea

from attn_tui.charts.colour import Depth
from attn_tui.compute.errors import InputError
from attn_tui.compute.text import visible
from attn_tui.files import edits
from attn_tui.files.draft import Draft, parse
from attn_tui.files.history import Edit, Gesture, History, Question
from attn_tui.instruments import GUIDE, INSTRUMENTS, load
from attn_tui.ui.action import Action
from attn_tui.ui.instrument_screen import InstrumentScreen
from attn_tui.ui.keymap import shown_key
from attn_tui.ui.memory import remember_theme
from attn_tui.ui.paging import need_room_to_page
from attn_tui.ui.preferences import NONE, Preferences
from attn_tui.ui.sessions import Keeping, Sessions
from attn_tui.ui.settings_panel import SettingsPanel
from attn_tui.ui.terminal.cells import TerminalCells
from attn_tui.ui.terminal.clipboard import load_tmux
from attn_tui.ui.terminal.driver import thrifty
from attn_tui.ui.terminal.filters import ASCII_GLYPHS, VISIBLE, XTERM, pasted, received
from attn_tui.ui.terminal.input import PasteLost, RestOfPaste
from attn_tui.ui.terminal.size import clamped
from attn_tui.ui.terminal.turns import Turns
from attn_tui.ui.theme import THEMES, data_variables, default_theme, depth_of
from attn_tui.ui.toasts import end_toasts

if TYPE_CHECKING:
    from attn_tui.files.session import Restored
    from attn_tui.tour.guide import Guide
    from attn_tui.tour.pane import TourPane
    from attn_tui.tour.step import Tour

NOT_REMEMBERED = "This theme is not remembered: {reason}"
"""What is said where a chosen theme cannot be remembered."""

LESSON = "attn-tui tour lesson.toml opens a lesson of your own; docs/tour.md says how to write it."
"""What is said of lessons, which are files of their own."""

COPIED = (
    "{line}\n\nThis command is copied: paste it into a shell. If nothing is pasted, this terminal "
    "does not let programs copy; quit with q, and the command is printed."
)
"""What is said of the command line: a terminal does not answer whether it has taken a copy."""

NO_LINE = "attn-tui: no command line leads back here: {reason}"
"""What is left on the terminal where no command line can ask the question."""

NOT_KEPT = Keeping()

FAILED = 70
"""The exit status after an unexpected error: EX_SOFTWARE of sysexits.h."""

BY_PERSON = InputEvent | Paste | AppFocus | AppBlur
"""Events that the user causes, whose order matters."""


def palette_provider() -> type[Provider]:
    """Return what searches for all that can be done; the first screen does not wait for it."""
    from attn_tui.ui.palette import PaletteProvider

    return PaletteProvider


class AttnApp(App[None]):
    """attn-tui on the screen.

    Args:
        draft: The first question; it must be readable.
        instrument: The name of the first instrument.
        clock: Returns seconds since some fixed moment.
        ascii: Whether pictures keep to ASCII.
        theme: The name of the theme; ignored if there is no such theme or no colours are wanted.
        tour: The tour to start at once, if any.
        place: The index of the step at which the tour begins; None for where it was left.
        offers_tour: Whether a line above the footer offers the tour.
        keeping: Where what is asked is saved, and which session is offered.
        opened: A session to show at once, whose first step the draft is.
        is_visitor: Whether nothing is opened and saved, since the machine is somebody else's.
        preferred: Keys and themes that somebody prefers, and what of it cannot be used.

    Raises:
        InputError: If the draft cannot be read.
    """

    TITLE = "attn-tui"
    CSS_PATH = "app.tcss"
    COMMANDS: ClassVar = {palette_provider}
    BINDINGS: ClassVar[list[BindingType]] = [
        Action("u", "undo", "Undo", show=False, id="undo", synonyms=("take back", "go back")),
        Action("U", "redo", "Redo", show=False, id="redo", synonyms=("do again",)),
        Action("0", "start", "Back to the start", show=False, id="start",
               synonyms=("reset", "start over", "restart", "clear")),
        Action("y", "resume", "Go on where you were", show=False, id="resume",
               synonyms=("session", "last session", "take up", "restore")),
        Action("x", "choose('example')", "Tour", tooltip="Try an example", id="examples",
               synonyms=("tour and examples", "examples", "demo", "lessons")),
        Action("c", "copy", "Copy", tooltip="Copy the command that leads back", id="copy",
               synonyms=("share", "command line", "link", "clipboard")),
        # Before what enter does in a pane, such as opening a row.
        Binding("enter", "tour_next", "Next step", id="tour_next", priority=True),
        # In an editor, the editor's own binding for this key undoes typing.
        Binding("ctrl+z", "suspend_process", "Suspend", show=False, id="suspend"),
        Action("ctrl+l", "redraw", "Redraw", show=False, id="redraw", synonyms=("refresh",)),
        Action("q", "quit", "Quit", id="quit", synonyms=("exit", "leave", "close", "bye")),
        *(
            Binding(str(one.number), f"go('{one.name}')", one.title, show=False, id=one.name)
            for one in INSTRUMENTS
        ),
    ]  # fmt: skip

    def __init__(
        self,
        draft: Draft,
        instrument: str = INSTRUMENTS[0].name,
        clock: Callable[[], float] = time.monotonic,
        ascii: bool = False,
        theme: str = "",
        tour: "Tour | None" = None,
        place: int | None = None,
        offers_tour: bool = False,
        keeping: Keeping = NOT_KEPT,
        opened: "Restored | None" = None,
        is_visitor: bool = False,
        preferred: Preferences = NONE,
    ) -> None:
        no_color = bool(environ.get("NO_COLOR"))
        if not no_color:
            # An empty value asks for nothing, but Textual would heed it.
            environ.pop("NO_COLOR", None)
        end_toasts()
        need_room_to_page()
        self._cells = TerminalCells()
        self.taking_over = self.active = nothing
        # Textual asks for these during its own initialisation.
        self.in_ascii = ascii
        self.DEFAULT_MODE = instrument  # type: ignore[misc]
        if no_color:
            # Without colours, Textual turns a true-colour theme black.
            theme = "ansi-dark"
        elif theme not in {*THEMES, *BUILTIN_THEMES, *(one.name for one in preferred.themes)}:
            theme = default_theme(environ)
        self._themes = THEMES | {one.name: one for one in preferred.themes}
        # Setting the theme later would parse all style sheets again.
        self.set_reactive(App.theme, theme)
        super().__init__(ansi_color=True if no_color else None)
        for each in self._themes.values():
            self.register_theme(each)
        self.chosen_keys = preferred.keys
        self._problems = preferred.problems
        self.history = opened.session.history if opened else History(Question.first(draft))
        self.turns = Turns(self, super().on_event, self._catch_up)
        self._is_behind = False
        """Whether the instrument shows the answer to a question before the present one."""
        self._first = draft
        self._clock = clock
        self.parting = ""
        self._is_visitor = is_visitor
        self._note = ""
        self.guide: Guide | None = None
        self._before: InstrumentScreen | None = None
        self._tour, self._place = tour, place
        self.sessions = Sessions(self, keeping, opened, offers_tour)

    def get_driver_class(self) -> type[Driver]:
        """Return a driver that writes only the cells that change."""
        return thrifty(
            super().get_driver_class(), self._cells, lambda: self.line_to_leave,
            lambda: self.taking_over(),
        )  # fmt: skip

    def get_theme(self, theme_name: str) -> Theme | None:
        """Return a theme; these are known even before they are registered."""
        return self._themes.get(theme_name) or super().get_theme(theme_name)

    def get_css_variables(self) -> dict[str, str]:
        """Return the theme's variables, and the colours of data on its background."""
        return super().get_css_variables() | data_variables(self)

    def on_mount(self) -> None:
        """Adapt to what the terminal can show, and remember the theme when it is changed."""
        self.set_class(depth_of(self) is Depth.TEXTURES, "-textures")
        self.set_keymap(dict(self.chosen_keys))
        for instrument in INSTRUMENTS:
            self.add_mode(instrument.name, partial(self._screen, instrument.name))
        # Without colours, nobody chose the theme.
        if not self.no_color:
            self.theme_changed_signal.subscribe(self, self._remember_theme)

    def _remember_theme(self, theme: Theme) -> None:
        """Remember a theme for the next start, or say why it is not."""
        reason = remember_theme(theme.name)
        if reason:
            self.notify(NOT_REMEMBERED.format(reason=reason), severity="warning", markup=False)

    def get_default_screen(self) -> InstrumentScreen:
        """Return the screen of the instrument that is shown first."""
        return self._screen(self.DEFAULT_MODE)

    def _screen(self, name: str) -> InstrumentScreen:
        """Return a screen with its style sheet, size and question set, so that it is drawn once."""
        instrument = next(one for one in INSTRUMENTS if one.name == name)
        screen: InstrumentScreen = load(instrument.screen)()
        self.stylesheet.read_all(screen.css_path)
        screen.set_classes(screen.breakpoints(self.size))
        screen.set_reactive(InstrumentScreen.question, self.history.present)
        screen.typing = self.turns.typing
        screen.has_files = not self._is_visitor
        self.sessions.open(screen)
        if name == self.DEFAULT_MODE:
            screen.welcome = self.sessions.welcome
        return screen

    def is_computing(self) -> bool:
        """Return whether a thread computes, reads or writes anything."""
        return any(worker.is_running for worker in self.workers)

    def action_go(self, name: str) -> None:
        """Go to an instrument, or start the tour."""
        if name == "tour":
            self.start_tour()
        else:
            self.switch_mode(name)

    @on(InstrumentScreen.Go)
    def _go(self, event: InstrumentScreen.Go) -> None:
        self.action_go(event.instrument)
        if event.vector and self.instrument is not None:
            self.instrument.set_reactive(InstrumentScreen.question, self.history.present)
            self.instrument.look_at(event.vector)

    @on(InstrumentScreen.Ready)
    def _show_first(self, event: InstrumentScreen.Ready) -> None:
        self.active()
        self.show()
        self._keep_help()
        self.turns.open()
        self.call_after_refresh(collect_garbage)
        self.sessions.mention_opened()
        problems, self._problems = self._problems, ()
        for problem in problems:
            self.notify(problem, severity="warning", timeout=12, markup=False)
        if self._tour is not None:
            tour, self._tour = self._tour, None
            self.start_tour(tour, self._place)

    def _keep_help(self) -> None:
        """Let help stay open, or closed, when the instrument changes."""
        before, now = self._before, self.instrument
        self._before = now
        if before is not None and now is not None and before is not now:
            now.call_next(now.keep_help, before.is_help_open)

    # Keys

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters of all lines; `VISIBLE` makes control characters harmless."""
        filters = [*super().get_line_filters(), VISIBLE]
        if self.in_ascii:
            filters.append(ASCII_GLYPHS)
        if self.console.color_system == "256":
            filters.append(XTERM)
        return filters

    async def on_event(self, event: Event) -> None:
        """Handle an event; those of the user take effect one at a time, in the order they came.

        A resize redraws everything, since the terminal may have lost what it showed.
        """
        self.active()
        if isinstance(event, Resize):
            event = clamped(event)
            if self.screen_stack:
                self.action_redraw()
        if not isinstance(event, BY_PERSON) or event.is_forwarded:
            await super().on_event(event)
        else:
            self.turns.take(received(event))

    def simulate_key(self, key: str) -> None:
        """Press the key that a click on the footer stands for, before what was typed after it."""
        self.turns.take_next(Key(key, None))

    def action_resume(self) -> None:
        """Take up the session that is offered."""
        self.sessions.take_up()

    # The tour

    def start_tour(self, tour: "Tour | None" = None, place: int | None = None) -> None:
        """Begin a tour, by default our own, or go on with the present one."""
        self.sessions.close_offer()
        if self.guide is None:
            # Imported here so that starting the program does not wait for it.
            self.guide = load(GUIDE)(self, tour, place)
        self.guide.begin()

    def action_tour_next(self) -> None:
        """Go to the next step of the tour."""
        if self.guide is not None:
            self.guide.next()

    def action_tour_skip(self) -> None:
        """Skip the guess or the task of the step."""
        if self.guide is not None:
            self.guide.skip()

    def action_tour_back(self) -> None:
        """Return to the step of the tour, or leave the tour if it is on the screen."""
        if self.guide is not None and self.guide.is_away:
            self.guide.back()
        elif self.guide is not None:
            self.guide.leave()

    @on(InstrumentScreen.Back)
    def _back(self) -> None:
        self.action_tour_back()

    def on_tour_pane_picked(self, event: "TourPane.Picked") -> None:
        """Record an answer as the guess."""
        if self.guide is not None:
            self.guide.pick(event.answer)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is available: the next step only once this one is done."""
        if action == "tour_next":
            return self.guide is not None and self.guide.is_done and not self._enter_is_taken
        if action == "suspend_process":
            return not self._is_visitor
        if action == "resume":
            return self.sessions.has_offer
        if action == "choose" and parameters != ("example",):
            return not self.screen.has_class("-guess")
        return super().check_action(action, parameters)

    @property
    def _enter_is_taken(self) -> bool:
        """Whether enter belongs to a dialogue, a field or a setting."""
        if not isinstance(self.screen, InstrumentScreen):
            return True
        focused = self.focused
        around = focused.ancestors_with_self if focused is not None else ()
        return any(isinstance(widget, Input | TextArea | SettingsPanel) for widget in around)

    # The question

    @on(InstrumentScreen.Ask)
    def _ask(self, event: InstrumentScreen.Ask) -> None:
        self.ask(event.edit, Gesture(event.gesture) if event.gesture else None)

    def ask(self, edit: Edit, gesture: Gesture | None = None) -> None:
        """Change the question by an edit; while a key is held, only the numbers follow.

        One that the present draft refuses is told: something else may have been typed since it was
        made.
        """
        try:
            history = self.history.ask(edit, gesture, self._clock())
        except InputError as error:
            self.notify(str(error), severity="warning", markup=False)
            return
        if history is not self.history:
            self.sessions.close_offer()
        is_repeat = gesture is not None and self.turns.repeats and self.guide is None
        if is_repeat and self.instrument is not None and self.instrument.follow(history.present):
            self.history, self._is_behind = history, True
        else:
            self.come_to(history)

    def _catch_up(self) -> bool:
        """Show the present question if only the numbers have followed it; return whether so."""
        self.active()
        self.sessions.note()
        is_behind = self._is_behind
        if is_behind:
            self.show()
        return is_behind

    def come_to(self, history: History) -> None:
        """Replace the history, and show its present question."""
        self.history = history
        self.sessions.show_step()
        self.show()

    def show(self) -> None:
        """Show the present question on the present instrument."""
        if self.instrument is not None:
            if self._is_behind:
                self._is_behind = False
                # It has the question already, without having answered it.
                self.instrument.set_reactive(InstrumentScreen.question, None)
            self.instrument.question = self.history.present
            if self.guide is not None:
                self.guide.see(self.instrument, self.history.present)
        self._mention_left_out()

    def _mention_left_out(self) -> None:
        """Say once what was left out of the files that the scores come from."""
        note = self.history.present.experiment.source.note
        if note != self._note:
            self._note = note
            if note:
                self.notify(f"{note[0].upper()}{note[1:]}", timeout=8, markup=False)

    def action_undo(self) -> None:
        """Undo the last step."""
        if not self.history.past:
            self.notify("Nothing to undo", timeout=2)
        self.come_to(self.history.undo())

    def action_redo(self) -> None:
        """Redo the step undone last."""
        if not self.history.future:
            self.notify("Nothing to redo", timeout=2)
        self.come_to(self.history.redo())

    def action_start(self) -> None:
        """Go back to the first question."""
        self.ask(edits.become(self._first))
        undo = shown_key(self.screen, "undo", "u")
        self.notify(f"Back to the start; {undo} undoes this", timeout=3)

    # Commands

    @property
    def instrument(self) -> InstrumentScreen | None:
        """The present instrument, whatever is open over it."""
        base = self.screen_stack[0] if self.screen_stack else None
        return base if isinstance(base, InstrumentScreen) else None

    @property
    def line(self) -> str:
        """The command line that brings back what the instrument shows.

        It ends in ``--screen`` for a command that prints unless told to open the screen.

        Raises:
            InputError: If no command line can ask the question.
        """
        instrument = next(entry for entry in INSTRUMENTS if entry.name == self.current_mode)
        line: str = load(instrument.line)(self.history.present)
        prints = line.startswith(f"attn-tui {instrument.command_name} ")
        return f"{line} --screen" if prints else line

    @property
    def line_to_leave(self) -> str:
        """The command line to leave on the terminal, or why none can ask the question."""
        try:
            return f"{self.line}\n"
        except InputError as error:
            return f"{NO_LINE.format(reason=visible(str(error)))}\n"

    def action_lesson(self) -> None:
        """Say how a lesson is opened, and where it is said how one is written."""
        self.notify(LESSON, timeout=12, markup=False)

    def action_copy(self) -> None:
        """Copy the command line, and show it because not every terminal accepts a copy."""
        try:
            line = self.line
        except InputError as error:
            self.notify(str(error), severity="warning", markup=False)
            return
        self.copy_to_clipboard(line)
        if environ.get("TMUX") and not self.is_headless:
            self.run_worker(partial(load_tmux, line), thread=True)
        self.notify(COPIED.format(line=line), timeout=10, markup=False)

    async def action_quit(self) -> None:
        """Quit, leaving the command line that comes back here."""
        self.parting = self.line_to_leave
        self.exit()

    def _fatal_error(self) -> None:
        """Exit on an error; the traceback and the question are printed afterwards.

        Textual 8 would print the text of the error unescaped and has no public hook for this;
        tests/contract/test_outside_text.py depends on it.
        """
        traceback = visible("".join(format_exception(sys.exception())), "\n")
        self.parting = self.parting or f"{traceback}What was asked: {self.line_to_leave}"
        self.exit(return_code=FAILED)
        self._close_messages_no_wait()

    def delay_update(self, delay: float = 0.05) -> None:
        """Paint at once, also when instruments change.

        Textual 8 would delay painting and drop the first frame of the new instrument, and would go
        on with what changes later, among what is left of the instrument before.
        """

    def action_redraw(self) -> None:
        """Draw everything again, in case something else has written to the terminal."""
        self._cells.forget()
        self.screen.refresh()

    def on_paste(self, event: Paste) -> None:
        """Ask for pasted scores, if the focus is not in a text area."""
        if isinstance(self.focused, TextArea):
            # It has taken the paste, but Textual 8 lets the event bubble.
            return
        text = event.text
        if isinstance(event, RestOfPaste):
            text = pasted(event.before) + text
        try:
            draft = self.history.present.draft.with_text(text)
            parse(draft)
        except InputError as error:
            self.notify(f"Nothing is changed by the paste: {error}", markup=False)
            return
        self.ask(edits.text(draft.text))
        self.action_go("explore")
        self.notify("Pasted: u goes back", timeout=3)

    @on(PasteLost)
    def _say_why(self, event: PasteLost) -> None:
        self.notify(event.reason, severity="warning", markup=False)

    def action_show_help_panel(self) -> None:
        """Show help on the focused pane, beside or over the instrument."""
        self.run_worker(self.run_action("screen.help"))

    action_hide_help_panel = action_show_help_panel

    def action_command_palette(self) -> None:
        """Open the palette."""
        if not isinstance(self.screen, CommandPalette):
            from attn_tui.ui.palette import PLACEHOLDER, StillPalette

            self.push_screen(StillPalette(placeholder=PLACEHOLDER))

    def search_themes(self) -> None:
        """Open the list of themes."""
        self.action_choose("theme")

    def action_choose(self, name: str) -> None:
        """Open the palette with one list alone; on a tour, the key for examples skips a step."""
        if name == "example" and self.guide is not None:
            self.guide.skip()
            return
        from attn_tui.ui.palette import LISTS, StillPalette

        provider, placeholder = LISTS[name]
        self.push_screen(StillPalette([provider], placeholder=f"Choose {placeholder}…"))


def nothing() -> None:
    """Do nothing."""


def collect_garbage() -> None:
    """Turn garbage collection on if start-up put it off, but leave out what it imported."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


if __name__ == "__main__":
    from attn_tui.files.draft import EXAMPLE

    AttnApp(EXAMPLE).run()
