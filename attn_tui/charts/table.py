"""Tables: the widest choice of columns that fits, no number ever cut."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from attn_tui.charts.rows import Row, Span, cells, fitted


@dataclass(frozen=True)
class Table:
    """Lines of cells under titles.

    Attributes:
        titles: What stands above each column, in one row or several; each as long as a line.
        lines: The cells. A line with fewer cells than there are columns ends in text that takes
            the rest of the row.
        left: How many columns, from the left, are set flush left; numbers are set flush right.
        gap: Blanks between columns.
    """

    titles: tuple[tuple[Span, ...], ...]
    lines: tuple[tuple[Span, ...], ...]
    left: int = 1
    gap: int = 1

    @property
    def columns(self) -> int:
        """How many columns there are."""
        return max((len(line) for line in (*self.titles, *self.lines)), default=0)

    @property
    def widths(self) -> tuple[int, ...]:
        """Cells of each column; text that takes the rest of a row does not count."""
        whole = [line for line in (*self.titles, *self.lines) if len(line) == self.columns]
        started = [line[:-1] for line in (*self.titles, *self.lines) if len(line) < self.columns]
        return tuple(
            max(cells(line[at][0]) for line in (*whole, *started) if at < len(line))
            for at in range(self.columns)
        )

    @property
    def width(self) -> int:
        """Cells of a row."""
        return sum(self.widths) + self.gap * (self.columns - 1)

    def rows(self, width: int) -> tuple[Row, ...]:
        """Return the titles and the lines, each fitted to a width."""
        return tuple(fitted(self._row(line), width) for line in (*self.titles, *self.lines))

    def _row(self, line: tuple[Span, ...]) -> Row:
        spans: list[Span] = []
        for at, (text, role) in enumerate(line):
            blanks = " " * max(self.widths[at] - cells(text), 0)
            ends = len(line) < self.columns and at == len(line) - 1
            spans.append((" " * self.gap if at else "", "text"))
            spans += [(text, role)] if ends else []
            if not ends:
                flush_left = at < self.left
                spans += [(text, role), (blanks, "text")][:: 1 if flush_left else -1]
        return tuple(span for span in spans if span[0])

    def keeping(self, columns: Sequence[int], gap: int) -> "Table":
        """Return this table with some of its columns; text that takes the rest of a row stays."""

        def chosen(line: tuple[Span, ...]) -> tuple[Span, ...]:
            ends = len(line) < self.columns
            within = tuple(line[at] for at in columns if at < len(line) - ends)
            return (*within, line[-1]) if ends else within

        return Table(
            tuple(map(chosen, self.titles)),
            tuple(map(chosen, self.lines)),
            sum(column < self.left for column in columns),
            gap,
        )


def widest(tables: Iterable[Table], width: int) -> Table | None:
    """Return the first table that fits into a width, or nothing if none does."""
    return next((table for table in tables if table.width <= width), None)
