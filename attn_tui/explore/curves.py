"""Weights, gradient and effective keys as curves over d_k."""

from collections.abc import Sequence
from math import exp, floor, log10

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.figure import Axis, Curve, Figure, d_k_axis
from attn_tui.compute.explore.answer import OverDk, VectorAnswer

LEAST = 1e-300
"""A smaller number is drawn as 0."""


def _figure(
    scaled: OverDk, names: Sequence[str], values: NDArray[np.float64],
    unscaled: NDArray[np.float64], flat: Sequence[float], present: Sequence[float], y: Axis,
    d_k: int,
) -> Figure:  # fmt: skip
    """Return curves of the scaled side over those of the unscaled one, marked at d_k."""
    x = scaled.d_k.astype(np.float64)
    curves = [Curve(x, line, "unscaled") for line in unscaled]
    for place, (name, line) in enumerate(zip(names, values, strict=True)):
        curves.append(Curve(x, line, "scaled", name, filled=place == 0))
    dots = [(level, "unscaled") for level in flat] + [(level, "scaled") for level in present]
    return Figure(curves, d_k_axis(), y, (float(d_k), f"{d_k:,}"), dots)


def _level(flat: Sequence[float], scaled: OverDk) -> NDArray[np.float64]:
    """Return lines of the unscaled side that are the same at each d_k, shape (lines, D)."""
    return np.repeat(np.array(flat)[:, None], scaled.d_k.size, axis=1)


def weights_figure(
    answer: VectorAnswer, scaled: OverDk, d_k: int, before: OverDk | None = None
) -> Figure:
    """Return the weights of the three largest keys over d_k.

    Args:
        answer: The vector at the present d_k.
        scaled: The scaled side over d_k.
        d_k: The present one.
        before: The unscaled side over d_k, unless it is the same at each.
    """
    keys = scaled.keys[:3]
    flat, present = (side.weights(keys).tolist() for side in answer.sides)
    unscaled = before.weights[: len(keys)] if before else _level(flat, scaled)
    most = _most(scaled.weights, unscaled)
    high = 1.0 if most > 0.5 or not most else 1.1 * most
    ticks = tuple((share * high, f"{share * high * 100:.3g} %") for share in (0, 1, 0.5))
    names = [f"key {key:,}" for key in keys.tolist()]
    return _figure(
        scaled, names, scaled.weights[: len(keys)], unscaled, flat, present,
        Axis(0.0, high, ticks), d_k,
    )  # fmt: skip


def _most(*values: NDArray[np.float64] | Sequence[float]) -> float:
    """Return the largest finite number among numbers from 0 on, 0 if there is none."""
    every = np.concatenate([np.ravel(line) for line in values])
    return float(every[np.isfinite(every)].max(initial=0.0))


def _round_axis(most: float) -> Axis:
    """Return an axis from 0 to a little above a number, with ticks of one digit."""
    if most < LEAST:
        return Axis(0.0, 1.0, ((0.0, "0"), (1.0, "1")))
    power = 10.0 ** floor(log10(most))
    step = next(size * power for size in (0.2, 0.5, 1.0, 2.0, 5.0) if most / (size * power) <= 3.9)
    values = [place * step for place in range(int(most / step) + 1)]
    ticks = [f"{value:,.0f}" if value >= 1000.0 else f"{value:.3g}" for value in values]
    return Axis(0.0, 1.05 * most, tuple(zip(values, ticks, strict=True)))


def gradient_figure(
    answer: VectorAnswer, scaled: OverDk, d_k: int, before: OverDk | None = None
) -> Figure:
    """Return ‖∂p/∂s‖_F over d_k, from what `weights_figure` takes."""
    flat, present = ([side.norms[answer.wrt].frobenius] for side in answer.sides)
    unscaled = before.frobenius[None] if before else _level(flat, scaled)
    y = _round_axis(_most(scaled.frobenius, unscaled))
    return _figure(scaled, [""], scaled.frobenius[None], unscaled, flat, present, y, d_k)


def keys_figure(
    answer: VectorAnswer, scaled: OverDk, d_k: int, before: OverDk | None = None
) -> Figure:
    """Return the effective keys over d_k, from what `weights_figure` takes."""
    values = np.exp(scaled.entropy)
    flat, present = ([side.effective_keys] for side in answer.sides)
    unscaled = np.exp(before.entropy)[None] if before else _level(flat, scaled)
    y = _round_axis(_most([exp(scaled.max_entropy)], values, unscaled))
    return _figure(scaled, [""], values[None], unscaled, flat, present, y, d_k)


def both(unscaled: str, scaled: str) -> str:
    """Return a number on both sides as markup for a subtitle."""
    return f"[$unscaled]{unscaled}[/] → [$scaled]{scaled}[/]"
