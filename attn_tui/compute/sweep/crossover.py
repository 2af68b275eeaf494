"""Where removing the scale begins to shrink the median gradient: d*(n), with its uncertainty."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from math import log2
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.experiment import Stop, never
from attn_tui.compute.field import fields_of
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.norms import log_of
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.stream import stream
from attn_tui.compute.sweep.draws import GENERATOR, cost, unit_logs, units
from attn_tui.compute.sweep.readouts import READOUTS, ROWS
from attn_tui.compute.sweep.settings import Settings
from attn_tui.compute.sweep.summary import summarise

Floats = NDArray[np.float64]

GradientReadout = Literal["gradient", "jacobian", "query_gradient", "trace"]
"""Of which statistics crossovers are looked for."""

GRADIENTS: tuple[GradientReadout, ...] = get_args(GradientReadout)

Side = Literal["crosses", "smaller", "larger"]
"""There is a crossover; the median is smaller without scaling, or larger, all over the range."""

_PILOT, _FIRST, _OCTAVE, _RESAMPLED = 256, 13, 5, 200
"""Draws and octaves to begin with; places an octave; draws of the draws."""


@dataclass(frozen=True)
class Crossover:
    """The d_k below which removing the scale enlarges the median of a gradient readout.

    Attributes:
        n: Number of keys.
        readout: Of which gradient.
        rule: What is removed.
        d_k: d*, between whole numbers by the logarithm; None unless it crosses.
        low: Lower end of its 95 % interval, by bootstrap over coupled draws; None with d_k.
        high: Upper end.
        side: Whether it crosses from there to 65,536, and if not, which is larger.
        divides_from: Where the range begins: the least d_k from 2 on at which m < 1.
        draws: How many vectors were drawn.
        seed: Which.
        finished: Whether that is all that were asked for; a few are looked at first.
        generator: By which algorithm.
    """

    n: int
    readout: GradientReadout
    rule: str
    d_k: float | None
    low: float | None
    high: float | None
    side: Side
    divides_from: int
    draws: int
    seed: int
    finished: bool = True
    generator: str = GENERATOR

    @property
    def low_open(self) -> bool:
        """Whether the interval may go on below its lower end, where the range begins."""
        return self.low is not None and self.low <= self.divides_from

    @property
    def high_open(self) -> bool:
        """Whether the interval may go on above its upper end, where the range ends."""
        return self.high is not None and self.high >= D_K.maximum


def divides_from(scale: Scale, n: int) -> int | None:
    """Return the least d_k from 2 on at which a rule multiplies by less than 1; None if at none.

    No multiplier rises with d_k, so it does so at every larger one too; where it is 1, removing
    the rule changes nothing.

    >>> divides_from(parse_scale("mup:d0=64"), 64), divides_from(Scale("none"), 64)
    (9, None)
    """
    d_ks = range(2, D_K.maximum + 1)
    at = bisect_left(d_ks, True, key=lambda d_k: scale.multiplier(d_k, n) < 1.0)
    return d_ks[at] if at < len(d_ks) else None


def crossover(
    n: int,
    readout: GradientReadout = "gradient",
    seed: int = 1,
    draws: int = 2000,
    stop: Stop = never,
    rule: str = "inverse-sqrt",
) -> Crossover | None:
    """Return the crossover for n keys, or None if stopped.

    Raises:
        InputError: If n, the readout, the seed, the draws or the rule will not do.
    """
    found = None
    for step in search(n, rule, seed, draws, (readout,)):
        if stop():
            return None
        if isinstance(step, tuple):
            (found,) = step
    return found


def crossovers(
    asked: Sequence[tuple[int, str]], seed: int, draws: int | Callable[[int], int]
) -> Iterator[tuple[int, tuple[Crossover, ...]]]:
    """Yield how much work is done, and what was found: of all from a few draws, then from all.

    The work of all is `search_cost` of each, added up.

    Args:
        asked: Each n and rule of which the crossovers of all readouts are looked for.
        seed: What is drawn.
        draws: How many vectors, or from n to how many.

    Raises:
        InputError: As `search`.
    """
    count = {key: draws if isinstance(draws, int) else draws(key[0]) for key in asked}
    searches = {key: search(*key, seed, count[key]) for key in asked}
    found: dict[tuple[int, str], tuple[Crossover, ...]] = {}
    spent = dict.fromkeys(asked, 0)
    for last in (False, True):
        for key in asked:
            most = search_cost(key[0], count[key])
            for step in searches[key]:
                if isinstance(step, tuple):
                    found[key] = step
                else:
                    spent[key] = min(spent[key] + step, most - 1)
                yield sum(spent.values()), sum((found.get(each, ()) for each in asked), ())
                if isinstance(step, tuple) and not last:
                    break
            if last:
                spent[key] = most
    yield sum(spent.values()), sum((found[each] for each in asked), ())


def search_cost(n: int, draws: int) -> int:
    """Return about what `search` for all readouts costs, in numbers worked on."""
    return 2 * cost(n, _FIRST * min(draws, _PILOT) + 28 * draws)


def search(
    n: int, rule: str, seed: int, draws: int, readouts: Sequence[GradientReadout] = GRADIENTS
) -> Iterator[tuple[Crossover, ...] | int]:
    """Yield what each step cost while looking for crossovers, and twice what was found.

    With f(d_k) = ln of the median without scaling − ln of the median with it: a few draws at
    octaves of d_k say where f falls through 0 for the last time; then these draws, and at last
    all of them, are evaluated at places about there, as far as f is not clearly above or below 0.
    The same draws are used at all places. They are drawn anew from themselves, for all places at
    once, and the fall interpolated, for the interval. What is found from the few comes first.

    Raises:
        InputError: If n, a readout, the seed, the draws or the rule will not do; a rule must
            multiply by less than 1 somewhere.
    """
    for name, value in (("n", n), ("draws", draws), ("seed", seed)):
        fields_of(Settings)[name].kind.check(name, value)
    for readout in readouts:
        if readout not in GRADIENTS:
            raise InputError("readout", f"{inert(str(readout))} is not one", ", ".join(GRADIENTS))
    scale = parse_scale(rule)
    least = divides_from(scale, n)
    if least is None:
        raise InputError(
            "rules",
            f"{inert(rule)} multiplies by 1 or more at every d_k from 2 to {D_K.maximum:,}",
            "rules that divide somewhere, for a crossover",
        )
    octaves = max(1, round(log2(D_K.maximum / least)))
    grid, coarse = (_whole(least, D_K.maximum, octaves * each) for each in (_OCTAVE, 1))
    falls = _Falls(n, tuple(readouts), seed, scale)
    few = min(draws, _PILOT)
    yield from falls.evaluate(coarse[:_FIRST], few)
    if any(falls.at(readout, coarse[:_FIRST][-1])[0] > 0.0 for readout in readouts):
        yield from falls.evaluate(coarse, few)
    windows = {readout: _about(grid, *falls.last_octave(readout)) for readout in readouts}
    for count in dict.fromkeys((few, draws)):
        falls.keep(count)
        while True:
            wanted = {place for first, last in windows.values() for place in grid[first : last + 1]}
            yield from falls.evaluate(sorted(wanted), count)
            wider = {each: falls.widened(each, grid, windows[each]) for each in readouts}
            if wider == windows:
                break
            windows = wider
        found = []
        for readout, (first, last) in windows.items():
            at = yield from falls.interval(readout, grid[first : last + 1])
            side: Side = "crosses"
            if at is None:
                side = "larger" if falls.at(readout, grid[last])[0] > 0.0 else "smaller"
            else:
                windows[readout] = _about(grid, *at[1:])
            d_k, low, high = at or (None, None, None)
            ends = (d_k, low, high, side, least)
            found.append(Crossover(n, readout, rule, *ends, count, seed, count == draws))
        yield tuple(found)


class _Falls:
    """F of each readout at some d_k, from the same draws; samples (2, readouts, draws)."""

    def __init__(
        self, n: int, readouts: tuple[GradientReadout, ...], seed: int, scale: Scale
    ) -> None:
        self.n, self.readouts, self.seed, self.scale = n, readouts, seed, scale
        self._rows = [ROWS[each] for each in readouts]
        self._samples: dict[int, Floats] = {}

    def keep(self, draws: int) -> None:
        """Forget samples of another number of draws."""
        self._samples = {
            place: each for place, each in self._samples.items() if each.shape[2] == draws
        }

    def evaluate(self, places: Sequence[int], draws: int) -> Iterator[int]:
        """Add samples at places where there are none; yield what each step cost."""
        wanted = [place for place in places if place not in self._samples]
        added = {place: np.empty((2, len(self.readouts), draws)) for place in wanted}
        for unit in units(self.seed, self.n, draws, tuple(sorted(wanted))):
            for d_k, sample in added.items():
                for side, multiplier in enumerate((1.0, self.scale.multiplier(d_k, self.n))):
                    logs = unit_logs(unit, d_k, multiplier)[self._rows]
                    factors = [READOUTS[each].factor(multiplier) for each in self.readouts]
                    logs += np.array(list(map(log_of, factors)))[:, None]
                    sample[side, :, unit.here] = logs
                    yield cost(self.n, unit.size)
        self._samples |= added

    def at(self, readout: GradientReadout, d_k: int) -> tuple[float, float]:
        """Return f at a place, and what its standard error is at most."""
        two = summarise(self._of(readout, [d_k])[0])
        errors = sum(each.log_median_standard_error for each in two)
        return two[0].log_median - two[1].log_median, errors

    def last_octave(self, readout: GradientReadout) -> tuple[int, int]:
        """Return the places next to each other between which f falls for the last time."""
        places = sorted(self._samples)
        above = [place for place in places if self.at(readout, place)[0] > 0.0]
        at = places.index(above[-1]) if above else 0
        return places[at], places[min(at + bool(above), len(places) - 1)]

    def widened(
        self, readout: GradientReadout, grid: Sequence[int], window: tuple[int, int]
    ) -> tuple[int, int]:
        """Return a window of the grid moved on where f is not clearly on either side of 0."""
        (first, first_error), (last, last_error) = (self.at(readout, grid[each]) for each in window)
        return (
            window[0] if first > 4.0 * first_error else max(window[0] - 3, 0),
            window[1] if last < -4.0 * last_error else min(window[1] + 3, len(grid) - 1),
        )

    def interval(
        self, readout: GradientReadout, places: Sequence[int]
    ) -> Generator[int, None, tuple[float, float, float] | None]:
        """Return where f falls through 0 and its interval, if it does; yield what a step cost."""
        samples = self._of(readout, places)
        root = last_fall(places, _fall(samples))
        if root is None:
            return None
        draws = samples.shape[2]
        random = stream(self.seed, self.n)
        roots = []
        for _ in range(_RESAMPLED):
            chosen = samples[:, :, random.integers(0, draws, draws)]
            roots.append(_root(places, _fall(chosen)))
            yield 4 * samples.size // len(samples)
        low, high = np.quantile(roots, (0.025, 0.975)).tolist()
        return root, min(low, root), max(high, root)

    def _of(self, readout: GradientReadout, places: Sequence[int]) -> Floats:
        """Return the samples of one readout, shape (places, 2, draws)."""
        at = self.readouts.index(readout)
        return np.stack([self._samples[place][:, at] for place in places])


def _whole(low: float, high: float, steps: int) -> list[int]:
    """Return whole numbers from low to high on a logarithmic scale."""
    return sorted({round(each) for each in np.geomspace(low, high, steps + 1)})


def _about(grid: Sequence[int], low: float, high: float) -> tuple[int, int]:
    """Return the indices of places of a grid that hold two numbers between them."""
    return (max(bisect_right(grid, low) - 1, 0), min(bisect_left(grid, high), len(grid) - 1))


def _fall(logs: Floats) -> Floats:
    """Return f of samples, shape (places, 2, N): the logarithm of a ratio of medians, (places,)."""
    medians = np.median(logs, axis=2)
    return np.asarray(medians[:, 0] - medians[:, 1])


def _falls_after(falls: Floats) -> int | None:
    """Return the last index before which f is above 0 and after which it is not."""
    found = np.flatnonzero((falls[:-1] > 0.0) & (falls[1:] <= 0.0))
    return int(found[-1]) if found.size else None


def last_fall(places: Sequence[int], falls: Floats) -> float | None:
    """Return where f, known at places, falls through 0 for the last time; None if nowhere."""
    at = _falls_after(falls)
    if at is None:
        return None
    share = falls[at] / (falls[at] - falls[at + 1])
    return float(places[at] * (places[at + 1] / places[at]) ** share)


def _root(places: Sequence[int], falls: Floats) -> float:
    """Return where f falls through 0, or the end of the places towards which it would."""
    root = last_fall(places, falls)
    return root if root is not None else float(places[0] if falls[-1] <= 0.0 else places[-1])
