"""The precision lab as a table: what each format and method makes of one vector's softmax."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

from attn_tui.charts.explore.precision_notes import (
    differences,
    format_name,
    method,
    reason,
    reasons,
)
from attn_tui.charts.rows import Row, Span, beside, cells, first_text, fitted, message
from attn_tui.charts.sides import Side, role_of
from attn_tui.compute.explore.precision_lab import Lab, LabSide, Trial
from attn_tui.compute.visible import visible
from attn_tui.report.numbers import scientific, weight, weight_name
from attn_tui.report.table import Table, widest

SIDE_BY_SIDE = 100
"""From this width on the tables of both sides stand side by side."""

GAP = 2

NUMBERS = ("differ", "|p−exact|", "at key", "vanished")

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
    rows += [fitted((), width)] * (height - len(rows) - seen.closed)
    if seen.closed:
        rows.append(_last(seen, first, width))
    return tuple(rows)


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
        tables = _by_trial(lab, one, name, inline) if apart else _by_format(one, name, inline)
        table = widest(tables, room)
        if table is None or height < 2:
            return None
        title = (_title(lab, one, room),) if titled else ()
        blocks.append((*title, *table.rows(room)))
        legend = DIFFER if any("differ" in text for text, _ in table.titles[0]) else legend
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


def _by_trial(lab: Lab, side: LabSide, name: str, inline: bool) -> Iterator[Table]:
    """Yield tables with a line for each trial, at decreasing width."""
    titles = (_first(name, "format"), *_labels(("method", weight_name(lab.key), *NUMBERS)))
    texts = tuple(reason(trial) for trial in side.trials) if inline else ()
    whole, short = (
        Table(
            (titles,),
            tuple(_line(trial, brief, inline) for trial in side.trials),
            left=2,
            texts=texts,
        )
        for brief in (False, True)
    )
    for columns in (range(7), (0, 1, 2, 3, 4, 6), range(5), (0, 1, 2, 4), range(3)):
        yield whole.keeping(columns, 2)
        yield whole.keeping(columns, 1)
        yield short.keeping(columns, 1)


def _line(trial: Trial, brief: bool, inline: bool) -> tuple[Span, ...]:
    """Return a trial's cells; where the reason follows, only what comes before a NaN."""
    numbers = _numbers(trial)
    kept = 1 if inline and trial.reason and isnan(trial.worst) else len(numbers)
    return ((_format(trial, brief), "text"), (method(trial), "label"), *numbers[:kept])


def _by_format(side: LabSide, name: str, inline: bool) -> Iterator[Table]:
    """Yield tables with a line for each format, its methods beside each other."""
    by_format: dict[str, list[Trial]] = {}
    for trial in side.trials:
        by_format.setdefault(trial.precision.format, []).append(trial)
    methods = [method(trial) for trial in max(by_format.values(), key=len, default=[])]

    def table(
        brief: bool, error: str = NUMBERS[1], width: int | None = None, name: str = name
    ) -> Table:
        titles = [_first(name, "" if brief else "format")]
        for each in methods:
            titles += _labels((f"{each} p", NUMBERS[0], error))
        return Table(
            (tuple(titles),),
            tuple(
                ((_format(line[0], brief), "text"), *_cells(line, width, inline))
                for line in by_format.values()
            ),
            texts=tuple(reason(line[-1]) for line in by_format.values()) if inline else (),
        )

    whole, short = table(False), table(True)
    for kept in ((0, 1, 2), (0, 2), (0,)):
        columns = [0, *(1 + 3 * at + each for at in range(len(methods)) for each in kept)]
        yield whole.keeping(columns, 2)
        yield whole.keeping(columns, 1)
        yield short.keeping(columns, 1)
        if kept == (0, 2):
            yield from (table(True, "error", n).keeping(columns, 1) for n in (None, 7, 5))
    yield table(True, name="").keeping(columns, 1)


def _cells(line: Sequence[Trial], width: int | None, inline: bool) -> Iterator[Span]:
    """Yield the first three numbers of each method; of the last only those before its reason."""
    for trial in line:
        ends = inline and trial is line[-1] and trial.reason and isnan(trial.worst)
        yield from _numbers(trial, width)[: 1 if ends else 3]


def _numbers(trial: Trial, width: int | None = None) -> tuple[Span, ...]:
    """Return the weight and the counts of `NUMBERS`."""
    worst = trial.worst != 0.0
    size = "error" if isnan(trial.worst) else "text" if worst else "muted"
    return (
        (weight(trial.weight), "strong" if trial.status in ("ok", "masked") else "error"),
        (f"{trial.n_differ:,}", "text" if trial.n_differ else "muted"),
        (scientific(trial.worst, width=width), size),
        (str(trial.worst_key) if worst else "", "label"),
        (f"{trial.n_vanished:,}", "text" if trial.n_vanished else "muted"),
    )


def _format(trial: Trial, brief: bool) -> str:
    name = format_name(trial)
    return name.replace("bfloat", "bf").replace("float", "f") if brief else name


def _first(name: str, title: str) -> Span:
    """Return the title of the first column: the side, where that has no row of its own."""
    return (name, role_of(name)) if name else (title, "label")


def _labels(texts: Sequence[str]) -> tuple[Span, ...]:
    return tuple((text, "label") for text in texts)
