"""What Attention found, as CSV of full precision: one line for each row of the head."""

from collections.abc import Iterator
from typing import Any

from attn_tui.compute.attention.answer import Answer
from attn_tui.compute.attention.rows import Side
from attn_tui.report.csv_text import csv_text

STATISTICS = (
    *("multiplier", "largest", "key", "entropy", "effective_keys"),
    *("gradient", "log_gradient", "sink"),
)
"""What there is of each row on either side, by the names of the fields."""

COLUMNS = (
    *("query", "keys"),
    *(f"{side}_{name}" for side in ("unscaled", "scaled") for name in STATISTICS),
)
"""The names of the columns, which stand in the first line."""


def render(answer: Answer) -> Iterator[str]:
    """Yield the text of an answer, piece by piece."""
    yield csv_text([COLUMNS])
    for row in answer.rows.tolist():
        numbers = (number for side in answer.sides for number in _numbers(side, row))
        yield csv_text([(row, int(answer.attended[row]), *numbers)])


def _numbers(side: Side, row: int) -> Iterator[Any]:
    for name in STATISTICS:
        value = getattr(side, name)[row]
        yield int(value) if name == "key" else float(value)
