"""Exact curves of a sweep, and asymptotes that say what they hold for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from attn_tui.compute.scale import Scale
from attn_tui.compute.sweep.asymptotes import condensed, logit_std, mean_largest
from attn_tui.compute.sweep.exact import exact, mean_inverse_norm
from attn_tui.compute.sweep.points import Place, Statistic

Of = Literal["mean", "median", "root mean square"]


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
    }.get(statistic, "two keys, by quadrature")
    means, medians = (tuple(each.mean for each in known), tuple(each.median for each in known))
    yield Curve(rule, "exact", "mean", formula, _NORMAL, places, means)
    yield Curve(rule, "exact", "median", "two keys, by quadrature", _NORMAL, places, medians)
    for of, formula, condition, value in _ASYMPTOTES.get(statistic, ()):
        values = tuple(value(scale, *place) for place in places)
        yield Curve(rule, "asymptote", of, formula, condition, places, values)


def _stein(scale: Scale, n: int, d_k: int) -> float | None:
    """Return m_n·E[1/σ] where it is below 1 − 1/n, which E[tr J] cannot exceed."""
    value = mean_largest(n) * mean_inverse_norm(d_k) / scale.multiplier(d_k, n)
    return value if value < 1.0 - 1.0 / n else None


def _trace(scale: Scale, n: int, d_k: int) -> float | None:
    return condensed(n, logit_std(scale, n, d_k))


def _jacobian(scale: Scale, n: int, d_k: int) -> float | None:
    r = condensed(n, logit_std(scale, n, d_k))
    return None if r is None else sqrt(r * (1.0 - r) / 3.0)


def _gradient(scale: Scale, n: int, d_k: int) -> float | None:
    of_logits = _jacobian(scale, n, d_k)
    return None if of_logits is None else scale.multiplier(d_k, n) * of_logits


_LEADING = "leading order in r = σ_c/σ < 1, n → ∞"

_ASYMPTOTES: Mapping[
    Statistic, tuple[tuple[Of, str, str, Callable[[Scale, int, int], float | None]], ...]
] = {
    "trace": (
        ("mean", "m_n·E[1/σ]", "σ → ∞ at fixed n", _stein),
        ("mean", "r", _LEADING, _trace),
    ),
    "jacobian": (("root mean square", "√(r(1 − r)/3)", _LEADING, _jacobian),),
    "gradient": (("root mean square", "m·√(r(1 − r)/3)", _LEADING, _gradient),),
}
