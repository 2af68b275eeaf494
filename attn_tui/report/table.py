"""Tables as what they say, without widths; laid out, the widest that fits, no number ever cut."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from attn_tui.report.rows import Row, Span, cells, fitted, length


@dataclass(frozen=True)
class Table:
    """Lines of cells under titles.

    Attributes:
        titles: What stands above each column, in one row or several; each as long as a line.
        lines: The cells, fewer than there are columns where text follows.
        left: How many columns, from the left, are set flush left; numbers are set flush right.
        gap: Blanks between columns.
        texts: What takes the rest of each line's row after its cells; empty if none has any.
    """

    titles: tuple[tuple[Span, ...], ...]
    lines: tuple[tuple[Span, ...], ...]
    left: int = 1
    gap: int = 1
    texts: tuple[Span, ...] = ()

    @property
    def columns(self) -> int:
        """How many columns there are."""
        return max((len(line) for line in (*self.titles, *self.lines)), default=0)

    @property
    def widths(self) -> tuple[int, ...]:
        """Cells of each column; text that takes the rest of a row does not count."""
        every = (*self.titles, *self.lines)
        return tuple(
            max(cells(line[at][0]) for line in every if at < len(line))
            for at in range(self.columns)
        )

    @property
    def width(self) -> int:
        """Cells of a row."""
        return sum(self.widths) + self.gap * (self.columns - 1)

    def rows(self, width: int) -> tuple[Row, ...]:
        """Return the titles and the lines, each fitted to a width."""
        lines = [self._row(line) for line in (*self.titles, *self.lines)]
        for at, (text, role) in enumerate(self.texts, len(self.titles)):
            # A cut number would be another one: text is given up where nothing of it fits.
            if text and length(lines[at]) + self.gap + 1 < width:
                lines[at] = (*lines[at], (" " * self.gap, "text"), (text, role))
        return tuple(fitted(line, width) for line in lines)

    def _row(self, line: tuple[Span, ...]) -> Row:
        spans: list[Span] = []
        for at, (text, role) in enumerate(line):
            blanks = " " * (self.widths[at] - cells(text))
            spans.append((" " * self.gap if at else "", "text"))
            spans += [(text, role), (blanks, "text")][:: 1 if at < self.left else -1]
        return tuple(span for span in spans if span[0])

    def keeping(self, columns: Sequence[int], gap: int) -> "Table":
        """Return this table with some of its columns; text that takes the rest of a row stays."""

        def chosen(line: tuple[Span, ...]) -> tuple[Span, ...]:
            return tuple(line[at] for at in columns if at < len(line))

        return replace(
            self,
            titles=tuple(map(chosen, self.titles)),
            lines=tuple(map(chosen, self.lines)),
            left=sum(column < self.left for column in columns),
            gap=gap,
        )


def widest(tables: Iterable[Table], width: int) -> Table | None:
    """Return the first table that fits into a width, or nothing if none does."""
    return next((table for table in tables if table.width <= width), None)


@dataclass(frozen=True)
class Column:
    """One column of a table: what it says, and when it may be left out.

    Attributes:
        title: What stands above it.
        cells: A text and its role for each line.
        rank: Where there is little room those of the highest rank are left out first; 0 never is.
        left: Whether it is set flush left; numbers are set flush right.
        role: The role of its title.
        shorter: What stands in its place where there is little room, or where what it goes with is
            left out.
        at: The rank that is left out by then.
    """

    title: str
    cells: tuple[Span, ...]
    rank: int = 0
    left: bool = False
    role: str = "label"
    shorter: "Column | None" = None
    at: int = 0


def laid(columns: Sequence[Column], width: int) -> Table:
    """Return the columns there is room for in a width, as far apart as they can be."""
    ranks = {rank for column in columns for rank in (column.rank, column.at)} - {0}
    tables = [
        _table(columns, out_from, gap)
        for out_from in (max(ranks, default=0) + 1, *sorted(ranks, reverse=True))
        for gap in (3, 2, 1)
    ]
    return widest(tables, width) or tables[-1]


def _table(columns: Sequence[Column], out_from: int, gap: int) -> Table:
    """Return the table without the columns of some rank on."""
    forms = (each.shorter if each.shorter and each.at >= out_from else each for each in columns)
    kept = [each for each in forms if each.rank < out_from]
    titles = tuple((each.title, each.role) for each in kept)
    lines = tuple(zip(*(each.cells for each in kept), strict=True))
    return Table((titles,), lines, sum(each.left for each in kept), gap)
