"""Errors of fitted parameters: clustered by query row, or bounded where rows are few."""

from dataclasses import replace
from math import sqrt

import numpy as np

from attn_tui.compute.fit.estimates import Number
from attn_tui.compute.fit.head import Floats, Name, Path, State
from attn_tui.compute.fit.noise import Format
from attn_tui.compute.fit.solve import Fit, Products, coefficients

FEW = 8
"""Below so many rows errors are bounds."""
LOST = 2.0**-25
"""What c may be off besides, as a share of it: of rows whose largest weight is nearly 1, sums in
float32 lose what they add to 1 that is less than half its spacing, and all to the same side."""
CUT = 2.0**-10
"""What each may be off besides in TF32, as a share: some kernels cut digits instead of rounding, so
that all scores, or values, are smaller; and what a key loses is the same in all rows."""
FORMAL = 4.0
"""What is known of the noise beforehand counts as so many degrees of freedom."""


def numbers(known: Products, path: Path) -> dict[Name, Number]:
    """Return each fitted parameter with its error.

    Args:
        known: What was fitted.
        path: By the noise of which it was weighed.

    The variance is the sandwich whose clusters are query rows, with the correction CR2 and the
    degrees of freedom of Bell and McCaffrey (2002), as Pustejovsky and Tipton (2018) write them:
    right on average where the noise is what the path makes, and consistent where it is not. A row
    that decides alone fits itself, and its cluster shows no error: so the error is at least the
    formal one, which knows what rounding makes of it, and that adds degrees of freedom. With fewer
    than 8 rows it is the formal error, thrice: rounding has no tails.
    """
    names, values = known.names, known.values.tolist()
    size = np.sqrt(np.diagonal(known.by_row.sum(axis=0)))
    still = size == 0
    size = np.where(still, 1.0, size)
    by_row, score = known.by_row / (size * size[:, None]), known.scores / size
    powers, vectors = np.linalg.eigh(by_row.sum(axis=0))
    largest = max(float(powers.max()), 1e-300)
    told = powers > 1e-12 * largest
    root = (vectors * np.where(told, np.abs(powers), np.inf) ** -0.5) @ vectors.T
    inverse = root @ root
    # A parameter that the data leave free is known to no error at all.
    free = (np.square(vectors[:, ~told]).sum(axis=1) > 1e-6) | still
    chi_square = known.square / max(known.count - len(names), 1)
    formal = np.sqrt(np.diagonal(inverse) * max(chi_square, 1.0)) / size
    formal[free] = np.inf
    if len(score) < FEW:
        return {
            name: Number(value, 3 * error, 0.0, _lost(path, name) * abs(value))
            for name, value, error in zip(names, values, formal.tolist(), strict=True)
        }
    inside = root @ by_row @ root
    adjusted = root @ _inverse_root(np.eye(len(names)) - inside)
    influence = np.einsum("rab,bc,rc->ra", adjusted, root, score)
    errors = np.maximum(np.sqrt(np.square(influence).sum(axis=0)) / size, formal).tolist()
    # Rounded down, so that quantiles of many heads are few.
    degrees = np.floor(_degrees(adjusted, inside) + FORMAL).tolist()
    return {
        name: Number(value, error, df, _lost(path, name) * abs(value))
        for name, value, error, df in zip(names, values, errors, degrees, strict=True)
    }


def _lost(path: Path, name: Name) -> float:
    """Return what a parameter may be off besides, as a share of it."""
    if path == "tf32":
        return CUT
    return LOST if name == "value_scale" else 0.0


def _degrees(adjusted: Floats, inside: Floats) -> Floats:
    """Return the degrees of freedom of each parameter's variance by Satterthwaite, shape (names,).

    The variance is Σ_g (a_g·e_g)²; its expectation and variance under independent noise are the
    trace and the sum of squares of G = D − T·Tᵀ, the matrix of a_g·(I − H)_gh·a_h. D is diagonal,
    a_g = X_g·root·y_g, and T has as many columns as there are parameters: G itself is not needed.
    """
    through = adjusted @ inside
    own = (through * adjusted).sum(axis=2)
    lengths = np.square(through).sum(axis=2)
    total = (own - lengths).sum(axis=0)
    by_name = through.swapaxes(0, 1)
    crossed = np.square(by_name.swapaxes(1, 2) @ by_name).sum(axis=(1, 2))
    square = (own * own - 2 * own * lengths).sum(axis=0) + crossed
    return np.where(square > 0, np.maximum(total * total / np.maximum(square, 1e-300), 1.0), 1.0)


def _inverse_root(matrices: Floats) -> Floats:
    """Return the power −½ of symmetric matrices, shape (…, n, n), in whose null space it is 0."""
    values, vectors = np.linalg.eigh(matrices)
    raised = np.where(values > 1e-9, values, np.inf) ** -0.5
    return np.asarray((vectors * raised[..., None, :]) @ vectors.swapaxes(-1, -2))


def hidden_logits(state: State, format: Format) -> Floats:
    """Return by how much logits are larger than the cap makes them, shape (r, n).

    x = m·s/cap is a number of the format, and tanh x is rounded to a whole number of its units
    below it: where x − tanh x is less than half of one, not at all. That is no noise: it has the
    same sign for neighbouring x, as a smaller cap has, or a larger m.
    """
    root = sqrt(state.parameters.curvature)
    tanh = np.minimum(np.abs(root * state.logits), 1 - 2.0**-52)
    below = np.arctanh(tanh) - tanh
    unit = format.spacing(tanh)
    left = (below - unit * np.round(below / unit)) / root
    return np.asarray(left * np.sign(state.logits))


def allowed(fit: Fit, numbers: dict[Name, Number], shift: Floats) -> dict[Name, Number]:
    """Return numbers whose intervals hold what was fitted with and without a systematic error.

    Args:
        fit: The fit.
        numbers: What it found.
        shift: What the error adds to what was fitted, freed of noise as the fit's slopes are.
    """
    off = coefficients(fit.slopes, shift)
    found = dict(numbers)
    for name, by in zip(fit.names, off.tolist(), strict=True):
        known = numbers[name]
        found[name] = replace(known, value=known.value - by / 2, bias=known.bias + abs(by) / 2)
    return found


def unseen_cap(fit: Fit, curvature: Number, format: Format) -> Number:
    """Return g of a head without a cap, with what rounding may hide of one."""
    p, square = fit.state.weights, np.square(fit.state.logits)
    hidden = 3 * 2.0**-format.bits * float((p * square**2).sum())
    hidden /= max(float((p * square**3).sum()), 1e-300)
    return replace(curvature, error=float(np.hypot(curvature.error, hidden / 2)))
