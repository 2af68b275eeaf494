"""Where the medians with and without a rule cross over the number of keys, at one d_k."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from attn_tui.compute.sweep.crossover import last_fall
from attn_tui.compute.sweep.points import Points
from attn_tui.compute.sweep.settings import Statistic


@dataclass(frozen=True)
class Run:
    """Swept n next to each other at which a median is clearly larger without a rule, or smaller.

    Attributes:
        first: The least.
        last: The largest.
        larger: Whether it is larger without the rule.
    """

    first: int
    last: int
    larger: bool


@dataclass(frozen=True)
class Crossing:
    """Where two runs meet: the n at which the ratio of medians is 1.

    Between swept n, ln of the ratio is taken as straight over ln n.

    Attributes:
        n: Where, between whole numbers; None if it is at none of the n between the runs.
        low: Where the ratio less two of its standard errors is 1; None if nowhere.
        high: Where the ratio and two of its standard errors are.
        larger: Whether the median is larger without the rule below it, and smaller above.
    """

    n: float | None
    low: float | None
    high: float | None
    larger: bool


def runs(points: Points, rule: str, statistic: Statistic) -> list[Run]:
    """Return the runs of a sweep over n; only differences of two standard errors and more count."""
    found: list[Run] = []
    for n, d_k in points.places:
        ratio = points.ratio(n, d_k, rule, statistic)
        if ratio is None or not abs(ratio.log_median) > 2.0 * ratio.log_median_error:
            continue
        larger = ratio.log_median > 0.0
        if found and found[-1].larger == larger:
            found[-1] = Run(found[-1].first, n, larger)
        else:
            found.append(Run(n, n, larger))
    return found


def crossings(points: Points, rule: str, statistic: Statistic) -> list[Crossing]:
    """Return where each run of a sweep over n meets the next."""
    return [
        _between(points, rule, statistic, before, after)
        for before, after in pairwise(runs(points, rule, statistic))
    ]


def _between(points: Points, rule: str, statistic: Statistic, before: Run, after: Run) -> Crossing:
    ns, falls, errors = [], [], []
    for n, d_k in points.places:
        ratio = points.ratio(n, d_k, rule, statistic)
        if ratio and before.last <= n <= after.first:
            ns.append(n)
            falls.append(ratio.log_median if before.larger else -ratio.log_median)
            errors.append(2.0 * ratio.log_median_error)
    at = np.array(falls)
    with np.errstate(invalid="ignore"):
        moved = (at, at - errors, at + errors)
    middle, low, high = (last_fall(ns, each) for each in moved)
    return Crossing(middle, low, high, before.larger)
