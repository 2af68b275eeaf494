"""Where removing the scale begins to shrink the median gradient: d*(n), with its uncertainty."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.draws import GENERATOR, UNIT, cost, unit_logs, units
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.experiment import Stop, never
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.rows import READOUTS
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.summary import summarise

Floats = NDArray[np.float64]

GradientReadout = Literal["gradient", "jacobian", "query_gradient", "trace"]
"""‖∂p/∂s‖_F, ‖∂p/∂z‖_F = ‖J‖_F, ‖∂L/∂q‖, tr J."""

GRADIENTS: tuple[GradientReadout, ...] = get_args(GradientReadout)

Side = Literal["crosses", "smaller", "larger"]
"""There is a crossover; without scaling the median is smaller, or larger, all over the range."""

_PILOT, _FIRST, _STRIDE, _RESAMPLED = 8 * UNIT, 13, 1.15, 200
"""Draws and octaves to begin with; by what neighbouring places differ; draws of the draws."""


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
        side: Whether it crosses for d_k from 2 to 65,536, and if not, which is larger.
        draws: How many vectors were drawn.
        seed: Which.
        generator: By which algorithm.
    """

    n: int
    readout: GradientReadout
    rule: str
    d_k: float | None
    low: float | None
    high: float | None
    side: Side
    draws: int
    seed: int
    generator: str = GENERATOR


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
    for found in search(n, readout, seed, draws, rule):
        if isinstance(found, Crossover):
            return found
        if stop():
            break
    return None


def only_divides(scale: Scale, n: int) -> bool:
    """Return whether no multiplier is above 1 from d_k = 2 on, so that removing it never divides.

    Where one is, medians cross once more, and "below" would not be true of every d_k.
    """
    return all(scale.multiplier(d_k, n) <= 1.0 for d_k in (2, D_K.maximum))


def search_cost(n: int, draws: int) -> int:
    """Return about what `search` costs, in numbers worked on."""
    return 2 * cost(n, _FIRST * min(draws, _PILOT) + 14 * draws)


def search(
    n: int, readout: GradientReadout, seed: int, draws: int, rule: str
) -> Iterator[Crossover | int]:
    """Yield what each step cost while looking for a crossover, and at last what was found.

    With f(d_k) = ln of the median without scaling − ln of the median with it: a few draws at
    octaves of d_k say where f falls through 0 for the last time; then all draws are evaluated at
    places about there, as far as f is not clearly above or below 0, and at more places in the
    gap where it falls. The same draws are used at all places. They are drawn anew from
    themselves, for all places at once, and the fall interpolated, for the interval.

    Raises:
        InputError: If n, the readout, the seed, the draws or the rule will not do; a rule must
            not multiply by more than 1.
    """
    check_number("n", n, 2, 100_000)
    check_number("draws", draws, 2, 100_000)
    check_number("seed", seed, 0, 2**63 - 1)
    if readout not in GRADIENTS:
        raise InputError("readout", f"{inert(str(readout))} is not one", ", ".join(GRADIENTS))
    if not only_divides(parse_scale(rule), n):
        raise InputError(
            "rules",
            f"{inert(rule)} multiplies by more than 1 at small d_k",
            "rules that only divide from d_k = 2 on, for a crossover",
        )
    curve = _Fall(n, readout, seed, parse_scale(rule).multiplier)

    def nowhere(side: Side) -> Crossover:
        return Crossover(n, readout, rule, None, None, None, side, draws, seed)

    octaves = [2**k for k in range(1, 17)]
    yield from curve.evaluate(octaves[:_FIRST], min(draws, _PILOT))
    if curve.at(octaves[_FIRST - 1])[0] > 0.0:
        yield from curve.evaluate(octaves, min(draws, _PILOT))
    pilot = [d_k for d_k in octaves if d_k in curve.samples]
    above = [d_k for d_k in pilot if curve.at(d_k)[0] > 0.0]
    middle = 1.4 * above[-1] if above else 2.0
    low = high = middle
    curve.samples.clear()
    while True:
        low, high = max(low / _STRIDE**3, 2.0), min(high * _STRIDE**3, float(D_K.maximum))
        steps = max(2, round(log(high / low) / log(_STRIDE)))
        yield from curve.evaluate(_whole(low, high, steps), draws)
        (first, error_first), (last, error_last) = curve.at(round(low)), curve.at(round(high))
        clear_low = first > 4.0 * error_first or low == 2.0
        if clear_low and (last < -4.0 * error_last or high == D_K.maximum):
            break
    places, falls = curve.places()
    at = _falls_after(falls)
    if at is None:
        yield nowhere("larger" if falls[-1] > 0.0 else "smaller")
        return
    samples = np.stack([curve.samples[place] for place in places])
    yield from curve.evaluate(_whole(places[at], places[at + 1], 6), draws)
    root = _root(*curve.places())
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(n,))))
    roots = []
    for _ in range(_RESAMPLED):
        chosen = samples[:, :, random.integers(0, draws, draws)]
        roots.append(_root(places, _fall(chosen)))
        yield 4 * samples.size // len(samples)
    low, high = np.quantile(roots, (0.025, 0.975)).tolist()
    yield Crossover(n, readout, rule, root, min(low, root), max(high, root), "crosses", draws, seed)


class _Fall:
    """F at some d_k, from the same draws at each; samples have shape (2, draws)."""

    def __init__(
        self, n: int, readout: GradientReadout, seed: int, rule: Callable[[int, int], float]
    ) -> None:
        self.n, self.readout, self.seed, self.rule = n, readout, seed, rule
        self.index = READOUTS.index("jacobian" if readout == "gradient" else readout)
        self.samples: dict[int, Floats] = {}

    def evaluate(self, places: Sequence[int], draws: int) -> Iterator[int]:
        """Add samples at places where there are none; yield what each step cost."""
        wanted = [place for place in places if place not in self.samples]
        added = {place: np.empty((2, draws)) for place in wanted}
        for unit in units(self.seed, draws, max(wanted, default=1)):
            here = slice(unit.index * UNIT, (unit.index + 1) * UNIT)
            for d_k, sample in added.items():
                for row, multiplier in zip(sample, (1.0, self.rule(d_k, self.n)), strict=True):
                    logs = unit_logs(unit, self.n, d_k, multiplier)[self.index]
                    row[here] = logs[: row[here].size]
                    if self.readout == "gradient":
                        row[here] += log(multiplier)
                    yield cost(self.n, UNIT)
        self.samples |= added

    def at(self, d_k: int) -> tuple[float, float]:
        """Return f at a place, and what its standard error is at most."""
        two = summarise(self.samples[d_k])
        errors = sum(each.log_median_standard_error for each in two)
        return two[0].log_median - two[1].log_median, errors

    def places(self) -> tuple[list[int], Floats]:
        """Return all places there are, rising, and f there."""
        places = sorted(self.samples)
        return places, _fall(np.stack([self.samples[place] for place in places]))


def _whole(low: float, high: float, steps: int) -> list[int]:
    """Return whole numbers from low to high on a logarithmic scale."""
    return sorted({round(each) for each in np.geomspace(low, high, steps + 1)})


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


def check_number(field: str, value: object, least: int, most: int) -> None:
    """Raise InputError unless a value is a whole number from least to most."""
    if type(value) is not int or not least <= value <= most:
        raise InputError(
            field, f"{inert(str(value))} will not do", f"a whole number from {least} to {most:,}"
        )
