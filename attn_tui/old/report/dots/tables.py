"""The tables of Dot products: what the sample says, and the rows over d_k."""

from collections.abc import Iterable, Sequence
from textwrap import wrap

from attn_tui.compute.dots.answer import Answer
from attn_tui.compute.number import Number
from attn_tui.old.report.dots.readouts import STATISTICS, bound_text, readouts, share
from attn_tui.report.measured import deviations, exact, with_error
from attn_tui.report.numbers import general
from attn_tui.report.rows import Row, Span, fitted, message
from attn_tui.report.sides import Side
from attn_tui.report.table import Column, laid

FAR = 4.0
"""A readout so many standard errors from its exact value is marked: hardly chance."""

_SHORT = {
    "mean": "mean",
    "variance": "var. σ²",
    "standard_deviation": "sd σ",
    "mean_size": "E|x|",
    "kurtosis": "kurtosis",
    "coverage": "coverage",
}


MOMENTS = ("mean", "variance")
"""What a screen shows of the readouts: what d_k is about."""


def moment_rows(answer: Answer, side: Side, width: int) -> tuple[Row, ...]:
    """Return a line for the mean and one for the variance under a line of titles.

    Args:
        answer: What was drawn.
        side: The side that comes first where they have no room beside each other.
        width: Cells of every row returned.
    """
    table = laid(readout_columns(answer, side, MOMENTS), width)
    if len(table.columns) > 3:
        return table.rows(width)
    other: Side = "unscaled" if side == "scaled" else "scaled"
    below = laid(readout_columns(answer, other, MOMENTS), width)
    return (*table.rows(width), fitted((), width), *below.rows(width))


def readout_columns(
    answer: Answer, side: Side, only: Sequence[str] = tuple(STATISTICS)
) -> tuple[Column, ...]:
    """Return the readouts of both sides, of which one is shown where there is room for one.

    Args:
        answer: What was drawn.
        side: That one.
        only: Names of those that are wanted.
    """
    found = [readout for readout in readouts(answer) if readout[0] in only]
    around = {"coverage": f"within ±{bound_text(answer)}"}
    names = tuple((around.get(name, title), "label") for name, title, *_ in found)
    short = Column("", tuple((_SHORT[name], "label") for name, *_ in found), left=True)
    columns = [Column("", names, left=True, shorter=short, at=2)]
    halves: tuple[tuple[Side, str, list[Number]], ...] = (
        ("unscaled", "unscaled q·k", [number for *_, number, _ in found]),
        ("scaled", "scaled m·q·k", [number for *_, number in found]),
    )
    for each, title, numbers in halves:
        rank = int(each != side)
        sampled = tuple(_sampled(number, each) for number in numbers)
        known = tuple((exact(number, 10), "label") for number in numbers)
        columns += [Column(f"{title} ± error", sampled, rank, role=each)]
        columns += [Column("exact", known, rank)]
    return tuple(columns)


def _sampled(number: Number, role: str) -> Span:
    off = deviations(number)
    far = off is not None and off > FAR
    return with_error(number, 22) + (" !" if far else ""), "error" if far else role


def over_d_k_rows(answer: Answer, width: int, height: int, cursor: int) -> tuple[Row, ...]:
    """Return the table over d_k, scrolled to the row that the cursor is on.

    Args:
        answer: What was drawn.
        width: Cells of every row returned.
        height: Number of rows returned.
        cursor: The row that is marked.
    """
    if not answer.table:
        return message(" No rows: the setting rows at d_k adds some", width, height)
    marks = tuple(("▸" if place == cursor else " ", "cursor") for place in range(len(answer.table)))
    columns = (Column("", marks, left=True), *over_d_k_columns(answer, cursor))
    rows = laid(columns, width).rows(width)
    words = _reasons(answer, width)
    rows += tuple(fitted(((f" {line}", "muted"),), width) for line in words)
    room = max(height - 1, 1)
    return (rows[0], *window(rows[1:], cursor - room // 2, room))[:height]


def _reasons(answer: Answer, width: int) -> list[str]:
    """Return lines that say why something is not known."""
    reasons = dict.fromkeys(row.unknown for row in answer.table if row.unknown)
    return [line for each in reasons for line in wrap(f"–: {each}", max(width - 1, 1))]


def row_at(answer: Answer, width: int, height: int, cursor: int, y: int) -> int | None:
    """Return which row of the table over d_k stands in a line of it, or None."""
    room = max(height - 1, 1)
    count = len(answer.table) + len(_reasons(answer, width))
    place = y - 1 + top_of(count, cursor - room // 2, room)
    return place if y > 0 and place < len(answer.table) else None


def over_d_k_columns(answer: Answer, cursor: int | None = None) -> tuple[Column, ...]:
    """Return the table over d_k; the line that the cursor is on has its role."""
    rows = answer.table
    roles = ["cursor" if place == cursor else "label" for place in range(len(rows))]

    def column(
        title: str, texts: Iterable[str], rank: int = 0, shorter: Column | None = None, at: int = 0
    ) -> Column:
        cells = tuple(zip(texts, roles, strict=True))
        return Column(title, cells, rank, shorter=shorter, at=at)

    def sampled(numbers: Iterable[Number], missing: str) -> tuple[Span, ...]:
        return tuple(
            _sampled(number, "unscaled") if row.draws else (missing, "unscaled")
            for row, number in zip(rows, numbers, strict=True)
        )

    variances, coverages = [row.variance for row in rows], [row.coverage for row in rows]
    both = [
        f"{share(row.coverage.value) if row.draws else ''}, {share(row.coverage.exact)}"
        for row in rows
    ]
    known = [exact(number, 10) for number in variances]
    return (
        column("d_k", (f"{row.d_k:,}" for row in rows)),
        Column("draws", tuple((f"{row.draws:,}", "muted") for row in rows), 5),
        Column("variance ± error", sampled(variances, "not drawn"), 2),
        column("exact", known, 0, column("exact variance", known), 2),
        column(f"±{bound_text(answer)}", (f"±{general(row.bound, 6)}" for row in rows), 4),
        Column("coverage ± error", sampled(coverages, ""), 3),
        column(
            "exact", (exact(number, 10) for number in coverages), 0,
            column("coverage, exact", both, 1), 3,
        ),
    )  # fmt: skip


def top_of(count: int, top: int, height: int) -> int:
    """Return the first of so many rows that is seen, where one is wanted."""
    return max(0, min(top, count - height))


def window(rows: Sequence[Row], top: int, height: int) -> tuple[Row, ...]:
    """Return rows from one on, so many at most; arrows in front say where there are others."""
    top = top_of(len(rows), top, height)
    seen = list(rows[top : top + height])
    for at, mark, more in ((0, "↑", top > 0), (-1, "↓", top + height < len(rows))):
        if more and seen and seen[at][0][0].startswith(" "):
            (text, role), *rest = seen[at]
            seen[at] = ((mark, "cursor"), (text[1:], role), *rest)
    return tuple(seen)
