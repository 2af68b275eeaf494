"""Vectors as they are read, one number at a time: the names they get, and how much is read.

Each limit is checked before what would pass it is held.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, product
from math import inf, isfinite, nan
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.vector import Vector
from attn_tui.compute.visible import visible

NUMBERS = "numbers: -1.5, 1e3, or -inf (masked)"
LONGEST_NAME = 40

LARGEST_TEXT = 64 * 2**20
"""Bytes of JSON, a table or another text: in a file, or on standard input."""

LARGEST_ARRAYS = 512 * 2**20
"""Bytes of the arrays of an .npz file together, unpacked, or of .npy data on standard input."""

LARGEST_TOML = 2**20
"""Bytes of a TOML file, which somebody has typed."""

MOST_SCORES = 16_000_000
"""Scores of one question, over all its vectors."""

MOST_VECTORS = 10_000
"""Vectors of one question."""

MOST_ROWS = 100_000
"""Rows of q, K and V together, as text."""

MOST_CELLS = 100_000
"""Cells in one row of a table."""

MOST_TOKENS = 20_000_000
"""Runs of numbers, words, brackets, separators and lines of a text."""

MOST_OPEN = 100_000
"""Brackets of a text that are open at a time."""

MOST_LISTS = 250_000
"""Lists and objects of a JSON text."""

LONGEST_WORD = 10_000
"""Characters of one number, word or string of a text."""

LONGEST_ROW = 4_000_000
"""Characters of one row of a table."""

_PLAIN = str.maketrans(
    {"−": "-", "–": "-", "﹣": "-", "－": "-", "＋": "+", "∞": "inf"}
    | dict(zip("０１２３４５６７８９", "0123456789", strict=True))
)


@dataclass(frozen=True)
class Entry:
    """A vector as read, or a matrix with a vector a row.

    Attributes:
        name: What it is called, or empty: then `named` finds a name.
        scores: Its scores, at least one; of a matrix, shape (rows, n).
        line: The line it starts on, counted from 1, or 0 where lines mean nothing.
        shared: Whether the name comes from a file's name, which another file may have too.
    """

    name: str
    scores: Sequence[float] | NDArray[np.float64]
    line: int = 0
    shared: bool = False


def problem(what: str, expected: str = NUMBERS, line: int = 0) -> InputError:
    """Return the error for scores that cannot be used."""
    return InputError("scores", what, expected, f"line {line}" if line else "", line)


def check_most(count: int, most: int, things: str, expected: str, line: int = 0) -> None:
    """Raise InputError, with field ``"scores"``, if there are more things than may be."""
    if count > most:
        raise problem(f"there are more than {most:,} {things}", expected, line)


def check_count(count: int, most: int = MOST_VECTORS) -> None:
    """Raise InputError if there are too many vectors."""
    check_most(count, most, "vectors", "fewer, longer vectors")


def check_scores(count: int) -> None:
    """Raise InputError if there are too many scores."""
    check_most(count, MOST_SCORES, "scores", "fewer scores")


def number(token: str, line: int = 0) -> float:
    """Return the score a token stands for; any minus sign will do, and full-width digits.

    Raises:
        InputError: If it is no number, NaN, plus infinity, or too large for float64.
    """
    text = token if token.isascii() else token.translate(_PLAIN)
    try:
        # Python alone would read 1_000 and the digits of every script.
        value = float(text if text.isascii() and "_" not in text else "")
    except ValueError:
        raise problem(f"{inert(token)} is not a number", line=line) from None
    if isfinite(value):
        return value
    spelled_out = "i" in text.lower()
    if value == -inf and spelled_out:
        return value
    if spelled_out or "n" in text.lower():
        raise problem(f"{inert(token)} will not do", line=line)
    raise problem(f"{inert(token)} is too large for float64", "at most 1.797e308 in size", line)


def numbers(tokens: Sequence[str], line: int = 0, step: int = 0) -> "array[float]":
    """Return the scores of tokens that hold digits, signs, points and e only; many, fast.

    Args:
        tokens: The tokens.
        line: The line of the first.
        step: How many lines each stands below the one before.

    Raises:
        InputError: As `number` does.
    """
    try:
        values = array("d", map(float, tokens))
    except ValueError:
        values = array("d", [nan])
    if isfinite(sum(values)):
        return values
    return array("d", [number(token, line + place * step) for place, token in enumerate(tokens)])


def held(scores: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers as a read-only array: the same object or memory, if they are an array."""
    values = np.asarray(scores, dtype=np.float64)
    if values.flags.writeable:
        values = values.view()
        values.setflags(write=False)
    return values


def expanded(entries: Iterable[Entry]) -> list[Entry]:
    """Return the vectors of entries, a matrix row by row: ``q`` becomes ``q[0]`` and so on.

    Raises:
        InputError: If there are too many.
    """
    entries = list(entries)
    check_count(sum(len(e.scores) if np.ndim(e.scores) == 2 else 1 for e in entries))
    vectors: list[Entry] = []
    for entry in entries:
        rows = [entry]
        if isinstance(entry.scores, np.ndarray) and entry.scores.ndim == 2:
            rows = [replace(entry, scores=row) for row in entry.scores]
        vectors += numbered(rows)
    return vectors


def numbered(entries: Sequence[Entry]) -> list[Entry]:
    """Return the vectors of one list of lists: ``q`` becomes ``q[0]`` and so on."""
    if len(entries) < 2:
        return list(entries)
    return [
        replace(entry, name=entry.name and f"{entry.name}[{row}]")
        for row, entry in enumerate(entries)
    ]


def named(entries: Iterable[Entry]) -> tuple[Vector, ...]:
    """Return vectors that all have a name; those without get a, b, … z, aa and so on.

    Raises:
        InputError: If there are none, a name cannot be used, or two are the same.
    """
    entries = list(entries)
    if not entries:
        raise problem("there are none", "at least one number")
    check_count(len(entries))
    check_scores(sum(len(entry.scores) for entry in entries))
    taken: set[str] = set()
    for entry in entries:
        if not entry.name or entry.shared:
            continue
        if not usable(entry.name):
            expected = f"a printable name of at most {LONGEST_NAME} characters"
            raise problem(f"{inert(entry.name)} cannot name a vector", expected, entry.line)
        if entry.name in taken:
            what = f"two vectors are named {inert(entry.name)}"
            raise problem(what, "different names", entry.line)
        taken.add(entry.name)
    # Each goes on where it stopped: what was taken stays so.
    others: dict[str, Iterator[str]] = {}
    vectors = []
    for entry in entries:
        name = entry.name
        if not name or entry.shared:
            base = name if usable(name) else ""
            if base not in others:
                others[base] = _copies(base) if base else letters()
            name = next(name for name in others[base] if name not in taken)
            taken.add(name)
        vectors.append(Vector(name, held(entry.scores)))
    return tuple(vectors)


def usable(name: str) -> bool:
    """Return whether a vector can be called so: printable, neither empty nor long."""
    return 0 < len(name) <= LONGEST_NAME and name == visible(name) and name == name.strip()


def _copies(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} {copy}" for copy in count(2))


def letters() -> Iterator[str]:
    """Yield the names of vectors without one, as long as none is taken: a, b, … z, aa and so on."""
    for length in count(1):
        yield from map("".join, product(ascii_lowercase, repeat=length))
