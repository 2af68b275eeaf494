"""What a sweep asks: over which places, under which rules, of how many vectors."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.log_scale import D_K, N_KEYS
from attn_tui.compute.scale import NONE, Scale, parse_scale
from attn_tui.compute.sweep.crossover import check_number
from attn_tui.compute.sweep.points import Place, Statistic

Axis = Literal["d_k", "n"]
View = Literal["curves", "map"]

MOST_KEYS = N_KEYS.maximum
MOST_DRAWS, MOST_POINTS, MOST_VALUES = 100_000, 200, 1 << 20

_COARSE = 4
"""Every so many places are looked at first."""


@dataclass(frozen=True)
class Settings:
    """What is swept, and how finely.

    Attributes:
        over: What curves run over; the other is held: n here, d_k by the setup.
        n: Number of keys while d_k is swept, 2 to 100,000.
        n_range: Least and largest n of a sweep over n, and of a map; equal, it is one place.
        d_k_range: Least and largest d_k of a sweep over d_k, and of a map; the same.
        rules: Scale rules as text, each once; none given is ``"none"`` and the setup's own.
        statistic: Which a screen begins to look at, and a report shows. All are computed.
        view: Curves over one, or a map over both.
        ratio: Whether the statistic without scaling is shown over the same under a rule.
        points: How many places along a curve at most, evenly over the logarithm.
        map_points: How many along each side of a map at most.
        draws: How many vectors are drawn at each place, 2 to 100,000; see `check_vectors`.
        seed: What is drawn, a whole number from 0.
        crossovers: Whether curves over d_k end with the search for crossovers.
        crossover_n: The n of crossovers that are asked for alone; none given is n.
    """

    over: Axis = "d_k"
    n: int = 64
    n_range: tuple[int, ...] = (2, 4096)
    d_k_range: tuple[int, ...] = (1, 8192)
    rules: tuple[str, ...] = ()
    statistic: Statistic = "gradient"
    view: View = "curves"
    ratio: bool = False
    points: int = 27
    map_points: int = 14
    draws: int = 1000
    seed: int = 1
    crossovers: bool = True
    crossover_n: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for field, kind in (("over", Axis), ("view", View), ("statistic", Statistic)):
            if getattr(self, field) not in get_args(kind):
                problem = f"{inert(str(getattr(self, field)))} is not one"
                raise InputError(field, problem, "one of " + ", ".join(get_args(kind)))
        for n in (self.n, *self.crossover_n):
            check_number("n", n, 2, MOST_KEYS)
        check_number("points", self.points, 2, MOST_POINTS)
        check_number("map_points", self.map_points, 2, MOST_POINTS)
        check_number("draws", self.draws, 2, MOST_DRAWS)
        check_number("seed", self.seed, 0, 2**63 - 1)
        _check_range("n_range", self.n_range, 2, MOST_KEYS)
        _check_range("d_k_range", self.d_k_range, D_K.minimum, D_K.maximum)
        scales = [parse_scale(rule) for rule in self.rules]
        for index, rule in enumerate(self.rules):
            if scales[index] in scales[:index]:
                raise InputError("rules", f"{inert(rule)} stands twice", "each rule once")
        if self.ratio and scales == [NONE]:
            raise InputError("rules", "there is only none", "a rule to compare none with")

    def check_vectors(self) -> None:
        """Check that a sweep has not too many vectors; crossovers, which have no places, may.

        Raises:
            InputError: Saying how many draws there may be.
        """
        ns, d_ks = self._along(D_K.minimum)
        # Whatever the setup's own rule is, and so that one rule may be joined by none.
        n_places, n_rules = len(ns) * len(d_ks), max(2, len(scales_of(self, Scale())))
        most = MOST_VALUES // (n_places * n_rules)
        if self.draws > most:
            problem = f"{self.draws:,} at {n_places:,} × {n_rules} places and rules are too many"
            expected = f"at most {most:,}" if most > 1 else "fewer places or rules"
            raise InputError("draws", problem, expected)

    def places(self, d_k: int) -> tuple[list[Place], list[Place]]:
        """Return where to look: first at these, then also at those; rising in n, then d_k.

        Args:
            d_k: The setup's, at which curves over n are drawn.
        """
        ns, d_ks = self._along(d_k)
        coarse = [(n, d) for n in _some(ns) for d in _some(d_ks)]
        return coarse, sorted({(n, d) for n in ns for d in d_ks} - set(coarse))

    def _along(self, d_k: int) -> tuple[list[int], list[int]]:
        """Return the n and the d_k, each with each of which is a place."""
        is_map = self.view == "map"
        count = self.map_points if is_map else self.points
        ns = log_grid(self.n_range, count) if is_map or self.over == "n" else [self.n]
        d_ks = log_grid(self.d_k_range, count) if is_map or self.over == "d_k" else [d_k]
        return ns, d_ks


@lru_cache(maxsize=64)
def scales_of(settings: Settings, own: Scale) -> Mapping[str, Scale]:
    """Return the rules that are compared, by their text, when the setup's own is this."""
    rules = settings.rules or ("none", rule_text(own))
    if settings.ratio:
        rules = ("none", *rules)
    scales: dict[str, Scale] = {}
    for rule in rules:
        scale = parse_scale(rule)
        if scale not in scales.values():
            scales[rule] = scale
    return MappingProxyType(scales)


def compared(settings: Settings, own: Scale) -> tuple[str, ...]:
    """Return the texts of `scales_of`."""
    return tuple(scales_of(settings, own))


def rule_text(scale: Scale) -> str:
    """Return a rule with the parameters given, as `parse_scale` reads it.

    >>> rule_text(parse_scale("temperature:4")), rule_text(Scale(softcap=50.0))
    ('temperature:T=4.0', 'inverse-sqrt')
    """
    given = ",".join(f"{name}={value!r}" for name, value in scale.given)
    return f"{scale.rule}:{given}" if given else scale.rule


def log_grid(ends: tuple[int, ...], most: int) -> list[int]:
    """Return whole numbers from one end to the other, evenly over the logarithm, each once.

    Where one end is a power of 2 times the other, every doubling is among them if there may be as
    many; else there are as many as there may be.

    >>> log_grid((1, 64), 8), log_grid((2, 40), 4)
    ([1, 2, 4, 8, 16, 32, 64], [2, 5, 15, 40])
    """
    low, high = ends
    count = most
    if high % low == 0 and (high // low).bit_count() == 1:
        doublings = (high // low).bit_length() - 1
        count = max(1, (most - 1) // max(doublings, 1)) * doublings + 1
    count = min(count, most)
    return sorted({round(each) for each in np.geomspace(low, high, count).tolist()})


def _some(values: list[int]) -> list[int]:
    return sorted({*values[::_COARSE], values[-1]})


def _check_range(field: str, ends: object, least: int, most: int) -> None:
    expected = f"two whole numbers from {least} to {most:,}, the smaller first"
    if not (isinstance(ends, tuple) and len(ends) == 2):
        raise InputError(field, f"{inert(str(ends))} is not a range", expected)
    for end in ends:
        if type(end) is not int or not least <= end <= most:
            raise InputError(field, f"{inert(str(end))} will not do", expected)
    if ends[0] > ends[1]:
        raise InputError(field, f"{ends[0]} to {ends[1]} is reversed", expected)
