"""Tables of numbers as text: CSV, with decimal commas where nothing else can be meant."""

import csv
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import chain, islice
from typing import BinaryIO, Literal, TextIO

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.text import visible
from attn_tui.files.content import check_size
from attn_tui.files.grammar import check_count, check_scores, problem

Commas = Literal["", "decimal", "thousands"]
"""What a comma inside a cell is; empty if there is none."""

_NAMELESS = ("", "Unnamed: 0")
"""The titles of a column without a name: pandas writes the second when it saves what it read."""

_BEGIN, _END = r'\s*"?[-+]?', r'(?:[eE][-+]?[0-9]++)?"?\s*'
_EITHER = rf"{_BEGIN}[1-9][0-9]{{0,2}},[0-9]{{3}}{_END}"
"""A cell whose comma may be a decimal comma as well as a mark of thousands."""

_DECIMAL = rf"{_BEGIN}(?:[0-9]++|[1-9][0-9]{{0,2}}(?:\.[0-9]{{3}})++)(?:,[0-9]++)?{_END}"
_THOUSANDS = rf"{_BEGIN}[1-9][0-9]{{0,2}}(?:,[0-9]{{3}})++(?:\.[0-9]++)?{_END}"
"""Cells of a table with decimal commas, and of one with commas as marks of thousands."""


@dataclass(frozen=True)
class TextTable:
    """A table as it stands in a file.

    Attributes:
        titles: The title of each column; empty if there is no head.
        numbers: Shape (rows, columns).
        has_index: Whether the first column was left out, as it has no name and counts the rows.
    """

    titles: Sequence[str]
    numbers: NDArray[np.float64]
    has_index: bool = False


class _Lines:
    """The lines of a text that are not blank, from its beginning on.

    Attributes:
        number: The number of the last line, counted from 1.
    """

    def __init__(self, text: TextIO) -> None:
        text.seek(0)
        self._text = text
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._text:
            self.number += 1
            if line.strip():
                yield line


def read_table(file: BinaryIO) -> TextTable:
    """Read a table whose cells are separated by commas, semicolons or tabs.

    If the first row holds no number it is a head. A first column without a name is left out if it
    counts the rows from 0 or from 1, as programs write it unasked. Where semicolons or tabs
    separate cells, a comma is part of a number.

    Raises:
        InputError: With field ``"scores"``, naming the line that is not understood.
    """
    check_size(file)
    with TextIOWrapper(file, "utf-8-sig") as text:
        lines = _Lines(text)
        try:
            delimiter = _delimiter([*islice(lines, 2)])
            lines = _Lines(text)
            commas: Commas = "" if delimiter == "," else _meaning(lines, delimiter)
            lines = _Lines(text)
            return _read(lines, delimiter, commas)
        except InputError:
            raise
        except UnicodeDecodeError:
            raise problem("it is not UTF-8", "UTF-8 text") from None
        except (ValueError, csv.Error) as error:
            what = visible(str(error).partition(" at row")[0][:200])
            expected = "numbers, and as many in each row"
            raise problem(f"it is no table: {what}", expected, lines.number) from None


def _delimiter(lines: Sequence[str]) -> str:
    """Return what separates the cells, judging by the first two lines."""
    if not lines:
        return ","
    for mark in ";\t":
        cells = lines[-1].split(mark)
        if len(cells) > 1 and all(map(_is_number, cells)):
            return mark
    return next((mark for mark in ",;\t" if mark in lines[0]), ",")


def _meaning(lines: _Lines, delimiter: str) -> Commas:
    """Return what the commas inside cells are.

    Raises:
        InputError: If they may be decimal commas as well as marks of thousands.
    """
    doubtful = None
    for line in lines:
        if "," not in line:
            continue
        for cell in line.split(delimiter):
            if "," not in cell:
                continue
            if re.fullmatch(_EITHER, cell):
                doubtful = doubtful or (cell.strip(' \t\r\n"'), lines.number)
            elif re.fullmatch(_DECIMAL, cell):
                return "decimal"
            elif re.fullmatch(_THOUSANDS, cell):
                return "thousands"
    if doubtful is None:
        return ""
    cell, number = doubtful
    as_decimal, as_thousands = cell.replace(",", "."), cell.replace(",", "")
    problem_text = f"{inert(cell)} may be {as_decimal} or {as_thousands}"
    raise problem(problem_text, f"{as_decimal} or {as_thousands} in its place", number)


def _read(lines: _Lines, delimiter: str, commas: Commas) -> TextTable:
    numbered = iter(lines)
    first = next(numbered, "")
    titles = next(csv.reader([first], delimiter=delimiter, skipinitialspace=True), [])
    if not titles:
        return TextTable((), np.empty((0, 0)))
    has_head = _is_head(titles)
    body: Iterable[str] = numbered if has_head else chain([first], numbered)
    if commas:
        body = _pointed(body, lines, delimiter, commas)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        numbers = np.loadtxt(body, delimiter=delimiter, comments=None, quotechar='"', ndmin=2)
    check_scores(numbers.size)
    if not numbers.size:
        raise problem("it holds a head and nothing else", "at least one number")
    if not has_head:
        return TextTable((), numbers)
    check_count(len(titles))
    if len(titles) != numbers.shape[1]:
        what = f"its head has {len(titles)} cells and its rows {numbers.shape[1]}"
        raise problem(f"it is no table: {what}", "as many in each row")
    titles = [title.strip() for title in titles]
    if _is_index(titles, numbers[:, 0]):
        return TextTable(titles[1:], numbers[:, 1:], has_index=True)
    return TextTable(titles, numbers)


def _pointed(lines: Iterable[str], place: _Lines, delimiter: str, commas: Commas) -> Iterator[str]:
    """Yield lines with decimal points and no marks of thousands.

    Raises:
        InputError: If a cell has other marks than the rest.
    """
    is_decimal = commas == "decimal"
    form, mark = (_DECIMAL, ".") if is_decimal else (_THOUSANDS, ",")
    for line in lines:
        for cell in line.split(delimiter) if mark in line else ():
            if mark in cell and not re.fullmatch(form, cell):
                what = f"{inert(cell.strip())} has other decimal and thousands marks than the rest"
                raise problem(what, "the same marks in all numbers", place.number)
        line = line.replace(mark, "")
        yield line.replace(",", ".") if is_decimal else line


def _is_head(titles: Sequence[str]) -> bool:
    """Return whether a first row is a head: it holds no numbers, unless they count columns."""
    names_nothing, *others = titles
    is_counted = not names_nothing.strip() and others == [*map(str, range(len(others)))]
    return (is_counted and bool(others)) or not any(map(_is_number, titles))


def _is_index(titles: Sequence[str], column: NDArray[np.float64]) -> bool:
    """Return whether a first column has no name and counts the rows, from 0 or from 1."""
    if titles[0] not in _NAMELESS or len(titles) < 2:
        return False
    counts = np.arange(column.size)
    return bool(np.array_equal(column, counts) or np.array_equal(column, counts + 1))


def _is_number(cell: str) -> bool:
    """Return whether a cell is a number, with marks of any kind."""
    try:
        float(cell)
    except ValueError:
        return bool(re.fullmatch(_DECIMAL, cell) or re.fullmatch(_THOUSANDS, cell))
    return True
