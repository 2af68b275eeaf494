"""Reading vectors from files: .npy and .npz without pickles, CSV, JSON and plain text."""

import csv
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from io import TextIOWrapper
from itertools import chain
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
from attn_tui.compute.text import visible
from attn_tui.files.codec import json_entries
from attn_tui.files.content import check_size, opened, read_json, read_text, size_of
from attn_tui.files.grammar import (
    NUMBERS,
    Entry,
    check_count,
    check_scores,
    expanded,
    held,
    named,
    problem,
    read_entries,
)

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
        place = f"row {row}, key {key}" if array.ndim == 2 else f"key {key}"
        raise problem(f"{rows[row, key]} stands at {place}", NUMBERS)
    return Entry(name, held(array))


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
    """Read a table whose cells are separated by commas, semicolons or tabs.

    Each row is a vector; a single column is one vector. If the first row holds no number it is a
    header, and each column is a vector named by it.
    """
    check_size(file)
    with TextIOWrapper(file, "utf-8-sig") as text:
        line = 0

        def counted() -> Iterator[str]:
            nonlocal line
            for content in text:
                line += 1
                if content.strip():
                    yield content

        lines = counted()
        try:
            first = next(lines, "")
            delimiter = next((mark for mark in ",;\t" if mark in first), ",")
            titles = next(csv.reader([first], delimiter=delimiter, skipinitialspace=True), [])
            if not titles:
                return []
            has_head = not any(map(_is_number, titles))
            body = lines if has_head else chain([first], lines)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                table = np.loadtxt(body, delimiter=delimiter, comments=None, quotechar='"', ndmin=2)
        except UnicodeDecodeError:
            raise problem("it is not UTF-8", "UTF-8 text") from None
        except (ValueError, csv.Error) as error:
            what = visible(str(error).partition(" at row")[0][:200])
            expected = "numbers, and as many in each row"
            raise problem(f"it is no table: {what}", expected, line) from None
    check_scores(table.size)
    if not table.size:
        raise problem("it holds a head and nothing else", "at least one number")
    if has_head:
        check_count(len(titles))
        if len(titles) != table.shape[1]:
            what = f"its head has {len(titles)} cells and its rows {table.shape[1]}"
            raise problem(f"it is no table: {what}", "as many in each row")
        columns = zip(titles, table.T, strict=True)
        return [_array_entry(column, title.strip()) for title, column in columns]
    if table.shape[1] == 1:
        return _called([_array_entry(table[:, 0], "")], path)
    return [_array_entry(table, "")]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


_READERS: Mapping[str, Callable[[BinaryIO, PurePath], list[Entry]]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".csv": _csv,
    ".json": _json,
    ".txt": _txt,
}
SUFFIXES = tuple(_READERS)
"""Suffixes of the files we can read."""
