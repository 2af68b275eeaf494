"""Vectors out of arrays, JSON values and CSV rows."""

import csv
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.errors import InputError, inert
from attn_tui.files.codec import asks, experiment_from_plain
from attn_tui.files.entries import NUMBERS, Entry, check_count, held, number, numbered, problem
from attn_tui.files.plain import finite, shown

_LISTS = "a list of numbers, a list of lists, or an object of such lists by name"


def array_entry(array: NDArray[np.float64], name: str, shared: bool = False) -> Entry:
    """Return an array of one dimension, or of two with a vector a row, as one entry.

    Args:
        array: Shape (n,) or (rows, n).
        name: What a single vector is called; several get ``name[0]`` and so on.
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


def json_entries(plain: object, name: str) -> list[Entry]:
    """Return the vectors of a JSON value: lists of numbers, by name, or what we wrote ourselves.

    Args:
        plain: What the file holds.
        name: What a single list is called.

    Raises:
        InputError: Naming the list and the key that will not do.
    """
    if isinstance(plain, dict):
        if asks(plain):
            return _own_entries(plain)
        return [entry for key, item in plain.items() for entry in _list_entries(item, key)]
    entries = _list_entries(plain, "")
    return [Entry(name, entries[0].scores, shared=True)] if len(entries) == 1 else entries


def csv_entries(text: str, name: str) -> list[Entry]:
    """Return the vectors of a table whose cells stand between commas, semicolons or tabs.

    Each row is a vector; a single column is one vector. If the first row holds no number it is a
    head, and each column is a vector named by it. Rows may end early, but not have gaps.

    Args:
        text: The table.
        name: What a single vector without a head is called.

    Raises:
        InputError: Naming the line and the cell that will not do.
    """
    first = re.search(r"\S[^\n]*", text)
    delimiter = next((mark for mark in ",;\t" if first and mark in first[0]), ",")
    lines = _lines(text, delimiter)
    line, row = next(lines, (0, []))
    if row and not any(_is_number(cell) for cell in row):
        return _columns(row, lines)
    lines = chain([(line, row)] if row else [], lines)
    column = _Cells(name, line)
    for line, row in lines:
        if len(row) > 1:
            break
        column.add(row[0], line)
    else:
        return [Entry(name, column.scores, column.line, shared=True)] if column.scores else []
    check_count(len(column.scores))
    entries = [Entry("", [score]) for score in column.scores]
    for place, cells in chain([(line, row)], lines):
        wide = _Cells("", place)
        for cell in cells:
            wide.add(cell, place)
        entries.append(Entry("", wide.scores, place))
        check_count(len(entries))
    return [Entry(name, entries[0].scores, shared=True)] if len(entries) == 1 else entries


def _lines(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table that are not blank, each with its line."""
    pieces = (found[0] for found in re.finditer(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text))
    reader = csv.reader(pieces, delimiter=delimiter, skipinitialspace=True)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num, row
    except csv.Error as error:
        raise problem(f"no table: {error}", "cells between commas", reader.line_num) from None


def _columns(head: Sequence[str], lines: Iterable[tuple[int, list[str]]]) -> list[Entry]:
    """Return the vectors of columns under a head; one without a title has no name."""
    columns = [_Cells(title.strip()) for title in head]
    start = 0
    for line, row in lines:
        start = start or line
        columns += [_Cells("", blank=start if start < line else 0) for _ in row[len(columns) :]]
        for column, cell in zip(columns, chain(row, repeat("")), strict=False):
            column.add(cell, line)
    for column in columns:
        if not column.scores:
            raise problem(f"the column {inert(column.name)} is empty", "at least one number")
    return [Entry(column.name, column.scores, column.line) for column in columns]


class _Cells:
    """The scores of a row or column, blank cells at its end left out."""

    def __init__(self, name: str, line: int = 0, blank: int = 0) -> None:
        self.name = name
        self.line = line
        self.blank = blank
        self.scores = array("d")

    def add(self, cell: str, line: int) -> None:
        cell = cell.strip()
        if not cell:
            self.blank = self.blank or line
            return
        if self.blank:
            raise problem("a cell is empty", NUMBERS, self.blank)
        self.line = self.line or line
        self.scores.append(number(cell, line))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _own_entries(plain: dict[str, Any]) -> list[Entry]:
    try:
        experiment = experiment_from_plain(plain)
        vectors = experiment.source.vectors(experiment.setup)
    except InputError as error:
        raise problem(error.problem, error.expected) from None
    return [Entry(vector.name, vector.scores) for vector in vectors]


def _list_entries(plain: object, name: str) -> list[Entry]:
    if not isinstance(plain, list) or not plain:
        raise problem(f"{_of(name)}{shown(plain)} is not what can be read", _LISTS)
    if not any(isinstance(item, list) for item in plain):
        return [Entry(name, _numbers(plain, _of(name)))]
    check_count(len(plain))
    entries = []
    for row, item in enumerate(plain):
        if not isinstance(item, list) or not item:
            raise problem(f"{_of(name)}row {row}: {shown(item)} is not what can be read", _LISTS)
        entries.append(Entry(name, _numbers(item, f"{_of(name)}row {row}, ")))
    return numbered(entries)


def _of(name: str) -> str:
    return f"{inert(name)}, " if name else ""


def _numbers(items: Sequence[object], place: str) -> Sequence[float]:
    if numbers := finite(items):
        return numbers
    return [_number(item, f"{place}key {key}") for key, item in enumerate(items)]


def _number(item: object, place: str) -> float:
    if isinstance(item, str | int | float) and not isinstance(item, bool):
        try:
            return number(item if isinstance(item, str) else repr(float(item)))
        except OverflowError:
            raise problem(f"{place} is too large for float64", NUMBERS) from None
        except InputError as error:
            raise problem(f"{place}: {error.problem}", error.expected) from None
    raise problem(f"{place}: {shown(item)} is not a number", NUMBERS)
