"""Vectors as they are read, one number at a time, and the names they get."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, product
from math import inf, isfinite
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.vector import Vector
from attn_tui.files.limits import MOST_SCORES, MOST_VECTORS

NUMBERS = "numbers: -1.5, 1e3, or -inf (masked)"
LONGEST_NAME = 40

_PLAIN = str.maketrans(
    {"−": "-", "–": "-", "﹣": "-", "－": "-", "＋": "+", "∞": "inf"}
    | dict(zip("０１２３４５６７８９", "0123456789", strict=True))
)


@dataclass(frozen=True)
class Entry:
    """A vector as read.

    Attributes:
        name: What it is called, or empty: then `named` finds a name.
        scores: Its scores, at least one.
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
        raise problem(f"{inert(token)} cannot be a score", line=line)
    raise problem(f"{inert(token)} is too large for float64", "at most 1.797e308 in size", line)


def check_count(count: int) -> None:
    """Raise InputError if there are too many vectors."""
    if count > MOST_VECTORS:
        raise problem(f"there are more than {MOST_VECTORS:,} vectors", "fewer, longer vectors")


def check_scores(count: int) -> None:
    """Raise InputError if there are too many scores."""
    if count > MOST_SCORES:
        raise problem(f"there are more than {MOST_SCORES:,} scores", "fewer scores")


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
        if entry.name and not entry.shared:
            _check(entry, taken)
            taken.add(entry.name)
    return tuple(
        Vector(_name(entry, taken), np.array(entry.scores, dtype=np.float64)) for entry in entries
    )


def usable(name: str) -> bool:
    """Return whether a vector can be called so: printable, neither empty nor long."""
    return 0 < len(name) <= LONGEST_NAME and name.isprintable() and name == name.strip()


def _check(entry: Entry, taken: set[str]) -> None:
    if not usable(entry.name):
        raise problem(
            f"{inert(entry.name)} cannot name a vector",
            f"a printable name of at most {LONGEST_NAME} characters",
            entry.line,
        )
    if entry.name in taken:
        raise problem(f"two vectors are named {inert(entry.name)}", "different names", entry.line)


def _name(entry: Entry, taken: set[str]) -> str:
    """Return the entry's own name, or the first free one, which is then taken."""
    if entry.name and not entry.shared:
        return entry.name
    names = _variants(entry.name) if usable(entry.name) else _letters()
    name = next(name for name in names if name not in taken)
    taken.add(name)
    return name


def _variants(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} {copy}" for copy in count(2))


def _letters() -> Iterator[str]:
    for length in count(1):
        yield from map("".join, product(ascii_lowercase, repeat=length))
