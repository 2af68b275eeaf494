"""Writes a report to a file, whole or not at all, in the form that the suffix names."""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from stat import S_ISDIR, S_ISLNK, S_ISREG

from attn_tui.captures.disk import place_of
from attn_tui.compute.errors import InputError

Forms = Mapping[str, Callable[[], Iterable[str | bytes]]]
"""The forms that can be written, by suffix: each returns text or bytes in pieces."""


TEMPORARY = ".attn-tui."
"""How the name of a file begins that is not whole yet; a program that is killed may leave it."""


def export(path: str, forms: Forms) -> None:
    """Write to a file, replacing one that exists; ``~`` is the home directory.

    Args:
        path: The file; its suffix chooses the form.
        forms: The forms, by suffix in lower case.

    Raises:
        InputError: With field ``"file"``, if there is no form for the suffix or the file cannot be
            written; an existing file is then unchanged.
    """
    form = forms.get(PurePath(path).suffix.lower())
    if form is None:
        *others, last = forms
        ends = " or ".join(filter(None, (", ".join(others), last)))
        expected = f"a name that ends in {ends}"
        raise InputError("file", "its suffix is none of ours", expected, place_of(path))
    write_atomically(path, form())


def write_atomically(path: str, pieces: Iterable[str | bytes], follows: bool = True) -> None:
    """Write text or bytes in pieces to a file, whole or not at all; ``~`` is the home directory.

    They go to a new file beside it, which then takes its place and its permissions.

    Args:
        path: The file.
        pieces: What it is to hold.
        follows: Whether the target of a symbolic link is replaced, or the link itself.

    Raises:
        InputError: With field ``"file"``, if it cannot be written; an existing file is then
            unchanged.
    """
    try:
        target, mode = _target(path, follows)
        # With a short name, since the name of the file may be as long as names can be.
        temporary = target.with_name(f"{TEMPORARY}{os.urandom(8).hex()}")
        _write(temporary, target, mode, pieces)
    except OSError as error:
        reason = _REASONS.get(type(error)) or error.strerror or "it cannot be written"
        raise InputError("file", reason, "a file that can be written", place_of(path)) from None


def _target(path: str, follows: bool) -> tuple[Path, int | None]:
    """Return the file that a path names, and its permissions if it exists and may be replaced."""
    target = Path(os.path.expanduser(path))
    try:
        if follows:
            target = Path(os.path.realpath(target))
        mode = os.stat(target, follow_symlinks=follows).st_mode
    except FileNotFoundError:
        return target, None
    except ValueError:
        raise InputError("file", "there can be no such file", "a path", place_of(path)) from None
    if S_ISLNK(mode):
        return target, None
    if S_ISDIR(mode):
        raise IsADirectoryError
    if not S_ISREG(mode):
        raise InputError("file", "it is no regular file", "a file on a disk", place_of(path))
    if not os.access(target, os.W_OK):
        raise PermissionError
    return target, mode & 0o777


def _write(temporary: Path, target: Path, mode: int | None, pieces: Iterable[str | bytes]) -> None:
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "wb") as file:
            for piece in pieces:
                file.write(piece.encode(errors="replace") if isinstance(piece, str) else piece)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


_REASONS: Mapping[type[Exception], str] = {
    FileNotFoundError: "there is no such folder",
    NotADirectoryError: "there is no such folder",
    IsADirectoryError: "it is a directory",
    PermissionError: "it may not be written",
}
