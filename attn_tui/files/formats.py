"""Files of numbers to vectors: .npy and .npz without pickles, tables, JSON and plain text."""

import csv
import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import isfinite, prod
from pathlib import PurePath
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.npy import (
    LONGEST_HEADER,
    PACKINGS,
    open_archive,
    read_array,
    read_header,
)
from attn_tui.compute.errors import InputError, inert
from attn_tui.files.codec import asks, experiment_from_plain
from attn_tui.files.content import opened, read_json, read_text, size_of
from attn_tui.files.entries import (
    LARGEST_ARRAYS,
    LONGEST_ROW,
    MOST_CELLS,
    NUMBERS,
    Entry,
    check_count,
    check_most,
    check_scores,
    expanded,
    held,
    named,
    number,
    numbered,
    problem,
)
from attn_tui.files.grammar import read_entries
from attn_tui.files.plain import scores_of, shown

_NO_NUMBERS = {
    "O": "pickled objects",
    "c": "complex numbers",
    "b": "true and false",
    "V": "records",
    "M": "dates",
    "m": "times",
    "f": "numbers wider than float64",
}
_LISTS = "a list of numbers, a list of lists, or an object of such lists by name"
_CONFIGURES = frozenset({"model_type", "num_attention_heads", "num_hidden_layers"})
_BELONGS = "it beside a capture: --config of the doctor, or expects in the settings of 5"


def read_file(path: str) -> list[Entry]:
    """Read the vectors of a .npy, .npz, .csv, .json or .txt file.

    Raises:
        InputError: With field ``"scores"``, naming the file and the place in it.
    """
    with opened(path, "scores", SUFFIXES) as file:
        entries = expanded(entries_of(file, path))
        # What cannot be named is said of the file.
        named(entries)
        return entries


def read_whole(path: str) -> list[Entry]:
    """Read what a file holds, as `read_file` does, but an array of two dimensions in one piece."""
    with opened(path, "scores", SUFFIXES) as file:
        return entries_of(file, path)


def entries_of(file: BinaryIO, path: str) -> list[Entry]:
    """Return what an open file holds, by the suffix of its path."""
    where = PurePath(os.path.expanduser(path))
    return _READERS[where.suffix.lower()](file, where)


def _npy(file: BinaryIO, path: PurePath) -> list[Entry]:
    return [array_entry(read_npy(file, size_of(file)), path.stem, shared=True)]


def _npz(file: BinaryIO, path: PurePath) -> list[Entry]:
    archive = open_archive(file.fileno())
    members = archive.infolist()
    total = sum(member.file_size for member in members)
    if total > LARGEST_ARRAYS:
        expected = f"at most {LARGEST_ARRAYS:,}, uncompressed"
        raise problem(f"its arrays claim {total:,} bytes", expected)
    entries = []
    n_scores = 0
    for member in members:
        name = member.filename.removesuffix(".npy")
        if name == member.filename:
            raise problem(f"it holds {inert(name)}, which is no array", "NumPy arrays only")
        if member.compress_type not in PACKINGS:
            expected = "what numpy.savez writes"
            raise problem(f"array {inert(name)} is packed in another way", expected)
        try:
            with archive.open(member) as stream:
                array = read_npy(stream, member.file_size, n_scores)
            entries.append(array_entry(array, name))
        except InputError as error:
            raise problem(f"in array {inert(name)}: {error.problem}", error.expected) from None
        except Exception:  # zipfile trusts what it reads, and fails in many ways.
            raise problem(f"array {inert(name)} cannot be unpacked", "a complete file") from None
        n_scores += array.size
    return entries


def read_npy(file: IO[bytes], size: int, before: int = 0) -> NDArray[np.float64]:
    """Read one array of real numbers of one or two dimensions, as float64.

    Args:
        file: .npy data, which can be read again from its first byte on.
        size: Its bytes: the header may claim no more.
        before: How many numbers other arrays hold that count towards the same limit.

    Raises:
        InputError: If it is broken, too large, or holds anything but real numbers.
    """
    header = read_header(file.read(LONGEST_HEADER))
    if header.dtype.kind not in "fiu" or header.dtype.itemsize > 8:
        held = _NO_NUMBERS.get(header.dtype.kind, "text")
        raise problem(f"it holds {held}", "real numbers of at most 64 bits")
    header.check(size)
    if 0 in header.shape:
        raise problem("it holds an empty array", "at least one number")
    if not 1 <= len(header.shape) <= 2:
        held = f"it holds an array of {len(header.shape)} dimensions"
        raise problem(held, "one dimension or two")
    check_scores(before + prod(header.shape))
    try:
        return read_array(file).astype(np.float64, copy=False)
    except ValueError:
        raise problem("it ends too early", "a complete file") from None


def array_entry(array: NDArray[np.float64], name: str, shared: bool = False) -> Entry:
    """Return an array of one dimension, or of two with a vector a row, as one entry.

    Args:
        array: Shape (n,) or (rows, n).
        name: What it is called.
        shared: Whether the name is a file's, which then does not suit several vectors.

    Raises:
        InputError: If a score is NaN or plus infinity, naming its place.
    """
    rows = np.atleast_2d(array)
    unusable = np.isnan(rows) | (rows == np.inf)
    if unusable.any():
        row, key = np.argwhere(unusable)[0]
        place = f"row {row}, key {key}" if array.ndim == 2 else f"key {key}"
        raise problem(f"{rows[row, key]} stands at {place}", NUMBERS)
    return Entry("" if shared and array.ndim == 2 else name, held(array), shared=shared)


def _txt(file: BinaryIO, path: PurePath) -> list[Entry]:
    entries = read_entries(read_text(file))
    if len(entries) == 1 and not entries[0].name:
        return [replace(entries[0], name=path.stem, shared=True)]
    return entries


def _csv(file: BinaryIO, path: PurePath) -> list[Entry]:
    """Read a table whose cells stand between commas, semicolons or tabs.

    Each row is a vector; a single column is one vector. If the first row holds no number it is a
    head, and each column is a vector named by it. Rows may end early, but not have gaps.
    """
    rows = _rows(read_text(file))
    first = next(rows, None)
    if first is None:
        return []
    begin, head = first
    if not any(map(_is_number, head)):
        return _columns(head, rows)
    entries: list[Entry] = []
    column = array("d")
    n_scores = 0
    is_column = True
    for line, cells in chain([first], rows):
        scores = _row_scores(cells, line)
        n_scores += len(scores)
        check_scores(n_scores)
        if is_column and len(cells) == 1:
            column.extend(scores)
            continue
        if is_column:
            # It is no column after all: each number above is a row.
            is_column = False
            check_count(len(column))
            entries = [Entry("", [score]) for score in column]
        entries.append(Entry("", scores, line))
        check_count(len(entries))
    if is_column:
        entries = [Entry("", column, begin)]
    if len(entries) == 1:
        return [replace(entries[0], name=path.stem, shared=True)]
    return entries


def _columns(titles: Sequence[str], rows: Iterable[tuple[int, Sequence[str]]]) -> list[Entry]:
    """Return the vectors of columns under a head; one without a title has no name."""
    check_count(len(titles))
    columns = [array("d") for _ in titles]
    starts, gaps = [0] * len(titles), [0] * len(titles)
    n_scores = 0
    for line, cells in rows:
        if len(cells) > len(titles):
            raise problem("a row has more cells than the head", f"up to {len(titles)}", line)
        n_scores += len(cells)
        check_scores(n_scores)
        for at in range(len(titles)):
            text = cells[at].strip() if at < len(cells) else ""
            if not text:
                gaps[at] = gaps[at] or line
                continue
            if gaps[at]:
                raise problem("a cell is empty", NUMBERS, gaps[at])
            starts[at] = starts[at] or line
            columns[at].append(number(text, line))
    for title, scores in zip(titles, columns, strict=True):
        if not scores:
            raise problem(f"the column {inert(title.strip())} is empty", "at least one number")
    return [
        Entry(title.strip(), scores, line)
        for title, scores, line in zip(titles, columns, starts, strict=True)
    ]


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table that are not blank, with their lines."""
    first = next(filter(str.strip, _lines(text)), "").lstrip()
    delimiter = next((mark for mark in ",;\t" if mark in first), ",")
    size = 0
    expected = "a long vector as a column"

    def measured() -> Iterator[str]:
        nonlocal size
        for line in _lines(text):
            size += len(line)
            check_most(size, LONGEST_ROW, "characters in a row", expected)
            yield line

    reader = csv.reader(measured(), delimiter=delimiter, skipinitialspace=True)
    try:
        for cells in reader:
            size = 0
            check_most(len(cells), MOST_CELLS, "cells in a row", expected, reader.line_num)
            if any(map(str.strip, cells)):
                yield reader.line_num, cells
    except csv.Error as error:
        raise problem(f"no table: {error}", "cells between commas", reader.line_num) from None


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text with their ends, which are never all held."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _row_scores(cells: Sequence[str], line: int) -> "array[float]":
    """Return the scores of a row, which may end early but not have gaps."""
    text = "".join(cells)
    if text.isascii() and "_" not in text:
        # Python means by most of them what we do, and is fast.
        try:
            scores = array("d", map(float, cells))
        except ValueError:
            scores = array("d", [np.nan])
        if isfinite(sum(scores)):
            return scores
    texts = [cell.strip() for cell in cells]
    while not texts[-1]:
        texts.pop()
    if not all(texts):
        raise problem("a cell is empty", NUMBERS, line)
    return array("d", [number(text, line) for text in texts])


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _json(file: BinaryIO, path: PurePath) -> list[Entry]:
    return json_entries(read_json(read_text(file)), path.stem, str(path.parent))


def json_entries(plain: object, name: str, folder: str = "") -> list[Entry]:
    """Return the vectors of a JSON value: lists of numbers, by name, or what we wrote ourselves.

    Args:
        plain: What the file holds.
        name: What a single list is called.
        folder: Of the file.

    Raises:
        InputError: Naming the list and the key that will not do.
    """
    if isinstance(plain, dict) and asks(plain):
        try:
            experiment = experiment_from_plain(plain, folder=folder)
            vectors = experiment.source.vectors(experiment.setup)
        except InputError as error:
            raise problem(error.problem, error.expected) from None
        return [Entry(vector.name, vector.scores) for vector in vectors]
    if isinstance(plain, dict):
        if not _CONFIGURES.isdisjoint(plain):
            raise problem("it is the configuration of a model", _BELONGS)
        return [entry for key, item in plain.items() for entry in _list_entries(item, key)]
    entries = _list_entries(plain, "")
    return [Entry(name, entries[0].scores, shared=True)] if len(entries) == 1 else entries


def _list_entries(plain: object, name: str) -> list[Entry]:
    of = f"{inert(name)}, " if name else ""
    if not isinstance(plain, list) or not plain:
        raise problem(f"{of}{shown(plain)} is not what can be read", _LISTS)
    if not any(isinstance(item, list) for item in plain):
        return [Entry(name, _list_numbers(plain, of))]
    check_count(len(plain))
    entries = []
    for row, item in enumerate(plain):
        if not isinstance(item, list) or not item:
            raise problem(f"{of}row {row}: {shown(item)} is not what can be read", _LISTS)
        entries.append(Entry(name, _list_numbers(item, f"{of}row {row}, ")))
    return numbered(entries)


def _list_numbers(items: Sequence[object], place: str) -> Sequence[float] | NDArray[np.float64]:
    numbers = scores_of(items)
    if numbers is not None:
        return numbers
    return [_list_number(item, f"{place}key {key}") for key, item in enumerate(items)]


def _list_number(item: Any, place: str) -> float:
    if type(item) not in (str, int, float):
        raise problem(f"{place}: {shown(item)} is not a number", NUMBERS)
    try:
        return number(item if isinstance(item, str) else repr(float(item)))
    except OverflowError:
        raise problem(f"{place} is too large for float64", NUMBERS) from None
    except InputError as error:
        raise problem(f"{place}: {error.problem}", error.expected) from None


_READERS: Mapping[str, Callable[[BinaryIO, PurePath], list[Entry]]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".csv": _csv,
    ".json": _json,
    ".txt": _txt,
}
SUFFIXES = tuple(_READERS)
"""Suffixes of the files that can be read."""
