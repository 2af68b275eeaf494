"""Writes a report as JSON, as CSV, or in a form chosen by name."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from csv import writer
from functools import partial
from io import StringIO
from typing import Any

from attn_tui.files.codec import report_text
from attn_tui.files.plain import spelled
from attn_tui.report.export import Forms
from attn_tui.report.report import Facts, Report, ReportPart, Section, Table
from attn_tui.report.text import text


def json(report: Report) -> Iterator[str]:
    """Yield a report as strict JSON of full precision; values without a name are left out."""
    yield from report_text(_object(report))


def csv(report: Report) -> Iterator[str]:
    """Yield the tables for CSV, one below another, under one line of names."""
    names: list[str] = []
    for table in _tables(report):
        if table.csv != report.csv:
            continue
        columns = [column for column in table.columns if column.name]
        if not names:
            names = [column.name for column in columns]
            yield _lines([names])
        for rows in table.chunks():
            yield _lines(zip(*(column.at(rows) for column in columns), strict=True))


def _lines(rows: Iterable[Sequence[Any]]) -> str:
    """Return a line for each row; None is an empty field, and numbers are spelled as in JSON."""
    text = StringIO()
    writer(text, lineterminator="\n").writerows(map(_cell, row) for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else spelled(value)


WRITERS: Mapping[str, Callable[[Report], Iterator[str]]] = {"text": text, "json": json, "csv": csv}
"""The writers of a report, by the name of the form."""


def forms(build: Callable[[], Report]) -> Forms:
    """Return the forms in which a report can be saved, by the suffix of the file.

    Args:
        build: Makes the report; called only once a form is written.
    """

    def written(writer: Callable[[Report], Iterator[str]]) -> Iterator[str]:
        yield from writer(build())

    endings = {".txt": text, ".json": json, ".csv": csv}
    return {ending: partial(written, writer) for ending, writer in endings.items()}


def _tables(section: Section) -> Iterator[Table]:
    for part in section.parts:
        if isinstance(part, Table):
            yield part
        elif isinstance(part, Section):
            yield from _tables(part)


def _object(section: Section) -> dict[str, Any]:
    """Return a section as a JSON object of plain values, with iterators for long lists."""
    tree: dict[str, Any] = {"headline": section.headline} if section.headline else {}
    for path, value in _named(section.parts):
        _put(tree, path, value)
    return tree


def _named(parts: Iterable[ReportPart]) -> Iterator[tuple[str, Any]]:
    """Yield the values that have a name in JSON, each with its path."""
    for part in parts:
        if isinstance(part, Section) and part.path:
            yield part.path, _object(part)
        elif isinstance(part, Section):
            yield from _named(part.parts)
        elif isinstance(part, Facts):
            yield from _facts(part)
        elif isinstance(part, Table):
            yield from _columns(part)


def _facts(facts: Facts) -> Iterator[tuple[str, Any]]:
    for fact in facts.facts:
        for path, value in zip(facts.paths, fact.values, strict=True):
            if path is not None and fact.name:
                yield f"{path}.{fact.name}".lstrip("."), value


def _columns(table: Table) -> Iterator[tuple[str, Any]]:
    for column in table.columns:
        if column.path:
            yield column.path, map(column.at, table.chunks())


def _put(tree: dict[str, Any], path: str, value: object) -> None:
    """Put a value into a tree at a path; ``[]`` after the last name appends it to a list."""
    *outer, last = path.split(".")
    for name in outer:
        tree = tree.setdefault(name, {})
    if last.endswith("[]"):
        tree.setdefault(last.removesuffix("[]"), []).append(value)
    else:
        tree[last] = value
