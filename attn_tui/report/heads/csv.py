"""Statistics of heads as CSV of full precision: a line for each head and statistic."""

from collections.abc import Iterator, Sequence
from typing import Any

from attn_tui.compute.heads.statistic import TAU
from attn_tui.engine.condition import Condition
from attn_tui.engine.survey import Survey
from attn_tui.report.csv_text import csv_text

COLUMNS = (
    *("batch", "layer", "head", "statistic", "value", "standard_error", "row", "key"),
    *("rows", "n_queries", "n_keys"),
)
"""The names of the columns, which stand in the first line."""


def render(
    found: Survey,
    statistics: Sequence[str],
    conditions: Sequence[Condition] = (),
    sort: str | None = None,
    tau: float = TAU,
) -> Iterator[str]:
    """Yield the text of a survey, piece by piece; arguments are those of the text."""
    yield csv_text([COLUMNS])
    heads = found.heads
    for head in found.order(sort, tau):
        partial = heads[head]
        rows: list[Sequence[Any]] = []
        for name in statistics:
            value = partial.value(name, tau)
            places = (None if at in (None, -1) else at for at in (value.row, value.key))
            numbers = (value.value, value.error, *places)
            sizes = (partial.rows, partial.n_queries, partial.n_keys)
            rows.append((head.batch, head.layer, head.head, name, *numbers, *sizes))
        yield csv_text(rows)
