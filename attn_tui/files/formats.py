"""Reading vectors from files: .npy and .npz without pickles, CSV, JSON and plain text."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import prod
from pathlib import PurePath
from typing import IO, BinaryIO

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.disk import place_of
from attn_tui.captures.npy import (
    LONGEST_HEADER,
    PACKINGS,
    open_archive,
    read_array,
    read_header,
)
from attn_tui.compute.errors import InputError, inert
from attn_tui.files.codec import json_entries
from attn_tui.files.content import opened, read_json, read_text, size_of
from attn_tui.files.grammar import (
    NUMBERS,
    Entry,
    check_scores,
    expanded,
    named,
    problem,
    read_entries,
    read_only,
)
from attn_tui.files.table import read_table

INDEX = "the first column of {file} has no name and counts the rows: it is left out"
"""What is said of a column that is left out."""

LARGEST_ARRAYS = 512 * 2**20
"""Bytes of all arrays of an .npz file together, unpacked."""


def read_file(path: str) -> list[Entry]:
    """Read a .npy, .npz, .csv, .json or .txt file; a two-dimensional array is one entry.

    Raises:
        InputError: With field ``"scores"``, naming the file and the place in it.
    """
    where = PurePath(os.path.expanduser(path))
    with opened(path, "scores", SUFFIXES) as file:
        return _READERS[where.suffix.lower()](file, where)


def read_vectors(path: str) -> list[Entry]:
    """Read a file as `read_file` does, with one entry for each row of an array."""
    entries = read_file(path)
    try:
        entries = expanded(entries)
        named(entries)
    except InputError as error:
        where = ", ".join(filter(None, (place_of(path), error.where)))
        raise replace(error, where=where) from None
    return entries


def _npy(file: BinaryIO, path: PurePath) -> list[Entry]:
    entry = _array_entry(read_npy(file, size_of(file)), path.stem)
    name = "" if np.ndim(entry.scores) == 2 else path.stem
    return [replace(entry, name=name, of_file=True)]


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
        if name == member.filename or member.compress_type not in PACKINGS:
            raise problem(f"it holds {inert(name)}, which is no array", "what numpy.savez writes")
        try:
            with archive.open(member) as stream:
                entries.append(_array_entry(read_npy(stream, member.file_size, n_scores), name))
        except InputError as error:
            raise problem(f"in array {inert(name)}: {error.problem}", error.expected) from None
        except Exception:  # zipfile trusts its input, and fails in many ways.
            raise problem(f"array {inert(name)} cannot be unpacked", "a complete file") from None
        n_scores += np.size(entries[-1].scores)
    return entries


def read_npy(file: IO[bytes], size: int, before: int = 0) -> NDArray[np.float64]:
    """Read one array of real numbers, of one or two dimensions, as float64.

    Args:
        file: Seekable .npy data.
        size: Its size in bytes; the header may claim no more.
        before: Numbers already read that count towards the same limit.

    Raises:
        InputError: If it is broken, too large, or holds anything but real numbers.
    """
    header = read_header(file.read(LONGEST_HEADER))
    if header.dtype.kind not in "fiu" or header.dtype.itemsize > 8:
        expected = "real numbers of at most 64 bits"
        raise problem(f"it holds {inert(str(header.dtype))[1:-1]}", expected)
    header.check(size)
    if 0 in header.shape:
        raise problem("it holds an empty array", "at least one number")
    if not 1 <= len(header.shape) <= 2:
        what = f"it holds an array of {len(header.shape)} dimensions"
        raise problem(what, "one dimension or two")
    check_scores(before + prod(header.shape))
    try:
        return read_array(file).astype(np.float64, copy=False)
    except ValueError:
        raise problem("it ends too early", "a complete file") from None


def _array_entry(array: NDArray[np.float64], name: str) -> Entry:
    """Return an array of shape (n,), or (rows, n) with one vector a row, as one entry."""
    rows = np.atleast_2d(array)
    unusable = np.isnan(rows) | (rows == np.inf)
    if unusable.any():
        row, key = np.argwhere(unusable)[0]
        place = f"row {row:,}, key {key:,}" if array.ndim == 2 else f"key {key:,}"
        raise problem(f"{rows[row, key]} stands at {place}", NUMBERS)
    return Entry(name, read_only(array))


def _txt(file: BinaryIO, path: PurePath) -> list[Entry]:
    return _called(read_entries(read_text(file)), path)


def _json(file: BinaryIO, path: PurePath) -> list[Entry]:
    return _called(json_entries(read_json(read_text(file))), path)


def _called(entries: list[Entry], path: PurePath) -> list[Entry]:
    """Return entries; a single unnamed one is named after its file."""
    if len(entries) == 1 and not entries[0].name:
        return [replace(entries[0], name=path.stem, of_file=True)]
    return entries


def _csv(file: BinaryIO, path: PurePath) -> list[Entry]:
    """Read a table: each column is a vector if it has a head, else each row, or a single column."""
    table = read_table(file)
    numbers = table.numbers
    if not numbers.size:
        return []
    if not table.titles and numbers.shape[1] == 1:
        return _called([_array_entry(numbers[:, 0], "")], path)
    if not table.titles:
        return [_array_entry(numbers, "")]
    note = INDEX.format(file=inert(path.name)) if table.has_index else ""
    columns = zip(table.titles, numbers.T, strict=True)
    return [replace(_array_entry(column, title), note=note) for title, column in columns]


_READERS: Mapping[str, Callable[[BinaryIO, PurePath], list[Entry]]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".csv": _csv,
    ".json": _json,
    ".txt": _txt,
}
SUFFIXES = tuple(_READERS)
"""Suffixes of the files we can read."""
