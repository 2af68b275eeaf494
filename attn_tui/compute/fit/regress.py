"""Fits of numbers that depend on m, a cap or a sink alone: log weights, scores, log-sum-exp."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from attn_tui.compute.fit.choose import FITS_BELOW, MOST
from attn_tui.compute.fit.diagnosis import Estimate, Path
from attn_tui.compute.fit.errors import numbers
from attn_tui.compute.fit.estimates import Beside, Cap, Number, Undecided
from attn_tui.compute.fit.hidden import allowed, hidden_logits, unseen_cap
from attn_tui.compute.fit.model import Floats, Name, Parameters, Rows, State, compute
from attn_tui.compute.fit.noise import Format, Noise
from attn_tui.compute.fit.solve import Fit, coefficients, least_squares

Model = Callable[[State, tuple[Name, ...]], tuple[Floats, Floats, Floats]]
"""From a state and names: what is left of the data, slopes along the names, and variances."""


@dataclass(frozen=True, eq=False)
class Regression:
    """A fit of numbers to a model of them.

    Attributes:
        fit: The fit.
        off: The root mean square of what is left, over that of the data.
    """

    fit: Fit
    off: float

    @property
    def numbers(self) -> dict[Name, Number]:
        """Each parameter with its error."""
        return numbers(self.fit)


def regressed(
    rows: Rows,
    start: Parameters,
    names: tuple[Name, ...],
    model: Model,
    size: float,
    path: Path = "float32",
) -> Regression:
    """Fit by Gauss–Newton with damping, each number weighed by its variance.

    Args:
        rows: The head under a mask.
        start: Where to start.
        names: What is fitted.
        model: What is left of the data, shape (r, k), its slopes, and its variances; a variance of
            infinity leaves a number out.
        size: Root mean square of the data.
        path: The path whose rounding the variances are of.
    """
    state = compute(rows, start)
    left, along, variance = model(state, names)
    flat = 3
    for turn in range(20):
        weight = 1 / np.sqrt(variance)
        if turn < flat:
            # Variances depend on parameters that are still far off.
            there = weight[weight > 0]
            weight = np.where(weight > 0, np.median(there) if there.size else 0.0, 0.0)
        residual, slopes = left * weight, along * weight
        cost = float(np.square(residual).sum())
        step = least_squares(slopes.reshape(len(names), -1).T, residual.ravel(), rcond=1e-12)
        moved, new = False, cost
        for _ in range(8):
            tried = compute(rows, state.parameters.moved(names, step))
            made = model(tried, names)
            new = float(np.square(made[0] * weight).sum())
            if new < cost:
                state, moved, (left, along, variance) = tried, True, made
                break
            step = step / 3
        if turn >= flat and (not moved or cost - new < 1e-6 * cost):
            break
        if not moved:
            # With these weights nothing would move the next time either.
            flat = min(flat, turn + 1)
    weight = 1 / np.sqrt(variance)
    noise = Noise(variance, None, float(np.log(variance[np.isfinite(variance)]).sum()))
    fit = Fit(names, state, path, noise, left * weight, along * weight)
    used = weight > 0
    off = float(np.sqrt(np.square(left[used]).mean())) / (size or 1.0) if used.any() else 1.0
    return Regression(fit, off)


def chi_square(regression: Regression, rows: int = 0) -> float:
    """Return the reduced χ² over the numbers that count; each of ``rows`` took a mean away."""
    residual = regression.fit.residual
    used = np.isfinite(regression.fit.noise.variance)
    free = max(int(used.sum()) - len(regression.fit.names) - rows, 1)
    return float(np.square(residual[used]).sum() / free)


def better(one: Regression, other: Regression) -> bool:
    """Whether a larger model is to be taken: as in `choose`."""
    gain = 2 * (one.fit.log_likelihood - other.fit.log_likelihood)
    extras = [name for name in one.fit.names if name not in other.fit.names]
    known = one.numbers
    sure = all(abs(known[name].value) > 4.5 * known[name].error for name in extras)
    return sure and gain > max(20.0, len(one.fit.residual))


def simplest(fits: Sequence[Regression], means: int = 0) -> tuple[Regression, bool]:
    """Return the simplest regression that fits, or a larger one that is sure; and whether it fits.

    Args:
        fits: Regressions of the same data under several paths and sets of parameters.
        means: So many means were taken from the data.
    """
    good = [one for one in fits if chi_square(one, means) < FITS_BELOW]
    tried = sorted(good or fits, key=lambda one: len(one.fit.names))
    best = tried[0]
    for one in tried[1:]:
        larger = len(one.fit.names) > len(best.fit.names)
        if better(one, best) if larger else one.fit.log_likelihood > best.fit.log_likelihood:
            best = one
    return best, bool(good)


def with_cap(rows: Rows, fit: Regression, model: Model, size: float, path: Path) -> Regression:
    """Return the regression with a cap besides, from what one without found."""
    near = replace(fit.fit.parameters, curvature=fit.fit.parameters.curvature + 1e-12)
    return regressed(rows, near, (*fit.fit.names, "curvature"), model, size, path)


def of_logits(fit: Fit, by_logit: Floats) -> Floats:
    """Return changes of the logits, shape (r, n), where data are the logits themselves."""
    return by_logit


def multiplier_and_cap(
    fits: Sequence[Regression],
    best: Regression,
    format: Format,
    seen: Callable[[Fit, Floats], Floats] = of_logits,
) -> tuple[Estimate, Cap]:
    """Return m and the cap of the best regression, with what is undecided and what rounding hides.

    Args:
        fits: Regressions, the best with a cap besides among them.
        best: The one that was taken.
        format: That logits were rounded to, where they were.
        seen: Returns how data change with the logits.
    """
    fit, known = best.fit, best.numbers
    if "curvature" not in fit.names:
        names: tuple[Name, ...] = (*fit.names, "curvature")
        larger = next(one.fit for one in fits if (one.fit.path, one.fit.names) == (fit.path, names))
        cap = numbers(larger)["curvature"]
        pull = -coefficients(larger.slopes[:-1], larger.slopes[-1])[names.index("multiplier")]
        m = Undecided(known["multiplier"], (Beside(cap, float(pull), MOST["curvature"]),))
        return m, Cap(unseen_cap(fit, cap, format) if fit.path == "eager" else cap, False)
    if fit.path == "eager":
        shift = seen(fit, hidden_logits(fit.state, format))
        known = allowed(fit, known, fit.noise.freed(shift))
    return known["multiplier"], Cap(known["curvature"], True)
