"""What Heads shows as text, JSON and CSV: every statistic, the one that is looked at first."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.engine.answer import Answer
from attn_tui.engine.settings import Settings
from attn_tui.engine.survey import Survey
from attn_tui.heads import comparison, json, text
from attn_tui.heads.words import Shown
from attn_tui.report.csv_text import csv_text

COLUMNS = (
    *("batch", "layer", "head", "statistic", "value", "standard_error", "row", "key"),
    *("rows", "n_queries", "n_keys", "counts"),
)
"""The names of the columns, which stand in the first line."""


def render_table(found: Survey, shown: Shown) -> Iterator[str]:
    """Yield the text of a survey, piece by piece."""
    yield csv_text([COLUMNS])
    heads = found.heads
    for head in found.order(shown.sort, shown.tau):
        partial = heads[head]
        rows: list[Sequence[Any]] = []
        for name in shown.statistics:
            value = partial.value(name, shown.tau)
            places = (None if at in (None, -1) else at for at in (value.row, value.key))
            held = (json.printed(partial, name, each) for each in (value.value, value.error))
            numbers = (*held, *places)
            sizes = (partial.rows, partial.n_queries, partial.n_keys)
            counts = partial.counts(name)
            rows.append((head.batch, head.layer, head.head, name, *numbers, *sizes, counts))
        yield csv_text(rows)


Render = Callable[..., Iterator[str]]


def _rendered(answer: Answer, alone: Render, compared: Render) -> Iterator[str]:
    settings = answer.experiment.setup.get(Settings)
    names = tuple(dict.fromkeys((settings.statistic, *STATISTICS)))
    shown = Shown(names, tau=settings.tau)
    if answer.other is None or answer.comparison is None:
        return alone(answer.survey, shown)
    return compared(answer.comparison, (answer.other.partials, answer.table.partials), shown)


def render_text(answer: Answer) -> Iterator[str]:
    """Yield a report of a capture, or of two that are compared."""
    return _rendered(answer, text.render, comparison.render_text)


def render_json(answer: Answer) -> Iterator[str]:
    """Yield JSON."""
    return _rendered(answer, json.render, comparison.render_json)


def render_csv(answer: Answer) -> Iterator[str]:
    """Yield CSV."""
    return _rendered(answer, render_table, comparison.render_csv)
