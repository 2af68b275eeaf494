"""Where sessions lie: a file for each running program, and beside it a lock while it runs."""

import json
import os
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import time
from typing import TYPE_CHECKING

from attn_tui.captures.disk import place_of, regular
from attn_tui.compute.errors import InputError, inert
from attn_tui.report.export import TEMPORARY, write_atomically
from attn_tui.ui.memory import NoFolderError, folder, locked
from attn_tui.ui.session_names import ENDING

if TYPE_CHECKING:
    from attn_tui.files.session import Session

FOLDER, ARRAYS, LOCKED = "sessions", "arrays", ".lock"
"""The folder of sessions, that of their arrays inside of it, and how the name of a lock ends."""

MOST_FREE = 10
"""The most sessions kept that nobody has open, the newest."""

FRESH = 3_600
"""Seconds for which an array is kept that no session names yet, and half a file."""

LONGEST_LOCK = 1_000
"""The most bytes of a lock."""

_OPENING = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class NotKeptError(OSError):
    """A session cannot be kept; its text is the reason."""


class SessionFile:
    """The file in which a running program keeps what is asked.

    The lock beside it is held until the process ends, however it ends.

    Args:
        path: The file; it appears with the first save.
        arrays: The folder of the arrays that it names; it appears with the first of them.
    """

    def __init__(self, path: Path, arrays: Path) -> None:
        self.path, self.arrays = path, arrays

    @classmethod
    def begin(cls) -> "SessionFile":
        """Return a new file in the folder of sessions, and delete the oldest of the others.

        Raises:
            NotKeptError: If there is no folder for it.
        """
        with _refusals():
            sessions = folder() / FOLDER
            sessions.mkdir(mode=0o700, parents=True, exist_ok=True)
            name = f"{datetime.now():%Y%m%d-%H%M%S}-{os.urandom(3).hex()}{ENDING}"
            with locked():
                file = cls(sessions / name, sessions / ARRAYS)
                file.take()
                _prune(sessions)
        return file

    @classmethod
    def at(cls, path: str) -> "SessionFile":
        """Return the file at a path, which may be there already.

        Raises:
            InputError: With field ``"session"``, if another program has it open.
            NotKeptError: If nothing can be written there.
        """
        place = Path(os.path.abspath(os.path.expanduser(path)))
        file = cls(place, place.with_name(f"{place.name}.arrays"))
        with _refusals():
            holder = _holder(file.lock) if place.exists() else None
            if holder is not None and holder.is_alive:
                problem = f"process {holder.process} on {inert(holder.host)} has it open"
                raise InputError("session", problem, "a file of its own", place_of(path))
            file.take()
        return file

    @property
    def lock(self) -> Path:
        """The lock beside the file."""
        return self.path.with_name(f"{self.path.name}{LOCKED}")

    def take(self) -> None:
        """Hold the lock, and say in it who does; where there are no locks, only say it."""
        # It stays open, so that the system lets go the lock when the process ends.
        descriptor = os.open(self.lock, _OPENING, 0o600)
        is_locked = _locks(descriptor)
        who = {"host": socket.gethostname(), "process": os.getpid(), "locks": is_locked}
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{json.dumps(who)}\n".encode())

    def save(self, session: "Session") -> None:
        """Write a session, whole or not at all.

        Raises:
            NotKeptError: If that is impossible.
        """
        # Imported here so that starting the program does not wait for it.
        from attn_tui.files.session import FilesInFolder, session_text

        with _refusals():
            pieces = session_text(session, FilesInFolder(self.arrays))
            write_atomically(str(self.path), pieces, follows=False)


def newest() -> Path | None:
    """Return the newest session that a program on this host has left, if there is any."""
    with suppress(OSError):
        return next(iter(_free(folder() / FOLDER)), None)
    return None


def set_aside(path: Path) -> Path:
    """Rename a session that cannot be read, so that it is not offered again; return its place."""
    aside = path.with_name(f"{path.name}.unread")
    with suppress(OSError):
        path.rename(aside)
        return aside
    return path


@dataclass(frozen=True)
class _Holder:
    """Who holds, or held, a lock."""

    host: str
    process: int
    is_alive: bool


def _holder(lock: Path) -> _Holder | None:
    """Return who holds a lock; None if nobody does, or there is no telling."""
    try:
        with regular(str(lock)) as file:
            who = json.loads(file.read(LONGEST_LOCK))
            host, process = str(who["host"]), int(who["process"])
            locks = bool(who["locks"])
            is_alive = not _locks(file.fileno()) if locks else True
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        return _Holder("", 0, True)
    return _Holder(host, process, is_alive or host != socket.gethostname())


def _locks(descriptor: int) -> bool:
    """Lock an open file, and return whether that was possible."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # Windows has none.
        return False
    try:
        flock(descriptor, LOCK_EX | LOCK_NB)
    except OSError:
        return False
    return True


def _free(sessions: Path) -> list[Path]:
    """Return the sessions that nobody has open, the newest first."""
    free = []
    for path in sessions.glob(f"*{ENDING}"):
        holder = _holder(path.with_name(f"{path.name}{LOCKED}"))
        if holder is not None and not holder.is_alive:
            free.append(path)
    return sorted(free, key=lambda path: path.stat().st_mtime_ns, reverse=True)


def _prune(sessions: Path) -> None:
    """Delete all free sessions but the newest, and what is of no use to any that stays.

    That is locks of none, halves that killed programs have left, and arrays that none names.
    """
    for path in _free(sessions)[MOST_FREE:]:
        with suppress(OSError):
            path.unlink()
    # Also those of programs that ended before anything was asked.
    for lock in sessions.glob(f"*{ENDING}{LOCKED}"):
        holder = _holder(lock)
        if not lock.with_suffix("").exists() and holder is not None and not holder.is_alive:
            with suppress(OSError):
                lock.unlink()
    for half in _old(sessions.glob(f"{TEMPORARY}*")):
        with suppress(OSError):
            half.unlink()
    _prune_arrays(sessions)


def _old(paths: Iterable[Path]) -> list[Path]:
    """Return the files that no running program can be about to use."""
    old = []
    for path in paths:
        # Another program may just have finished it.
        with suppress(OSError):
            if time() - path.stat().st_mtime > FRESH:
                old.append(path)
    return old


def _prune_arrays(sessions: Path) -> None:
    """Delete the arrays that no session names, unless one may be about to."""
    old = _old((sessions / ARRAYS).glob("*"))
    if not old:
        return
    from attn_tui.files.session import kept_names

    named: set[str] = set()
    for path in sessions.glob(f"*{ENDING}*"):
        if not path.name.endswith(LOCKED):
            named |= kept_names(str(path))
    for path in old:
        if path.name not in named:
            with suppress(OSError):
                path.unlink()


@contextmanager
def _refusals() -> Iterator[None]:
    """Say in one type of error why nothing can be kept."""
    try:
        yield
    except NoFolderError as error:
        raise NotKeptError(str(error)) from None
    except InputError as error:
        if error.field == "session":
            raise
        raise NotKeptError(f"{error.where}: {error.problem}") from None
    except OSError as error:
        place = place_of(str(error.filename)) if error.filename else "its file"
        raise NotKeptError(f"{place}: {error.strerror or 'it cannot be written'}") from None
