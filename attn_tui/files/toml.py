"""TOML that people write by hand: lists of tables, whose errors name the line."""

import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from typing import Any, NoReturn, TypeVar

from attn_tui.compute.errors import InputError, inert
from attn_tui.files.readers import opened
from attn_tui.files.stream import text_pieces

T = TypeVar("T")

LARGEST = 1_000_000
"""Characters of a file, which somebody has typed."""

_AT = re.compile(r"(?P<what>.*?) \(at (?:line (?P<line>\d+)|end of document).*\)$", re.DOTALL)
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
    """One table of a list, ``[[name]]``, with where it stands.

    Attributes:
        values: What it says, by key.
        path: The file, as it was named.
        line: The line it begins on, counted from 1.
        lines: The line of each of its keys.
    """

    values: Mapping[str, Any]
    path: str
    line: int
    lines: Mapping[str, int]

    def refuse(self, key: str, problem: str, expected: str) -> NoReturn:
        """Raise the error of what stands behind a key, or of the table where there is no key."""
        line = self.lines.get(key, self.line)
        where = f"{inert(self.path, 80)}, line {line}"
        raise InputError("file", problem, expected, where, line)

    def get(self, key: str, kind: type[T], default: T | None = None) -> T:
        """Return what stands behind a key.

        Raises:
            InputError: If it is of another kind, or nothing stands there and there is no default.
        """
        if key not in self.values:
            if default is None:
                self.refuse("", f"{key} is missing", f"a line {key} = …, {_KINDS[kind]}")
            return default
        value = self.values[key]
        if kind is float and type(value) is int:
            # One that no float can hold will not do either.
            with suppress(OverflowError):
                value = float(value)
        endless = isinstance(value, float) and not isfinite(value)
        if type(value) is not kind or endless:
            self.refuse(key, f"{key} will not do", _KINDS[kind])
        return value

    def know(self, *keys: str) -> None:
        """Check that it has no other keys than these."""
        for key in self.values:
            if key not in keys:
                self.refuse(key, f"{inert(key)} is unknown", "one of " + ", ".join(keys))


def read_tables(path: str, name: str) -> tuple[Table, ...]:
    """Return the tables ``[[name]]`` of a file, of which there is one at least, and nothing else.

    Raises:
        InputError: With field ``"file"``, naming the file and the line.
    """
    with opened(path, "file") as file:
        text = ""
        for piece in text_pieces(file):
            text += piece
            if len(text) > LARGEST:
                raise InputError("file", "it is too long", f"at most {LARGEST:,} characters")
    return tables_of(text, path, name)


def tables_of(text: str, path: str, name: str) -> tuple[Table, ...]:
    """Return the tables of a text; else as `read_tables`."""
    end = Table({}, path, max(len(text.splitlines()), 1), {})
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # A number of too many digits is no TOMLDecodeError.
        found = _AT.match(str(error))
        line = int(found["line"] or end.line) if found else end.line
        problem = found["what"] if found else "it is no TOML"
        Table({}, path, line, {}).refuse("", problem[:1].lower() + problem[1:], "TOML")
    header = f"[[{name}]]"
    for key in document:
        if key != name:
            line = _line_of(text.splitlines(), key)
            Table({}, path, line, {}).refuse("", f"{inert(key)} is unknown", header)
    tables = document.get(name)
    if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
        end.refuse("", f"there is no {header}", f"one {header} at least")
    return tuple(_placed(text, path, name, tables))


def _placed(text: str, path: str, name: str, tables: list[dict[str, Any]]) -> list[Table]:
    lines = text.splitlines()
    header = re.compile(rf"\s*\[\[\s*{re.escape(name)}\s*\]\]")
    starts = [at for at, line in enumerate(lines) if header.match(line)]
    # A text of several lines may hold what looks like a header: then no place is better than a
    # wrong one.
    if len(starts) != len(tables):
        starts = [0] * len(tables)
    placed = []
    for values, start, end in zip(tables, starts, [*starts[1:], len(lines)], strict=True):
        inside = lines[start + 1 : end]
        known = {key: start + 1 + _line_of(inside, key) for key in values}
        placed.append(Table(values, path, start + 1, known))
    return placed


def _line_of(lines: list[str], key: str) -> int:
    """Return the line a key is set on, or its table begins on, counted from 1; else 0."""
    name = rf"[\"']?{re.escape(key)}[\"']?"
    setting = re.compile(rf"\s*({name}\s*[=.]|\[+\s*{name}\s*[\].])")
    return next((at for at, line in enumerate(lines, 1) if setting.match(line)), 0)
