"""What is remembered between runs: the first start, themes, and the progress of tours."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from attn_tui.captures.disk import place_of, regular
from attn_tui.compute.errors import InputError
from attn_tui.report.export import write_atomically

STARTED = "started"
"""The name of the file that is there from the first start on."""

LONGEST = 100
"""The most bytes read for a name, in case the file is something else and long."""

LOCK = "lock"
"""The name of the file that is locked while another one is read, changed and written."""

LONGEST_WAIT, PAUSE = 0.5, 0.005
"""Seconds to wait for other programs, and between two attempts."""

_OPENING = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""How the lock is opened: what a link leads to is neither created nor locked, and a pipe is not
waited for."""


class NoFolderError(OSError):
    """There is no folder to remember anything in; its text is the reason."""


def folder() -> Path:
    """Return the folder in which the program keeps its own notes; it may not be there yet.

    Raises:
        NoFolderError: If XDG_STATE_HOME is no absolute path, or there is neither that nor a home.
    """
    state = os.environ.get("XDG_STATE_HOME", "")
    if state:
        if not os.path.isabs(state):
            # The specification calls it invalid; a folder would appear wherever one works.
            raise NoFolderError("XDG_STATE_HOME is no absolute path")
        return Path(state, "attn-tui")
    # Without HOME and an entry for the user, "~" stays as it is; with an empty HOME it is "/".
    if os.environ.get("HOME") == "" or not os.path.isabs(os.path.expanduser("~")):
        raise NoFolderError("there is no home directory")
    # Imported here because most commands remember nothing.
    from platformdirs import user_state_path

    return user_state_path("attn-tui", appauthor=False)


def _read(name: str, most: int) -> bytes:
    """Return the first bytes of a file of the folder; nothing if it cannot be read."""
    with suppress(OSError), regular(str(folder() / name)) as file:
        return file.read(most)
    return b""


def _write(name: str, text: str) -> str:
    """Write a file of the folder, atomically; return why that is impossible, or nothing.

    A symbolic link is replaced, since what it leads to may be anything.
    """
    try:
        place = folder()
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(str(place / name), [text], follows=False)
    except NoFolderError as error:
        return str(error)
    except InputError as error:
        return f"{error.where}: {error.problem}"
    except OSError as error:
        return f"{place_of(str(place))}: {error.strerror}"
    return ""


@contextmanager
def locked() -> Iterator[None]:
    """Keep other programs from changing the folder for the length of a block.

    The lock is the operating system's, which takes it back from a program that has ended. Where
    there is no lock, or a stopped program keeps it, the block runs without one after a while: it
    can lose what others wrote at the same moment, and never waits for ever.
    """
    descriptor = None
    with suppress(OSError):
        place = folder()
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(place / LOCK, _OPENING, 0o600)
    try:
        if descriptor is not None:
            _lock(descriptor)
        yield
    finally:
        # Closing it gives the lock back.
        if descriptor is not None:
            os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Lock a file, or give up where there are no locks or it takes too long."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # Windows has none.
        return
    end = monotonic() + LONGEST_WAIT
    while monotonic() < end:
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            sleep(PAUSE)
        except OSError:  # The file system has no locks.
            return
        else:
            return


def is_first_start() -> bool:
    """Return whether the program has never been started before, and remember that it has.

    Where nothing can be remembered, no start is the first.
    """
    if _read(STARTED, LONGEST):
        return False
    with locked():
        # Of several that start at once, one is the first.
        return not _read(STARTED, LONGEST) and not _write(STARTED, "yes\n")


def remembered_theme() -> str:
    """Return the name of the theme chosen last, or nothing."""
    with suppress(UnicodeDecodeError):
        return _read("theme", LONGEST).decode().strip()
    return ""


def remember_theme(name: str) -> str:
    """Save the name of a theme; return why that is impossible, or nothing."""
    return _write("theme", f"{name}\n")


def remembered_background() -> str:
    """Return ``"light"`` or ``"dark"``, as the terminal said last; nothing if it never did."""
    with suppress(UnicodeDecodeError):
        shade = _read("background", LONGEST).decode().strip()
        return shade if shade in ("light", "dark") else ""
    return ""


def remember_background(shade: str) -> None:
    """Save whether the terminal is light or dark, if that is known and new."""
    if shade and shade != remembered_background():
        _write("background", f"{shade}\n")


MOST_TOURS, LONGEST_TOURS = 20, 20_000
"""The most tours remembered, which are the latest, and the most bytes they take."""


def remembered_tour(name: str) -> tuple[int, tuple[Any, ...]]:
    """Return the step at which a tour was left and the picks so far, or its beginning."""
    match _tours().get(name):
        case {"step": int(step), "picks": [*picks]}:
            return step, tuple(picks)
    return 0, ()


def remember_tour(name: str, step: int, picks: Sequence[int | None]) -> None:
    """Save the step and the picks of a tour, if possible; other programs may save theirs."""
    with locked():
        tours = _tours()
        tours.pop(name, None)
        tours[name] = {"step": step, "picks": [*picks]}
        text = json.dumps(tours)
        while len(tours) > MOST_TOURS or (len(text) >= LONGEST_TOURS and len(tours) > 1):
            # The first is the one that was left longest ago.
            tours.pop(next(iter(tours)))
            text = json.dumps(tours)
        _write("tour", f"{text}\n")


def _tours() -> dict[str, Any]:
    """Return the tours in the file; none if the file is damaged."""
    with suppress(ValueError, RecursionError):
        tours = json.loads(_read("tour", LONGEST_TOURS))
        return tours if isinstance(tours, dict) else {}
    return {}
