"""Keeps what is asked while the program runs, and takes up what was asked before."""

import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from attn_tui.compute.errors import InputError
from attn_tui.ui.leaving import WRITERS
from attn_tui.ui.session_file import NotKeptError, SessionFile, set_aside

if TYPE_CHECKING:
    from attn_tui.files.session import Restored, Session
    from attn_tui.ui.app import AttnApp

SOON, HELD = 0.5, 5.0
"""Seconds after a change at which it is saved, and between two saves while a key is held."""

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
    """Saves what is asked by itself, in a thread, soon after each change.

    Args:
        app: The application.
        keeping: How it is kept.
    """

    def __init__(self, app: "AttnApp", keeping: Keeping) -> None:
        self._app = app
        self._is_on, self._file = keeping.is_on, keeping.file
        self.offered = keeping.offered
        self._first = app.history
        """The history at the start, in which nobody has asked anything yet."""
        self._saved: Session | None = None
        self._saved_at = time.monotonic()
        self._is_waiting = self._is_saving = self._is_closed = False
        self._writing = Lock()

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
        session = self._app.session
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

    def take_up(self) -> bool:
        """Take up the session that is offered, and return whether there is one."""
        path, self.offered = self.offered, None
        if path is None:
            return False
        from attn_tui.files.session import read_session
        from attn_tui.ui.session_file import ARRAYS

        try:
            opened = read_session(str(path), path.parent / ARRAYS)
        except InputError as error:
            aside = set_aside(path)
            message = UNREAD.format(problem=error.problem, expected=error.expected, path=aside)
            self._app.notify(message, severity="warning", timeout=12, markup=False)
            return True
        self.show(opened)
        return True

    def show(self, opened: "Restored") -> None:
        """Show a session, and say what of it could not be found again."""
        self._app.come_to_session(opened.session)
        self.mention(opened)

    def mention(self, opened: "Restored") -> None:
        """Say what of a session could not be found again."""
        for note in opened.notes:
            self._app.notify(note, severity="warning", timeout=12, markup=False)
