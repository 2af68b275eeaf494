"""What an instrument says of an answer, as plain values that text, JSON and CSV are written from.

A `Report` is a `Section`: a headline, and parts in their order. A part is a paragraph, `Lines` that
are laid out already, `Facts`, a `Table`, or another section. `attn_tui.report.text` writes what has
a title, and `attn_tui.report.forms` what has a name in JSON or in CSV.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]
"""Places of rows of a table, shape (rows,)."""

CHUNK = 8192
"""Rows of a table that are written at a time, so that a long one needs little memory."""


@dataclass(frozen=True)
class Fact:
    """A labelled value, or one for each side of its `Facts`.

    Attributes:
        title: What it is called in text; without it only JSON has it.
        values: A value a side: a number, a `compute.number.Number` with its standard error and
            exact value, or text. In JSON also arrays, lists and objects.
        name: What it is called in JSON, where dots lead into objects: ``"jacobian.scores.trace"``;
            without it only the text has it.
        unit: What a number is counted in.
        texts: The values as text, where they are not written as all are.
    """

    title: str
    values: Sequence[Any]
    name: str = ""
    unit: str = ""
    texts: Sequence[str] = ()


@dataclass(frozen=True)
class Facts:
    """Labelled values, a line each.

    Attributes:
        facts: From the top.
        heads: What stands above the values of each side; nothing where there is but one.
        paths: Where the values of each side stand in JSON: the name of an object, nothing for the
            object of the section itself; None where they are not written.
    """

    facts: Sequence[Fact]
    heads: Sequence[str] = ("",)
    paths: Sequence[str | None] = ("",)


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table.

    Attributes:
        title: What stands above it in text; without it the text has no such column.
        values: From some rows to their values, which a column of text alone needs not.
        path: Its name in JSON, as that of a `Fact`; without it JSON has it not.
        name: Its name in CSV; without it CSV has it not.
        texts: From some rows to their values as text, where they are not written as all are.
        above: What stands above the title.
        width: Columns of the text that it takes at least.
        rank: Where there is no room those of the highest rank are left out; of rank 0 none is.
        left: Whether it is set flush left.
    """

    title: str
    values: Callable[[Rows], Iterable[Any]] | None = None
    path: str = ""
    name: str = ""
    texts: Callable[[Rows], Iterable[str]] | None = None
    above: str = ""
    width: int = 0
    rank: int = 0
    left: bool = False

    def at(self, rows: Rows) -> list[Any]:
        """Return the values of some rows."""
        assert self.values is not None
        values = self.values(rows)
        return values.tolist() if isinstance(values, np.ndarray) else [*values]


def data(values: Mapping[str, Any]) -> Facts:
    """Return values that JSON alone holds, by their names."""
    return Facts([Fact("", (value,), name) for name, value in values.items()])


def same(value: Any) -> Callable[[Rows], list[Any]]:
    """Return what is the same in every row."""
    return lambda rows: [value] * rows.size


def listed(values: Iterable[Any]) -> Callable[[Rows], list[Any]]:
    """Return what finds the values of rows in a list of all."""
    known = [*values]
    return lambda rows: [known[row] for row in rows.tolist()]


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of numbers. JSON has a list a column, or a list of one object a row.

    Attributes:
        columns: From the left.
        rows: Places of the rows that are written, in their order.
        title: What stands above it in text.
        path: In JSON the name of the list of rows; nothing where each column is a list.
        csv: The name of the table that `Report.csv` chooses.
        notes: Paragraphs that stand below it in text.
        most: So many rows the text has at most; it says how many more there are.
    """

    columns: Sequence[Column]
    rows: Rows
    title: str = ""
    path: str = ""
    csv: str = ""
    notes: Sequence[str] = ()
    most: int | None = None

    def chunks(self, most: int | None = None) -> Iterator[Rows]:
        """Yield the rows, some at a time; at least once."""
        rows = self.rows[:most]
        for start in range(0, max(rows.size, 1), CHUNK):
            yield rows[start : start + CHUNK]


@dataclass(frozen=True)
class Lines:
    """Lines of text that are laid out already."""

    lines: Sequence[str]


@dataclass(frozen=True, eq=False)
class Section:
    """Parts that belong together.

    Attributes:
        title: What stands above them in text.
        parts: Paragraphs, lines, facts, tables and sections, in their order.
        path: In JSON the name of its object, ``"vectors[]"`` if it is one of a list; nothing where
            its parts stand in the object around it.
        headline: What is said first.
    """

    title: str
    parts: Sequence["Part"]
    path: str = ""
    headline: str = ""


Part = str | Lines | Facts | Table | Section
"""What a section consists of; text is a paragraph."""


@dataclass(frozen=True, eq=False)
class Report(Section):
    """All there is to say of an answer.

    Attributes:
        csv: The name of the tables that CSV holds, one below another; their columns are the same.
    """

    csv: str = field(default="", kw_only=True)
