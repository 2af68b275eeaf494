"""What rounding hides of a cap where every step to the logits is rounded: tanh x may become x."""

from dataclasses import replace
from math import sqrt

import numpy as np

from attn_tui.compute.fit.estimates import Number
from attn_tui.compute.fit.head import Floats, Name, State
from attn_tui.compute.fit.noise import Format
from attn_tui.compute.fit.solve import Fit, coefficients


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
