"""Vectors out of arrays, JSON values and CSV rows."""

import csv
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.errors import InputError, inert
from attn_tui.files.codec import asks, experiment_from_plain
from attn_tui.files.entries import (
    NUMBERS,
    Entry,
    check_count,
    check_scores,
    held,
    number,
    numbered,
    problem,
)
from attn_tui.files.limits import LONGEST_ROW, MOST_CELLS, check_most
from attn_tui.files.plain import scores_of, shown

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


_CONFIGURES = frozenset({"model_type", "num_attention_heads", "num_hidden_layers"})
_BELONGS = "it beside a capture: --config of the doctor, or expects in the settings of 5"


def json_entries(plain: object, name: str, folder: str = "") -> list[Entry]:
    """Return the vectors of a JSON value: lists of numbers, by name, or what we wrote ourselves.

    Args:
        plain: What the file holds.
        name: What a single list is called.
        folder: Of the file.

    Raises:
        InputError: Naming the list and the key that will not do.
    """
    if isinstance(plain, dict):
        if asks(plain):
            return _own_entries(plain, folder)
        if not _CONFIGURES.isdisjoint(plain):
            raise problem("it is the configuration of a model", _BELONGS)
        return [entry for key, item in plain.items() for entry in _list_entries(item, key)]
    entries = _list_entries(plain, "")
    return [Entry(name, entries[0].scores, shared=True)] if len(entries) == 1 else entries


class _Row(NamedTuple):
    """A row of a table that is not blank: its line, its cells, and their scores if all are."""

    line: int
    cells: Sequence[str]
    scores: "array[float] | None" = None


def csv_entries(text: str, name: str) -> list[Entry]:
    r"""Return the vectors of a table whose cells stand between commas, semicolons or tabs.

    Each row is a vector; a single column is one vector. If the first row holds no number it is a
    head, and each column is a vector named by it. Rows may end early, but not have gaps.

    Args:
        text: The table, its lines ended by ``\n``.
        name: What a single vector without a head is called.

    Raises:
        InputError: Naming the line and the cell that will not do.
    """
    rows = _rows(text)
    first = next(rows, None)
    if first is None:
        return []
    if not any(_is_number(cell) for cell in first.cells):
        return _columns(first, rows)
    rows = chain([first], rows)
    column = _Cells(name, first.line)
    for row in rows:
        if len(row.cells) > 1:
            rows = chain([row], rows)
            break
        column.add_row(row)
        check_scores(len(column.scores))
    else:
        return [Entry(name, column.scores, column.line, shared=True)]
    check_count(len(column.scores))
    entries = [Entry("", [score]) for score in column.scores]
    n_scores = len(entries)
    for row in rows:
        cells = _Cells("", row.line)
        cells.add_row(row)
        entries.append(Entry("", cells.scores, row.line))
        n_scores += len(cells.scores)
        check_count(len(entries))
        check_scores(n_scores)
    return [Entry(name, entries[0].scores, shared=True)] if len(entries) == 1 else entries


def _rows(text: str) -> Iterator[_Row]:
    """Yield the rows of a table that are not blank."""
    first = next(filter(str.strip, _lines(text)), "").lstrip()
    delimiter = next((mark for mark in ",;\t" if mark in first), ",")
    size = 0

    def measured() -> Iterator[str]:
        nonlocal size
        for line in _lines(text):
            size += len(line)
            expected = "a long vector as a column"
            check_most(size, LONGEST_ROW, "characters in a row", expected)
            yield line

    reader = csv.reader(measured(), delimiter=delimiter, skipinitialspace=True)
    try:
        for cells in reader:
            size = 0
            line = reader.line_num
            check_most(len(cells), MOST_CELLS, "cells in a row", "a long vector as a column", line)
            scores = _scores(cells)
            if scores is not None or any(cell.strip() for cell in cells):
                yield _Row(line, cells, scores)
    except csv.Error as error:
        raise problem(f"no table: {error}", "cells between commas", reader.line_num) from None


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text with their ends, which are never all held."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _scores(cells: Sequence[str]) -> "array[float] | None":
    """Return the scores of cells, fast, if Python means by them what we do; else None."""
    text = "".join(cells)
    if not text.isascii() or "_" in text:
        return None
    try:
        scores = array("d", map(float, cells))
    except ValueError:
        return None
    return scores if text and isfinite(sum(scores)) else None


def _columns(head: _Row, rows: Iterable[_Row]) -> list[Entry]:
    """Return the vectors of columns under a head; one without a title has no name."""
    check_count(len(head.cells))
    columns = [_Cells(title.strip()) for title in head.cells]
    start = n_scores = 0
    is_whole = False
    for row in rows:
        n_scores += len(row.cells)
        check_scores(n_scores)
        if is_whole and row.scores is not None and len(row.scores) == len(columns):
            for column, score in zip(columns, row.scores, strict=True):
                column.scores.append(score)
            continue
        line, cells = row.line, row.cells
        check_count(max(len(columns), len(cells)))
        start = start or line
        columns += [_Cells("", blank=start if start < line else 0) for _ in cells[len(columns) :]]
        for column, cell in zip(columns, chain(cells, repeat("")), strict=False):
            column.add(cell, line)
        is_whole = all(column.line and not column.blank for column in columns)
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

    def add_row(self, row: _Row) -> None:
        """Add all the cells of a row."""
        if row.scores is not None and not self.blank:
            self.line = self.line or row.line
            self.scores.extend(row.scores)
            return
        for cell in row.cells:
            self.add(cell, row.line)

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


def _own_entries(plain: dict[str, Any], folder: str) -> list[Entry]:
    try:
        experiment = experiment_from_plain(plain, folder=folder)
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


def _numbers(items: Sequence[object], place: str) -> Sequence[float] | NDArray[np.float64]:
    numbers = scores_of(items)
    if numbers is not None:
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
