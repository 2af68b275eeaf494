"""What Dot products found, as CSV of full precision: one line for each sampled number."""

from collections.abc import Iterator
from typing import Any

from attn_tui.compute.dots.answer import Answer
from attn_tui.compute.dots.moments import Readouts
from attn_tui.compute.dots.over_dimension import Row
from attn_tui.compute.number import Number
from attn_tui.report.csv_text import csv_text
from attn_tui.report.dots.readouts import STATISTICS

COLUMNS = (
    *("part", "d_k", "samples", "seed", "side", "multiplier", "bound"),
    *("statistic", "value", "standard_error", "exact"),
)
"""The names of the columns, which stand in the first line."""


def render(answer: Answer) -> Iterator[str]:
    """Yield the text of an answer, piece by piece: its readouts and the rows of its table."""
    yield csv_text([COLUMNS])
    seed = answer.settings.seed
    for side, m, found in (
        ("unscaled", 1.0, answer.unscaled),
        ("scaled", answer.multiplier, answer.scaled),
    ):
        place = "readouts", answer.law.d_k, answer.drawn, seed, side, m
        yield csv_text((*place, *numbers) for numbers in _readouts(found))
    for row in answer.table:
        place = "table", row.d_k, row.draws, seed, "unscaled", 1.0
        yield csv_text((*place, *numbers) for numbers in _row(row))


def _readouts(found: Readouts) -> Iterator[tuple[Any, ...]]:
    for name in STATISTICS:
        yield _numbers(found.bound, name, getattr(found, name))


def _row(row: Row) -> Iterator[tuple[Any, ...]]:
    yield _numbers(row.bound, "variance", row.variance)
    yield _numbers(row.bound, "coverage", row.coverage)


def _numbers(bound: float, name: str, number: Number) -> tuple[Any, ...]:
    """Return the cells from the bound on."""
    return bound, name, number.value, number.standard_error, number.exact
