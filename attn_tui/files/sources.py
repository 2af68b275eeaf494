"""The grammars of draws and of q, K and V: their texts, and what they mean."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.counted import counted
from attn_tui.compute.draw import Draw
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import fields_of
from attn_tui.compute.source import Drawn, Products
from attn_tui.compute.whole import parse_whole
from attn_tui.files.attachments import Attachment
from attn_tui.files.entries import NUMBERS, Entry, held
from attn_tui.files.grammar import read_entries
from attn_tui.files.limits import MOST_ROWS

Part = Literal["q", "K", "V"]

_DRAW = {field.label: name for name, field in fields_of(Draw).items()}
_DRAW_EXPECTED = "n = 64, seed = 1, vectors = 1"
_ASSIGNMENT = re.compile(
    r"(?P<name>[^\s,;=:]+)[^\S\r\n]*[=:][^\S\r\n]*"
    r"(?P<value>[^\s,;=:]+(?:[, ][0-9]{3}(?![^\s,;]))*)"
)
_BETWEEN = re.compile(r"[\s,;]*")

_PARTS: Mapping[str, Part] = {
    **dict.fromkeys(("q", "query", "queries"), "q"),
    **dict.fromkeys(("k", "key", "keys"), "K"),
    **dict.fromkeys(("v", "value", "values"), "V"),
}
FIELDS: Mapping[Part, str] = {"q": "query", "K": "keys", "V": "values"}
"""The field of an error in each."""

_BESIDE: tuple[Part, ...] = ("K", "V")
_REQUIRED: tuple[Part, ...] = ("q", "K")
_EXPECTED = "q:, K: and, if there are values, V:"
FINITE = "finite numbers"


def parse_draw(text: str) -> Drawn:
    """Read ``n = 64, seed = 1, vectors = 1``, in any order; what is left out has its default.

    Raises:
        InputError: With field ``"draw"``, naming what is not understood, and its line.
    """
    given: dict[str, int] = {}
    position, line = 0, 1
    while True:
        between = _BETWEEN.match(text, position)
        assert between
        line += len(re.findall(r"\r\n|\n|\r", between[0]))
        if between.end() == len(text):
            return Drawn(**given)
        found = _ASSIGNMENT.match(text, between.end())
        if not found:
            token = re.split(r"[\s,;]", text[between.end() : between.end() + 100])[0]
            raise _draw_error(f"{inert(token)} is not understood", _DRAW_EXPECTED, line)
        position = found.end()
        name = found["name"].lower()
        if name not in _DRAW:
            raise _draw_error(f"{inert(found['name'])} is unknown", "n, seed and vectors", line)
        if _DRAW[name] in given:
            raise _draw_error(f"{inert(name)} stands there twice", "each name once", line)
        try:
            given[_DRAW[name]] = parse_whole(name, found["value"])
        except InputError as error:
            raise _draw_error(f"{name} = {error.problem}", error.expected, line) from None
        try:
            Drawn(**given)
        except InputError as error:
            raise _draw_error(error.problem, error.expected, line) from None


def _draw_error(what: str, expected: str, line: int) -> InputError:
    return InputError("draw", what, expected, f"line {line}", line)


@lru_cache(maxsize=8)
def parse_products(text: str, attachments: tuple[Attachment, ...] = ()) -> Products:
    """Read ``q:``, ``K:`` and, if there are values, ``V:``; each a row, or a list of rows.

    The names may be spelled out, in any case. A row without a name belongs to the name above it,
    and a name may be repeated: ``k: 1 0`` adds a key.

    Raises:
        InputError: With field ``"query"``, naming what is not understood, and its line.
    """
    try:
        return products_of(_read(text, attachments))
    except InputError as error:
        where = f"line {error.line}" if error.line else ""
        raise InputError("query", error.problem, error.expected, where, error.line) from None


def products_of(entries: Sequence[Entry]) -> Products:
    """Return the queries, keys and values that entries are by their names.

    Raises:
        InputError: With field ``"query"``, ``"keys"`` or ``"values"``.
    """
    parts = _parts(entries)
    for part in _REQUIRED:
        if part not in parts:
            raise InputError(FIELDS[part], f"there is no {part}", _EXPECTED)
    matrices = {part: matrix_of(part, rows) for part, rows in parts.items()}
    try:
        return Products(matrices["q"], matrices["K"], matrices.get("V"))
    except InputError as error:
        part = next(part for part, field in FIELDS.items() if field == error.field)
        raise replace(error, line=parts[part][0].line) from None


def matrix_of(part: Part, rows: Sequence[Entry]) -> NDArray[np.float64]:
    """Return rows of one length as a matrix; a matrix that is all of them stays the same object.

    Raises:
        InputError: With field ``"query"``, ``"keys"`` or ``"values"``.
    """
    width = np.shape(rows[0].scores)[-1]
    for row in rows:
        size = np.shape(row.scores)[-1]
        if size != width:
            what = f"a row of {part} has {counted(size, 'number')} and its first row {width:,}"
            raise InputError(FIELDS[part], what, "rows of one length", line=row.line)
        if not np.isfinite(row.scores).all():
            what = f"a row of {part} holds an infinity or NaN"
            raise InputError(FIELDS[part], what, FINITE, line=row.line)
    only = rows[0].scores
    if len(rows) == 1 and isinstance(only, np.ndarray) and only.ndim == 2:
        return only
    return held(np.vstack([row.scores for row in rows]))


def query_at(text: str, line: int, attachments: tuple[Attachment, ...] = ()) -> int | None:
    """Return which query a line, counted from 0, belongs to; None if to none."""
    starts = _starts(text, attachments)
    above = bisect_right([start for start, _ in starts], line + 1)
    return starts[above - 1][1] if above else None


@lru_cache(maxsize=8)
def _starts(text: str, attachments: tuple[Attachment, ...]) -> tuple[tuple[int, int | None], ...]:
    """Return the line of each row, rising, counted from 1, and which query it is, if it is one."""
    try:
        parts = _parts(_read(text, attachments))
    except InputError:
        return ()
    found: list[tuple[int, int | None]] = []
    index = 0
    for row in parts.get("q", []):
        found.append((row.line, index))
        index += len(row.rows())
    found += [(row.line, None) for part in _BESIDE for row in parts.get(part, [])]
    return tuple(sorted(found, key=lambda start: start[0]))


def _read(text: str, attachments: tuple[Attachment, ...] = ()) -> list[Entry]:
    """Return the rows of a text, as they are named there."""
    try:
        return read_entries(text, attachments, MOST_ROWS, whole=True)
    except InputError as error:
        expected = FINITE if error.expected == NUMBERS else error.expected
        raise InputError("query", error.problem, expected, line=error.line) from None


def part_of(name: str) -> Part | None:
    """Return whether a name, such as ``K``, ``keys`` or ``k[0]``, means q, K or V."""
    return _PARTS.get(re.sub(r"\[\d+\]$", "", name).lower())


def _parts(entries: Sequence[Entry]) -> dict[Part, list[Entry]]:
    """Return the rows of q, K and V, in their order."""
    parts: dict[Part, list[Entry]] = {}
    part: Part | None = None
    for entry in entries:
        if entry.name:
            part = part_of(entry.name)
            if part is None:
                what = f"{inert(entry.name)} is none of q, K and V"
                raise InputError("query", what, _EXPECTED, line=entry.line)
        if part is None:
            raise InputError("query", "the first row has no name", _EXPECTED, line=entry.line)
        parts.setdefault(part, []).append(entry)
    return parts
