"""What the means over draws do, which few draws may carry; in sentences of plain text."""

from collections.abc import Iterator
from functools import lru_cache

from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.points import Point
from attn_tui.compute.sweep.points import ratio as ratio_of
from attn_tui.compute.sweep.settings import Statistic
from attn_tui.sweep.names import NAMES, formula, others

FAR_BELOW = 100.0
"""A median that is so many times smaller than the mean: few draws carry the mean."""

SHAKY, FEWEST = 0.1, 20
"""A sampled mean whose error is so large a share of it, or of fewer draws, may be carried by few:
it tends to be too small, its error with it, and nothing is concluded from it."""


def carried_by_few(answer: Answer, statistic: Statistic) -> Iterator[str]:
    """Yield that few draws carry the mean somewhere, if they do."""
    if any(_carried(point, statistic) for point in answer.points):
        yield (
            "Where the median is far below the mean, few draws carry the mean: a sampled mean, "
            "and its error, then tend to be too small."
        )


def _carried(point: Point, statistic: Statistic) -> bool:
    summary = point.statistics[statistic]
    return summary.median * FAR_BELOW < summary.mean


def compared_means(answer: Answer, statistic: Statistic) -> Iterator[str]:
    """Say where the mean is larger without a rule, or smaller, as far as that can be told."""
    symbol = NAMES[statistic].symbol
    for rule in others(answer.rules):
        of_d_k: dict[int, set[bool | None]] = {}
        for point in answer.points:
            unscaled = answer.points.unscaled(point.n, point.d_k)
            if point.rule == rule and point.multiplier < 1.0 and unscaled:
                of_d_k.setdefault(point.d_k, set()).add(larger_mean(unscaled, point, statistic))
        told = [d_k for d_k, sides in of_d_k.items() if None not in sides]
        sides = {side is True for d_k in told for side in of_d_k[d_k]}
        if len(sides) != 1:
            continue
        shown = sorted(of_d_k)
        first, last = f"{min(told):,}", f"{max(told):,}"
        where = f"every d_k shown from {first} to {last}" if len(told) > 1 else f"d_k = {first}"
        if shown.index(max(told)) - shown.index(min(told)) >= len(told):
            where = f"{len(told)} of {len(shown)} d_k shown from {first} to {last}"
        rest = "; these draws do not tell at the others" if len(told) < len(shown) else ""
        side = larger_or_not(sides.pop())
        yield f"Without {formula(rule)} the mean {symbol} over draws is {side} at {where}{rest}."


@lru_cache(maxsize=1024)
def larger_mean(unscaled: Point, scaled: Point, statistic: Statistic) -> bool | None:
    """Return whether a mean is larger at the first point: exactly, or beyond errors; else None."""
    exacts = [point.exact(statistic).mean for point in (unscaled, scaled)]
    if exacts[0] is not None and exacts[1] is not None:
        return None if exacts[0] == exacts[1] else exacts[0] > exacts[1]
    found = [point.statistics[statistic] for point in (unscaled, scaled)]
    if any(
        each.draws < FEWEST or not each.mean_standard_error < SHAKY * each.mean for each in found
    ):
        return None
    by = ratio_of(unscaled, scaled, statistic)
    return None if abs(by.log_mean) <= 2.0 * by.log_mean_error else by.log_mean > 0.0


def larger_or_not(larger: bool) -> str:
    """Return which of the two it is, in a word."""
    return "larger" if larger else "smaller"
