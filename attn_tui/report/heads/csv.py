"""Statistics of heads as CSV of full precision: a line for each head and statistic."""

from collections.abc import Iterator, Sequence
from typing import Any

from attn_tui.engine.survey import Survey
from attn_tui.report.csv_text import csv_text
from attn_tui.report.heads.shown import Shown

COLUMNS = (
    *("batch", "layer", "head", "statistic", "value", "standard_error", "row", "key"),
    *("rows", "n_queries", "n_keys", "counts"),
)
"""The names of the columns, which stand in the first line."""


def render(found: Survey, shown: Shown) -> Iterator[str]:
    """Yield the text of a survey, piece by piece."""
    yield csv_text([COLUMNS])
    heads = found.heads
    for head in found.order(shown.sort, shown.tau):
        partial = heads[head]
        rows: list[Sequence[Any]] = []
        for name in shown.statistics:
            value = partial.value(name, shown.tau)
            places = (None if at in (None, -1) else at for at in (value.row, value.key))
            numbers = (value.value, value.error, *places)
            sizes = (partial.rows, partial.n_queries, partial.n_keys)
            counts = partial.counts(name)
            rows.append((head.batch, head.layer, head.head, name, *numbers, *sizes, counts))
        yield csv_text(rows)
