"""What a sweep shows, in a sentence or two of plain text; each states only what was computed."""

from collections.abc import Iterator, Sequence
from math import isnan

from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.crossing import Crossing, Run, crossings, runs
from attn_tui.compute.sweep.crossover import GRADIENTS
from attn_tui.compute.sweep.settings import Statistic
from attn_tui.report.numbers import ratio
from attn_tui.sweep.means import carried_by_few, compared_means, larger_or_not
from attn_tui.sweep.names import (
    NAMES,
    boundary_text,
    ends_text,
    formula,
    is_none,
    median_text,
    others,
    place_text,
)


def said(answer: Answer, statistic: Statistic) -> tuple[str, ...]:
    """Say what a statistic does, and what removing the scale does to it."""
    if not answer.points:
        return ()
    if isnan(answer.points[0].statistics[statistic].mean):
        return (f"{NAMES[statistic].symbol} is not known under QK-norm.",)
    return tuple(_said(answer, statistic))


def _said(answer: Answer, statistic: Statistic) -> Iterator[str]:
    is_map = answer.settings.view == "map"
    yield from (_boundary if is_map else _removed)(answer, statistic)
    if is_map or answer.settings.over == "d_k":
        yield from compared_means(answer, statistic)
    yield from carried_by_few(answer, statistic)
    if not is_map:
        yield from (_ends(answer, rule, statistic) for rule in answer.rules)


def _ends(answer: Answer, rule: str, statistic: Statistic) -> str:
    """Say what a median is at both ends of the range."""
    points = answer.points.under(rule)
    first, last = points[0], points[-1]
    over = answer.settings.over
    name = "Unscaled" if is_none(rule) else f"With m = {formula(rule)}"
    places = [f"{getattr(point, over):,}" for point in (first, last)]
    low, high = (median_text(point.statistics[statistic]) for point in (first, last))
    if first is last:
        return f"{name}, the median {NAMES[statistic].symbol} is {low} at {over} = {places[0]}."
    return (
        f"{name}, the median {NAMES[statistic].symbol} goes from {low} at {over} = {places[0]} "
        f"to {high} at {places[1]}."
    )


def _removed(answer: Answer, statistic: Statistic) -> Iterator[str]:
    """Say what removing each rule does: from the crossover, or else from the points."""
    symbol, settings = NAMES[statistic].symbol, answer.settings
    if statistic in GRADIENTS and settings.over == "d_k":
        for found in answer.crossovers:
            if found.readout != statistic:
                continue
            rule = formula(found.rule)
            having = f"{'With' if found.finished else 'So far, with'} {found.n:,} keys"
            if found.d_k is not None:
                yield (
                    f"{having}, removing {rule} makes the median {symbol} larger "
                    f"from d_k = {found.divides_from:,} to ≈ {place_text(found.d_k)} "
                    f"(95 %: {ends_text(found)}), smaller above."
                )
            else:
                yield (
                    f"{having}, removing {rule} makes the median {symbol} "
                    f"{found.side} at every d_k from {found.divides_from:,} to 65,536."
                )
            if found.divides_from > 2:
                yield f"Below d_k = {found.divides_from:,} {rule} does not divide: it is ≥ 1."
    if settings.over == "n":
        yield from _over_n(answer, statistic)


def _boundary(answer: Answer, statistic: Statistic) -> Iterator[str]:
    """Say where the medians meet on a map; over n alone where there is a single d_k."""
    symbol = NAMES[statistic].symbol
    d_ks = answer.points.d_ks
    if len(d_ks) == 1:
        yield from _over_n(answer, statistic)
        return
    for rule in others(answer.rules):
        found = answer.boundary(rule, statistic)
        known = [each for each in found if each.falls]
        if known:
            first, last = known[0], known[-1]
            ends = f", {boundary_text(last)} with {last.n:,}" if last.n != first.n else ""
            yield (
                f"Removing {formula(rule)} makes the median {symbol} larger up to some d_k of "
                f"{boundary_text(first)} with {first.n:,} keys{ends}, and smaller beyond."
            )
        elif found:
            ratios = [
                answer.points.ratio(*place, rule, statistic) for place in answer.points.places
            ]
            logs = [each.log_median for each in ratios if each]
            if logs:
                low, high = ratio(min(logs)), ratio(max(logs))
                yield (
                    f"Removing {formula(rule)} multiplies the median {symbol} by {low} to {high} "
                    "over the map, and nowhere from above 1 to below as d_k grows."
                )


def _over_n(answer: Answer, statistic: Statistic) -> Iterator[str]:
    """Say at which n a median is clearly larger without a rule and at which smaller."""
    symbol = NAMES[statistic].symbol
    for rule in others(answer.rules):
        if found := runs(answer.points, rule, statistic):
            met = crossings(answer.points, rule, statistic)
            yield (
                f"At d_k = {answer.points[0].d_k:,}, removing {formula(rule)} makes the median "
                f"{symbol} {_sides(found)}, by two standard errors and more at these n"
                f"{_meeting(met)}."
            )


def _meeting(found: Sequence[Crossing]) -> str:
    """Say about where two runs of n meet: where the ratio of medians between them is 1."""
    if len(found) != 1:
        return ""
    at, low, high = map(place_text, (found[0].n, found[0].low, found[0].high))
    return f"; in between the medians cross, at n ≈ {at} [{low} to {high}]"


def _sides(found: Sequence[Run]) -> str:
    """Return runs as text: ``smaller at n = 2 to 256, larger at 2,048 to 4,096``."""
    parts = [
        f"{larger_or_not(run.larger)} at {run.first:,}"
        f"{f' to {run.last:,}' if run.first < run.last else ''}"
        for run in found
    ]
    return ", ".join(parts).replace(" at ", " at n = ", 1)
