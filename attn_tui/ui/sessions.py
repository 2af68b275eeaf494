"""Keeps what is asked while the program runs, and takes up what was asked before."""

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from attn_tui.compute.errors import InputError
from attn_tui.ui.instrument_screen import InstrumentScreen
from attn_tui.ui.leaving import WRITERS
from attn_tui.ui.session_file import NotKeptError, SessionFile, set_aside
from attn_tui.ui.welcome import REPLAY, TOUR, Welcome, offer_of_session

if TYPE_CHECKING:
    from attn_tui.files.draft import Draft
    from attn_tui.files.session import Restored, Session
    from attn_tui.ui.app import AttnApp

SOON, HELD = 0.5, 4.0
"""Seconds after a change at which it is saved, and after a save while a key is held. Then it is up
to `SOON` until somebody looks, and a save takes a moment, so that five are not exceeded."""

NOT_KEPT = "What you ask is not kept for the next start: {reason}"
"""What is said, once, where nothing can be saved."""

UNREAD = "That session cannot be read: {problem}; expected {expected}. It is kept as {path}"
"""What is said of a session that is damaged, or of a newer version."""


@dataclass(frozen=True)
class Keeping:
    """How what is asked is kept for the next start.

    Attributes:
        is_on: Whether it is saved.
        file: The file to save in; None for a new one, made when there is something to save.
        offered: The session that can be taken up; None if none is offered.
    """

    is_on: bool = False
    file: SessionFile | None = None
    offered: Path | None = None

    @property
    def age(self) -> float:
        """For how many seconds the offered session has been there."""
        # Another program may have deleted it just now.
        with suppress(OSError):
            return time.time() - self.offered.stat().st_mtime if self.offered else 0.0
        return 0.0


class Sessions:
    """What has been asked, as a session: saves it by itself soon after each change, and shows one.

    Args:
        app: The application.
        keeping: How it is kept.
        opened: A session to show at once, if any.
        offers_tour: Whether the tour is offered where no session is.

    Attributes:
        welcome: The line above the footer of the first screen that offers something, if any.
    """

    def __init__(
        self, app: "AttnApp", keeping: Keeping, opened: "Restored | None", offers_tour: bool
    ) -> None:
        self._app = app
        self._is_on, self._file = keeping.is_on, keeping.file
        self._offered = keeping.offered
        self._opened = opened
        self._is_replay = opened is not None and not keeping.is_on
        self._views: dict[str, str] = dict(opened.session.views) if opened else {}
        """The views to show of instruments that are not open yet, by name."""
        self._pins: dict[str, Draft] = dict(opened.session.pins) if opened else {}
        """What to pin on instruments that are not open yet, by name."""
        self._screens: dict[str, InstrumentScreen] = {}
        """The screens of instruments that have been open, by name."""
        self._first = app.history
        """The history at the start, in which nobody has asked anything yet."""
        self._saved: Session | None = None
        self._saved_at = time.monotonic()
        self._is_waiting = self._is_saving = self._is_closed = False
        self._writing = Lock()
        self.welcome: Welcome | None = None
        if self._offered is not None:
            self.welcome = Welcome(offer_of_session(keeping.age))
        elif self._is_replay:
            self.welcome = Welcome(self._step)
        elif offers_tour:
            self.welcome = Welcome(TOUR)

    @property
    def _step(self) -> str:
        """At which of the steps one is, and how one goes through them, as markup."""
        history = self._app.history
        place = len(history.past) + 1
        return REPLAY.format(place=place, count=place + len(history.future))

    def show_step(self) -> None:
        """Say at which of somebody's steps one is, where they are gone through."""
        if self._is_replay and self.welcome is not None:
            self.welcome.update(self._step)

    # What has been asked

    @property
    def present(self) -> "Session":
        """What has been asked, and how it is shown."""
        # Imported here so that starting the program does not wait for it.
        from attn_tui.files.session import Session

        screens = self._screens.items()
        # What is shown first depends on the size, and nobody has chosen it.
        views = {name: one.view for name, one in screens if one.view != one.shown_first}
        pins = {name: one.pin for name, one in screens if one.pin}
        views, pins = self._views | views, self._pins | pins
        return Session.of(self._app.history, self._app.current_mode, views, pins)

    def text(self) -> Iterator[str]:
        """Yield what has been asked as the text of a file that others can replay."""
        from attn_tui.files.session import FilesInText, session_text

        return session_text(self.present, FilesInText())

    def open(self, screen: InstrumentScreen) -> None:
        """Give a new screen the view and the pin that it had."""
        screen.session_text = self.text
        screen.chosen_view = self._views.pop(screen.NAME, "")
        screen.chosen_pin = self._pins.pop(screen.NAME, None)
        self._screens[screen.NAME] = screen

    def show(self, session: "Session") -> None:
        """Go on with a session."""
        self._app.history = session.history
        self._views, self._pins = dict(session.views), dict(session.pins)
        for name, screen in self._screens.items():
            screen.restore_view(self._views.pop(name, ""))
            pin = self._pins.pop(name, None)
            if pin is not None:
                screen.restore_pin(pin)
        self._app.action_go(session.instrument)
        self._app.show()

    # The offer

    @property
    def has_offer(self) -> bool:
        """Whether a session can be taken up."""
        return self._offered is not None

    def close_offer(self) -> None:
        """Offer nothing any more."""
        self._offered = None
        if self.welcome is not None and self.welcome.close():
            self._app.refresh_bindings()

    def take_up(self) -> None:
        """Take up the session that is offered, if one is."""
        path = self._offered
        self.close_offer()
        if path is None:
            return
        from attn_tui.files.session import read_session
        from attn_tui.ui.session_file import ARRAYS

        try:
            opened = read_session(str(path), path.parent / ARRAYS)
        except InputError as error:
            aside = set_aside(path)
            message = UNREAD.format(problem=error.problem, expected=error.expected, path=aside)
            self._app.notify(message, severity="warning", timeout=12, markup=False)
            return
        self.show(opened.session)
        self._mention(opened)

    def mention_opened(self) -> None:
        """Say once what of the session shown at the start could not be found again."""
        opened, self._opened = self._opened, None
        if opened is not None:
            self._mention(opened)

    def _mention(self, opened: "Restored") -> None:
        for note in opened.notes:
            self._app.notify(note, severity="warning", timeout=12, markup=False)

    # Saving

    def note(self) -> None:
        """Note that something may have changed: it is saved soon."""
        if self._is_on and not self._is_waiting:
            self._is_waiting = True
            self._app.set_timer(SOON, self._save_soon)

    def _save_soon(self) -> None:
        """Save what has changed; while a key is held, only now and then."""
        self._is_waiting = False
        is_recent = time.monotonic() - self._saved_at < HELD
        if self._is_saving or (self._app.turns.typing.is_on and is_recent):
            self.note()
            return
        session = self._changed()
        if session is not None:
            self._is_saving = True
            work = partial(self._save_in_thread, session)
            self._app.run_worker(work, thread=True, group="session", exit_on_error=False)

    def _changed(self) -> "Session | None":
        """Return the present session, or None if it is saved, or nothing was asked."""
        if self._app.history is self._first:
            return None
        session = self.present
        return None if session == self._saved else session

    def _save_in_thread(self, session: "Session") -> None:
        reason = ""
        try:
            with WRITERS.other(), self._writing:
                # The end of the program has saved something newer.
                if not self._is_closed:
                    self._save(session)
        except NotKeptError as error:
            reason = str(error)
        self._app.call_from_thread(self._end_save, session, reason)

    def _save(self, session: "Session") -> None:
        """Save a session; only one thread does so at a time."""
        if self._file is None:
            self._file = SessionFile.begin()
        self._file.save(session)

    def _end_save(self, session: "Session", reason: str) -> None:
        self._is_saving = False
        self._saved, self._saved_at = session, time.monotonic()
        if reason:
            self._is_on = False
            message = NOT_KEPT.format(reason=reason)
            self._app.notify(message, severity="warning", markup=False)

    def close(self) -> None:
        """Save what has changed since the last save, at the end of the program."""
        session = self._changed() if self._is_on else None
        if session is not None:
            with self._writing, suppress(NotKeptError):
                self._is_closed = True
                self._save(session)
