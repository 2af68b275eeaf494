"""The precision lab as a table: what each format and method makes of one vector's softmax."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from attn_tui.compute.explore.precision_lab import Lab, LabSide, Trial
from attn_tui.compute.visible import visible
from attn_tui.old.charts.explore.precision_notes import differences, reason, reasons
from attn_tui.old.charts.rows import beside, first_text
from attn_tui.old.report.explore.precision_table import (
    NUMBERS,
    format_column,
    method,
    numbers,
    trial_columns,
)
from attn_tui.report.numbers import weight, weight_name
from attn_tui.report.rows import Row, cells, filled, fitted, message
from attn_tui.report.sides import Side, role_of
from attn_tui.report.table import Column, laid

SIDE_BY_SIDE = 100
"""From this width on the tables of both sides stand side by side."""

GAP = 2

DIFFER = (
    "differ: weights not the exact one rounded to the format; |p−exact|: the largest; "
    "vanished: 0, exact is not",
    "differ: weights not the exact one rounded to the format; |p−exact|: the largest",
    "differ: weights that are not the exact one rounded to the format",
    "differ: not the exact weight rounded to the format",
    "differ: ≠ exact rounded to the format",
    "differ: ≠ exact, rounded",
)

ERROR = ("error: the largest |p−exact| of all keys", "error: largest |p−exact|")


def precision_chart(
    lab: Lab, width: int, height: int, side: Side = "scaled", first: int = 0
) -> tuple[Row, ...]:
    """Draw what each format and method makes of one vector.

    Each has a line of its own where there are rows for that; otherwise the methods of a format
    share one. Below stands why a format gave out, and then which weights differ; without room for
    the reasons, what fits of them stands where there is no number.

    Args:
        lab: What came out of every format, stable and naive.
        width: Cells of every row returned.
        height: Number of rows returned.
        side: Which side to show where there is no room for both.
        first: How many lines to scroll down, held to `last_first`.
    """
    seen = _layout(lab, width, height, side)
    if seen is None:
        name = lab.sides[side == "scaled"].name
        return message(f"{name}: too small for a table", width, height)
    first = min(max(first, 0), seen.last_first)
    rows = [*seen.head, *seen.body[first : first + seen.room]]
    return filled(rows, width, height, [_last(seen, first, width)] if seen.closed else ())


def last_first(lab: Lab, width: int, height: int, side: Side = "scaled") -> int:
    """Return how far the chart of a size can be scrolled: 0 where all of it is seen."""
    seen = _layout(lab, width, height, side)
    return seen.last_first if seen else 0


@dataclass(frozen=True)
class _Layout:
    """A chart of some size.

    Attributes:
        head: The rows that do not scroll.
        body: Those that do: a line for each trial or format, and where there is room for more
            than these, what is said about them.
        room: How many of them fit.
        closed: Whether a last row says how many more there are, and what the columns mean.
        legend: What they mean, at decreasing length.
    """

    head: tuple[Row, ...]
    body: tuple[Row, ...]
    room: int
    closed: bool
    legend: tuple[str, ...]

    @property
    def last_first(self) -> int:
        """How many lines can be scrolled."""
        return max(len(self.body) - self.room, 0)


def _layout(lab: Lab, width: int, height: int, side: Side) -> _Layout | None:
    """Return the chart, or nothing if there is no room for a table."""
    trials = lab.sides[0].trials
    apart = height >= len(trials) + 2
    lines = len(trials) if apart else len({one.precision.format for one in trials})
    titled = height >= lines + 2
    rest = height - titled - (height > 2)
    closed = rest != lines
    shown = lab.sides if width >= SIDE_BY_SIDE else (lab.sides[side == "scaled"],)
    notes = reasons(shown, width) if rest > lines else []
    inline = rest - 1 < lines + len(notes)
    notes += differences(shown, width) if rest > lines else []
    left = (width - GAP) // 2
    widths = (left, width - GAP - left) if len(shown) == 2 else (width,)
    blocks: list[tuple[Row, ...]] = []
    legend: tuple[str, ...] = ERROR
    for one, room in zip(shown, widths, strict=True):
        name = "" if titled else one.name
        last: Iterable[Trial] = one.trials
        if apart:
            columns = trial_columns(lab, one, name, inline)
        else:
            columns = _by_format(one, name, inline)
            last = {each.precision.format: each for each in one.trials}.values()
        table = laid(tuple(columns), room, tuple(map(reason, last)) if inline else (), 2)
        if table.width > room or height < 2:
            return None
        title = (_title(lab, one, room),) if titled else ()
        blocks.append((*title, *table.rows(room)))
        legend = DIFFER if any("differ" in column.title for column in table.columns) else legend
    block = blocks[0] if len(blocks) == 1 else beside(blocks[0], blocks[1], GAP)
    body = (*block[titled + 1 :], *notes)
    return _Layout(block[: titled + (height > 2)], body, rest - closed, closed, legend)


def _last(seen: _Layout, first: int, width: int) -> Row:
    """Return how many lines there are above and below, and what the columns mean."""
    below = len(seen.body) - seen.room - first
    parts = [f"{below} more"] * (below > 0) + [f"{first} above"] * (first > 0)
    if not parts:
        return fitted(((first_text(seen.legend, width), "label"),), width)
    more = "… " + ", ".join(parts)
    rest = next((text for text in seen.legend if cells(more + text) + 2 <= width), "")
    return fitted(((more, "muted"), ("  ", "text"), (rest, "label")), width)


def _title(lab: Lab, side: LabSide, width: int) -> Row:
    exact = f"exact {weight_name(lab.key)} = {weight(side.exact)}"
    texts = (
        f"{visible(lab.vector)}, {side.name}: {exact} (nothing rounded)",
        f"{side.name}: {exact} (nothing rounded)",
        f"{side.name}: {exact}",
        exact,
        side.name,
    )
    return fitted(((first_text(texts, width), role_of(side.name)),), width)


def _by_format(side: LabSide, name: str, inline: bool) -> Iterator[Column]:
    """Yield the columns of a table with a line for each format, its methods beside each other."""
    by_format: dict[str, list[Trial]] = {}
    for trial in side.trials:
        by_format.setdefault(trial.precision.format, []).append(trial)
    lines = list(by_format.values())
    yield format_column([trials[0] for trials in lines], name)
    for trials in zip(*lines, strict=True):
        last = inline and trials[0] is lines[0][-1]
        weights, counts, errors, *_ = zip(*(numbers(each, last) for each in trials), strict=True)
        yield Column(f"{method(trials[0])} p", weights)
        yield Column(NUMBERS[0], counts, 4)
        brief: Column | None = None
        for at, width in ((2, 5), (3, 7), (4, None)):
            cells = tuple(numbers(each, last, width)[2] for each in trials)
            brief = Column("error", cells, 1, shorter=brief, at=at - 1)
        yield Column(NUMBERS[1], errors, 1, shorter=brief, at=4)
