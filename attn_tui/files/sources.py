"""Sources of scores as text: reading a text, and writing one in which every number is exact.

How the lines begin tells the kind: ``n = 64, seed = 1`` is a draw, ``file: capture.npz`` a captured
head, ``q:`` and ``K:`` are queries and keys, and everything else is scores. If there are more than
`MOST_TYPED` numbers, the text names a file that holds them: ``@scores.npy``.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain
from json import dumps
from math import isfinite
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.disk import place_of
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import fields_of, parse_whole
from attn_tui.compute.setup import Draw
from attn_tui.compute.source import Drawn, Products, Source, SourceKind, Typed, Vector
from attn_tui.compute.text import ascii_signs, counted
from attn_tui.files.grammar import (
    MOST_ROWS,
    MOST_TYPED,
    NUMBERS,
    Entry,
    assignments,
    is_long,
    named,
    plain_lines,
    read_entries,
    read_only,
    refused,
)
from attn_tui.files.paths import path_of, path_text

VectorPart = Literal["q", "K", "V"]

FIELDS: Mapping[VectorPart, str] = {"q": "query", "K": "keys", "V": "values"}
"""The field that errors name, for each part."""

_PARTS: Mapping[str, VectorPart] = {
    **dict.fromkeys(("q", "query", "queries"), "q"),
    **dict.fromkeys(("k", "key", "keys"), "K"),
    **dict.fromkeys(("v", "value", "values"), "V"),
}
_FINITE = "finite numbers"

_DRAW = {field.label: name for name, field in fields_of(Draw).items()}
_DRAW_START = re.compile(rf"\A\s*({'|'.join(_DRAW)})\s*=", re.IGNORECASE)
_CAPTURE_START = re.compile(r"\A\s*file\s*:", re.IGNORECASE)
_WORDS = r"(?:[^\S\n]+[^\s,;:：=()\[\]{}\"']+)*"
_PART = re.compile(
    rf"^[^\S\n]*({'|'.join(_PARTS)})({_WORDS})(?:\[\d+\])?[^\S\n]*[:：]",
    re.IGNORECASE | re.MULTILINE,
)
"""The heading of rows of q, K or V; after q, the tokens of its rows may follow."""

_SCORES_FILE = re.compile(r"^([^\S\n]*(?:[^:@\n]+:[^\S\n]*)?@)([^\n]+)", re.MULTILINE)
_CAPTURE_FILE = re.compile(r"^([^\S\n]*file[^\S\n]*:[^\S\n]*)([^\n]+)", re.I | re.MULTILINE)
"""A line that names a file, perhaps after q:, K: or V:; what stands before the path, and it."""

_BARE = re.compile(r"[^\W\d][\w.\-+*/#@]*(?: [\w.\-+*/#@]+)*(?:\[\d+\])?")

Stamp = tuple[int, ...] | None


CAPTURED: SourceKind = "capture"
"""The kind of a captured head."""


def kind_of(text: str) -> SourceKind:
    """Return the kind of source a text describes, judged by how its lines begin.

    A query without keys is a vector of scores with the name ``q``, unless tokens follow the name.

    >>> kind_of("n = 64, seed = 1"), kind_of("a: 100, 120, 150"), kind_of("q cat sat: 1, 0")
    ('drawn', 'typed', 'vectors')
    """
    if _DRAW_START.match(ascii_signs(text)):
        return Drawn.kind
    if _CAPTURE_START.match(text):
        return CAPTURED
    heads = [*_PART.finditer(text)]
    parts = {part_of(head[1]) for head in heads}
    has_tokens = any(head[2] and part_of(head[1]) == "q" for head in heads)
    return Products.kind if "q" in parts and ("K" in parts or has_tokens) else Typed.kind


def source_of(text: str) -> Source:
    """Return the source a text describes; the same text and files give the same object.

    Raises:
        InputError: With field ``"scores"``, ``"draw"``, ``"capture"`` or that of q, K or V, naming
            the token that is not understood and its line, or the file.
    """
    text = plain_lines(text)
    if kind_of(text) == CAPTURED:
        # Imported here so that a start on other scores does not wait for it.
        from attn_tui.files.captured import parse_captured

        return parse_captured(text)
    # The cache would keep a very long text in memory beside its numbers.
    make = _source_of if len(text) < 1_000_000 else _source_of.__wrapped__
    return make(text, named_files(text))


@lru_cache(maxsize=8)
def _source_of(text: str, files: tuple[tuple[str, Stamp], ...]) -> Source:
    match kind_of(text):
        case Drawn.kind:
            return _draw_of(text)
        case Products.kind:
            products = _products_of(text)
            return replace(products, files=text) if files else products
    entries = _entries_of(text)
    return Typed(named(entries), files=text if files else "", note=_notes(entries))


def named_files(text: str) -> tuple[tuple[str, Stamp], ...]:
    """Return the files a text names, each with its size and time, or None if it is not there."""
    if "@" not in text:
        return ()
    paths = [os.path.expanduser(path_of(match[2])) for match in _SCORES_FILE.finditer(text)]
    return tuple((path, _stamp(path)) for path in paths)


def _file_lines(text: str) -> re.Pattern[str]:
    return _CAPTURE_FILE if kind_of(text) == CAPTURED else _SCORES_FILE


def paths_in(text: str) -> list[str]:
    """Return the paths of the files that a text names, as they stand there."""
    return [path_of(match[2]) for match in _file_lines(text).finditer(text)]


def with_paths(text: str, rename: Callable[[str], str]) -> str:
    """Return a text in which each path has been renamed."""
    return _file_lines(text).sub(
        lambda match: f"{match[1]}{path_text(rename(path_of(match[2])))}", text
    )


def _stamp(path: str) -> Stamp:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _notes(entries: Iterable[Entry]) -> str:
    """Return what was left out of the files of some entries."""
    return "; ".join(dict.fromkeys(entry.note for entry in entries if entry.note))


def _entries_of(text: str) -> list[Entry]:
    """Return the vectors typed in a text and those in the files it names."""
    if "@" not in text:
        return read_entries(text)
    # Imported here so that starting the program does not wait for it.
    from attn_tui.files.formats import read_vectors

    entries: list[Entry] = []
    typed: list[str] = []
    for line, content in enumerate(text.split("\n"), 1):
        if not content.lstrip().startswith("@"):
            typed.append(content)
            continue
        # Empty lines stand in for those already read, so that line numbers stay right.
        entries += read_entries("\n".join(typed))
        typed = [""] * line
        try:
            rows = read_vectors(path_of(content.strip()[1:]))
        except InputError as error:
            raise replace(error, line=line) from None
        entries += [replace(entry, line=line) for entry in rows]
    return [*entries, *read_entries("\n".join(typed))]


def _draw_of(text: str) -> Drawn:
    """Read ``n = 64, seed = 1, vectors = 1``, in any order; each may be left out."""
    numbers: dict[str, int] = {}
    for line, name, value in assignments(text, "draw", "n = 64, seed = 1, vectors = 1"):
        if name not in _DRAW:
            raise refused("draw", f"{inert(name)} is unknown", "n, seed and vectors", line)
        if _DRAW[name] in numbers:
            raise refused("draw", f"{inert(name)} stands there twice", "each name once", line)
        try:
            numbers[_DRAW[name]] = parse_whole(name, value)
            Drawn(**numbers)
        except InputError as error:
            what = error.problem if error.field == "draw" else f"{name} = {error.problem}"
            raise refused("draw", what, error.expected, line) from None
    return Drawn(**numbers)


def _products_of(text: str) -> Products:
    """Read ``q:``, ``K:`` and, if there are values, ``V:``; each a row, a list of rows, or @FILE.

    Names may be spelled out, in upper or lower case. An unnamed row belongs to the name above it,
    and a repeated name adds rows: ``k: 1 0`` adds a key. After q, the tokens of its rows may
    follow: ``q the cat sat:``.
    """
    heads = [*_PART.finditer(text)]
    ends = [head.start() for head in heads[1:]] + [len(text)]
    if text[: heads[0].start()].strip():
        raise InputError("query", "the first row has no name", "q:, K: and V:", "line 1", 1)
    parts: dict[VectorPart, list[Entry]] = {}
    lines: dict[str, int] = {}
    tokens: list[str] = []
    for head, end in zip(heads, ends, strict=True):
        part = part_of(head[1])
        assert part
        line = text.count("\n", 0, head.start())
        if head[2] and part != "q":
            name = inert(head[1] + head[2])
            raise refused(FIELDS[part], f"{name} is none of q, K and V", "q:, K: and V:", line + 1)
        tokens += head[2].split()
        lines.setdefault(FIELDS[part], line + 1)
        try:
            rows = read_matrix(text[head.end() : end], part)
        except InputError as error:
            line += error.line or 1
            where = error.where if error.where and not error.line else f"line {line}"
            raise replace(error, where=where, line=line) from None
        parts.setdefault(part, []).append(rows)
    if "K" not in parts:
        line = lines[FIELDS["q"]]
        raise refused(FIELDS["K"], "K is missing", "K: and a row for each key after q", line)
    try:
        matrices = {
            part: _joined(part, [piece.scores for piece in pieces])
            for part, pieces in parts.items()
        }
        return Products(
            matrices["q"],
            matrices["K"],
            matrices.get("V"),
            tokens=tuple(tokens),
            note=_notes(chain.from_iterable(parts.values())),
        )
    except InputError as error:
        raise replace(error, line=lines[error.field]) from None


def part_of(name: str) -> VectorPart | None:
    """Return the part that a name such as ``K``, ``keys`` or ``k[0]`` stands for, if any."""
    return _PARTS.get(re.sub(r"\[\d+\]$", "", name).lower())


def read_matrix(text: str, part: VectorPart) -> Entry:
    """Return the rows in a text, or in the file it names after ``@``, as one matrix.

    If the file has several arrays, the one named after the part is taken.

    Raises:
        InputError: With field ``"query"``, ``"keys"`` or ``"values"``.
    """
    where = ""
    try:
        if text.lstrip().startswith("@"):
            from attn_tui.files.formats import read_file

            path = path_of(text.strip()[1:])
            where = place_of(path)
            entries = read_file(path)
            of_part = [entry for entry in entries if entry.name and part_of(entry.name) == part]
            names = {entry.name.partition("[")[0] for entry in entries if not entry.of_file} - {""}
            if not of_part and len(names) > 1:
                what = f"it holds {inert(', '.join(sorted(names)))}"
                raise InputError("", what, f"one named {part}")
            entries = of_part or entries
        else:
            entries = _rows(text)
            for entry in entries:
                if entry.name:
                    what = f"{inert(entry.name)} is none of q, K and V"
                    raise InputError("", what, "q:, K: and V:", line=entry.line)
        if not entries:
            raise InputError("", "there are none", "at least one row")
        rows = _joined(part, [entry.scores for entry in entries])
        return Entry(part, rows, note=_notes(entries))
    except InputError as error:
        expected = _FINITE if error.expected == NUMBERS else error.expected
        where = error.where or where
        raise replace(error, field=FIELDS[part], expected=expected, where=where) from None


def _rows(text: str) -> list[Entry]:
    """Read rows, one on a line, or several separated by semicolons."""
    if ";" not in text and "；" not in text:
        return read_entries(text, MOST_ROWS)
    entries = []
    for number, line in enumerate(text.split("\n"), 1):
        for piece in re.split("[;；]", line):
            entries += [replace(entry, line=number) for entry in read_entries(piece, MOST_ROWS)]
    return entries


def _joined(
    part: VectorPart, rows: Sequence[Sequence[float] | NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return rows of one length as a matrix; a single matrix is returned as it is."""
    width = np.shape(rows[0])[-1]
    for row in rows:
        size = np.shape(row)[-1]
        if size != width:
            what = f"a row of {part} has {counted(size, 'number')} and its first row {width:,}"
            raise InputError(FIELDS[part], what, "rows of one length")
        if not np.isfinite(row).all():
            what = f"a row of {part} holds an infinity or NaN"
            raise InputError(FIELDS[part], what, _FINITE)
    only = rows[0]
    if len(rows) == 1 and isinstance(only, np.ndarray) and only.ndim == 2:
        return only
    return read_only(np.vstack(rows))


def text_of(source: Source) -> str:
    """Return a text that describes a source; many numbers are written to a file that it names."""
    if source.kind == CAPTURED:
        from attn_tui.captures.source import Captured
        from attn_tui.files.captured import captured_text

        assert isinstance(source, Captured)
        return captured_text(source)
    match source:
        case Drawn():
            return f"n = {source.n_keys}, seed = {source.seed}, vectors = {source.count}"
        case Typed() | Products() if source.files and (is_long(source) or source.note):
            return source.files
        case Typed() if is_long(source):
            return f"@{_kept((vector.name, vector.scores) for vector in source.scores)}"
        case Typed():
            return "\n".join(_vector_lines(source.scores))
        case Products():
            head = " ".join(("q", *source.tokens))
            parts = {head: source.queries, "K": source.keys, "V": source.values}
            return "\n".join(
                f"{part}: {_matrix_text(part[:1], rows)}"
                for part, rows in parts.items()
                if rows is not None
            )
    raise TypeError(type(source))


def _vector_lines(vectors: Sequence[Vector]) -> Iterator[str]:
    """Yield a line for each vector, its name quoted where it could be taken for something else."""
    names = [vector.name for vector in vectors]
    heads = "\n".join(f"{name}: 0" for name in names)
    are_bare = all(map(_BARE.fullmatch, names)) and kind_of(heads) == Typed.kind
    for vector in vectors:
        name = vector.name if are_bare else dumps(vector.name, ensure_ascii=False)
        yield f"{name}: {', '.join(map(score_text, vector.scores.tolist()))}"


def _matrix_text(part: str, rows: NDArray[np.float64]) -> str:
    """Return rows as text, a single row without brackets; very many are kept in a file."""
    if rows.size > MOST_TYPED:
        return f"@{_kept([(part, rows)])}"
    lists = [", ".join(map(score_text, row)) for row in rows.tolist()]
    if len(lists) == 1:
        return lists[0]
    between = ",\n    " if rows.size > 16 else ", "
    return "[" + between.join(f"[{row}]" for row in lists) + "]"


def score_text(score: float) -> str:
    """Return the shortest text that reads back as exactly this score: ``100``, ``-inf``."""
    text = repr(score)
    return text.removesuffix(".0") if isfinite(score) else text


@cache
def _folder() -> TemporaryDirectory[str]:
    """Return a temporary folder, deleted when the program ends."""
    return TemporaryDirectory(prefix="attn-tui-")


def is_kept(text: str) -> bool:
    """Return whether a text names a file in the temporary folder."""
    return _folder.cache_info().currsize > 0 and _folder().name in text


def kept_file(data: bytes, suffix: str) -> str:
    """Write bytes to a file in the temporary folder, and return its path.

    Raises:
        OSError: If that is impossible.
    """
    path = os.path.join(_folder().name, f"scores-{len(os.listdir(_folder().name)) + 1}{suffix}")
    with open(path, "xb") as file:
        file.write(data)
    return path


def _kept(arrays: Iterable[tuple[str, NDArray[np.float64]]]) -> str:
    """Save arrays under their names in a temporary file, and return its path."""
    import zipfile

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
