"""Softmax taken of the weights again: a fit of m and c."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.choose import PLAIN, explains, likeliest_path
from attn_tui.compute.fit.head import Floats, Parameters, Path, Rows, State, compute
from attn_tui.compute.fit.noise import Format, noise
from attn_tui.compute.fit.solve import Fit, coefficients

STEPS = 12


def again(rows: Rows, at: Parameters, there: NDArray[np.bool_]) -> tuple[Rows, State, Floats]:
    """Return a head whose weights are softmaxed again, as a head whose scores are these weights.

    Args:
        rows: The head, under its mask.
        at: Parameters of the first softmax, and c.
        there: What the second one runs over, shape (r, n): masked keys weigh e⁰ in it.

    Returns:
        The rows; what they are computed to; and the slope of the output along m, shape (r, d_v).
    """
    first = compute(rows, replace(at, value_scale=1.0))
    weights = np.where(rows.seen, first.weights, 0.0)
    second = replace(rows, scores=weights, seen=there, bias=None)
    state = compute(second, Parameters(1.0, at.value_scale))
    change = np.where(rows.seen, rows.scores * first.slope, 0.0)
    change = weights * (change - (weights * change).sum(axis=1, keepdims=True))
    turned = state.weights * change
    turned -= state.weights * turned.sum(axis=1, keepdims=True)
    return second, state, at.value_scale * (turned @ rows.values)


def fitted_twice(
    rows: Rows,
    start: Parameters,
    there: NDArray[np.bool_],
    format: Format,
    paths: Sequence[Path],
) -> tuple[Rows, Fit]:
    """Fit m and c where softmax is taken twice, from a few starts.

    Where the start explains the output it is what is returned. Keys that had no weight all weigh
    e⁰ in the second softmax, and are rounded to one side together: an m that is fitted to rows of
    one heavy key would take that for its own doing.

    Args:
        rows: Of the head, under its mask.
        start: m and c, and perhaps a cap, to start from.
        there: What the second softmax runs over, shape (r, n).
        format: Of the output.
        paths: The paths of rounding that it may have come.
    """
    paths = tuple(paths)
    start = replace(start, sink=0.0)
    made = _weighed(rows, start, there, format, paths)
    best = made
    for factor in (1.0, 4.0, 0.25):
        if explains(best[1]):
            break
        at = replace(start, multiplier=start.multiplier * factor)
        made = _descended(rows, at, there, format, paths)
        if made[1].chi_square < best[1].chi_square:
            best = made
    return best


def _weighed(
    rows: Rows, at: Parameters, there: NDArray[np.bool_], format: Format, paths: tuple[Path, ...]
) -> tuple[Rows, Fit]:
    """Return a fit that is taken as it is, weighed by the likeliest path."""
    second, state, along = again(rows, at, there)
    path = likeliest_path(second, state, format, paths)
    weighed = noise(second, state, format, path)
    residual = weighed.freed(rows.output - state.output)
    slopes = weighed.freed(np.stack([along, state.mixed]))
    return second, Fit(PLAIN, replace(state, parameters=at), path, weighed, residual, slopes)


def _descended(
    rows: Rows, at: Parameters, there: NDArray[np.bool_], format: Format, paths: tuple[Path, ...]
) -> tuple[Rows, Fit]:
    second, state, along = again(rows, at, there)
    path = likeliest_path(second, state, format, paths)
    weighed = noise(second, state, format, path)
    for step_number in range(STEPS):
        residual = weighed.freed(rows.output - state.output)
        slopes = weighed.freed(np.stack([along, state.mixed]))
        cost = float(np.square(residual).sum())
        step = coefficients(slopes, residual)
        step[0] = np.clip(step[0], -0.67 * abs(at.multiplier), 2 * abs(at.multiplier))
        for _ in range(5):
            tried = at.moved(PLAIN, step)
            made = again(rows, tried, there)
            rest = float(np.square(weighed.freed(rows.output - made[1].output)).sum())
            if rest < cost:
                break
            step = step / 4
        else:
            break
        at, (second, state, along) = tried, made
        if cost - rest < 1e-3 * max(cost, 1.0):
            break
        if step_number in (2, 5):
            path = likeliest_path(second, state, format, paths)
            weighed = noise(second, state, format, path)
    return _weighed(rows, at, there, format, paths)
