"""The tables of Dot products: what the sample says, the rows over d_k, and the derivation."""

from collections.abc import Sequence
from textwrap import wrap

from attn_tui.charts.rows import Row, Span, fitted, length, message
from attn_tui.charts.sides import Side
from attn_tui.charts.table import Table, widest
from attn_tui.compute.dots.answer import Answer
from attn_tui.compute.number import Number
from attn_tui.report.dots.text import bound_text, readouts, share
from attn_tui.report.measured import deviations, exact, with_error
from attn_tui.report.numbers import general

FAR = 4.0
"""A readout so many standard errors from its exact value is marked: hardly chance."""

_SHORT = {
    "mean": "mean",
    "variance": "variance",
    "standard_deviation": "sd",
    "mean_size": "E|x|",
    "kurtosis": "kurtosis",
    "coverage": "coverage",
}
_SIDES: tuple[Side, ...] = ("unscaled", "scaled")


def readout_rows(answer: Answer, side: Side, width: int) -> tuple[Row, ...]:
    """Return a line for each readout under a line of titles.

    Args:
        answer: What was drawn.
        side: The side that is shown where there is no room for both.
        width: Cells of every row returned.
    """
    coverage = f"within ±{bound_text(answer)}"
    both = [_readouts(answer, _SIDES, coverage, gap) for gap in (3, 2, 1)]
    short = [_readouts(answer, _SIDES, "", 1), *(_readouts(answer, (side,), "", n) for n in (2, 1))]
    table = widest((*both, *short), width)
    return (table or short[-1]).rows(width)


def _readouts(answer: Answer, sides: Sequence[Side], coverage: str, gap: int) -> Table:
    names = {"unscaled": "unscaled q·k", "scaled": "scaled m·q·k"}
    titles: list[Span] = [("", "label")]
    for side in sides:
        titles += [(f"{names[side]} ± error", side), ("exact", "label")]
    lines = []
    for name, title, unscaled, scaled in readouts(answer):
        numbers = {"unscaled": unscaled, "scaled": scaled}
        called = (coverage if name == "coverage" else title) if coverage else _SHORT[name]
        line: list[Span] = [(called, "label")]
        for side in sides:
            line += [_sampled(numbers[side], side), (exact(numbers[side], 10), "label")]
        lines.append(tuple(line))
    return Table((tuple(titles),), tuple(lines), 1, gap)


def _sampled(number: Number, role: str) -> Span:
    off = deviations(number)
    far = off is not None and off > FAR
    return with_error(number, 22) + (" !" if far else ""), "error" if far else role


_COLUMNS: tuple[Sequence[int], ...] = (
    range(8),
    (0, 1, 3, 4, 5, 6, 7),
    (0, 1, 3, 4, 6, 7),
    *((0, 1, 3, 4, 8), (0, 1, 4, 8), (0, 1, 4)),
)
"""The columns of the table over d_k, at decreasing width; the last one says 6 and 7 shortly."""


def over_d_k_rows(answer: Answer, width: int, height: int, cursor: int) -> tuple[Row, ...]:
    """Return the table over d_k, scrolled to the row that the cursor is on.

    Args:
        answer: What was drawn.
        width: Cells of every row returned.
        height: Number of rows returned.
        cursor: The row that is marked.
    """
    if not answer.table:
        return message(" No rows: i adds one", width, height)
    tables = [_over_d_k(answer, cursor, columns, gap) for columns in _COLUMNS for gap in (3, 2, 1)]
    rows = (widest(tables, width) or tables[-1]).rows(width)
    reasons = dict.fromkeys(row.unknown for row in answer.table if row.unknown)
    words = [wrap(f"–: {reason}", max(width - 1, 1)) for reason in reasons]
    rows += tuple(fitted(((f" {line}", "muted"),), width) for lines in words for line in lines)
    room = max(height - 1, 1)
    seen = (rows[0], *_window(rows[1:], cursor - room // 2, room))[:height]
    return seen + (fitted((), width),) * (height - len(seen))


def _window(rows: Sequence[Row], top: int, height: int) -> tuple[Row, ...]:
    """Return rows from one on, so many at most; arrows in front say where there are others."""
    top = max(0, min(top, len(rows) - height))
    seen = list(rows[top : top + height])
    for at, mark, more in ((0, "↑", top > 0), (-1, "↓", top + height < len(rows))):
        if more and seen and seen[at][0][0].startswith(" "):
            (text, role), *rest = seen[at]
            seen[at] = ((mark, "cursor"), (text[1:], role), *rest)
    return tuple(seen)


def _over_d_k(answer: Answer, cursor: int, columns: Sequence[int], gap: int) -> Table:
    around = f"±{bound_text(answer)}"
    titles = (
        *(
            "",
            "d_k",
            "draws",
            "variance ± error",
            "exact" if 3 in columns else "exact variance",
            around,
        ),
        *("coverage ± error", "exact", "coverage, exact"),
    )
    lines = []
    for place, row in enumerate(answer.table):
        role = "cursor" if place == cursor else "label"
        drawn = row.draws > 0
        lines.append(
            (
                ("▸" if place == cursor else " ", "cursor"),
                (f"{row.d_k:,}", role),
                (f"{row.draws:,}", "muted"),
                _sampled(row.variance, "unscaled") if drawn else ("not drawn", "unscaled"),
                (exact(row.variance, 10), role),
                (f"±{general(row.bound, 6)}", role),
                _sampled(row.coverage, "unscaled") if drawn else ("", role),
                (exact(row.coverage, 10), role),
                (
                    f"{share(row.coverage.value) if drawn else ''}, {share(row.coverage.exact)}",
                    role,
                ),
            )
        )
    table = Table((tuple((title, "label") for title in titles),), tuple(lines), 1, gap)
    return table.keeping(tuple(columns), gap)


def derivation_rows(answer: Answer, width: int, height: int, top: int = 0) -> tuple[Row, ...]:
    """Return the derivation, a line a step, or two where a line is too short.

    Args:
        answer: What was drawn.
        width: Cells of every row returned.
        height: Number of rows returned.
        top: How many rows are scrolled away.
    """
    lines = [fitted(line, width) for line in _derivation(answer, width, height)]
    seen = _window(lines, top, height)
    return seen + (fitted((), width),) * (height - len(seen))


def _derivation(answer: Answer, width: int, height: int) -> list[Row]:
    """Return the steps with what there is room for: reasons beside or below them, or none."""
    steps = [
        (
            (f" {place} {step.formula}", "strong"),
            (with_error(step.number, 22), _role(step.name)),
            (exact(step.number, 11), "label"),
            (step.reason, "muted"),
        )
        for place, step in enumerate(answer.derivation, 1)
    ]
    products = "product" if answer.pairs == 1 else "products"
    start = f" from {answer.pairs:,} {products}"
    titles: tuple[Span, ...] = (
        (start, "label"), ("sampled ± error", "label"), ("exact", "label"), ("because", "label"),
    )  # fmt: skip
    beside = _with_reasons(titles, steps, 3)
    if max(map(length, beside)) <= width:
        return beside
    numbers = Table((titles[:3],), tuple(step[:3] for step in steps), 1, 2)
    if numbers.width <= width:
        title, *lines = numbers.rows(width)
        below = [((("   ", "text"), step[3])) for step in steps]
        if 1 + 2 * len(lines) > height:
            return [title, *lines]
        return [title, *(row for pair in zip(lines, below, strict=True) for row in pair)]
    rows: list[Row] = []
    for formula, sampled, exactly, _ in steps:
        rows += [(formula,), (("   ", "text"), sampled, (", exact ", "label"), exactly)]
    return rows


def _with_reasons(
    titles: tuple[Span, ...], steps: Sequence[tuple[Span, ...]], gap: int
) -> list[Row]:
    numbers = Table((titles[:3],), tuple(step[:3] for step in steps), 1, gap)
    blank: Span = (" " * gap, "text")
    whole = numbers.rows(numbers.width)
    reasons = [titles[3], *(step[3] for step in steps)]
    return [(*row, blank, reason) for row, reason in zip(whole, reasons, strict=True)]


def _role(name: str) -> str:
    return "scaled" if name == "scaled" else "unscaled"
