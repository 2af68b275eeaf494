"""Reading files as bytes, text, JSON or TOML, with limits on size and the file named in errors."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from math import isfinite
from pathlib import PurePath
from typing import Any, BinaryIO

from attn_tui.captures.disk import place_of, reason_of, regular
from attn_tui.compute.errors import InputError, inert
from attn_tui.files.grammar import check_most, plain_lines, problem
from attn_tui.files.values import Values

LARGEST_TEXT = 64 * 2**20
"""Bytes of a text file, or of standard input."""

LARGEST_TOML = 2**20
"""Bytes of a TOML file, which is written by hand."""

MOST_LISTS = 250_000
"""Lists and objects in a JSON text."""

STANDARD_INPUT = "standard input"


@contextmanager
def opened(path: str, field: str, suffixes: tuple[str, ...] = ()) -> Iterator[BinaryIO]:
    """Open a regular file, or standard input, and name it in every error raised inside.

    Args:
        path: The file; ``-`` is standard input.
        field: The field that errors name.
        suffixes: The suffixes allowed; empty allows any.
    """
    where = STANDARD_INPUT if path == "-" else place_of(path)
    path = os.path.expanduser(path)
    try:
        if path == "-" and sys.stdin is None:
            raise OSError
        with nullcontext(sys.stdin.buffer) if path == "-" else regular(path) as file:
            if suffixes and PurePath(path).suffix.lower() not in suffixes:
                raise problem("its suffix is none of ours", " or ".join(suffixes))
            yield file
    except InputError as error:
        inside = f"{where}, {error.where}" if error.where else where
        raise InputError(field, error.problem, error.expected, inside, error.line) from None
    except OSError as error:
        raise InputError(field, *reason_of(error), where) from None


def size_of(file: BinaryIO) -> int:
    """Return the size of a file in bytes; 0 where it is unknown, as for a pipe."""
    try:
        return os.fstat(file.fileno()).st_size
    except OSError:
        return 0


def check_size(file: BinaryIO, most: int = LARGEST_TEXT) -> None:
    """Raise InputError, with field ``"scores"``, if a file is larger."""
    if size_of(file) > most:
        raise problem("it is too large", f"at most {most:,} bytes")


def read_text(file: BinaryIO, most: int = LARGEST_TEXT) -> str:
    r"""Return the UTF-8 text of a file, with ``\n`` at the end of every line.

    Raises:
        InputError: With field ``"scores"``, if it is not UTF-8 or has more bytes than allowed.
    """
    check_size(file, most)
    # A pipe, or a file that grows, may still be longer than it said.
    data = file.read(most + 1)
    if len(data) > most:
        raise problem("it is too large", f"at most {most:,} bytes")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        what = f"byte 0x{data[error.start]:02x} at position {error.start:,} is not UTF-8"
        raise problem(what, "UTF-8 text") from None
    return plain_lines(text.removeprefix("\ufeff"))


def read_json(text: str) -> Any:
    """Read JSON text; unquoted NaN and infinities are accepted.

    Raises:
        InputError: With field ``"scores"``, if it is not JSON, repeats a name, has a number too
            large for float64, or too many lists.
    """
    lists = text.count("[") + text.count("{")
    check_most(lists, MOST_LISTS, "lists and objects", "fewer, longer lists")
    try:
        return json.loads(text, object_pairs_hook=_object, parse_float=_finite)
    except InputError:
        raise
    except json.JSONDecodeError as error:
        raise problem(f"not JSON: {error.msg}", "JSON", error.lineno) from None
    except RecursionError:
        raise problem("lists are nested too deep", "a few in each other") from None
    except ValueError:  # Python reads a few thousand digits at most.
        expected = "at most 1.797e308 in size"
        raise problem("a whole number has too many digits", expected) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values:
            raise problem(f"the name {inert(name)} stands there twice", "different names")
        values[name] = value
    return values


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise problem(f"{inert(text)} is too large for float64", "at most 1.797e308 in size")
    return number


def read_tables(path: str, name: str) -> tuple[Values, ...]:
    """Return the tables ``[[name]]`` of a file that holds at least one, and nothing else.

    Raises:
        InputError: With field ``"file"``, naming the file and, if it is not TOML, the line.
    """
    with opened(path, "file") as file:
        return tables_of(read_text(file, LARGEST_TOML), path, name)


def read_toml(path: str, field: str) -> Values:
    """Return the values of a TOML file.

    Raises:
        InputError: With that field, naming the file and, if it is not TOML, the line.
    """
    with opened(path, field) as file:
        return Values(_document(read_text(file, LARGEST_TOML)), field, place_of(path))


def _document(text: str) -> dict[str, Any]:
    """Return what a TOML text says."""
    # Imported here because the first screen does not need it.
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason = str(error)
        raise InputError("file", reason[:1].lower() + reason[1:], "TOML") from None
    except (ValueError, RecursionError):
        # A number with too many digits, or lists nested too deep.
        raise InputError("file", "it is no TOML", "TOML") from None


def tables_of(text: str, path: str, name: str) -> tuple[Values, ...]:
    """Return the tables in a text, as `read_tables` does; errors do not name the file."""
    document = _document(text)
    header = f"[[{name}]]"
    for key in document:
        if key != name:
            raise InputError("file", f"{inert(key)} is unknown", header)
    tables = document.get(name)
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise InputError("file", f"there is no {header}", f"one {header} at least")
    return tuple(
        Values(table, "file", f"{inert(path, 80)}, {name} {number}")
        for number, table in enumerate(tables, 1)
    )
