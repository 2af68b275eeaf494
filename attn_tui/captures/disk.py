"""Open files of captures, on disk or the example, and name them in every error."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from stat import S_ISDIR, S_ISREG
from typing import BinaryIO, NoReturn

from attn_tui.captures.suffixes import EXAMPLE_NAME
from attn_tui.compute.errors import InputError, inert

READ = "attn_tui.read"
"""What Python's audit hooks are told before a file is looked at; its argument is the path."""

_REASONS: Mapping[type[Exception], str] = {
    FileNotFoundError: "there is no such file",
    IsADirectoryError: "it is a directory",
    PermissionError: "it may not be read",
}


class IrregularError(OSError):
    """A pipe, a device or the like stands where a file should."""


def reason_of(error: OSError) -> tuple[str, str]:
    """Return why a file cannot be read, in words, and what was expected."""
    if isinstance(error, IrregularError):
        return "it is no regular file", "a file on a disk"
    reason = _REASONS.get(type(error)) or error.strerror or "it cannot be read"
    return reason, "a file that can be read"


def regular(path: str) -> BinaryIO:
    """Open a regular file for reading: a pipe may never end, and opening one may never return.

    Raises:
        IrregularError: If it is a pipe or a device, which is then not opened.
        OSError: If it cannot be opened.
    """
    # Where files are shut to whoever asks, even whether one is there is not told.
    sys.audit(READ, path)
    try:
        _check_regular(os.stat(path).st_mode)
        # Another file may take its place before it is opened, so its type is checked again.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except ValueError:  # The path holds a character that no path can.
        raise OSError from None
    try:
        _check_regular(os.fstat(descriptor).st_mode)
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _check_regular(mode: int) -> None:
    if S_ISDIR(mode):
        raise IsADirectoryError
    if not S_ISREG(mode):
        raise IrregularError


def _read_after_seeking(descriptor: int, size: int, begins: int) -> bytes:
    os.lseek(descriptor, begins, os.SEEK_SET)
    return os.read(descriptor, size)


# Windows has no pread; seeking is safe, since a descriptor belongs to one thread.
read_at = getattr(os, "pread", _read_after_seeking)


def place_of(path: str) -> str:
    """Return a path for an error; a long one is cut to its end, which says most."""
    return inert(path if len(path) <= 80 else f"…{path[-79:]}", 80)


def refuse(path: str, problem: str, expected: str) -> NoReturn:
    """Raise the error for a file, with field ``"capture"``."""
    raise InputError("capture", problem, expected, place_of(path)) from None


@dataclass(frozen=True)
class Disk:
    """A file that is open for reading.

    Attributes:
        path: The path of the file.
        size: Its size in bytes when it was opened.
        modified: When it was last written, in nanoseconds.
        descriptor: The file descriptor of the operating system.
    """

    path: str
    size: int
    modified: int
    descriptor: int

    def read(self, begins: int, size: int) -> bytes:
        """Return `size` bytes from a place on.

        Raises:
            InputError: If the file ends too early.
        """
        pieces, missing = [], size
        while missing:
            piece = read_at(self.descriptor, missing, begins + size - missing)
            if not piece:
                refuse(self.path, "it ends too early", "a complete file")
            pieces.append(piece)
            missing -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def read_all(self, begins: Sequence[int], size: int) -> bytes:
        """Return `size` bytes from each of several places on, joined.

        Raises:
            InputError: If the file ends too early.
        """
        data = b"".join([read_at(self.descriptor, size, place) for place in begins])
        if len(data) == size * len(begins):
            return data
        return b"".join(self.read(place, size) for place in begins)


@dataclass(frozen=True)
class MemoryDisk(Disk):
    """A file in memory instead of on disk.

    Attributes:
        data: The bytes of the file.
    """

    data: bytes = field(repr=False)

    def read(self, begins: int, size: int) -> bytes:
        """Return `size` bytes from a place on, which must exist."""
        return self.data[begins : begins + size]

    def read_all(self, begins: Sequence[int], size: int) -> bytes:
        """Return `size` bytes from each of several places on, joined."""
        return b"".join(self.read(place, size) for place in begins)


@contextmanager
def opened(path: str) -> Iterator[Disk]:
    """Open a regular file, or the example, and close it at the end of the block.

    Raises:
        InputError: With field ``"capture"``, naming the file, if it cannot be opened or read.
    """
    if path == EXAMPLE_NAME:
        from attn_tui.captures.example import example_file

        data = example_file()
        yield MemoryDisk(path, len(data), 0, -1, data)
        return
    try:
        with regular(path) as file:
            status = os.fstat(file.fileno())
            yield Disk(path, status.st_size, status.st_mtime_ns, file.fileno())
    except OSError as error:
        refuse(path, *reason_of(error))
