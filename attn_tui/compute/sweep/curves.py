"""Exact curves of a sweep, and asymptotes that say what they hold for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from attn_tui.compute.scale import Scale
from attn_tui.compute.sweep.asymptotes import condensed, mean_largest
from attn_tui.compute.sweep.exact import (
    exact,
    largest_tabulated,
    mean_inverse_norm,
    mean_jacobian_square,
    mean_trace,
)
from attn_tui.compute.sweep.points import Place
from attn_tui.compute.sweep.settings import Statistic

Of = Literal["mean", "median", "root mean square"]

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
    known = [exact(statistic, n, d_k, scale.multiplier(d_k, n)) for n, d_k in places]
    formula = {
        "trace": "E[tr J] = E[Σ p_i z_i]/σ², σ = m‖q‖ (Stein), by quadrature",
        "entropy": "E[ln Σ e^z] − σ²·E[tr J], σ = m‖q‖, by quadrature",
        "entropy_bits": "(E[ln Σ e^z] − σ²·E[tr J])/ln 2, σ = m‖q‖, by quadrature",
        "logit_std": "m·E‖q‖ times that of n standard normal numbers",
    }.get(statistic, "two keys, by quadrature")
    means, medians = (tuple(each.mean for each in known), tuple(each.median for each in known))
    yield Curve(rule, "exact", "mean", formula, _NORMAL, places, means)
    yield Curve(rule, "exact", "median", "two keys, by quadrature", _NORMAL, places, medians)
    for of, formula, condition, value, measure in _ASYMPTOTES.get(statistic, ()):
        values = tuple(
            _unless_off(value, measure, n, d_k, scale.multiplier(d_k, n)) for n, d_k in places
        )
        yield Curve(rule, "asymptote", of, formula, condition, places, values)


_At = Callable[[int, int, float], float | None]
"""From n, d_k and m to a number, or None where there is none."""


def _unless_off(value: _At, measure: _At, n: int, d_k: int, multiplier: float) -> float | None:
    """Return an asymptote, or None where it is not defined or off by more than `MOST_OFF`.

    Beyond what is tabulated it is as far off as at the end of that: it is a power law there.
    """
    held = min(multiplier, largest_tabulated(d_k))
    there = value(n, d_k, held)
    exactly = None if there is None else measure(n, d_k, held)
    if there is None or not exactly or abs(there / exactly - 1.0) > MOST_OFF:
        return None
    return value(n, d_k, multiplier)


def _stein(n: int, d_k: int, multiplier: float) -> float:
    """Return m_n·E[1/σ]."""
    return mean_largest(n) * mean_inverse_norm(d_k) / multiplier


def _trace(n: int, d_k: int, multiplier: float) -> float | None:
    return condensed(n, multiplier * sqrt(d_k))


def _jacobian(n: int, d_k: int, multiplier: float) -> float | None:
    r = _trace(n, d_k, multiplier)
    return None if r is None else sqrt(r * (1.0 - r) / 3.0)


def _root_mean_square(n: int, d_k: int, multiplier: float) -> float | None:
    square = mean_jacobian_square(n, d_k, multiplier)
    return None if square is None else sqrt(square)


def _times_m(of_logits: _At) -> _At:
    """Return the same of ∂p/∂s = m·J."""

    def at(n: int, d_k: int, multiplier: float) -> float | None:
        value = of_logits(n, d_k, multiplier)
        return None if value is None else multiplier * value

    return at


_LEADING = "leading order in r = σ_c/σ < 1, n → ∞"

_ASYMPTOTES: Mapping[Statistic, tuple[tuple[Of, str, str, _At, _At], ...]] = {
    "trace": (
        ("mean", "m_n·E[1/σ]", "σ → ∞ at fixed n", _stein, mean_trace),
        ("mean", "r", _LEADING, _trace, mean_trace),
    ),
    "jacobian": (("root mean square", "√(r(1 − r)/3)", _LEADING, _jacobian, _root_mean_square),),
    "gradient": (
        (
            "root mean square",
            "m·√(r(1 − r)/3)",
            _LEADING,
            _times_m(_jacobian),
            _times_m(_root_mean_square),
        ),
    ),
}
