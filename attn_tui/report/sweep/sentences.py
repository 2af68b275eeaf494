"""What a sweep shows, in a sentence or two of plain text; each states only what was computed."""

from collections.abc import Iterator

from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.crossover import GRADIENTS
from attn_tui.compute.sweep.points import Point, Statistic
from attn_tui.report.numbers import ratio
from attn_tui.report.sweep.names import (
    NAMES,
    boundary_text,
    formula,
    is_none,
    mean_text,
    median_text,
    name_of,
    others,
    place_text,
    statistic_number,
)

FAR_BELOW = 100.0
"""A median that is so many times smaller than the mean: few draws carry the mean."""


def said(answer: Answer, statistic: Statistic) -> tuple[str, ...]:
    """Say what a statistic does, and what removing the scale does to it."""
    if not answer.points:
        return ()
    return tuple(_said(answer, statistic))


def _said(answer: Answer, statistic: Statistic) -> Iterator[str]:
    is_map = answer.settings.view == "map"
    yield from (_boundary if is_map else _removed)(answer, statistic)
    if is_map or answer.settings.over == "d_k":
        yield from _means(answer, statistic)
    if any(_carried(point, statistic) for point in answer.points):
        yield (
            "Where the median is far below the mean, few draws carry the mean: a sampled mean, "
            "and its error, then tend to be too small."
        )
    if not is_map:
        yield from (_ends(answer, rule, statistic) for rule in answer.rules)


def in_short(answer: Answer, statistic: Statistic) -> str:
    """Say in a few words what removing the first rule does to the median, or nothing."""
    if answer.settings.view == "map":
        for rule in others(answer.rules):
            known = [each for each in answer.boundary(rule, statistic) if each.d_k is not None]
            if known:
                ends = dict.fromkeys((known[0], known[-1]))
                texts = (f"{place_text(each.d_k)} at n {each.n:,}" for each in ends)
                return f"Unscaled the median is larger up to d_k {', '.join(texts)}."
        return ""
    found = next((each for each in answer.crossovers if each.readout == statistic), None)
    if found is None:
        return ""
    first = f"{found.divides_from:,}"
    unscaled = "Unscaled" if found.finished else "So far, unscaled"
    if found.d_k is None:
        return f"{unscaled} the median is {found.side} from d_k {first} on."
    d_k, low, high = (place_text(each) for each in (found.d_k, found.low, found.high))
    return (
        f"{unscaled} the median is larger from d_k {first} to {d_k} [{low}, {high}], then smaller."
    )


def _carried(point: Point, statistic: Statistic) -> bool:
    summary = point.statistics[statistic]
    return summary.median * FAR_BELOW < summary.mean


def _ends(answer: Answer, rule: str, statistic: Statistic) -> str:
    """Say what a median is at both ends of the range."""
    points = [point for point in answer.points if point.rule == rule]
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
                interval = f"{place_text(found.low)} to {place_text(found.high)}"
                yield (
                    f"{having}, removing {rule} makes the median {symbol} larger "
                    f"from d_k = {found.divides_from:,} to ≈ {place_text(found.d_k)} "
                    f"(95 %: {interval}), smaller above."
                )
            else:
                yield (
                    f"{having}, removing {rule} makes the median {symbol} "
                    f"{found.side} at every d_k from {found.divides_from:,} to 65,536."
                )
            if found.divides_from > 2:
                yield f"Below d_k = {found.divides_from:,} {rule} does not divide: it is ≥ 1."


def _means(answer: Answer, statistic: Statistic) -> Iterator[str]:
    """Say where the mean is larger without a rule, if that is so wherever the rule divides."""
    for rule in others(answer.rules):
        sides = {
            point.d_k: each.log_mean > 0.0
            for point in answer.points
            if point.rule == rule
            and point.multiplier < 1.0
            and (each := answer.ratio(point.n, point.d_k, rule, statistic))
        }
        if not sides or len({*sides.values()}) > 1:
            continue
        side = "larger" if sides[min(sides)] else "smaller"
        first, last = f"{min(sides):,}", f"{max(sides):,}"
        where = f"every d_k shown from {first} to {last}" if len(sides) > 1 else f"d_k = {first}"
        symbol = NAMES[statistic].symbol
        yield f"Without {formula(rule)} the mean {symbol} over draws is {side} at {where}."


def _boundary(answer: Answer, statistic: Statistic) -> Iterator[str]:
    symbol = NAMES[statistic].symbol
    for rule in others(answer.rules):
        found = answer.boundary(rule, statistic)
        known = [each for each in found if each.d_k is not None]
        if known:
            first, last = known[0], known[-1]
            ends = f" and {boundary_text(last)} with {last.n:,}" if last.n != first.n else ""
            yield (
                f"Removing {formula(rule)} makes the median {symbol} larger up to d_k "
                f"{boundary_text(first)} with {first.n:,} keys{ends}, and smaller beyond."
            )
        elif found:
            ratios = [answer.ratio(*place, rule, statistic) for place in _places(answer)]
            logs = [each.log_median for each in ratios if each]
            if logs:
                low, high = ratio(min(logs)), ratio(max(logs))
                yield (
                    f"Removing {formula(rule)} multiplies the median {symbol} by {low} to {high} "
                    "over the map, and nowhere from above 1 to below as d_k grows."
                )


def _places(answer: Answer) -> list[tuple[int, int]]:
    return sorted({(point.n, point.d_k) for point in answer.points})


def at_place(answer: Answer, n: int, d_k: int, statistic: Statistic) -> tuple[str, ...]:
    """Say what was found at one place under each rule, and how the first compares."""
    parts = []
    for rule in answer.rules:
        point = answer.point(n, d_k, rule)
        if point is None:
            continue
        summary = point.statistics[statistic]
        exact = point.exact(statistic)
        mean = mean_text(summary)
        mean += f" (exact {statistic_number(exact.mean)})" if exact.mean is not None else ""
        median = median_text(summary)
        median += f" (exact {statistic_number(exact.median)})" if exact.median is not None else ""
        parts.append(f"{name_of(rule)}: mean {mean}, median {median}")
    for rule in others(answer.rules):
        if found := answer.ratio(n, d_k, rule, statistic):
            parts.append(
                f"unscaled over {formula(rule)}: mean {ratio(found.log_mean)}, "
                f"median {ratio(found.log_median)}"
            )
    return tuple(parts)
