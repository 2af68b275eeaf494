"""The files that scores were read from, which a command line can name while they are the same."""

import os
from dataclasses import dataclass, replace

from attn_tui.compute.source import Kind

Stamp = tuple[int, ...] | None
"""What a file becomes another by: None if there is none."""


@dataclass(frozen=True)
class Origin:
    """Files that scores were read from.

    Attributes:
        arguments: Those of a command line that read them again.
        stamps: The path of each file, and what it was before it was read.
        kind: The kind of source that they are.
        text: Its text.
    """

    arguments: tuple[str, ...]
    stamps: tuple[tuple[str, Stamp], ...]
    kind: Kind = ""
    text: str = ""

    @property
    def is_unchanged(self) -> bool:
        """Whether the files are, by size and time, what they were: none is read for that."""
        return all(was is not None and was == _stamp(path) for path, was in self.stamps)

    def of(self, kind: Kind, text: str) -> "Origin":
        """Return that of a source with a text."""
        return replace(self, kind=kind, text=text)


def origin_of(arguments: tuple[str, ...], paths: tuple[str, ...]) -> Origin:
    """Return the origin of what is read from files now, or soon."""
    return Origin(arguments, tuple((path, _stamp(path)) for path in paths))


def _stamp(path: str) -> Stamp:
    try:
        found = os.stat(os.path.expanduser(path))
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
