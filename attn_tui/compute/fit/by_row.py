"""One multiplier for each row: temperatures that depend on the position."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.diagnosis import Temperature
from attn_tui.compute.fit.estimates import Number
from attn_tui.compute.fit.model import Floats, Parameters, Rows, compute, slopes
from attn_tui.compute.fit.solve import STEPS, Fit


def row_factors(rows: Rows, near: Parameters) -> Floats:
    """Return what each row's scores are to be multiplied by, shape (r, 1), for the best directions.

    Every row is fitted alone, from several starts, since none helps another.
    """
    size = np.linalg.norm(rows.output, axis=1, keepdims=True)
    unit = rows.output / np.maximum(size, 1e-300)
    best = np.ones((len(unit), 1))
    least = np.full((len(unit), 1), np.inf)
    for start in (1.0, 0.25, 4.0):
        factors, cost = _aligned_rows(rows, unit, near, np.full_like(best, start))
        better = cost < least
        best, least = np.where(better, factors, best), np.where(better, cost, least)
    return best


def _aligned_rows(
    rows: Rows, unit: Floats, near: Parameters, factors: Floats
) -> tuple[Floats, Floats]:
    """Return factors and sin² of each row after Gauss–Newton on its own multiplier."""
    plain = replace(near, value_scale=1.0, sink=0.0)
    damping = np.full_like(factors, 1e-3)
    state = compute(scaled(rows, factors), plain)
    residual, stretch = _turn(unit, state.mixed)
    cost = np.square(residual).sum(axis=1, keepdims=True)
    for _ in range(2 * STEPS):
        # Along ln m of each row, which is m times the slope along m.
        along = slopes(scaled(rows, factors), state, ("multiplier",))[0] * stretch * near.multiplier
        ahead = state.mixed / np.maximum(np.linalg.norm(state.mixed, axis=1, keepdims=True), 1e-300)
        along -= (along * ahead).sum(axis=1, keepdims=True) * ahead
        square = np.square(along).sum(axis=1, keepdims=True)
        step = (along * residual).sum(axis=1, keepdims=True) / np.maximum(square, 1e-300)
        tried = factors * np.exp(np.clip(step / (1 + damping), -1.0, 1.0))
        state_then = compute(scaled(rows, tried), plain)
        rest, longer = _turn(unit, state_then.mixed)
        new = np.square(rest).sum(axis=1, keepdims=True)
        better = new < cost
        damping = np.where(better, damping / 10, np.maximum(damping * 8, 1.0))
        factors = np.where(better, tried, factors)
        residual = np.where(better, rest, residual)
        stretch = np.where(better, longer, stretch)
        cost = np.where(better, new, cost)
        state = replace(
            state,
            weights=np.where(better, state_then.weights, state.weights),
            logits=np.where(better, state_then.logits, state.logits),
            slope=np.where(better, state_then.slope, state.slope),
            mixed=np.where(better, state_then.mixed, state.mixed),
        )
        if not (better & (cost > 1e-26)).any() and (damping > 1e6).all():
            break
    return factors, cost


def _turn(unit: Floats, mixed: Floats) -> tuple[Floats, Floats]:
    square = np.maximum(np.square(mixed).sum(axis=1, keepdims=True), 1e-300)
    stretch = (unit * mixed).sum(axis=1, keepdims=True) / square
    return unit - stretch * mixed, stretch


def scaled(rows: Rows, factors: Floats) -> Rows:
    """Return rows whose scores are multiplied, each row by its own number."""
    inputs = replace(rows.inputs, queries=rows.inputs.queries * factors)
    return replace(rows, scores=rows.scores * factors, inputs=inputs)


def temperature(
    rows: Rows, fit: Fit, places: NDArray[np.intp], factors: Floats | None
) -> Temperature:
    """Return whether one multiplier holds, or each row's own, with its error.

    Args:
        rows: The rows the fit is of.
        fit: With one multiplier, or of rows whose scores were multiplied by ``factors``.
        places: The position of each row, shape (r,).
        factors: Those factors, or None where one multiplier holds.
    """
    if factors is None:
        return Temperature("constant")
    along = fit.slopes[fit.names.index("multiplier")]
    information = np.square(along).sum(axis=1)
    step = (along * fit.residual).sum(axis=1) / np.maximum(information, 1e-300)
    d_v = fit.residual.shape[1]
    found = []
    for place, factor, by, known in zip(places, factors[:, 0], step, information, strict=True):
        if known <= 0:
            continue
        error = float(np.sqrt(max(fit.chi_square, 1.0) / known))
        value = (fit.parameters.multiplier + float(by)) * float(factor)
        if error < 0.5 * abs(fit.parameters.multiplier):
            number = Number(value, error * float(factor), max(d_v - 1, 1))
            found.append((int(place), number))
    return Temperature("by row", tuple(found))


def uneven(fit: Fit) -> float:
    """Return by how much 2 ln L would rise per row if each row had its own multiplier.

    Rows that tell theirs to within its half count.
    """
    along = fit.slopes[fit.names.index("multiplier")]
    information = np.square(along).sum(axis=1)
    gain = np.square((along * fit.residual).sum(axis=1)) / np.maximum(information, 1e-300)
    known = information * fit.parameters.multiplier**2 > 4
    return float(gain[known].sum() / max(int(known.sum()) - 1, 1)) if known.sum() > 2 else 0.0
