"""Weights, gradient and effective keys as curves over d_k."""

from collections.abc import Sequence
from math import exp, floor, log10

import numpy as np

from attn_tui.charts.figure import Axis, Curve, Figure, d_k_axis
from attn_tui.compute.arrays import Floats
from attn_tui.compute.explore.answer import OverDk
from attn_tui.compute.numbers import rough_percent, tick
from attn_tui.explore.answer import ShownVector

LEAST = 1e-300
"""A smaller number counts as 0."""


def _sides(answer: ShownVector) -> tuple[OverDk, OverDk | None]:
    """Return the scaled side over d_k, and the unscaled one unless it is the same at each d_k."""
    assert answer.over is not None
    return answer.over, answer.unscaled_over


def _figure(
    answer: ShownVector, scaled: Floats, unscaled: Floats | None,
    present: Sequence[Sequence[float]], y: Axis | None = None, names: Sequence[str] = ("",),
) -> Figure:  # fmt: skip
    """Return a figure with the curves of the scaled side drawn over those of the unscaled side.

    Args:
        answer: The answer, for its d_k.
        scaled: The scaled side.
        unscaled: The unscaled side, unless it is the same at each d_k.
        present: The numbers of both sides at the present d_k.
        y: The vertical axis; by default from 0 to the largest number.
        names: The names of the curves of the scaled side.
    """
    x = _sides(answer)[0].d_k.astype(np.float64)
    if unscaled is None:
        unscaled = np.repeat(np.array(present[0])[:, None], x.size, axis=1)
    curves = [Curve(x, line, "unscaled") for line in unscaled]
    for place, (name, line) in enumerate(zip(names, scaled, strict=True)):
        curves.append(Curve(x, line, "scaled", name, filled=place == 0))
    dots = [(level, "unscaled") for level in present[0]]
    dots += [(level, "scaled") for level in present[1]]
    y = y or _round_axis(_most(scaled, unscaled))
    return Figure(curves, d_k_axis(), y, (float(answer.d_k), f"{answer.d_k:,}"), dots)


def _most(*values: Floats) -> float:
    """Return the largest finite number, or 0 if there is none; no number is negative."""
    every = np.concatenate([np.ravel(lines) for lines in values])
    return float(every[np.isfinite(every)].max(initial=0.0))


def _round_axis(most: float) -> Axis:
    """Return an axis from 0 to a little above a number, with ticks of one digit."""
    if most < LEAST:
        return Axis(0.0, 1.0, ((0.0, "0"), (1.0, "1")))
    power = 10.0 ** floor(log10(most))
    step = next(size * power for size in (0.2, 0.5, 1.0, 2.0, 5.0) if most / (size * power) <= 3.9)
    values = [place * step for place in range(int(most / step) + 1)]
    return Axis(0.0, 1.05 * most, tuple((value, tick(value)) for value in values))


def weights_figure(answer: ShownVector) -> Figure:
    """Return the weights of the three largest keys over d_k, with dots at the present d_k."""
    over, before = _sides(answer)
    keys = over.keys[:3]
    scaled = over.weights[: len(keys)]
    unscaled = before.weights[: len(keys)] if before else None
    present = [side.weights(keys).tolist() for side in answer.vector.sides]
    most = _most(scaled, np.array(present[0]) if unscaled is None else unscaled)
    high = 1.0 if most > 0.5 or not most else 1.1 * most
    ticks = tuple((share * high, rough_percent(share * high, places=9)) for share in (0, 1, 0.5))
    names = [f"key {key:,}" for key in keys.tolist()]
    return _figure(answer, scaled, unscaled, present, Axis(0.0, high, ticks), names)


def gradient_figure(answer: ShownVector) -> Figure:
    """Return the size of the gradient over d_k, with dots at the present d_k."""
    over, before = _sides(answer)
    present = [[size] for size, _ in answer.vector.gradients]
    unscaled = before.gradient[None] if before else None
    return _figure(answer, over.gradient[None], unscaled, present)


def keys_figure(answer: ShownVector) -> Figure:
    """Return the effective keys over d_k, with dots at the present d_k."""
    over, before = _sides(answer)
    present = [[side.effective_keys] for side in answer.vector.sides]
    unscaled = np.exp(before.entropy)[None] if before else None
    scaled = np.exp(over.entropy)[None]
    # A sink counts as one more key, so the maximum may exceed the number of keys.
    y = _round_axis(max(exp(over.max_entropy), _most(scaled, np.array(present))))
    return _figure(answer, scaled, unscaled, present, y)
