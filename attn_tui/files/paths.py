"""Paths as they are shown and typed, and the true ones: a name may hold what no screen may show."""

import glob
import os
import re
from contextlib import suppress

from attn_tui.captures.suffixes import EXAMPLE_NAME
from attn_tui.compute.visible import escape, visible

_ESCAPED = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")


def shown_path(path: str) -> str:
    r"""Return a path as it is shown, and may be typed: all of it visible.

    A backslash that would begin an escape is one itself, so that no two paths look the same.

    >>> shown_path("a" + chr(27) + ".txt")
    'a\\x1b.txt'
    """
    return visible(_ESCAPED.sub(lambda found: f"{escape(chr(92))}{found[0][1:]}", path))


def true_path(text: str) -> str:
    r"""Return the path that a shown or typed one means; ``~`` is the home directory.

    Escapes that `shown_path` does not write stay what they are.

    >>> true_path(shown_path("a" + chr(27) + ".txt")) == "a" + chr(27) + ".txt"
    True
    """
    return os.path.expanduser(_ESCAPED.sub(_unescaped, text))


def _unescaped(found: re.Match[str]) -> str:
    number = int(found[1] or found[2] or found[3], 16)
    character = chr(number) if number < 0x110000 else found[0]
    return character if character == "\\" or visible(character) == found[0] else found[0]


def absolute(path: str) -> str:
    """Return a path that means the same in every folder."""
    return path if path == EXAMPLE_NAME else os.path.abspath(os.path.expanduser(path))


def folder_of(path: str) -> str:
    """Return the folder of a file, or of the working directory nothing."""
    return os.path.dirname(os.path.expanduser(path))


def beside(path: str, folder: str) -> str:
    """Return where a file is, or a pattern of such: as its path says, or in a folder if only there.

    Args:
        path: As it was saved; relative to the folder or the working directory, or absolute.
        folder: Of what it was saved in, which may have been moved together with it.
    """
    if path == EXAMPLE_NAME:
        return path
    path = os.path.expanduser(path)
    tried = (path, os.path.join(folder, path), os.path.join(folder, os.path.basename(path)))
    with suppress(ValueError):  # It holds what no path can.
        return next((each for each in tried if os.path.lexists(each) or glob.glob(each)), path)
    return path


def entries(folder: str) -> list[str]:
    """Return the names in a folder, sorted, those of folders with a slash behind; or nothing."""
    names = []
    # Neither a folder that may not be entered nor a name that no file can have is an error here.
    with suppress(OSError, ValueError):
        for each in os.scandir(folder or "."):
            is_folder = False
            with suppress(OSError):
                is_folder = each.is_dir()
            names.append(each.name + os.sep * is_folder)
    return sorted(names)
