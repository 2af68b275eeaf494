"""Each kind of source as text: what it means, and a text that means it, every number exact.

More than `MOST_TYPED` numbers stand in a file, which a text names: ``@scores.npy``.
"""

import os
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from json import dumps
from math import isfinite
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.source import Captured
from attn_tui.compute.counted import counted
from attn_tui.compute.draw import Draw
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import fields_of
from attn_tui.compute.source import Drawn, Kind, Products, Source, Typed
from attn_tui.compute.vector import Vector
from attn_tui.compute.whole import parse_whole
from attn_tui.files.captured import TEMPLATE, captured_text, parse_captured
from attn_tui.files.content import place_of
from attn_tui.files.entries import MOST_ROWS, NUMBERS, Entry, held, named
from attn_tui.files.grammar import plain_lines, read_entries
from attn_tui.files.paths import true_path

MOST_TYPED = 2_000
"""Numbers of typed scores together, or of q, K or V, that stand in a text."""

LONGEST = 4_000
"""Characters of a text, or a command line, that somebody may still want to read."""

Part = Literal["q", "K", "V"]

FIELDS: Mapping[Part, str] = {"q": "query", "K": "keys", "V": "values"}
"""The field of an error in each."""

_PARTS: Mapping[str, Part] = {
    **dict.fromkeys(("q", "query", "queries"), "q"),
    **dict.fromkeys(("k", "key", "keys"), "K"),
    **dict.fromkeys(("v", "value", "values"), "V"),
}
_NEEDED: tuple[Part, ...] = ("q", "K")
_PARTS_EXPECTED = "q:, K: and, if there are values, V:"
_FINITE = "finite numbers"

_DRAW = {field.label: name for name, field in fields_of(Draw).items()}
_DRAW_EXPECTED = "n = 64, seed = 1, vectors = 1"
_ASSIGNMENT = re.compile(
    r"(?P<name>[^\s,;=:]+)[^\S\r\n]*[=:][^\S\r\n]*"
    r"(?P<value>[^\s,;=:]+(?:[, ][0-9]{3}(?![^\s,;]))*)"
)
_BETWEEN = re.compile(r"[\s,;]*")
_FILE = re.compile(r"^[ \t]*(?:(?P<name>[^\s:@]+)[ \t]*:[ \t]*)?@(?P<path>[^\n]+)", re.MULTILINE)
"""A line that names a file; what stands before the colon is q, K or V."""
_BARE = re.compile(r"[^\W\d][\w.\-+*/#@]*(?: [\w.\-+*/#@]+)*(?:\[\d+\])?")

Stamp = tuple[int, ...] | None


def named_files(text: str) -> tuple[tuple[str, Stamp], ...]:
    """Return the files that a text names, each with its size and time, or None if there is none."""
    if "@" not in text:
        return ()
    paths = [true_path(found["path"].strip()) for found in _FILE.finditer(text)]
    return tuple((path, _stamp(path)) for path in paths)


def _stamp(path: str) -> Stamp:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def parse_vectors(text: str) -> tuple[Vector, ...]:
    """Return the named vectors of a text; the same text and files give the same objects.

    Lines are those of the grammar, or ``@FILE``.

    Raises:
        InputError: Naming the token that is not understood and its line, or the file.
    """
    return _vectors(text, named_files(text))


@lru_cache(maxsize=8)
def _vectors(text: str, files: tuple[tuple[str, Stamp], ...]) -> tuple[Vector, ...]:
    return read_vectors(text)


def read_vectors(text: str) -> tuple[Vector, ...]:
    """Return what `parse_vectors` does, made anew."""
    entries: list[Entry] = []
    typed: list[str] = []
    text = plain_lines(text)
    if "@" not in text:
        return named(read_entries(text))
    # No start waits for what reads files.
    from attn_tui.files.formats import read_file

    for line, content in enumerate(text.split("\n"), 1):
        if not content.lstrip().startswith("@"):
            typed.append(content)
            continue
        # Lines that stay empty keep those below where they are.
        entries += read_entries("\n".join(typed))
        typed = [""] * line
        try:
            found = read_file(true_path(content.strip()[1:]))
        except InputError as error:
            raise replace(error, line=line) from None
        entries += [replace(entry, line=line) for entry in found]
    return named([*entries, *read_entries("\n".join(typed))])


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


def parse_products(text: str) -> Products:
    """Read ``q:``, ``K:`` and, if there are values, ``V:``; each a row, a list of rows, or @FILE.

    The names may be spelled out, in any case. A row without a name belongs to the name above it,
    and a name may be repeated: ``k: 1 0`` adds a key.

    Raises:
        InputError: With field ``"query"``, naming what is not understood, and its line.
    """
    return _products(text, named_files(text))


@lru_cache(maxsize=8)
def _products(text: str, files: tuple[tuple[str, Stamp], ...]) -> Products:
    try:
        entries: list[Entry] = []
        if files:
            for found in _FILE.finditer(text):
                line = text.count("\n", 0, found.start()) + 1
                part = part_of(found["name"] or "")
                if part is None:
                    what = f"{inert(found[0])} is none of q, K and V"
                    raise InputError("query", what, _PARTS_EXPECTED, line=line)
                rows = read_matrix(f"@{true_path(found['path'].strip())}", part)
                entries.append(Entry(part, rows, line))
            text = _FILE.sub("", text)
        return products_of([*entries, *read_entries(text, MOST_ROWS)])
    except InputError as error:
        where = error.where or (f"line {error.line}" if error.line else "")
        expected = _FINITE if error.expected == NUMBERS else error.expected
        raise InputError("query", error.problem, expected, where, error.line) from None


def products_of(entries: Sequence[Entry]) -> Products:
    """Return the queries, keys and values that entries are by their names.

    Raises:
        InputError: With field ``"query"``, ``"keys"`` or ``"values"``.
    """
    parts: dict[Part, list[Entry]] = {}
    part: Part | None = None
    tokens: tuple[str, ...] = ()
    for entry in entries:
        if entry.name:
            # Behind q stand the tokens of its rows, "q the cat sat:"; each row repeats the name.
            whole, _, row = entry.name.removesuffix("]").partition("[")
            name, *words = whole.split()
            part = part_of(name)
            if part == "q":
                tokens += tuple(words) if row in ("", "0") else ()
            elif words:
                part = None
            if part is None:
                what = f"{inert(entry.name)} is none of q, K and V"
                raise InputError("query", what, _PARTS_EXPECTED, line=entry.line)
        if part is None:
            what = "the first row has no name"
            raise InputError("query", what, _PARTS_EXPECTED, line=entry.line)
        parts.setdefault(part, []).append(entry)
    for needed in _NEEDED:
        if needed not in parts:
            raise InputError(FIELDS[needed], f"there is no {needed}", _PARTS_EXPECTED)
    matrices = {part: matrix_of(part, rows) for part, rows in parts.items()}
    try:
        return Products(matrices["q"], matrices["K"], matrices.get("V"), tokens)
    except InputError as error:
        wrong = next(part for part, field in FIELDS.items() if field == error.field)
        raise replace(error, line=parts[wrong][0].line) from None


def part_of(name: str) -> Part | None:
    """Return whether a name, such as ``K``, ``keys`` or ``k[0]``, means q, K or V."""
    return _PARTS.get(re.sub(r"\[\d+\]$", "", name).lower())


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
            raise InputError(FIELDS[part], what, _FINITE, line=row.line)
    only = rows[0].scores
    if len(rows) == 1 and isinstance(only, np.ndarray) and only.ndim == 2:
        return only
    return held(np.vstack([row.scores for row in rows]))


def read_matrix(argument: str, part: Part) -> NDArray[np.float64]:
    """Return the rows that text holds, or the file it names after ``@``.

    Of a file with several arrays it is the one whose name means the part.

    Raises:
        InputError: With field ``"query"``, ``"keys"`` or ``"values"``.
    """
    from attn_tui.files.formats import read_whole

    is_file = argument.startswith("@")
    try:
        entries = read_whole(argument[1:]) if is_file else read_entries(argument, MOST_ROWS)
        if not entries:
            raise InputError("", "there are none", "at least one row")
        own = [entry for entry in entries if entry.name and part_of(entry.name) == part]
        names = {entry.name.partition("[")[0] for entry in entries if not entry.shared} - {""}
        if not own and len(names) > 1:
            what = f"it holds {inert(', '.join(sorted(names)))}"
            raise InputError("", what, f"one named {part}")
        return matrix_of(part, own or entries)
    except InputError as error:
        where = error.where or (place_of(argument[1:]) if is_file else "")
        expected = _FINITE if error.expected == NUMBERS else error.expected
        raise InputError(FIELDS[part], error.problem, expected, where, error.line) from None


def score_text(score: float) -> str:
    """Return the shortest text that reads back as exactly this score: ``100``, ``-inf``."""
    text = repr(score)
    return text.removesuffix(".0") if isfinite(score) else text


def vector_lines(vectors: Iterable[Vector]) -> list[str]:
    """Return a line for each vector."""
    lines = []
    for vector in vectors:
        name = vector.name
        if not _BARE.fullmatch(name):
            name = dumps(name, ensure_ascii=False)
        lines.append(f"{name}: {', '.join(map(score_text, vector.scores.tolist()))}")
    return lines


def matrix_text(rows: NDArray[np.float64]) -> str:
    """Return rows of numbers, a single one without brackets."""
    lists = [", ".join(map(score_text, row)) for row in rows.tolist()]
    if len(lists) == 1:
        return lists[0]
    between = ",\n    " if rows.size > 16 else ", "
    return "[" + between.join(f"[{row}]" for row in lists) + "]"


def is_long(source: Source) -> bool:
    """Return whether a source has more numbers than stand in a text."""
    match source:
        case Typed():
            return sum(vector.n_keys for vector in source.scores) > MOST_TYPED
        case Products():
            parts = (source.queries, source.keys, source.values)
            return any(part is not None and part.size > MOST_TYPED for part in parts)
    return False


def _typed_text(source: Typed) -> str:
    if is_long(source):
        return f"@{kept((vector.name, vector.scores) for vector in source.scores)}"
    return "\n".join(vector_lines(source.scores))


def _draw_text(source: Drawn) -> str:
    return f"n = {source.n_keys}, seed = {source.seed}, vectors = {source.count}"


def _products_text(source: Products) -> str:
    lines = []
    for part, rows in {"q": source.queries, "K": source.keys, "V": source.values}.items():
        if rows is None:
            continue
        text = matrix_text(rows) if rows.size <= MOST_TYPED else f"@{kept([(part, rows)])}"
        words = source.tokens if part == "q" else ()
        lines.append(f"{' '.join((part, *words))}: {text}")
    return "\n".join(lines)


@cache
def _folder() -> TemporaryDirectory[str]:
    """Return a folder that goes when the program ends."""
    return TemporaryDirectory(prefix="attn-tui-")


def is_kept(path: str) -> bool:
    """Return whether a file is one that goes when the program ends."""
    return _folder.cache_info().currsize > 0 and path.startswith(_folder().name)


def kept(arrays: Iterable[tuple[str, NDArray[np.float64]]]) -> str:
    """Return a file that holds arrays by their names until the program ends."""
    try:
        folder = _folder().name
        path = os.path.join(folder, f"scores-{len(os.listdir(folder)) + 1}.npz")
        with zipfile.ZipFile(path, "w") as archive:
            for name, numbers in arrays:
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, numbers)
    except OSError as error:
        what = f"so many numbers need a file: {error.strerror}"
        raise InputError("scores", what, "room for temporary files") from None
    return path


@dataclass(frozen=True)
class SourceText:
    """How one kind of source is written.

    Attributes:
        template: A text to start with.
        read: From a text to the source; the same text gives the same vectors.
        write: From a source to a text that means it.
    """

    template: str
    read: Callable[[str], Source]
    write: Callable[[Any], str]


KINDS: Mapping[Kind, SourceText] = {
    Typed.kind: SourceText(
        "a: 100, 120, 150", lambda text: Typed(parse_vectors(text)), _typed_text
    ),
    Drawn.kind: SourceText("n = 64, seed = 1, vectors = 1", parse_draw, _draw_text),
    Products.kind: SourceText(
        "q: 1, 0\nK: [[1, 0], [0, 1]]\nV: [[1, 0], [0, 1]]", parse_products, _products_text
    ),
    Captured.kind: SourceText(TEMPLATE, parse_captured, captured_text),
}
"""Every kind by its name, the default first."""

_BEGINNINGS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (Drawn.kind, re.compile(r"\A\s*(n|seed|vectors)\s*=")),
    (Captured.kind, re.compile(r"\A\s*file\s*:")),
    (Products.kind, re.compile(r"^\s*[qQKV]\s*:", re.MULTILINE)),
)


def kind_of(text: str) -> Kind:
    """Return the kind of source that a text is of, by what its lines begin with.

    >>> kind_of("n = 64, seed = 1"), kind_of("q: 1, 0"), kind_of("a: 100, 120, 150")
    ('drawn', 'vectors', 'typed')
    """
    for kind, beginning in _BEGINNINGS:
        if beginning.search(text):
            return kind
    return Typed.kind
