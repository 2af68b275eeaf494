"""An answer written to a file, whole or not at all, in the form its suffix names."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from secrets import token_hex
from stat import S_ISDIR, S_ISREG

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.explore import Answer, VectorAnswer
from attn_tui.report import csv, json, text

RENDERS: Mapping[str, Callable[..., Iterator[str]]] = {
    ".txt": text.render,
    ".json": json.render,
    ".csv": csv.render,
}
"""What writes an answer, by the suffix of the file."""

_EXPECTED = "a name that ends in .txt, .json or .csv, or in .svg for a picture of the screen"


def export(path: str, answer: Answer, pinned: VectorAnswer | None = None) -> None:
    """Write an answer to a file, in place of one that is there; ``~`` is the home directory.

    Args:
        path: Its suffix says in which form: ``.txt``, ``.json`` or ``.csv``.
        answer: What to write, all keys of it.
        pinned: What to compare each vector of it with, if anything; a CSV file then holds the
            comparison alone.

    Raises:
        InputError: With field ``"file"``, if the suffix is none of these or the file cannot be
            written; what was there is then as it was.
    """
    render = RENDERS.get(PurePath(path).suffix.lower())
    if render is None:
        raise InputError("file", "its suffix is none of ours", _EXPECTED, _place(path))
    write_whole(path, render(answer, pinned=() if pinned is None else (pinned,)))


def write_whole(path: str, pieces: Iterable[str]) -> None:
    """Write text to a file piece by piece, whole or not at all; ``~`` is the home directory.

    The text goes to a new file beside it, which then takes its place and its permissions.

    Raises:
        InputError: With field ``"file"``, if it cannot be written; what was there is then as it
            was.
    """
    try:
        target, mode = _target(path)
        beside = target.with_name(f".{target.name[:100]}.{token_hex(4)}")
        _write(beside, target, mode, pieces)
    except OSError as error:
        reason = _REASONS.get(type(error)) or error.strerror or "it cannot be written"
        raise InputError("file", reason, "a file that can be written", _place(path)) from None


def _target(path: str) -> tuple[Path, int | None]:
    """Return the file that a path names, and its permissions if it is there and may be replaced."""
    try:
        # What a symbolic link points to is replaced, not the link.
        target = Path(os.path.realpath(os.path.expanduser(path)))
        mode = target.stat().st_mode
    except FileNotFoundError:
        return target, None
    except ValueError:
        raise InputError("file", "there can be no such file", "a path", _place(path)) from None
    if S_ISDIR(mode):
        raise IsADirectoryError
    if not S_ISREG(mode):
        raise InputError("file", "it is no regular file", "a file on a disk", _place(path))
    if not os.access(target, os.W_OK):
        raise PermissionError
    return target, mode & 0o777


def _write(beside: Path, target: Path, mode: int | None, pieces: Iterable[str]) -> None:
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "w", encoding="utf-8", errors="replace", newline="") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(beside, mode)
        os.replace(beside, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise


_REASONS: Mapping[type[Exception], str] = {
    FileNotFoundError: "there is no such folder",
    NotADirectoryError: "there is no such folder",
    IsADirectoryError: "it is a directory",
    PermissionError: "it may not be written",
}


def _place(path: str) -> str:
    """Return a path as errors name it; of a long one its end, which says most."""
    return inert(path if len(path) <= 80 else f"…{path[-79:]}", 80)
