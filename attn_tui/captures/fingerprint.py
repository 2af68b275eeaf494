"""What tells one version of a capture's files from another."""

import hashlib
from dataclasses import dataclass
from typing import NoReturn

from attn_tui.captures.disk import opened, place_of
from attn_tui.compute.errors import InputError


@dataclass(frozen=True)
class FileMark:
    """One file as it was when it was opened.

    Attributes:
        path: Where it is.
        size: Its bytes.
        header: A hash of what lists its tensors.
        modified: When it was last written, in nanoseconds.
    """

    path: str
    size: int
    header: str
    modified: int

    def check(self) -> None:
        """Raise InputError if the file is another now, by its size and time.

        Raises:
            InputError: With field ``"capture"``, naming the file.
        """
        with opened(self.path) as disk:
            if (disk.size, disk.modified) != (self.size, self.modified):
                refuse_changed(self.path)


def refuse_changed(path: str) -> NoReturn:
    """Raise the error for a file that is another than it was."""
    problem, expected = "it has changed since it was opened", "the same file; open it again"
    raise InputError("capture", problem, expected, place_of(path))


@dataclass(frozen=True)
class Fingerprint:
    """All files of a capture, so that one that reads it elsewhere knows it is the same."""

    files: tuple[FileMark, ...]

    @property
    def digest(self) -> str:
        """A short text that differs if any file does, wherever the files are and whenever read."""
        text = "\n".join(f"{each.size} {each.header}" for each in self.files)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def verify(self) -> None:
        """Check that each file is the one it was, by its size and time.

        Raises:
            InputError: With field ``"capture"``, naming the first file that is missing or another.
        """
        for each in self.files:
            each.check()
