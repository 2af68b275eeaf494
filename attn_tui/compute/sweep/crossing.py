"""Where the medians with and without a rule cross over the number of keys, at one d_k."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from attn_tui.compute.sweep.crossover import last_fall
from attn_tui.compute.sweep.points import Points, Ratio
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


@dataclass(frozen=True)
class Meeting:
    """The one place along what is swept where the medians without a rule and with it cross.

    Attributes:
        at: The d_k or the n, between whole numbers.
        low: Lower end of its 95 % interval; None where it may go on beyond what was looked at.
        high: Upper end; likewise.
        finished: Whether that is of all draws that were asked for.
    """

    at: float
    low: float | None
    high: float | None
    finished: bool = True


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
    places = [place for place in points.places if before.last <= place[0] <= after.first]
    known = [(n, points.ratio(n, d_k, rule, statistic)) for n, d_k in places]
    found = [(n, ratio) for n, ratio in known if ratio]
    ns, ratios = [n for n, _ in found], [ratio for _, ratio in found]
    return Crossing(*falls_through(ns, ratios, 1.0 if before.larger else -1.0), before.larger)


def falls_through(
    at: Sequence[int], ratios: Sequence[Ratio], sign: float = 1.0
) -> tuple[float | None, float | None, float | None]:
    """Return where a ratio of medians falls through 1 for the last time, with an interval.

    Its ends are where the ratio less two of its standard errors does so, and with them. A sign of
    −1 asks where it rises.
    """
    logs = sign * np.array([ratio.log_median for ratio in ratios])
    errors = 2.0 * np.array([ratio.log_median_error for ratio in ratios])
    with np.errstate(invalid="ignore"):
        middle, low, high = (last_fall(at, each) for each in (logs, logs - errors, logs + errors))
    return middle, low, high
