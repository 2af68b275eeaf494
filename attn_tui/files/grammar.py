"""The vector grammar: how typed, pasted or piped text becomes vectors, and how much is accepted."""

import json
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, product
from math import inf, isfinite, nan
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.numbers import general
from attn_tui.compute.source import Products, Source, Typed, Vector
from attn_tui.compute.text import ascii_signs, visible
from attn_tui.files.marks import doubt

NUMBERS = "numbers: -1.5, 1e3, or -inf (masked)"
LONGEST_NAME = 40

MOST_SCORES = 16_000_000
"""Scores of one question, over all its vectors."""

MOST_VECTORS = 10_000
"""Vectors of one question."""

MOST_ROWS = 100_000
"""Rows of q, K and V together, as text."""

MOST_TYPED = 2_000
"""Numbers that a text may spell out, in all typed scores together or in one of q, K and V."""

MOST_LINES = 200_000
"""Lines of a text, not counting those with a single number."""

_CALLS = (
    r"(?:\w{1,50}\.){0,5}(?:tensor|Tensor|array|asarray|Parameter|list|tuple|b?float\d+|u?int\d+)\("
)
_CALL = re.compile(rf"\b{_CALLS}")
_CALL_OF_ONE = re.compile(rf"\b{_CALLS}\s*([^\s,()\[\]]{{1,99}})\s*\)")
_KEYWORD = re.compile(r",\s*[A-Za-z_]\w*=[^,()\[\]\n]+")
"""What a printed tensor puts after its numbers: dtype=torch.float32."""

_OPENER = re.compile(r"[\[(]")
_BRACKET = re.compile(r"[\[\]()]")
_INNERMOST = re.compile(r"\[([^\[\]]*)\]")
_WORDS = re.compile(r"(?:[^\s,;]++[\s,;]*+){1,4096}+")
"""A few thousand words at a time, so that a long line needs little memory."""

_GAP = re.compile(r"[,;]\s*[,;]")
_COLUMN = re.compile(r"(?:[-+.\deE]++[^\S\n]*+\n){1,9999}+")
"""Lines of one number each."""

_ASSIGNMENT = re.compile(r"([^\s,;=]+)[^\S\n]*=[^\S\n]*([^\s,;=]+(?:[, ][0-9]{3}(?![^\s,;]))*)")

_NAME = re.compile(
    r"""[^\S\n]*(?:(?P<quoted>"(?:[^"\\\n]|\\.){0,999}")
    |(?P<bare>[^\s,;()\[\]{}"'=:：][^\n,;(){}"'=:：]{0,99}))[^\S\n]*[:：]""",
    re.VERBOSE,
)
_NUMBERS_FIRST = re.compile(r"[+\-−]?\.?\d(?!\d*$)")
"""How an unquoted name may not begin; a whole number by itself is a valid name."""


@dataclass(frozen=True)
class Entry:
    """A vector as read, or a matrix whose rows are vectors.

    Attributes:
        name: Its name, or empty, in which case `named` gives it one.
        scores: At least one score; shape (rows, n) for a matrix.
        line: The line it starts on, counted from 1, or 0 where lines mean nothing.
        of_file: Whether it is named after its file; such a name gives way to a vector's own.
        note: What was left out of its file; else empty.
    """

    name: str
    scores: Sequence[float] | NDArray[np.float64]
    line: int = 0
    of_file: bool = False
    note: str = ""


def problem(what: str, expected: str = NUMBERS, line: int = 0) -> InputError:
    """Return the error for scores that cannot be used."""
    return InputError("scores", what, expected, f"line {line}" if line else "", line)


def check_most(count: int, most: int, things: str, expected: str, line: int = 0) -> None:
    """Raise InputError, with field ``"scores"``, if there are more things than allowed."""
    if count > most:
        raise problem(f"there are more than {most:,} {things}", expected, line)


def check_count(count: int, most: int = MOST_VECTORS) -> None:
    """Raise InputError if there are too many vectors."""
    check_most(count, most, "vectors", "fewer, longer vectors")


def check_scores(count: int) -> None:
    """Raise InputError if there are too many scores."""
    check_most(count, MOST_SCORES, "scores", "fewer scores")


def read_entries(text: str, most: int = MOST_VECTORS) -> list[Entry]:
    """Return the vectors of a text in order; unnamed ones stay unnamed.

    One line is one vector unless brackets are open; consecutive lines of a single number are one
    vector, which a blank line ends. ``name:`` in front, or alone on the line above, names it. A
    list of lists is a vector a list, as are lists with semicolons between them. Words such as
    ``tensor(`` and ``dtype=float32`` are ignored.
    Outside names, signs in full width are the ASCII signs.

    Args:
        text: The text.
        most: The largest number of vectors.

    Raises:
        InputError: Naming the token that is not understood, or may as well be one number as
            several, and its line.
    """
    entries: list[Entry] = []
    column: array[float] | None = None
    n_scores = 0
    statements = _statements(plain_lines(text) + "\n")
    for count_of_lines, (line, name, body, original) in enumerate(statements):
        check_most(count_of_lines, MOST_LINES, "lines", "fewer lines", line)
        if not body.strip(" \t,;\n"):
            column = None
            continue
        rows = _rows_of(body, line, most)
        doubtful = doubt(original)
        if doubtful:
            raise problem(doubtful.problem, doubtful.expected, line)
        n_scores += sum(len(scores) for _, scores in rows)
        check_scores(n_scores)
        scores = rows[0][1]
        is_column = "[" not in body and (len(scores) == 1 or "\n" in body)
        if is_column and column is not None and name is None:
            column.extend(scores)
            continue
        column = scores if is_column else None
        entries += numbered([Entry(name or "", scores, line) for line, scores in rows])
        check_count(len(entries), most)
    return entries


def _statements(text: str) -> Iterator[tuple[int, str | None, str, str]]:
    """Yield the line, name and body of each statement of a text that ends in a newline.

    The body comes with ASCII signs, and then as it was typed.

    A statement is one line, several lines inside open brackets, or a column of single numbers.
    """
    text, original = ascii_signs(text), text
    position, line = 0, 1
    while position < len(text):
        begin = line
        column = _COLUMN.match(text, position)
        if column:
            position = column.end()
            line += column[0].count("\n")
            yield begin, None, column[0], ""
            continue
        heading = _NAME.match(original, position)
        name = None
        if heading:
            name = _name_of(heading, line)
            position = heading.end()
            end = text.index("\n", position) + 1
            if not text[position:end].strip():
                # A name alone on its line: its scores are on the next.
                position = end
                line += 1
                below = text[position : text.find("\n", position) + 1]
                if not below.strip() or _NAME.match(original, position):
                    raise problem(f"{inert(name)} has no scores", "numbers after a name", begin)
        start, depth = position, 0
        begin = line
        while line == begin or depth > 0:
            end = text.find("\n", position) + 1
            if not end:
                opener = _OPENER.search(text, start)
                assert opener
                # Report what is wrong before the bracket first.
                _scores_of(text[start : opener.start()], begin)
                raise problem(f"{inert(opener[0])} is never closed", "as many ] as [", begin)
            content = text[position:end]
            depth += sum(map(content.count, "[(")) - sum(map(content.count, "])"))
            position = end
            line += 1
        yield begin, name, text[start : end - 1], original[start : end - 1]


def _name_of(heading: re.Match[str], line: int) -> str:
    """Return the name in a heading; it may be quoted as in JSON."""
    if heading["quoted"]:
        try:
            return str(json.loads(heading["quoted"]))
        except ValueError:
            return heading["quoted"][1:-1]
    name = heading["bare"].strip()
    if _NUMBERS_FIRST.match(ascii_signs(name)):
        # Scores typed in front of a name would silently become part of it.
        what = f"the name {inert(name)} begins with a number"
        raise problem(what, "a letter first, as in a: 1 2 3, or quotes", line)
    return name


def _rows_of(body: str, line: int, most: int) -> "list[tuple[int, array[float]]]":
    """Return the line and scores of each list in a statement; without brackets there is one."""
    begin = line
    _check_brackets(body, line)
    if "(" in body or "[" in body:
        body = _CALL_OF_ONE.sub(_blanked, body)
        body = _KEYWORD.sub(_blanked, body)
        body = _CALL.sub(" [", body)
        body = body.replace("(", "[").replace(")", "]")
    if "[" not in body:
        return [*_lists_of(body, line)]
    rows: list[tuple[int, array[float]]] = []
    position = 0
    for innermost in _INNERMOST.finditer(body):
        line += body.count("\n", position, innermost.start(1))
        position = innermost.start(1)
        lists = [*_lists_of(innermost[1], line)]
        if not lists[0][1]:
            raise problem("a list is empty", "at least one number in it", line)
        rows.extend(lists)
        check_count(len(rows), most)
    outside = re.sub(r"[\[\],;]", " ", _INNERMOST.sub(" ", body)).split()
    if outside:
        value = number(outside[0], begin)
        raise problem(f"{general(value)} stands beside a list", "lists beside lists", begin)
    return rows


def _check_brackets(body: str, line: int) -> None:
    """Raise InputError, with field ``"scores"``, if a bracket closes that none has opened."""
    depth = 0
    for bracket in _BRACKET.finditer(body):
        depth += 1 if bracket[0] in "[(" else -1
        if depth < 0:
            before = body[: bracket.start()]
            if not _OPENER.search(before):
                # Report what is wrong before the bracket first.
                _scores_of(before, line)
            line += before.count("\n")
            raise problem(f"{inert(bracket[0])} closes nothing", "as many [ as ]", line)


def _blanked(match: re.Match[str]) -> str:
    """Return the text a match encloses, if any, keeping its line breaks."""
    kept = match[1] if match.re.groups else ""
    return kept + "\n" * match[0].count("\n")


def _lists_of(text: str, line: int) -> "Iterator[tuple[int, array[float]]]":
    """Yield the line and scores of each list in a text without brackets.

    Semicolons part lists, as in NumPy's ``matrix``, if there are several numbers on both sides of
    each; beside a single number they stand as commas do. One may end the last list, too.
    """
    _check_gaps(text, line)
    parts = text.rstrip().removesuffix(";").split(";")
    are_lists = len(parts) > 1 and all(len(part.replace(",", " ").split()) > 1 for part in parts)
    for part in parts if are_lists else [text]:
        yield line, _scores_of(part, line)
        line += part.count("\n")


def _check_gaps(text: str, line: int) -> None:
    """Raise InputError, with field ``"scores"``, if nothing stands between two separators."""
    gap = _GAP.search(text)
    if gap:
        what = f"nothing stands between the separators of {inert(gap[0])}"
        raise problem(what, line=line + text.count("\n", 0, gap.start()))


def _scores_of(text: str, line: int) -> "array[float]":
    """Return the numbers in a text without brackets."""
    _check_gaps(text, line)
    scores = array("d")
    for words in _WORDS.finditer(text):
        tokens = words[0].replace(",", " ").replace(";", " ").split()
        try:
            values = array("d", map(float, tokens))
        except ValueError:
            values = array("d", [nan])
        # float() also reads 1_000 and digits of other scripts, which we refuse.
        if not isfinite(sum(values)) or not words[0].isascii() or "_" in words[0]:
            values = array("d", _numbers(words[0], line + text.count("\n", 0, words.start())))
        scores.extend(values)
        check_scores(len(scores))
    return scores


def _numbers(words: str, line: int) -> Iterator[float]:
    """Yield the numbers among some words, one at a time."""
    for place, content in enumerate(words.split("\n")):
        for token in content.replace(",", " ").replace(";", " ").split():
            yield number(token, line + place)


def assignments(text: str, field: str, expected: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, name and value of each ``name = value`` in a text that holds nothing else.

    Raises:
        InputError: With that field, naming the token that is not understood, and its line.
    """
    for line, content in enumerate(ascii_signs(text).split("\n"), 1):
        for assignment in _ASSIGNMENT.finditer(content):
            yield line, assignment[1].lower(), assignment[2]
        rest = _ASSIGNMENT.sub(" ", content).replace(",", " ").replace(";", " ").split()
        if rest:
            raise refused(field, f"{inert(rest[0])} is not understood", expected, line)


def refused(field: str, what: str, expected: str, line: int) -> InputError:
    """Return the error for something on a line."""
    return InputError(field, what, expected, f"line {line}", line)


def number(token: str, line: int = 0) -> float:
    """Return the score a token spells; a typographic minus sign is accepted.

    Raises:
        InputError: If it is no number, NaN, plus infinity, or too large for float64.
    """
    text = token.replace("−", "-")
    try:
        # Python itself would accept 1_000 and digits of other scripts.
        value = float(text if text.isascii() and "_" not in text else "")
    except ValueError:
        raise problem(f"{inert(token)} is not a number", line=line) from None
    if isfinite(value):
        return value
    spelled_out = "n" in text.lower()
    if value == -inf and spelled_out:
        return value
    if spelled_out:
        raise problem(f"{inert(token)} will not do", line=line)
    raise problem(f"{inert(token)} is too large for float64", "at most 1.797e308 in size", line)


def read_only(scores: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers as a read-only array, without copying an array."""
    values = np.asarray(scores, dtype=np.float64)
    if values.flags.writeable:
        values = values.view()
        values.setflags(write=False)
    return values


def expanded(entries: Iterable[Entry]) -> list[Entry]:
    """Return entries with each matrix split into rows: ``q`` becomes ``q[0]``, ``q[1]`` and so on.

    Raises:
        InputError: If there are too many.
    """
    vectors: list[Entry] = []
    for entry in entries:
        rows = [entry]
        if isinstance(entry.scores, np.ndarray) and entry.scores.ndim == 2:
            check_count(len(entry.scores))
            rows = [replace(entry, scores=row) for row in entry.scores]
        vectors += numbered(rows)
    return vectors


def numbered(entries: Sequence[Entry]) -> list[Entry]:
    """Return the rows of one list of lists, numbered: ``q`` becomes ``q[0]`` and so on."""
    if len(entries) < 2:
        return list(entries)
    return [
        replace(entry, name=entry.name and f"{entry.name}[{row}]")
        for row, entry in enumerate(entries)
    ]


def named(entries: Sequence[Entry]) -> tuple[Vector, ...]:
    """Return the entries as vectors; unnamed ones are called a, b, … z, aa and so on.

    Raises:
        InputError: If there are none, a name cannot be used, or two names are the same.
    """
    if not entries:
        raise problem("there are none", "at least one number")
    check_count(len(entries))
    check_scores(sum(len(entry.scores) for entry in entries))
    taken: set[str] = set()
    for entry in entries:
        if not entry.name or entry.of_file:
            continue
        if not usable(entry.name):
            expected = f"a printable name of at most {LONGEST_NAME} characters"
            raise problem(f"{inert(entry.name)} cannot name a vector", expected, entry.line)
        if entry.name in taken:
            what = f"two vectors are named {inert(entry.name)}"
            raise problem(what, "different names", entry.line)
        taken.add(entry.name)
    vectors = []
    others = letters()
    for entry in entries:
        name = entry.name
        if entry.of_file and (name in taken or not usable(name)):
            name = ""
        if not name:
            name = next(letter for letter in others if letter not in taken)
        taken.add(name)
        vectors.append(Vector(name, read_only(entry.scores)))
    return tuple(vectors)


def usable(name: str) -> bool:
    """Return whether a vector can have this name: printable, not empty, not too long."""
    return 0 < len(name) <= LONGEST_NAME and name == visible(name) and name == name.strip()


def letters() -> Iterator[str]:
    """Yield the names given to unnamed vectors: a, b, … z, aa and so on."""
    for length in count(1):
        yield from map("".join, product(ascii_lowercase, repeat=length))


def plain_lines(text: str) -> str:
    r"""Return a text with ``\n`` at the end of every line."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def is_long(source: Source) -> bool:
    """Return whether a source has too many numbers to be spelled out in a text."""
    match source:
        case Typed():
            return sum(vector.n_keys for vector in source.scores) > MOST_TYPED
        case Products():
            parts = (source.queries, source.keys, source.values)
            return any(part is not None and part.size > MOST_TYPED for part in parts)
    return False
