"""Fingerprints, which tell one version of a capture's files from another."""

import hashlib
from dataclasses import dataclass
from typing import NoReturn

from attn_tui.captures.disk import opened, place_of
from attn_tui.compute.errors import InputError


@dataclass(frozen=True)
class FileMark:
    """One file as it was when it was opened.

    Attributes:
        path: The path of the file.
        size: Its size in bytes.
        header: A hash of the part that lists its tensors.
        modified: When it was last written, in nanoseconds.
    """

    path: str
    size: int
    header: str
    modified: int

    def check(self) -> None:
        """Check by size and time that the file has not changed.

        Raises:
            InputError: With field ``"capture"``, naming the file, if it has changed.
        """
        with opened(self.path) as disk:
            if (disk.size, disk.modified) != (self.size, self.modified):
                refuse_changed(self.path)


@dataclass(frozen=True)
class MemoryMark(FileMark):
    """Arrays in memory, which are whose they are: nothing says whether they have changed."""

    def check(self) -> None:
        """Check nothing."""


def refuse_changed(path: str) -> NoReturn:
    """Raise the error for a file that has changed."""
    problem, expected = "it has changed since it was opened", "the same file; open it again"
    raise InputError("capture", problem, expected, place_of(path))


@dataclass(frozen=True)
class Fingerprint:
    """Marks of all files of a capture, by which a worker elsewhere knows that it is the same."""

    files: tuple[FileMark, ...]

    @property
    def digest(self) -> str:
        """A short hash of sizes and headers; the same wherever and whenever files are read."""
        text = "\n".join(f"{mark.size} {mark.header}" for mark in self.files)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def verify(self) -> None:
        """Check by size and time that no file has changed.

        Raises:
            InputError: With field ``"capture"``, naming the first file that is missing or changed.
        """
        for mark in self.files:
            mark.check()
