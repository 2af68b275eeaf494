"""Files as bytes or text: opened, checked for their size, read whole, and named in every error."""

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import PurePath
from typing import BinaryIO

from attn_tui.captures.disk import place_of as shown_place
from attn_tui.captures.disk import reason_of, regular
from attn_tui.compute.errors import InputError
from attn_tui.files.entries import problem
from attn_tui.files.grammar import plain_lines
from attn_tui.files.limits import LARGEST_TEXT

STANDARD_INPUT = "standard input"


@contextmanager
def opened(path: str, field: str, suffixes: tuple[str, ...] = ()) -> Iterator[BinaryIO]:
    """Open a regular file, or standard input, and name it in every error that is raised inside.

    Args:
        path: Of the file; ``-`` is standard input.
        field: Of the errors.
        suffixes: Of which the file has one, if any are given.
    """
    where, path = place_of(path), os.path.expanduser(path)
    try:
        with _binary(path) as file:
            if suffixes and PurePath(path).suffix.lower() not in suffixes:
                raise problem("its suffix is none of ours", " or ".join(suffixes))
            yield file
    except InputError as error:
        inside = f"{where}, {error.where}" if error.where else where
        raise InputError(field, error.problem, error.expected, inside, error.line) from None
    except OSError as error:
        raise InputError(field, *reason_of(error), where) from None


def _binary(path: str) -> AbstractContextManager[BinaryIO]:
    if path != "-":
        return regular(path)
    if sys.stdin is None:
        raise OSError
    return nullcontext(sys.stdin.buffer)


def size_of(file: BinaryIO) -> int:
    """Return the bytes that a file says it has; 0 where it does not say, as a pipe."""
    try:
        return os.fstat(file.fileno()).st_size
    except OSError:
        return 0


def read_bytes(file: BinaryIO, most: int) -> bytes:
    """Return the rest of a file.

    Raises:
        InputError: If it is more than so many bytes, with field ``"scores"``.
    """
    size = size_of(file)
    if size <= most:
        # What says nothing of its size, or grows, may still be more.
        data = file.read(most + 1)
        size = len(data)
    if size > most:
        raise problem("it is too large", f"at most {most:,} bytes")
    return data


def read_text(file: BinaryIO, most: int = LARGEST_TEXT, begun: bytes = b"") -> str:
    r"""Return the UTF-8 text of a file, all its lines ended by ``\n``.

    Args:
        file: Read from where it stands.
        most: Bytes it may have.
        begun: What has been read of it.

    Raises:
        InputError: If it is none, or too large, with field ``"scores"``.
    """
    data = begun + read_bytes(file, most)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        what = f"byte 0x{data[error.start]:02x} at position {error.start:,} is not UTF-8"
        raise problem(what, "UTF-8 text") from None
    return plain_lines(text.removeprefix("\ufeff"))


def place_of(path: str) -> str:
    """Return a path, or standard input, as errors name it."""
    return STANDARD_INPUT if path == "-" else shown_place(path)
