"""Writes a report as text of 80 columns: aligned, and no number is ever cut.

Text from outside is made visible before it is measured: neither the terminal nor a reader can
mistake it for anything else, and columns stay aligned.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Any

from attn_tui.compute.numbers import exact, six_digits, whole, with_error
from attn_tui.compute.sample import Number
from attn_tui.compute.text import clusters, visible
from attn_tui.report.report import Column, Facts, Lines, Report, Rows, Section, Table
from attn_tui.report.rows import WIDTH, cells

LABEL = 11
"""The least width of a label, in columns, so that the labels of a report line up."""

SIDE = 12
"""The least width, in columns, of a number beside others with the same label."""

ERROR, EXACT = 22, 10
"""The greatest width of a number with its standard error, and of an exact one."""

UNBROKEN = re.compile(r"(?<=\d) (?=%|times\b)|(?<=[Kk]ey) (?=\d)|(?<=[=±]) | (?=[=±])")
"""Blanks at which lines must not be broken."""

HOLDER = "\N{NO-BREAK SPACE}"


def text(report: Report, width: int = WIDTH) -> Iterator[str]:
    """Yield the lines of a report, some at a time.

    Args:
        report: The report; parts without a title are left out.
        width: The width of a line, in columns.
    """
    is_first = True
    for block in _blocks(report, width, ""):
        for place, piece in enumerate(block):
            if place == 0 and not is_first:
                yield "\n"
            is_first = False
            yield piece


def wrapped(text: str, width: int) -> list[str]:
    """Return text in lines of a width; numbers stay with units, and longer words are broken."""
    lines = [""]
    for word in UNBROKEN.sub(HOLDER, visible(text)).split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if cells(joined) <= width:
            lines[-1] = joined
            continue
        lines += [word] if lines[-1] else []
        lines[-1] = word
        while cells(lines[-1]) > width:
            head = cut(lines[-1], width)
            lines[-1:] = [head, lines[-1][len(head) :]]
    return [line.replace(HOLDER, " ") for line in lines]


def cut(text: str, width: int) -> str:
    """Return as much of a text as fits a width, in whole characters; at least one."""
    kept = ""
    for cluster in clusters(text):
        if kept and cells(kept + cluster) > width:
            break
        kept += cluster
    return kept


def shortened(text: str, width: int) -> str:
    """Return a name from outside, made visible, and cut with an ellipsis to fit a width."""
    name = visible(text)
    return name if cells(name) <= width else cut(name, width - 1) + "…"


def written(value: Any) -> str:
    """Return a value as text: a number to six digits or with its standard error; – for None."""
    if isinstance(value, Number):
        return "–" if isnan(value.value) else with_error(value, ERROR)
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return whole(value)
    return six_digits(value) if isinstance(value, float) else visible(str(value))


def _blocks(section: Section, width: int, outer: str) -> Iterator[Iterator[str]]:
    """Yield the blocks between blank lines; a headline equal to the outer one is left out."""
    is_new = section.headline not in ("", outer)
    yield _heading(section.title, section.headline if is_new else "", width)
    for part in section.parts:
        if isinstance(part, Section):
            yield from _blocks(part, width, outer or section.headline)
        elif isinstance(part, Facts):
            yield _facts(part, width)
        elif isinstance(part, Table):
            yield _table(part, width)
        else:
            yield _paragraph(part, width)


def _heading(title: str, headline: str, width: int) -> Iterator[str]:
    if title:
        yield _joined(wrapped(title, width))
    if headline:
        first, stop, second = headline.partition(". ")
        # One sentence a line, if both fit.
        fits = stop and max(cells(first) + 1, cells(second)) <= width
        yield _joined([f"{first}.", second] if fits else wrapped(headline, width))


def _paragraph(part: str | Lines, width: int) -> Iterator[str]:
    lines = part.lines if isinstance(part, Lines) else wrapped(part, width)
    if any(lines):
        yield _joined(lines)


def _facts(facts: Facts, width: int) -> Iterator[str]:
    """Yield a line for each fact; sides go below one another if they do not fit side by side."""
    if len(facts.heads) == 1:
        yield from _labelled(facts, width)
        return
    kept = [fact for fact in facts.facts if fact.title]
    if not kept:
        return
    titles = [f"{fact.title}, {fact.unit}" if fact.unit else fact.title for fact in kept]
    label = TextColumn("", [*map(visible, titles)], left=True)
    sides = []
    for place, head in enumerate(facts.heads):
        values = [(fact.texts or fact.values)[place] for fact in kept]
        sides.append([*_cells_of(visible(head), values, least=SIDE)])
    together = [label, *(column for side in sides for column in side)]
    if _ColumnLayout.of(together, width).width <= width:
        yield _grid(together, width)
        return
    for place, side in enumerate(sides):
        yield ("\n" if place else "") + _grid([label, *side], width)


def _labelled(facts: Facts, width: int) -> Iterator[str]:
    """Yield labels followed by their values, in as many lines as needed."""
    kept = [fact for fact in facts.facts if fact.title or not fact.name]
    label = max([LABEL, *(cells(visible(fact.title)) + 2 for fact in kept)])
    for fact in kept:
        value = fact.values[0]
        text = fact.texts[0] if fact.texts else written(value)
        if isinstance(value, Number) and value.exact is not None:
            text += f", exact {exact(value)}"
        text += f" {fact.unit}" if fact.unit else ""
        title = visible(fact.title)
        before = title + " " * (label - cells(title))
        first, *rest = wrapped(text, width - label)
        yield _joined([before + first, *(" " * label + line for line in rest)])


def _table(table: Table, width: int) -> Iterator[str]:
    if not table.rows.size or not any(column.title for column in table.columns):
        return
    if table.title:
        yield _joined(wrapped(table.title, width))
    layout = None
    for rows in table.chunks(table.most):
        drawn = text_columns(table, rows)
        if layout is None:
            layout = _ColumnLayout.of(drawn, width)
            yield _joined(layout.titles(drawn))
        yield _joined(layout.lines(drawn))
    if table.most is not None and table.rows.size > table.most:
        yield f"and {table.rows.size - table.most:,} more, which JSON holds\n"
    for note in table.notes:
        yield _joined(wrapped(note, width))


@dataclass(frozen=True)
class TextColumn:
    """A column of a table as texts: all of its rows, or some.

    Attributes:
        title: Its heading.
        texts: One text a row.
        kind: The name of its colour on the screen.
        left: Whether texts are aligned left rather than right.
        rank: Columns of a higher rank are left out first if there is no room.
        above: A heading above the title.
        least: Its least width, in cells.
    """

    title: str
    texts: Sequence[str]
    kind: str = "text"
    left: bool = False
    rank: int = 0
    above: str = ""
    least: int = 0

    @cached_property
    def width(self) -> int:
        """The length of its longest text, in cells."""
        return max(self.least, *map(cells, (self.title, self.above, *self.texts)))

    def padded(self, text: str, width: int) -> str:
        """Return one of its texts, padded to a width."""
        blanks = " " * (width - cells(text))
        return text + blanks if self.left else blanks + text


def text_columns(table: Table, rows: Rows) -> list[TextColumn]:
    """Return the columns of a table that have a heading, as the texts of some rows."""
    columns = [column for column in table.columns if column.title]
    return [texts for column in columns for texts in _column(column, rows)]


@dataclass(frozen=True)
class _ColumnLayout:
    """The columns that fit, their widths, and the gap between them."""

    kept: Sequence[int]
    widths: Sequence[int]
    gap: int

    @property
    def width(self) -> int:
        """The width of a line, in columns of text."""
        return sum(self.widths) + self.gap * (len(self.widths) - 1)

    @staticmethod
    def of(columns: Sequence[TextColumn], width: int) -> "_ColumnLayout":
        """Return the layout for a width, leaving out columns of the highest ranks if need be.

        If only columns of rank 0 are left, it may be wider: no number is cut.
        """
        kept = list(range(len(columns)))
        while True:
            widths = [columns[place].width for place in kept]
            layouts = [_ColumnLayout(kept, widths, gap) for gap in (2, 1)]
            fitting = [layout for layout in layouts if layout.width <= width]
            ranks = {columns[place].rank for place in kept} - {0}
            if fitting or not ranks:
                return fitting[0] if fitting else layouts[-1]
            kept = [place for place in kept if columns[place].rank != max(ranks)]

    def titles(self, columns: Sequence[TextColumn]) -> list[str]:
        """Return the line of titles, below that of upper titles if there are any."""
        titles = [columns[place].title for place in self.kept]
        above = [columns[place].above for place in self.kept]
        lines = [self._line(columns, titles)]
        return [self._line(columns, above), *lines] if any(above) else lines

    def lines(self, columns: Sequence[TextColumn]) -> list[str]:
        """Return one line for each row."""
        texts = zip(*(columns[place].texts for place in self.kept), strict=True)
        return [self._line(columns, row) for row in texts]

    def _line(self, columns: Sequence[TextColumn], texts: Iterable[str]) -> str:
        padding = zip(self.kept, texts, self.widths, strict=True)
        parts = [columns[place].padded(text, width) for place, text, width in padding]
        return (" " * self.gap).join(parts).rstrip()


def _grid(columns: Sequence[TextColumn], width: int) -> str:
    layout = _ColumnLayout.of(columns, width)
    return _joined([*layout.titles(columns), *layout.lines(columns)])


def _column(column: Column, rows: Rows) -> Iterator[TextColumn]:
    """Yield a column as text, and a second one if its numbers have exact values."""
    layout: dict[str, Any] = {
        "least": column.width, "rank": column.rank, "left": column.left, "kind": column.kind,
        "above": visible(column.above),
    }  # fmt: skip
    title = visible(column.title)
    if column.texts:
        yield TextColumn(title, [*column.texts(rows)], **layout)
    else:
        yield from _cells_of(title, column.at(rows), **layout)


def _cells_of(title: str, values: Sequence[Any], **layout: Any) -> Iterator[TextColumn]:
    """Yield a column of values as text, and one of exact values if there are any."""
    numbers = [value for value in values if isinstance(value, Number)]
    yield TextColumn(f"{title} ± error" if numbers else title, [*map(written, values)], **layout)
    if any(number.exact is not None for number in numbers):
        exact_texts = [exact(value, EXACT) if isinstance(value, Number) else "" for value in values]
        yield TextColumn("exact", exact_texts, "muted", rank=layout.get("rank", 0))


def _joined(lines: Iterable[str]) -> str:
    return "".join(line.rstrip() + "\n" for line in lines)
