"""Where the medians with and without a rule cross over the number of keys, at one d_k."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from attn_tui.compute.sweep.crossover import last_fall
from attn_tui.compute.sweep.points import Points, Ratio
from attn_tui.compute.sweep.settings import Statistic


@dataclass(frozen=True)
class Crossing:
    """Where the ratio of medians is 1, between swept n at which it is clearly above and below.

    Between swept n, ln of the ratio is taken as straight over ln n.

    Attributes:
        n: Where, between whole numbers; None if it is at none of them.
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
    """

    at: float
    low: float | None
    high: float | None


def crossings(points: Points, rule: str, statistic: Statistic) -> list[Crossing]:
    """Return where medians cross over n; only differences of two standard errors and more count."""
    known: list[tuple[int, Ratio]] = []
    for n, d_k in points.places:
        ratio = points.ratio(n, d_k, rule, statistic)
        if ratio is not None:
            known.append((n, ratio))
    clear = [
        index
        for index, (_, ratio) in enumerate(known)
        if abs(ratio.log_median) > 2.0 * ratio.log_median_error
    ]
    crossings = []
    for before, after in pairwise(clear):
        larger = known[before][1].log_median > 0.0
        if (known[after][1].log_median > 0.0) != larger:
            ns, ratios = zip(*known[before : after + 1], strict=True)
            place = falls_through(ns, ratios, 1.0 if larger else -1.0)
            crossings.append(Crossing(*place, larger))
    return crossings


def falls_through(
    places: Sequence[int], ratios: Sequence[Ratio], sign: float = 1.0
) -> tuple[float | None, float | None, float | None]:
    """Return where a ratio of medians falls through 1 for the last time, with an interval.

    Its ends are where the ratio less two of its standard errors does so, and with them. A sign of
    −1 asks where it rises.
    """
    logs = sign * np.array([ratio.log_median for ratio in ratios])
    errors = 2.0 * np.array([ratio.log_median_error for ratio in ratios])
    with np.errstate(invalid="ignore"):
        middle, low, high = (
            last_fall(places, line) for line in (logs, logs - errors, logs + errors)
        )
    return middle, low, high
