"""Gauss–Newton: the parameters for which a head comes nearest to what was captured."""

from dataclasses import dataclass

import numpy as np

from attn_tui.compute.fit.diagnosis import Path
from attn_tui.compute.fit.model import Floats, Name, Parameters, Rows, State, compute, slopes
from attn_tui.compute.fit.noise import Format, Noise, noise

STEPS = 12
"""So many steps at most of the coarse fit, 3 to 5 of which are usual."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A fit of some parameters.

    Attributes:
        names: What was fitted.
        state: The head with the best parameters.
        path: The path whose noise it was weighed with.
        noise: That noise.
        residual: Output less fit, freed of noise, shape (r, d_v).
        slopes: ∂ fit along each name, freed of noise, shape (names, r, d_v).
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
    def chi_square(self) -> float:
        """The reduced χ²: 1 where the noise is what the path makes."""
        free = max(self.residual.size - len(self.names), 1)
        return float(np.square(self.residual).sum() / free)

    @property
    def log_likelihood(self) -> float:
        """Ln L of the residual as a normal one, but for a constant."""
        return -0.5 * (float(np.square(self.residual).sum()) + self.noise.log_determinant)


def relative_residual(rows: Rows, state: State) -> float:
    """Return ‖out − fit‖/‖out‖ over all rows."""
    size = float(np.linalg.norm(rows.output))
    return float(np.linalg.norm(rows.output - state.output)) / size if size else 0.0


def coarse(
    rows: Rows, start: Parameters, names: tuple[Name, ...], steps: int = STEPS
) -> tuple[State, float]:
    """Fit with every row counting the same, whatever its noise: robust far from the truth.

    Returns:
        The best state, and the root of the mean over rows of ‖out − fit‖²/‖out‖².
    """
    size = np.linalg.norm(rows.output, axis=1, keepdims=True)
    by_row = 1 / np.maximum(size, 1e-300)
    state = compute(rows, start)
    residual = (rows.output - state.output) * by_row
    cost = float(np.square(residual).sum())
    damping = 1e-3
    for _ in range(steps):
        along = slopes(rows, state, names) * by_row
        moved = False
        for _ in range(6):
            step = _step(along, residual, damping)
            tried = compute(rows, _bounded(state.parameters, names, step))
            rest = (rows.output - tried.output) * by_row
            new = float(np.square(rest).sum())
            if new < cost:
                moved = True
                break
            damping = max(damping * 8, 1e-3)
        if not moved:
            break
        done = cost - new < 1e-6 * cost
        state, residual, cost = tried, rest, new
        damping = damping / 10 if damping > 1e-9 else 0.0
        if done:
            break
    return state, float(np.sqrt(cost / len(rows.output)))


def refine(
    rows: Rows, state: State, names: tuple[Name, ...], format: Format, path: Path, rounds: int = 3
) -> Fit:
    """Fit by the noise of a path, from a start that is near."""
    for turn in range(rounds):
        weighed = noise(rows, state, format, path)
        for _ in range(2 if turn == 0 else 1):
            residual = weighed.freed(rows.output - state.output)
            along = weighed.freed(slopes(rows, state, names))
            step = _step(along, residual, 0.0)
            near = compute(rows, _bounded(state.parameters, names, step))
            rest = weighed.freed(rows.output - near.output)
            if np.square(rest).sum() > np.square(residual).sum() * (1 + 1e-9):
                break
            state = near
    weighed = noise(rows, state, format, path)
    residual = weighed.freed(rows.output - state.output)
    along = weighed.freed(slopes(rows, state, names))
    return Fit(names, state, path, weighed, residual, along)


def _step(along: Floats, residual: Floats, damping: float) -> Floats:
    """Return the step that makes the residual smallest where slopes are constant."""
    design = along.reshape(len(along), -1)
    size = np.linalg.norm(design, axis=1)
    size = np.where(size > 0, size, 1.0)
    design = design / size[:, None]
    normal = design @ design.T
    normal[np.diag_indices_from(normal)] += damping
    step = np.linalg.lstsq(normal, design @ residual.ravel(), rcond=1e-13)[0]
    return np.asarray(step / size)


def _bounded(at: Parameters, names: tuple[Name, ...], step: Floats) -> Parameters:
    """Return the moved parameters; m changes at most threefold, and sinks keep sums positive."""
    step = step.copy()
    for i, name in enumerate(names):
        if name == "multiplier":
            most = 2 * abs(at.multiplier) or abs(step[i])
            step[i] = np.clip(step[i], -0.67 * most / 2, most)
        if name == "sink":
            step[i] = max(step[i], -0.9 * at.sink) if at.sink > 0 else step[i]
    return at.moved(names, step)
