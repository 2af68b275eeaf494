"""Exact curves of a sweep, and asymptotes that say what they hold for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from attn_tui.compute.scale import Scale
from attn_tui.compute.sweep.exact import largest_tabulated
from attn_tui.compute.sweep.points import Place
from attn_tui.compute.sweep.readouts import READOUTS, Asymptote, Of, exact
from attn_tui.compute.sweep.settings import Statistic

MOST_OFF = 0.1
"""An asymptote is left out where it is off by more than this share of what it tends to."""


@dataclass(frozen=True)
class Curve:
    """A line beside drawn points.

    Attributes:
        rule: Under which rule.
        kind: Exact, or what the exact curve tends to.
        of: Of what over draws.
        formula: How it comes about.
        condition: What it holds for.
        places: n and d_k, rising.
        values: What it is there; None where it is not defined.
    """

    rule: str
    kind: Literal["exact", "asymptote"]
    of: Of
    formula: str
    condition: str
    places: tuple[Place, ...]
    values: tuple[float | None, ...]


_NORMAL = "entries of q and k independent standard normal"


def curves(
    statistic: Statistic, scales: Mapping[str, Scale], places: Sequence[Place]
) -> tuple[Curve, ...]:
    """Return all there is to draw of a statistic under some rules, by their text, at places."""
    return tuple(
        curve
        for rule, scale in scales.items()
        for curve in _of_rule(statistic, rule, scale, tuple(places))
        if any(value is not None for value in curve.values)
    )


def _of_rule(
    statistic: Statistic, rule: str, scale: Scale, places: tuple[Place, ...]
) -> Iterator[Curve]:
    readout = READOUTS[statistic]
    at = [(n, d_k, scale.multiplier(d_k, n)) for n, d_k in places]
    known = [exact(statistic, *each) for each in at]
    means, medians = (tuple(each.mean for each in known), tuple(each.median for each in known))
    yield Curve(rule, "exact", "mean", readout.formula, _NORMAL, places, means)
    yield Curve(rule, "exact", "median", "two keys, by quadrature", _NORMAL, places, medians)
    for line in readout.asymptotes:
        ends = [(_unless_off(line, *each), readout.factor(each[2])) for each in at]
        values = tuple(None if value is None else factor * value for value, factor in ends)
        yield Curve(rule, "asymptote", line.of, line.formula, line.condition, places, values)


def _unless_off(line: Asymptote, n: int, d_k: int, multiplier: float) -> float | None:
    """Return an asymptote, or None where it is not defined or off by more than `MOST_OFF`.

    Beyond what is tabulated it is as far off as at the end of that: it is a power law there.
    """
    held = min(multiplier, largest_tabulated(d_k))
    there = line.value(n, d_k, held)
    exactly = None if there is None else line.measure(n, d_k, held)
    if there is None or not exactly or abs(there / exactly - 1.0) > MOST_OFF:
        return None
    return line.value(n, d_k, multiplier)
