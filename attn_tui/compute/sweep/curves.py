"""Exact curves of a sweep, and asymptotes that say what they hold for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
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
    readout, drawn = READOUTS[statistic], list[Curve]()
    for rule, scale in scales.items():
        given = [(n, d_k, scale.multiplier(d_k, n)) for n, d_k in places]
        known = [exact(statistic, *place) for place in given]
        of_exact = partial(Curve, rule, "exact", condition=_NORMAL, places=tuple(places))
        two = "two keys, by quadrature"
        means = tuple(one.mean for one in known)
        medians = tuple(one.median for one in known)
        drawn.append(of_exact(of="mean", formula=readout.formula, values=means))
        drawn.append(of_exact(of="median", formula=two, values=medians))
        for line in readout.asymptotes:
            values: list[float | None] = []
            for n, d_k, m in given:
                value = _unless_off(line, n, d_k, m)
                values.append(None if value is None else readout.factor(m) * value)
            drawn.append(
                Curve(
                    rule, "asymptote", line.of, line.formula, line.condition, tuple(places),
                    tuple(values),
                )
            )  # fmt: skip
    return tuple(curve for curve in drawn if any(value is not None for value in curve.values))


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
