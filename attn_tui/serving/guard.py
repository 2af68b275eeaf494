"""Shuts files, folders, processes and connections to the process of a visitor.

Whoever sits at the program can name any file, in a dozen places. Python tells an audit hook before
it opens one, wherever that is asked for, and a hook stays until the process ends: what it refuses
cannot be reached by a way that nobody thought of.
"""

import os
import sys
from collections.abc import Collection, Iterable
from errno import EACCES
from pathlib import Path

import attn_tui
from attn_tui.captures.disk import READ

CHANGING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

DEVICES = ("/dev/null", "/dev/tty")

LISTING = ("os.listdir", "os.scandir")

REFUSED = frozenset({
    "os.chmod", "os.chown", "os.exec", "os.fork", "os.forkpty", "os.link", "os.mkdir",
    "os.posix_spawn", "os.remove", "os.rename", "os.rmdir", "os.spawn",
    "os.startfile", "os.symlink",
    "os.system", "os.truncate", "os.utime", "pty.spawn", "shutil.copyfile", "shutil.move",
    "shutil.rmtree", "socket.bind", "socket.connect", "socket.getaddrinfo", "socket.sendto",
    "subprocess.Popen", "webbrowser.open",
})  # fmt: skip
"""What is refused whatever it is about."""

REASON = "this program reads and writes nothing on its server"


class Guard:
    """Refuses what a visitor must not do.

    Args:
        readable: Paths of files that may be read, and of folders with all that is in them.
    """

    def __init__(self, readable: Iterable[str]) -> None:
        package, *others = map(real, code())
        self._readable = [package, *map(real, readable)]
        self._importable = [*self._readable, *others]
        self._devices = [*DEVICES, *(os.ttyname(0) for _ in range(os.isatty(0)))]

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        """Raise PermissionError before something is done that is refused."""
        if event == "open":
            self._open(*arguments)
        elif event == READ:
            self._check(arguments[0], self._readable)
        elif event in LISTING:
            self._check(arguments[0], self._importable)
        elif event in REFUSED:
            raise PermissionError(EACCES, REASON)

    def _open(self, path: object, mode: object, flags: object) -> None:
        if isinstance(path, int) or path in self._devices:
            # It is open already.
            return
        if isinstance(flags, int) and flags & CHANGING:
            raise PermissionError(EACCES, REASON, path)
        self._check(path, self._importable)

    def _check(self, path: object, allowed: Collection[Path]) -> None:
        """Refuse a path that is not below one of those that are allowed."""
        if isinstance(path, int):
            return
        place = real(os.fsdecode(path)) if isinstance(path, str | bytes | os.PathLike) else None
        if place is None or not any(place.is_relative_to(one) for one in allowed):
            raise PermissionError(EACCES, REASON, path)


def shut(readable: Iterable[str]) -> None:
    """Refuse this process, until its end, all but its own code and what is readable.

    Args:
        readable: Paths of files, and of folders with all that is in them.
    """
    sys.addaudithook(Guard(readable))


def code() -> list[str]:
    """Return the folders that Python imports from; of the one with our package, the package."""
    package = Path(attn_tui.__file__).parent
    folders = [path for path in sys.path if path and Path(path) != Path.cwd()]
    folders = [path for path in folders if real(path) != package.parent or "-packages" in path]
    return [str(package), *folders]


def real(path: str) -> Path:
    """Return where a path leads, whatever links and dots are in it."""
    return Path(os.path.realpath(path))
