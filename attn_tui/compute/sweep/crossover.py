"""Where removing the scale begins to shrink the median gradient: d*(n), with its uncertainty."""

from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log2
from typing import Literal, get_args

import numpy as np

from attn_tui.compute.arrays import Floats
from attn_tui.compute.errors import InputError, Stop, inert, never
from attn_tui.compute.field import fields_of
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.norms import log_of
from attn_tui.compute.sample import stream
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import UNIT_SPREAD, Spread
from attn_tui.compute.sweep.draws import cost, unit_logs, units
from attn_tui.compute.sweep.points import Points, Ratio, summarise
from attn_tui.compute.sweep.readouts import READOUTS, ROWS
from attn_tui.compute.sweep.settings import Settings, SweepStatistic, draws_at

GradientReadout = Literal["gradient", "jacobian", "query_gradient", "trace"]
"""The statistics whose crossings along d_k are searched for."""

GRADIENTS: tuple[GradientReadout, ...] = get_args(GradientReadout)

_PILOT, _OCTAVE, _RESAMPLED = 256, 5, 200
"""Draws of the coarse search; places per octave of the fine one; bootstrap resamples."""


Direction = Literal["falls", "rises", "larger", "smaller"]
"""The median without a rule falls below the other, or rises above it; or it is the larger, or the
smaller, on all the range."""


@dataclass(frozen=True)
class Crossing:
    """Where the median without a rule crosses the median with it, along d_k or n.

    Attributes:
        at: The d_k or the n, between whole numbers; None if the medians do not cross.
        low: The lower end of its 95 % interval; None if it may lie beyond what was examined.
        high: The upper end; likewise.
        direction: What the median without the rule does there; if they do not cross, which of both
            it is.
    """

    at: float | None
    low: float | None
    high: float | None
    direction: Direction = "falls"


Crossings = Mapping[tuple[int, SweepStatistic, Scale], Crossing]
"""Crossings along d_k by number of keys, readout and the rule that is removed."""


def divides_from(scale: Scale, n: int) -> int | None:
    """Return the least d_k from 2 on at which a rule's multiplier is below 1, or None.

    No multiplier rises with d_k, so it is below 1 at every larger d_k too; where it is 1, removing
    the rule changes nothing.

    >>> divides_from(parse_scale("mup:d0=64"), 64), divides_from(Scale("none"), 64)
    (9, None)
    """
    d_ks = range(2, D_K.maximum + 1)
    index = bisect_left(d_ks, True, key=lambda d_k: scale.multiplier(d_k, n) < 1.0)
    return d_ks[index] if index < len(d_ks) else None


def crossover(
    n: int,
    readout: GradientReadout = "gradient",
    seed: int = 1,
    draws: int = 2000,
    stop: Stop = never,
    rule: str = "inverse-sqrt",
) -> Crossing | None:
    """Return d*, the d_k below which removing a rule enlarges the median of a readout.

    Returns:
        Where the medians cross between the least d_k from 2 on at which m < 1 and 65,536,
        interpolated between whole numbers in ln d_k, with its interval by bootstrap over coupled
        draws; None if stopped.

    Raises:
        InputError: If n, the readout, the seed, the draws or the rule cannot be used.
    """
    latest = None
    for step in search(n, parse_scale(rule), seed, draws, (readout,)):
        if stop():
            return None
        if not isinstance(step, int):
            (latest,) = step.values()
    return latest


def crossovers(
    wanted: Sequence[tuple[int, Scale]],
    settings: Settings,
    spread: Spread = UNIT_SPREAD,
    lead: float = 0.0,
) -> Iterator[tuple[int, Crossings]]:
    """Yield the work done and the crossings found so far.

    The total work is the sum of `search_cost` over all pairs.

    Args:
        wanted: Pairs of n and rule; the crossings of all readouts are searched for each.
        settings: Settings that determine how many vectors are drawn, and the seed.
        spread: How widely q and k are spread.
        lead: By how much key 0 leads.

    Raises:
        InputError: As for `search`.
    """
    done, finished = 0, dict[tuple[int, SweepStatistic, Scale], Crossing]()
    for n, scale in wanted:
        draws = draws_at(settings, n)
        most, spent = search_cost(n, draws), 0
        for step in search(n, scale, settings.seed, draws, spread=spread, lead=lead):
            if isinstance(step, int):
                spent = min(spent + step, most - 1)
                yield done + spent, finished
            else:
                finished = {**finished, **step}
        done += most
        yield done, finished


def search_cost(n: int, draws: int) -> int:
    """Return roughly the cost of `search` for all readouts, in numbers processed."""
    return 2 * cost(n, 16 * min(draws, _PILOT) + 28 * draws)


def search(
    n: int, scale: Scale, seed: int, draws: int, readouts: Sequence[GradientReadout] = GRADIENTS,
    spread: Spread = UNIT_SPREAD, lead: float = 0.0,
) -> Iterator[Crossings | int]:  # fmt: skip
    """Search for crossings: yield the cost of each step, and finally the crossings.

    Let f(d_k) be ln of the median without scaling less ln of the median with it. A few draws at
    octaves of d_k show where f falls through 0 for the last time. Then all draws are evaluated at
    places around it, as far out as f is not clearly above or below 0. The same draws are used at
    all places. For the interval they are resampled, for all places at once, and the place where f
    falls through 0 is interpolated.

    Raises:
        InputError: If n, a readout, the seed, the draws or the rule cannot be used; a rule must
            multiply by less than 1 somewhere.
    """
    for name, value in (("n", n), ("draws", draws), ("seed", seed)):
        fields_of(Settings)[name].kind.check(name, value)
    for readout in readouts:
        if readout not in GRADIENTS:
            raise InputError("readout", f"{inert(str(readout))} is not one", ", ".join(GRADIENTS))
    scale.check_unnormalised("rules", "a crossover is searched without")
    least = divides_from(scale, n)
    if least is None:
        raise InputError(
            "rules",
            f"{inert(scale.text)} multiplies by 1 or more at every d_k from 2 to {D_K.maximum:,}",
            "rules that divide somewhere, for a crossover",
        )
    octaves = max(1, round(log2(D_K.maximum / least)))
    coarse, grid = (
        sorted({round(place) for place in np.geomspace(least, D_K.maximum, steps + 1)})
        for steps in (octaves, octaves * _OCTAVE)
    )
    falls = _Falls(n, tuple(readouts), seed, scale, spread, lead)
    yield from falls.evaluate(coarse, min(draws, _PILOT))
    windows: dict[GradientReadout, tuple[int, int]] = {}
    for readout in readouts:
        # The octave in which f falls through 0 for the last time; the first if f > 0 nowhere.
        above = [index for index, d_k in enumerate(coarse) if falls.at(readout, d_k)[0] > 0.0]
        first = above[-1] if above else 0
        last = min(first + bool(above), len(coarse) - 1)
        windows[readout] = _window(grid, coarse[first], coarse[last])
    before: dict[GradientReadout, tuple[int, int]] = {}
    while windows != before:
        before = windows
        places = {d_k for first, last in windows.values() for d_k in grid[first : last + 1]}
        yield from falls.evaluate(sorted(places), draws)
        windows = {
            readout: falls.widened(readout, grid, window) for readout, window in before.items()
        }
    found: dict[tuple[int, SweepStatistic, Scale], Crossing] = {}
    for readout, (first, last) in windows.items():
        ends = yield from falls.interval(readout, grid[first : last + 1])
        if ends is None:
            is_larger = falls.at(readout, grid[last])[0] > 0.0
            crossing = Crossing(None, None, None, "larger" if is_larger else "smaller")
        else:
            at, low, high = ends
            crossing = Crossing(
                at, low if low > least else None, high if high < D_K.maximum else None
            )
        found[n, readout, scale] = crossing
    yield found


class _Falls:
    """The function f of each readout at several d_k, from the same draws.

    The samples of each d_k have the shape (2, readouts, draws): without scaling, and with it.
    """

    def __init__(
        self, n: int, readouts: tuple[GradientReadout, ...], seed: int, scale: Scale,
        spread: Spread, lead: float,
    ) -> None:  # fmt: skip
        self.n, self.readouts, self.seed, self.scale = n, readouts, seed, scale
        self.spread, self.lead = spread, lead
        self._samples: dict[int, Floats] = {}

    def evaluate(self, places: Sequence[int], draws: int) -> Iterator[int]:
        """Add samples at places that lack as many draws; yield the cost of each step, or 0."""
        kept = {d_k: logs for d_k, logs in self._samples.items() if logs.shape[2] == draws}
        wanted = tuple(d_k for d_k in places if d_k not in kept)
        added = {d_k: np.empty((2, len(self.readouts), draws)) for d_k in wanted}
        rows = [ROWS[readout] for readout in self.readouts]
        for unit in units(self.seed, self.n, draws, wanted):
            yield from (0 for _ in unit.drawing())
            for d_k, samples in added.items():
                for side, multiplier in enumerate((1.0, self.scale.multiplier(d_k, self.n))):
                    of_weights = multiplier * self.spread.scores
                    logs = unit_logs(unit, d_k, of_weights, lead=self.lead)[rows]
                    factors = [
                        READOUTS[readout].factor(multiplier, self.spread.k)
                        for readout in self.readouts
                    ]
                    logs += np.array([log_of(factor) for factor in factors])[:, None]
                    samples[side, :, unit.here] = logs
                    yield cost(self.n, unit.size)
        self._samples = kept | added

    def at(self, readout: GradientReadout, d_k: int) -> tuple[float, float]:
        """Return f at a d_k, and an upper bound of its standard error."""
        unscaled, scaled = summarise(self._of(readout, [d_k])[0])
        error = unscaled.log_median_standard_error + scaled.log_median_standard_error
        return unscaled.log_median - scaled.log_median, error

    def widened(
        self, readout: GradientReadout, grid: Sequence[int], window: tuple[int, int]
    ) -> tuple[int, int]:
        """Return the window widened at each end where f is not clearly off 0 on its side."""
        first, last = window
        fall, error = self.at(readout, grid[first])
        if not fall > 4.0 * error:
            first = max(first - 3, 0)
        fall, error = self.at(readout, grid[last])
        if not fall < -4.0 * error:
            last = min(last + 3, len(grid) - 1)
        return first, last

    def interval(
        self, readout: GradientReadout, places: Sequence[int]
    ) -> Generator[int, None, tuple[float, float, float] | None]:
        """Return where f falls through 0 with the ends of its interval, or None; yield costs."""
        samples = self._of(readout, places)
        root = last_fall(places, _fall(samples))
        if root is None:
            return None
        draws = samples.shape[2]
        random = stream(self.seed, self.n)
        roots = []
        for _ in range(_RESAMPLED):
            falls = _fall(samples[:, :, random.integers(0, draws, draws)])
            resampled = last_fall(places, falls)
            if resampled is None:
                # Take the end of the places beyond which f would fall through 0.
                resampled = float(places[0] if falls[-1] <= 0.0 else places[-1])
            roots.append(resampled)
            yield 4 * samples.size // len(samples)
        low, high = np.quantile(roots, (0.025, 0.975)).tolist()
        return root, min(low, root), max(high, root)

    def _of(self, readout: GradientReadout, places: Sequence[int]) -> Floats:
        """Return the samples of one readout, shape (places, 2, draws)."""
        index = self.readouts.index(readout)
        return np.stack([self._samples[d_k][:, index] for d_k in places])


def _window(grid: Sequence[int], low: float, high: float) -> tuple[int, int]:
    """Return the indices of the two places of a grid that enclose two numbers."""
    return max(bisect_right(grid, low) - 1, 0), min(bisect_left(grid, high), len(grid) - 1)


def _fall(logs: Floats) -> Floats:
    """Return f, shape (places,), from samples of shape (places, 2, N)."""
    medians = np.median(logs, axis=2)
    return np.asarray(medians[:, 0] - medians[:, 1])


def last_fall(places: Sequence[int], falls: Floats) -> float | None:
    """Return where f, given at some places, falls through 0 for the last time, or None."""
    indices = np.flatnonzero((falls[:-1] > 0.0) & (falls[1:] <= 0.0))
    if not indices.size:
        return None
    before = int(indices[-1])
    share = falls[before] / (falls[before] - falls[before + 1])
    return float(places[before] * (places[before + 1] / places[before]) ** share)


def crossings(points: Points, scale: Scale, statistic: SweepStatistic) -> list[Crossing]:
    """Return where medians cross along n, each between n at which the ratio is clearly off 1.

    Clearly means by two standard errors. Between n of the points, ln of the ratio is interpolated
    linearly in ln n.
    """
    ratios = {n: points.ratio(n, d_k, scale, statistic) for n, d_k in points.places}
    pairs = [(n, ratio) for n, ratio in ratios.items() if ratio is not None]
    clear = [
        index
        for index, (_, ratio) in enumerate(pairs)
        if abs(ratio.log_median) > 2.0 * ratio.log_median_error
    ]
    crossings = []
    for before, after in pairwise(clear):
        is_larger = pairs[before][1].log_median > 0.0
        if (pairs[after][1].log_median > 0.0) != is_larger:
            ns, between = zip(*pairs[before : after + 1], strict=True)
            crossing = crossing_of(ns, between, "falls" if is_larger else "rises")
            if crossing is not None:
                crossings.append(crossing)
    return crossings


def crossing_of(
    places: Sequence[int], ratios: Sequence[Ratio], direction: Direction = "falls"
) -> Crossing | None:
    """Return where a ratio of medians falls or rises through 1 for the last time, or None.

    The ends of the interval are where the ratio less two of its standard errors does, and where the
    ratio plus two does.
    """
    sign = 1.0 if direction == "falls" else -1.0
    logs = sign * np.array([ratio.log_median for ratio in ratios])
    errors = 2.0 * np.array([ratio.log_median_error for ratio in ratios])
    with np.errstate(invalid="ignore"):
        at, low, high = (last_fall(places, line) for line in (logs, logs - errors, logs + errors))
    return None if at is None else Crossing(at, low, high, direction)
