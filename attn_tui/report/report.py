"""What an instrument says about an answer, as plain values for text, JSON and CSV.

A `Report` is a `Section`: a headline, and parts in order. A part is a paragraph, `Lines` that are
laid out already, `Facts`, a `Table`, or another section. `attn_tui.report.text` writes the parts
that have a title, and `attn_tui.report.forms` those that have a name in JSON or CSV.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]
"""Indices of rows of a table, shape (rows,)."""

E = TypeVar("E")

SIDES = ("unscaled", "scaled")
"""The sides of a comparison, as JSON and CSV name them, and the colours of what is shown."""

CHUNK = 8192
"""How many rows of a table are written at a time, so that a long one needs little memory."""


@dataclass(frozen=True)
class Fact:
    """A labelled value, or one for each side of its `Facts`.

    Attributes:
        title: Its label in text; if empty, it is left out of the text.
        values: One value for each side: a number, a `compute.sample.Number` with its standard
            error and exact value, or text. In JSON also arrays, lists and objects.
        name: Its name in JSON, where dots lead into objects: ``"jacobian.scores.trace"``; if
            empty, it is left out of JSON.
        unit: The unit of the values.
        texts: The values as text, if they are not written in the usual way.
    """

    title: str
    values: Sequence[Any]
    name: str = ""
    unit: str = ""
    texts: Sequence[str] = ()


@dataclass(frozen=True)
class Facts:
    """Labelled values, one a line.

    Attributes:
        facts: The values, from the top.
        heads: The heading of each side; one empty text if there is only one side.
        paths: The name of the object in JSON that holds the values of each side, empty for the
            object of the section itself; None if they are left out.
    """

    facts: Sequence[Fact]
    heads: Sequence[str] = ("",)
    paths: Sequence[str | None] = ("",)


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table.

    Attributes:
        title: Its heading in text; if empty, it is left out of the text.
        values: Returns the values of some rows; not needed if only text has the column.
        path: Its name in JSON, like that of a `Fact`; if empty, it is left out of JSON.
        name: Its name in CSV; if empty, it is left out of CSV.
        texts: Returns the values of some rows as text, if not written in the usual way.
        above: A heading above the title.
        width: Its least width in the text, in columns.
        rank: Columns of the highest rank are left out first if there is no room; those of rank
            0 never.
        left: Whether it is aligned left.
        kind: The name of its colour on the screen.
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
    kind: str = "text"

    def at(self, rows: Rows) -> list[Any]:
        """Return the values of some rows."""
        assert self.values is not None
        values = self.values(rows)
        return values.tolist() if isinstance(values, np.ndarray) else [*values]


def data(values: Mapping[str, Any]) -> Facts:
    """Return values, given by name, that only JSON has."""
    return Facts([Fact("", (value,), name) for name, value in values.items()])


def same(value: Any) -> Callable[[Rows], list[Any]]:
    """Return the values of a column that is the same in every row."""
    return lambda rows: [value] * rows.size


def listed(values: Iterable[Any]) -> Callable[[Rows], list[Any]]:
    """Return the values of a column that is given as a list for all rows."""
    entries = [*values]
    return lambda rows: [entries[row] for row in rows.tolist()]


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of numbers. JSON has one list for each column.

    Attributes:
        columns: The columns, from the left.
        rows: Indices of the rows to write, in order.
        title: Its heading in text.
        csv: The name of the table, by which `Report.csv` chooses it.
        notes: Paragraphs below it in text.
        most: The most rows in the text, which then says how many more there are.
    """

    columns: Sequence[Column]
    rows: Rows
    title: str = ""
    csv: str = ""
    notes: Sequence[str] = ()
    most: int | None = None

    def chunks(self, most: int | None = None) -> Iterator[Rows]:
        """Yield the rows, some at a time; at least once."""
        rows = self.rows[:most]
        for start in range(0, max(rows.size, 1), CHUNK):
            yield rows[start : start + CHUNK]


def records(
    entries: Sequence[E],
    names: Iterable[str],
    record: Callable[[E], Mapping[str, Any]],
    csv: str,
) -> Table:
    """Return a table for CSV with a row for each entry, which is made once it is written.

    Args:
        entries: What the rows are about, in order.
        names: The names of the columns, from the left.
        record: Returns the row of an entry by the names of columns.
        csv: The name of the table.
    """

    # The columns of a chunk are asked for one after another.
    @lru_cache(maxsize=1)
    def written(rows: tuple[int, ...]) -> list[Mapping[str, Any]]:
        return [record(entries[row]) for row in rows]

    def column(name: str) -> Column:
        def values(rows: Rows) -> list[Any]:
            return [row[name] for row in written(tuple(rows.tolist()))]

        return Column("", values, name=name)

    return Table([*map(column, names)], np.arange(len(entries)), csv=csv)


@dataclass(frozen=True)
class Lines:
    """Lines of text that are laid out already."""

    lines: Sequence[str]


@dataclass(frozen=True, eq=False)
class Section:
    """Parts that belong together.

    Attributes:
        title: The heading in text.
        parts: Paragraphs, lines, facts, tables and sections, in order.
        path: The name of its object in JSON, ``"vectors[]"`` if it is one of a list; empty if its
            parts go into the object around it.
        headline: The headline, which comes first.
    """

    title: str
    parts: Sequence["ReportPart"]
    path: str = ""
    headline: str = ""


ReportPart = str | Lines | Facts | Table | Section
"""A part of a section; a string is a paragraph."""


@dataclass(frozen=True, eq=False)
class Report(Section):
    """Everything an instrument says about an answer.

    Attributes:
        csv: The name of the tables that CSV has, one below another; their columns are the same.
    """

    csv: str = field(default="", kw_only=True)
