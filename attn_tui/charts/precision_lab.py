"""The precision lab as a table: what each format and method makes of one vector's softmax."""

from collections.abc import Iterator, Sequence

from attn_tui.charts.rows import Row, Span, beside, first_text, fitted, message, printable
from attn_tui.charts.sides import Side, role_of
from attn_tui.charts.table import Table, widest
from attn_tui.compute.precision_lab import Lab, LabSide, Trial
from attn_tui.report.numbers import scientific, weight, weight_name

SIDE_BY_SIDE = 100
"""From this width on the tables of both sides stand side by side."""

GAP = 2

NUMBERS = ("differ", "|p−exact|", "at key", "vanished")

LEGENDS = (
    "differ: weights not the exact one rounded to the format; |p−exact|: the largest; "
    "vanished: 0, exact is not",
    "differ: weights not the exact one rounded to the format; |p−exact|: the largest",
    "differ: weights that are not the exact one rounded to the format",
    "differ: not the exact weight rounded to the format",
    "differ: ≠ exact rounded to the format",
    "differ: ≠ exact, rounded",
)


def precision_chart(
    lab: Lab, width: int, height: int, ascii: bool = False, side: Side = "scaled"
) -> tuple[Row, ...]:
    """Draw what each format and method makes of one vector.

    Each has a line of its own where there are rows for that; otherwise the methods of a format
    share one.

    Args:
        lab: What came out of every format, stable and naive.
        width: Cells of every row returned.
        height: Number of rows returned.
        ascii: Whether to keep to ASCII; there are no signs but mathematical ones, and those stay.
        side: Which side to show where there is no room for both.
    """
    lines = len(lab.sides[0].trials)
    apart = height >= lines + 2
    lines = lines if apart else len({one.precision.format for one in lab.sides[0].trials})
    if height > lines + 2:
        tables = _tables(lab, width, height - 1, apart, side)
        return (*tables, fitted(((first_text(LEGENDS, width), "label"),), width))
    return _tables(lab, width, height, apart, side)


def _tables(lab: Lab, width: int, height: int, apart: bool, side: Side) -> tuple[Row, ...]:
    if width < SIDE_BY_SIDE:
        return _table(lab, lab.sides[side == "scaled"], width, height, apart)
    left = (width - GAP) // 2
    first, second = lab.sides
    right = _table(lab, second, width - GAP - left, height, apart)
    return beside(_table(lab, first, left, height, apart), right, GAP)


def _table(lab: Lab, side: LabSide, width: int, height: int, apart: bool) -> tuple[Row, ...]:
    """Return one side: its title and a line for each trial, or else for each format."""
    tables = _by_trial(lab, side.trials) if apart else _by_format(side.trials)
    table = widest(tables, width)
    if table is None or height < 2:
        return message(f"{side.name}: too small for a table", width, height)
    body = table.rows(width)
    if height < len(body) + 1:
        body = body[len(table.titles) :]
    rows = [_title(lab, side, width), *body]
    if len(rows) > height:
        more: Row = ((f"… {len(rows) - height + 1} more", "muted"),)
        rows = [*rows[: height - 1], fitted(more, width)]
    return (*rows, *[fitted((), width)] * (height - len(rows)))


def _title(lab: Lab, side: LabSide, width: int) -> Row:
    exact = f"exact {weight_name(lab.key)} = {weight(side.exact)}"
    texts = (
        f"{printable(lab.vector)}, {side.name}: {exact} (float64, nothing rounded)",
        f"{side.name}: {exact} (float64, nothing rounded)",
        f"{side.name}: {exact}",
        exact,
        side.name,
    )
    return fitted(((first_text(texts, width), role_of(side.name)),), width)


def _by_trial(lab: Lab, trials: Sequence[Trial]) -> Iterator[Table]:
    """Yield tables with a line for each trial, at decreasing width."""
    titles = _labels(("format", "method", weight_name(lab.key), *NUMBERS))
    whole, short = (
        Table((titles,), tuple(_line(trial, brief) for trial in trials), left=2)
        for brief in (False, True)
    )
    for columns in (range(7), (0, 1, 2, 3, 4, 6), range(5), range(4), range(3)):
        yield whole.keeping(columns, 2)
        yield whole.keeping(columns, 1)
        yield short.keeping(columns, 1)


def _line(trial: Trial, brief: bool) -> tuple[Span, ...]:
    named: tuple[Span, ...] = ((_format(trial, brief), "text"), (_method(trial), "label"))
    return (*named, *_numbers(trial)) if trial.status == "ok" else (*named, _reason(trial))


def _by_format(trials: Sequence[Trial]) -> Iterator[Table]:
    """Yield tables with a line for each format, its methods beside each other."""
    by_format: dict[str, list[Trial]] = {}
    for trial in trials:
        by_format.setdefault(trial.precision.format, []).append(trial)
    methods = [_method(trial) for trial in max(by_format.values(), key=len, default=[])]
    titles = ["format"]
    for method in methods:
        titles += [f"{method} p", *NUMBERS[:2]]
    lines = {
        brief: tuple(
            ((_format(line[0], brief), "text"), *(cell for one in line for cell in _cells(one)))
            for line in by_format.values()
        )
        for brief in (False, True)
    }
    whole, short = (Table((_labels(titles),), lines[brief]) for brief in (False, True))
    for each in (3, 2, 1):
        groups = (range(1 + 3 * at, 1 + 3 * at + each) for at in range(len(methods)))
        columns = [0, *(column for group in groups for column in group)]
        yield whole.keeping(columns, 2)
        yield whole.keeping(columns, 1)
        yield short.keeping(columns, 1)


def _cells(trial: Trial) -> tuple[Span, ...]:
    if trial.status == "ok":
        return _numbers(trial)[:3]
    return ({"nan": "NaN"}.get(trial.status, trial.status), _reason(trial)[1]), ("", ""), ("", "")


def _numbers(trial: Trial) -> tuple[Span, ...]:
    """Return the weight and the counts of `NUMBERS`."""
    worst = trial.worst != 0.0
    return (
        (weight(trial.weight), "strong"),
        (f"{trial.n_differ:,}", "text" if trial.n_differ else "muted"),
        (scientific(trial.worst), "text" if worst else "muted"),
        (str(trial.worst_key) if worst else "", "label"),
        (f"{trial.n_vanished:,}", "text" if trial.n_vanished else "muted"),
    )


def _reason(trial: Trial) -> Span:
    return trial.reason or trial.status, "muted" if trial.status == "masked" else "error"


def _format(trial: Trial, brief: bool) -> str:
    name = trial.precision.format
    return name.replace("bfloat", "bf").replace("float", "f") if brief else name


def _method(trial: Trial) -> str:
    return "stable" if trial.precision.stable else "naive"


def _labels(texts: Sequence[str]) -> tuple[Span, ...]:
    return tuple((text, "label") for text in texts)
