"""TOML that people write by hand: lists of tables, and errors that name the table."""

import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from typing import Any, NoReturn, TypeVar

from attn_tui.compute.errors import InputError, inert
from attn_tui.files.content import opened, read_text
from attn_tui.files.limits import LARGEST_TOML

T = TypeVar("T")

_KINDS: Mapping[type, str] = {
    str: "a text in quotes",
    float: "a finite number",
    int: "a whole number",
    bool: "true or false",
    list: "a list in brackets",
    dict: "a table",
}


@dataclass(frozen=True)
class Table:
    """One table of a list, ``[[name]]``.

    Attributes:
        values: What it says, by key.
        path: The file, as it was named.
        place: Which it is: ``"claim 2"``.
    """

    values: Mapping[str, Any]
    path: str
    place: str

    def refuse(self, problem: str, expected: str) -> NoReturn:
        """Raise the error of what it says."""
        raise InputError("file", problem, expected, f"{inert(self.path, 80)}, {self.place}")

    def get(self, key: str, kind: type[T], default: T | None = None) -> T:
        """Return what stands behind a key.

        Raises:
            InputError: If it is of another kind, or nothing stands there and there is no default.
        """
        if key not in self.values:
            if default is None:
                self.refuse(f"{key} is missing", f"a line {key} = …, {_KINDS[kind]}")
            return default
        value = self.values[key]
        if kind is float and type(value) is int:
            # One that no float can hold will not do either.
            with suppress(OverflowError):
                value = float(value)
        endless = isinstance(value, float) and not isfinite(value)
        if type(value) is not kind or endless:
            self.refuse(f"{key} will not do", _KINDS[kind])
        return value

    def know(self, *keys: str) -> None:
        """Check that it has no other keys than these."""
        for key in self.values:
            if key not in keys:
                self.refuse(f"{inert(key)} is unknown", "one of " + ", ".join(keys))


def read_tables(path: str, name: str) -> tuple[Table, ...]:
    """Return the tables ``[[name]]`` of a file, of which there is one at least, and nothing else.

    Raises:
        InputError: With field ``"file"``, naming the file and, if it is no TOML, the line.
    """
    with opened(path, "file") as file:
        return tables_of(read_text(file, LARGEST_TOML), path, name)


def tables_of(text: str, path: str, name: str) -> tuple[Table, ...]:
    """Return the tables of a text; else as `read_tables`, but the file is not named."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        text = str(error)
        raise InputError("file", text[:1].lower() + text[1:], "TOML") from None
    except (ValueError, RecursionError):
        # A number of too many digits, or lists in each other without end.
        raise InputError("file", "it is no TOML", "TOML") from None
    header = f"[[{name}]]"
    for key in document:
        if key != name:
            raise InputError("file", f"{inert(key)} is unknown", header)
    tables = document.get(name)
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise InputError("file", f"there is no {header}", f"one {header} at least")
    return tuple(Table(values, path, f"{name} {number}") for number, values in enumerate(tables, 1))
