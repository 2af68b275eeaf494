"""Gauss–Newton: the parameters that bring a head nearest to the captured output."""

from dataclasses import dataclass, replace
from math import inf

import numpy as np

from attn_tui.compute.fit.head import (
    FitRows,
    Floats,
    Name,
    Parameters,
    Path,
    State,
    compute,
    slopes,
)
from attn_tui.compute.fit.noise import Format, Noise, noise

STEPS = 12
"""The most steps of the coarse fit; 3 to 5 are usual."""


@dataclass(frozen=True, eq=False)
class InnerProducts:
    """Inner products of the slopes and the residual, by row: all that steps and errors need.

    Attributes:
        names: The names of the parameters.
        values: The values of the parameters, shape (names,).
        by_row: Slopes with each other, shape (r, names, names).
        scores: Slopes with the residual, shape (r, names).
        square: The residual with itself, over all rows.
        count: The number of values in the residual.
    """

    names: tuple[Name, ...]
    values: Floats
    by_row: Floats
    scores: Floats
    square: float
    count: int

    def of(self, names: tuple[Name, ...]) -> "InnerProducts":
        """Return the products of some of the parameters."""
        places = [self.names.index(name) for name in names]
        by_row = self.by_row[:, places][:, :, places]
        return replace(
            self,
            names=names,
            values=self.values[places],
            by_row=by_row,
            scores=self.scores[:, places],
        )

    def stepped(self) -> "InnerProducts":
        """Return the products after the step that minimises the residual, with constant slopes."""
        step = solved(self.by_row.sum(axis=0), self.scores.sum(axis=0))
        scores = self.scores - self.by_row @ step
        square = self.square - float(step @ (self.scores + scores).sum(axis=0))
        return replace(self, values=self.values + step, scores=scores, square=square)


@dataclass(frozen=True, eq=False)
class Fit:
    """A fit of some parameters.

    Attributes:
        names: The fitted parameters.
        state: The head with the best parameters.
        path: The path whose noise weighs the residual.
        noise: The noise under that path.
        residual: Output less fit, whitened, shape (r, d_v).
        slopes: ∂ fit along each name, whitened, shape (names, r, d_v).
    """

    names: tuple[Name, ...]
    state: State
    path: Path
    noise: Noise
    residual: Floats
    slopes: Floats

    @property
    def parameters(self) -> Parameters:
        """The best parameters."""
        return self.state.parameters

    @property
    def products(self) -> InnerProducts:
        """The inner products of the slopes and the residual."""
        # A slope whose square is NaN or infinite tells nothing, as one that is 0.
        is_finite = np.isfinite(np.square(self.slopes).sum(axis=(1, 2)))
        slopes = np.where(is_finite[:, None, None], self.slopes, 0.0)
        rows = np.concatenate([slopes, self.residual[None]]).swapaxes(0, 1)
        every = rows @ rows.swapaxes(1, 2)
        values = np.array([getattr(self.parameters, name) for name in self.names])
        square = float(every[:, -1, -1].sum())
        return InnerProducts(
            self.names, values, every[:, :-1, :-1], every[:, :-1, -1], square, self.residual.size
        )

    @property
    def chi_square(self) -> float:
        """The reduced χ²: 1 if the noise is the rounding of the path."""
        free = max(self.residual.size - len(self.names), 1)
        return float(np.square(self.residual).sum() / free)

    @property
    def log_likelihood(self) -> float:
        """The normal log-likelihood ln L of the residual, up to a constant."""
        return -0.5 * (float(np.square(self.residual).sum()) + self.noise.log_determinant)


def relative_residual(rows: FitRows, state: State) -> float:
    """Return ‖out − fit‖/‖out‖ over all rows; infinite if the output is 0 and the fit is not."""
    size = float(np.linalg.norm(rows.output))
    apart = float(np.linalg.norm(rows.output - state.output))
    if size:
        return apart / size
    return inf if apart else 0.0


def aligned(
    rows: FitRows, start: Parameters, names: tuple[Name, ...] = ("multiplier",), steps: int = STEPS
) -> tuple[Parameters, float]:
    """Fit m, and a cap if it is among the names, to the directions of the output's rows alone.

    A sink and c stretch a row of the output without turning it, and so can wait: with ρ_i the
    length of row i over that of p·V without a sink, 1/ρ_i = (1 + e^b/Σ e^z)/c is linear in them.

    Returns:
        All parameters, and the root mean square over rows of the sine between output and fit.
    """
    size = np.linalg.norm(rows.output, axis=1, keepdims=True)
    unit = rows.output / np.maximum(size, 1e-300)
    state = compute(rows, replace(start, value_scale=1.0, sink=0.0))
    stretch, residual, cost = _turned(unit, state)
    damping = 1e-3
    for _ in range(steps):
        along = slopes(rows, state, names) * stretch
        ahead = state.mixed / np.maximum(np.linalg.norm(state.mixed, axis=1, keepdims=True), 1e-300)
        along -= (along * ahead).sum(axis=-1, keepdims=True) * ahead
        for _ in range(6):
            step = coefficients(along, residual, damping)
            tried = compute(rows, _bounded(state.parameters, names, step))
            longer, rest, new = _turned(unit, tried)
            if new < cost:
                break
            damping = max(damping * 8, 1e-3)
        else:
            break
        done = cost - new < 1e-6 * cost or new < 1e-24
        state, stretch, residual, cost = tried, longer, rest, new
        damping /= 10
        if done:
            break
    return _stretched(state, stretch * size), float(np.sqrt(cost / len(unit)))


def _turned(unit: Floats, state: State) -> tuple[Floats, Floats, float]:
    """Return the factors that best stretch p·V to the directions, the residual, and its square."""
    square = np.square(state.mixed).sum(axis=1, keepdims=True)
    stretch = (unit * state.mixed).sum(axis=1, keepdims=True) / np.maximum(square, 1e-300)
    rest = unit - stretch * state.mixed
    return stretch, rest, float(np.square(rest).sum())


def _stretched(state: State, stretch: Floats) -> Parameters:
    """Return the parameters with the c and the sink that stretch rows by these factors."""
    sums = state.top + np.log(state.total)
    level = float(np.median(sums))
    share = np.exp(np.clip(level - sums, -300, 300))
    design = np.concatenate([stretch, stretch * share], axis=1)
    lengths = np.maximum(np.linalg.norm(design, axis=0), 1e-300)
    if not np.isfinite(design / lengths).all():
        return state.parameters  # Values that are all 0, or too large, tell neither.
    inverse, by_sink = least_squares(design / lengths, np.ones(len(sums)), rcond=1e-8) / lengths
    if by_sink <= 0 or inverse <= 0:
        inverse, by_sink = 1 / np.median(stretch), 0.0
    parameters = state.parameters
    return replace(
        parameters, value_scale=float(1 / inverse), sink=float(by_sink / inverse), level=level
    )


def refine(
    rows: FitRows,
    state: State,
    names: tuple[Name, ...],
    format: Format,
    path: Path,
    rounds: int = 3,
) -> Fit:
    """Fit under the noise of a path, from a near start; the noise is recomputed as the fit moves.

    Args:
        rows: The head's rows, under one mask.
        state: The start.
        names: The parameters to fit.
        format: The number format of the output.
        path: The rounding path.
        rounds: How often the noise is computed, at most.
    """
    fit_noise = noise(rows, state, format, path)
    for turn in range(rounds):
        state, gain = descended(rows, state, names, fit_noise, 2 if turn == 0 else 1)
        if turn and gain < 1e-3:
            break  # The noise belongs to a state that is as good.
        fit_noise = noise(rows, state, format, path)
    residual = fit_noise.whitened(rows.output - state.output)
    along = fit_noise.whitened(slopes(rows, state, names))
    return Fit(names, state, path, fit_noise, residual, along)


def descended(
    rows: FitRows, state: State, names: tuple[Name, ...], fit_noise: Noise, steps: int
) -> tuple[State, float]:
    """Return the state after steps that lower χ², and by how much the last step lowered it."""
    residual = fit_noise.whitened(rows.output - state.output)
    gain = 0.0
    for _ in range(steps):
        along = fit_noise.whitened(slopes(rows, state, names))
        step = coefficients(along, residual)
        foreseen = residual - np.tensordot(step, along, 1)
        cost = float(np.square(residual).sum())
        gain = cost - float(np.square(foreseen).sum())
        if gain < 1e-3:
            return state, gain
        for _ in range(5):
            moved = compute(rows, _bounded(state.parameters, names, step))
            rest = fit_noise.whitened(rows.output - moved.output)
            gain = cost - float(np.square(rest).sum())
            if gain > 0:
                break
            step = step / 4
        if not gain > 0:
            return state, 0.0
        # If slopes are constant, another step would be 0.
        state, residual = moved, rest
        if np.square(rest - foreseen).sum() < 1e-2:
            break
    return state, gain


def least_squares(design: Floats, data: Floats, rcond: float) -> Floats:
    """Return the x, shape (n,), that brings design @ x nearest to data, as NumPy's lstsq does.

    x is 0 if either holds NaN or infinity: LAPACK would print messages of its own.

    Args:
        design: Shape (k, n).
        data: Shape (k,).
        rcond: Singular values below this share of the largest count as 0.
    """
    if not (np.isfinite(design).all() and np.isfinite(data).all()):
        return np.zeros(design.shape[1])
    return np.asarray(np.linalg.lstsq(design, data, rcond)[0])


def coefficients(along: Floats, target: Floats, damping: float = 0.0) -> Floats:
    """Return the least-squares coefficients of slopes, shape (names, r, d_v), for a target."""
    design = along.reshape(len(along), -1)
    return solved(design @ design.T, design @ target.ravel(), damping)


def solved(normal: Floats, data: Floats, damping: float = 0.0) -> Floats:
    """Return the least-squares solution of the normal equations, shape (n,)."""
    size = np.sqrt(np.diagonal(normal))
    size = np.where(size > 0, size, 1.0)
    normal = normal / (size * size[:, None])
    normal[np.diag_indices_from(normal)] += damping
    return least_squares(normal, data / size, rcond=1e-13) / size


def _bounded(parameters: Parameters, names: tuple[Name, ...], step: Floats) -> Parameters:
    """Return the moved parameters; m changes at most threefold, and sinks keep sums positive."""
    step = step.copy()
    for i, name in enumerate(names):
        if name == "multiplier":
            most = 2 * abs(parameters.multiplier) or abs(step[i])
            step[i] = np.clip(step[i], -0.67 * most / 2, most)
        if name == "sink":
            step[i] = max(step[i], -0.9 * parameters.sink) if parameters.sink > 0 else step[i]
    return parameters.moved(names, step)
