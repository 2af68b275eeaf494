"""Tables as what they say, without widths; laid out, the widest that fits, no number ever cut."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from attn_tui.report.rows import WIDTH, Row, Span, cells, fitted, length, text_lines


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
        above: What stands above its title, and above those of others that it goes with.
        width: Cells it has at least, so that it stands still while its numbers change.
    """

    title: str
    cells: tuple[Span, ...]
    rank: int = 0
    left: bool = False
    role: str = "label"
    shorter: "Column | None" = None
    at: int = 0
    above: str = ""
    width: int = 0

    @property
    def ranks(self) -> set[int]:
        """The ranks at which it is left out, or something else stands in its place."""
        return {self.rank, self.at, *(self.shorter.ranks if self.shorter else ())}

    def form(self, out_from: int) -> "Column":
        """Return what stands in its place where the columns of some rank on are left out."""
        if self.shorter is None or self.at < out_from:
            return self
        return self.shorter.form(out_from)


@dataclass(frozen=True)
class Table:
    """Columns side by side.

    Attributes:
        columns: The columns, of as many lines each.
        gap: Blanks between them.
        texts: What takes the rest of each line's row after its last cell; empty if none has any.
    """

    columns: tuple[Column, ...]
    gap: int = 1
    texts: tuple[Span, ...] = ()

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Cells of each column; text that takes the rest of a row does not count."""
        return tuple(
            max(
                each.width,
                *(cells(text) for text in (each.title, each.above)),
                *(cells(text) for text, _ in each.cells),
            )
            for each in self.columns
        )

    @property
    def width(self) -> int:
        """Cells of a row."""
        return sum(self.widths) + self.gap * (len(self.columns) - 1)

    def rows(self, width: int) -> tuple[Row, ...]:
        """Return the titles, in one row or two, and the lines, each fitted to a width."""
        return tuple(fitted(row, width) for row in (*self._titles(), *self._lines(width)))

    def text(self, titled: bool = True) -> Iterator[str]:
        """Yield its rows as lines of a report, with their titles or without."""
        if titled:
            yield from text_lines(self._titles())
        if self.texts:
            yield from text_lines(self._lines(WIDTH))
            return
        # Rows of spans take more time and memory, which counts where there are a million.
        for line in zip(*(each.cells for each in self.columns), strict=True):
            texts = map(self._padded, range(len(line)), (text for text, _ in line))
            yield (" " * self.gap).join(texts).rstrip() + "\n"

    def _padded(self, at: int, text: str) -> str:
        blanks = " " * (self.widths[at] - cells(text))
        return text + blanks if self.columns[at].left else blanks + text

    def _titles(self) -> Iterator[Row]:
        if any(each.above for each in self.columns):
            yield self._row([(each.above, "label") for each in self.columns])
        yield self._row([(each.title, each.role) for each in self.columns])

    def _lines(self, width: int) -> Iterator[Row]:
        for at, line in enumerate(zip(*(each.cells for each in self.columns), strict=True)):
            spans, (text, role) = list(line), self.texts[at] if self.texts else ("", "")
            while text and spans and not spans[-1][0]:
                spans.pop()
            row = self._row(spans)
            # A cut number would be another one: text is given up where nothing of it fits.
            if text and length(row) + self.gap + 1 < width:
                row = (*row, (" " * self.gap, "text"), (text, role))
            yield row

    def _row(self, line: Sequence[Span]) -> Row:
        gap = " " * self.gap
        return tuple(
            ((gap if at else "") + self._padded(at, text), role)
            for at, (text, role) in enumerate(line)
        )


def laid(
    columns: Sequence[Column], width: int, texts: tuple[Span, ...] = (), most: int = 3
) -> Table:
    """Return the columns there is room for in a width, as far apart as they can be.

    Args:
        columns: The columns.
        width: Cells of a row.
        texts: What takes the rest of each row.
        most: Blanks between columns at most.
    """
    ranks = {rank for column in columns for rank in column.ranks} - {0}
    for out_from in (max(ranks, default=0) + 1, *sorted(ranks, reverse=True)):
        forms = [column.form(out_from) for column in columns]
        kept = tuple(form for form in forms if form.rank < out_from)
        for gap in range(most, 0, -1):
            table = Table(kept, gap, texts)
            if table.width <= width:
                return table
    return table
