"""The tables of a sweep: a statistic at places under a rule, and how it compares without it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import isfinite, log

from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.points import Point
from attn_tui.compute.sweep.settings import Statistic
from attn_tui.compute.sweep.summary import Summary
from attn_tui.report.numbers import quantity, ratio
from attn_tui.report.table import Column, laid
from attn_tui.sweep.names import is_none, name_of

NUMBER, FACTOR = 8, 10
"""Cells of a number of a statistic, and of a factor."""


def place_columns(answer: Answer, points: Sequence[Point]) -> Iterator[Column]:
    """Yield the n or the d_k of points, of a map both."""
    is_map = answer.settings.view == "map"
    for name in ("n", "d_k") if is_map else (answer.settings.over,):
        cells = tuple((f"{getattr(point, name):,}", "label") for point in points)
        yield Column(name, cells, width=7)


def rule_column(points: Sequence[Point]) -> Column:
    """Return what the rules of points are called."""
    return Column("", tuple((name_of(point.rule), "label") for point in points), left=True)


def summary_columns(points: Sequence[Point], statistic: Statistic) -> Iterator[Column]:
    """Yield what drawn vectors say of a statistic at points, with errors and exact values."""
    exacts = [point.exact(statistic) for point in points]
    mean_known = any(each.mean is not None for each in exacts)

    def sampled(title: str, of: Callable[[Summary], tuple[float, float]], rank: int = 0) -> Column:
        texts = (quantity(*of(each.statistics[statistic]), width=NUMBER) for each in points)
        return Column(title, tuple((text, "text") for text in texts), rank, width=NUMBER)

    def known(values: Sequence[float | None]) -> Iterator[Column]:
        if any(value is not None for value in values):
            texts = ("–" if each is None else quantity(each, width=NUMBER) for each in values)
            yield Column("exact", tuple((text, "label") for text in texts), 2, width=NUMBER)

    yield sampled("mean", lambda one: (one.mean, one.log_mean))
    yield sampled("error", lambda one: (one.mean_standard_error, one.log_mean_standard_error), 1)
    yield from known([each.mean for each in exacts])
    yield sampled("median", lambda one: (one.median, one.log_median))
    yield sampled("from", lambda one: (one.median_low, one.log_median_low), 3)
    yield sampled("to", lambda one: (one.median_high, one.log_median_high), 3)
    yield from known([each.median for each in exacts])
    if not mean_known:
        yield sampled("10 %", lambda one: (one.low, one.log_low), 4)
        yield sampled("25 %", lambda one: (one.quarter, one.log_quarter), 5)
        yield sampled("75 %", lambda one: (one.three_quarters, one.log_three_quarters), 5)
        yield sampled("90 %", lambda one: (one.high, one.log_high), 4)


def ratio_columns(
    answer: Answer, points: Sequence[Point], statistic: Statistic
) -> Iterator[Column]:
    """Yield how many times larger a statistic is unscaled at points whose ratio is known.

    Errors of factors are shares of them.
    """
    found = [answer.points.ratio(point.n, point.d_k, point.rule, statistic) for point in points]
    known = [each for each in found if each]
    exacts = [_exact_ratio(answer, point, statistic) for point in points]

    def column(title: str, texts: Iterator[str], rank: int) -> Column:
        return Column(title, tuple((text, "text") for text in texts), rank, width=FACTOR)

    def error(value: float) -> str:
        return f"{quantity(100.0 * value, width=FACTOR - 2)} %" if isfinite(value) else "–"

    means = (ratio(each.log_mean, FACTOR) if isfinite(each.log_mean) else "–" for each in known)
    yield column("of means", means, 0)
    yield column("±", (error(each.log_mean_error) for each in known), 1)
    if any(exacts):
        yield column("exact", iter(exacts), 2)
    yield column("of medians", (ratio(each.log_median, FACTOR) for each in known), 0)
    yield column("±", (error(each.log_median_error) for each in known), 1)


def compared_points(answer: Answer, points: Sequence[Point], statistic: Statistic) -> list[Point]:
    """Return the points whose ratio is known."""
    return [
        point
        for point in points
        if answer.points.ratio(point.n, point.d_k, point.rule, statistic) is not None
    ]


def _exact_ratio(answer: Answer, point: Point, statistic: Statistic) -> str:
    """Return how the exact means compare, or nothing if they are not known."""
    both = (answer.points.unscaled(point.n, point.d_k), point)
    means = [each.exact(statistic).mean for each in both if each]
    known = [mean for mean in means if mean]
    return ratio(log(known[0] / known[1]), FACTOR) if len(known) == 2 else ""


def numbers_at(answer: Answer, n: int, d_k: int, statistic: Statistic, width: int) -> Iterator[str]:
    """Yield lines with what was found at one place under each rule, and how the first compares."""
    answer = replace(answer, points=answer.nearby)
    found = [answer.points.at(n, d_k, rule) for rule in answer.rules]
    points = [point for point in found if point]
    tables = [(rule_column(points), *summary_columns(points, statistic))] if points else []
    if others := [
        each for each in compared_points(answer, points, statistic) if not is_none(each.rule)
    ]:
        names = replace(rule_column(others), title="unscaled over")
        tables.append((names, *ratio_columns(answer, others, statistic)))
    for columns in tables:
        for line in laid(columns, width).text():
            yield " " + line.rstrip()
