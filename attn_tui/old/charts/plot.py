"""Charts of series between fixed axes, as rows of text with roles."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from attn_tui.charts.glyphs import ABOVE, BELOW, HERE, LINE, NAN
from attn_tui.old.charts.axis import Axis, cell
from attn_tui.old.charts.curves import Curve, draw_curves
from attn_tui.old.charts.grid import Grid
from attn_tui.old.charts.rows import beside, first_text
from attn_tui.old.charts.series import Band, Interval, Placed, Series
from attn_tui.old.charts.tags import place_tags
from attn_tui.report.rows import Row, Span, fitted, length, message

LEAST_COLUMNS, LEAST_LINES = 8, 2


@dataclass(frozen=True)
class Mark:
    """Text centred on a place of the chart, over what is drawn there."""

    x: float
    y: float
    text: str
    role: str


@dataclass(frozen=True)
class Frame:
    """How a chart of some size is divided.

    Attributes:
        gutter: Columns left of the grid: the ticks of the y axis and the axis itself.
        columns: Columns of the grid.
        lines: Rows of the grid; above it stands the title, below it the ticks of the x axis.
        ruled: Whether a row between grid and ticks holds the x axis itself.
        noted: Whether the last row holds a note.
    """

    gutter: int
    columns: int
    lines: int
    ruled: bool
    noted: bool


def frame(y: Axis, width: int, height: int, noted: bool = False) -> Frame:
    """Return how a chart is divided, for callers that lay out their own columns."""
    gutter = max((len(tick.text) for tick in y.ticks), default=0) + 1
    noted = noted and height >= 5
    ruled = height >= 8
    return Frame(gutter, width - gutter, height - 2 - ruled - noted, ruled, noted)


def legend(series: Sequence[Series]) -> Row:
    """Return what each named series is drawn with, and its name."""
    named = [one for one in series if one.name]
    spans = [((f"  {one.glyph[-1:] or LINE} ", one.role), (one.name, "label")) for one in named]
    return tuple(span for pair in spans for span in pair)


@dataclass(frozen=True, eq=False)
class Figure:
    """What is drawn between two axes.

    Attributes:
        titles: What it shows, at decreasing length; the longest that fits stands beside the legend.
        series: What to draw, later ones over earlier ones, bars under lines.
        x: The horizontal axis.
        y: The vertical axis.
        marks: Text to write on the chart.
        rules: Values of x at which a thin vertical line stands, with a mark on curves of braille.
        note: The last row; what could not be drawn is counted before it.
        heads: The first rows, in place of one that holds title and legend.
        bands: What is shaded behind all else.
        intervals: What stands on the horizontal axis.
    """

    titles: Sequence[str]
    series: Sequence[Series]
    x: Axis
    y: Axis
    marks: Sequence[Mark] = ()
    rules: Sequence[float] = ()
    note: Row = ()
    heads: Sequence[Row] = ()
    bands: Sequence[Band] = ()
    intervals: Sequence[Interval] = ()

    def rows(self, width: int, height: int) -> tuple[Row, ...]:
        """Draw it in a block of so many cells and rows."""
        placed = [Placed(one, self.x, self.y) for one in self.series]
        heads, names = self.heads, legend(self.series)
        title = first_text(self.titles, width - (0 if heads else length(names)))
        heads = heads or [((title, "strong"), *names)]
        left_out = tuple(_left_out(placed, self.y))
        size = frame(self.y, width, height - len(heads) + 1, bool(self.note or left_out))
        if size.columns < LEAST_COLUMNS or size.lines < LEAST_LINES:
            return message(f"{title}: too small for a chart", width, height)
        rows = [
            *(fitted(head, width) for head in heads),
            *beside(_left_axis(self.y, size), self._grid(placed, size).rows(), 0),
            *_bottom_axis(self.x, size, width),
        ]
        if size.noted:
            rows.append(fitted((*left_out, *self.note), width))
        return tuple(rows)

    def _grid(self, placed: Sequence[Placed], size: Frame) -> Grid:
        """Draw the series, and over them rules, marks, what is left out and names of curves."""
        grid = Grid(size.columns, size.lines)
        for band in self.bands:
            band.draw(grid, self.x, self.y)
        _draw(grid, placed)
        taken: set[tuple[int, int]] = set()
        for value in self.rules:
            column, place = _column(self.x, value, grid), float(self.x.fraction([value])[0])
            grid.put_rule(column, "cursor")
            for one in placed:
                plain = one.series.kind == "line" and not one.series.glyph
                if plain and (row := one.row_at(place, grid)) is not None:
                    grid.put(column, row, HERE, one.series.role)
            taken |= {(column, row) for row in range(grid.height)}
        for interval in self.intervals:
            taken |= interval.draw(grid, self.x)
        for mark in self.marks:
            row = grid.height - 1 - int(cell(self.y.fraction([mark.y]), grid.height)[0])
            start = _column(self.x, mark.x, grid) - (len(mark.text) - 1) // 2
            grid.put(start, row, mark.text, mark.role)
            taken |= {(column, row) for column in range(start, start + len(mark.text))}
        for one in placed:
            one.mark_left_out(grid)
        place_tags(grid, [one for one in placed if one.series.curved], taken)
        return grid


def _column(x: Axis, value: float, grid: Grid) -> int:
    return int(cell(x.fraction([value]), grid.width)[0])


def _draw(grid: Grid, placed: Sequence[Placed]) -> None:
    """Draw bars, then curves over them."""
    curved = [one for one in placed if one.series.curved]
    filled: dict[tuple[int, int], float] = {}
    for one in placed:
        if one not in curved:
            filled |= one.draw_bars(grid)
    curves = []
    for one in curved:
        marker = one.series.glyph or "braille"
        dots = (2, 4) if marker == "braille" else (1, 1)
        columns, rows = one.dots(grid, *dots)
        joined = one.series.kind == "line"
        curves.append(Curve(columns, rows, dots, marker, one.series.role, joined))
    if not filled:
        draw_curves(grid, curves)
        return
    over = Grid(grid.width, grid.height)
    draw_curves(over, curves)
    grid.lay_over(over, filled)


def _left_axis(y: Axis, size: Frame) -> tuple[Row, ...]:
    """Return the ticks of the y axis and the axis, a column as wide as the gutter."""
    axis = Grid(size.gutter, size.lines)
    edge = size.gutter - 1
    labelled = set()
    for tick in y.ticks:
        row = size.lines - 1 - int(cell(y.fraction([tick.value]), size.lines)[0])
        if axis.put_if_free(edge - len(tick.text), row, tick.text, tick.role):
            labelled.add(row)
    for row in range(size.lines):
        axis.put(edge, row, "┤" if row in labelled else "│", "axis")
    return axis.rows()


def _bottom_axis(x: Axis, size: Frame, width: int) -> tuple[Row, ...]:
    """Return the x axis, where there is room for it, and its ticks with the label before them."""
    axis, ticks = Grid(size.columns, 1), Grid(size.columns, 1)
    axis.put(0, 0, "─" * size.columns, "axis")
    for tick in x.ticks:
        column = int(cell(x.fraction([tick.value]), size.columns)[0])
        if ticks.put_if_free(column - (len(tick.text) - 1) // 2, 0, tick.text, tick.role):
            axis.put(column, 0, "┬", tick.role)
    label = fitted(((x.label.rjust(size.gutter - 1), "label"),), size.gutter)
    labelled = beside([label], ticks.rows(), 0)
    if not size.ruled:
        return labelled
    start: Row = ((" " * (size.gutter - 1), "text"), ("└", "axis"))
    return (*beside([start], axis.rows(), 0), *labelled)


def _left_out(placed: Sequence[Placed], y: Axis) -> Iterator[Span]:
    """Yield how many points could not be drawn, by what marks them."""
    phrases = {
        "nan": (f"{NAN} ", " NaN"),
        "above": (f"{ABOVE} ", f" above {y.text(y.maximum)}"),
        "below": (f"{BELOW} ", f" below {y.text(y.minimum)}"),
        "aside": ("", " beside the axis"),
    }
    counts = sum((one.counts() for one in placed), Counter[str]())
    for reason, (before, after) in phrases.items():
        if count := counts[reason]:
            yield f"{before}{count}{after}  ", "error"
