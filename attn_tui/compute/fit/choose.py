"""The parameters that a head needs: the simplest set that fits, and others only if certain."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from attn_tui.compute.fit.estimates import (
    FittedNumber,
    Undecided,
    Undetected,
    allowed,
    numbers,
    unseen_cap,
)
from attn_tui.compute.fit.head import (
    NAMES,
    FitRows,
    Floats,
    Name,
    Parameters,
    Path,
    compute,
    slopes,
)
from attn_tui.compute.fit.noise import (
    STEPWISE,
    Format,
    Rounding,
    paths_of,
    relative_size,
    variance,
)
from attn_tui.compute.fit.solve import Fit, aligned, coefficients, refine, solved
from attn_tui.compute.fit.staircase import reach_of_exponentials, shifts_by_steps

PLAIN: tuple[Name, ...] = ("multiplier", "value_scale")
EXTRAS: tuple[Name, ...] = ("curvature", "sink")
MOST: Mapping[Name, float] = {"curvature": 10.0**-2, "sink": inf}
"""If no cap is found, caps below 10 are not considered: only tiny logits would hide one."""
ODDS = 4.6
"""A path is ruled out if another is a hundred times as likely: ln 100."""
FITS_BELOW = 2.0
"""A fit is one whose reduced χ² is below this."""
VAGUE = 0.5
"""Rounding noise above this share of the output would explain any output."""
LEAST_FIT = 0.3
"""A reduced χ² must be above this, too, unless the path is the one that rounds least."""
FAR_M = 1e-3
"""If m moved by more than this share, the fit may not have converged."""
ANEW = 1e-2
"""If m moved by more than this share, the noise is recomputed."""
STRAIGHT = 0.05
"""Slopes count as constant if a second step would change at most this, in units of the noise."""
FAR_ROUNDS = 6
"""Rounds of a fit whose numbers move farther, so that it converges."""
SURE = 4.5
"""A parameter is present only if it is this many of its errors away from none."""
LEAST_GAIN = 20.0
"""The least rise of 2 ln L for each added parameter; with more rows, the number of rows."""


@dataclass(frozen=True, eq=False)
class Extra:
    """A fit with one more parameter.

    Attributes:
        numbers: All parameters of the fit.
        pulls: How much each other parameter rises if the added one rises by 1.
    """

    numbers: Mapping[Name, FittedNumber]
    pulls: Mapping[Name, float]

    def takes(self, name: Name, alone: FittedNumber) -> bool:
        """Return whether a number is known only if the added parameter is absent."""
        half = self.numbers[name].half(0.95)
        return half > 0.1 * abs(alone.value) and half > 20 * alone.half(0.95)


@dataclass(frozen=True, eq=False)
class Choice:
    """The fitted parameters that a head needs, and bounds on those that it does not need.

    Attributes:
        fit: The fit.
        numbers: All parameters with their errors; one outside the fit as if it were added.
        extras: For each parameter outside the fit, the fit that adds it.
        paths: The rounding paths that remain possible, the likeliest first.
        noise_sizes: ‖noise‖/‖out‖ of each path.
    """

    fit: Fit
    numbers: Mapping[Name, FittedNumber]
    extras: Mapping[Name, Extra]
    paths: tuple[Path, ...]
    noise_sizes: Mapping[Path, float]

    @property
    def fits(self) -> bool:
        """Whether rounding accounts for the residual."""
        return explains(self.fit)


def undecided(choice: Choice, name: Name) -> Undecided:
    """Return a number together with its value if an undetected cap or sink is present."""
    undetected = tuple(
        Undetected(extra.numbers[which], extra.pulls[name], MOST[which])
        for which, extra in choice.extras.items()
    )
    return Undecided(choice.numbers[name], undetected)


def explains(fit: Fit) -> bool:
    """Return whether rounding under the fit's path accounts for its residual."""
    if fit.noise.variance.sum() > VAGUE**2 * np.square(fit.state.output).sum():
        return False
    return fit.chi_square < FITS_BELOW


def paths_for(format: Format, tf32: bool = False) -> tuple[Path, ...]:
    """Return the rounding paths that a format allows; TF32 only if it is asked for."""
    return tuple(path for path in paths_of(format) if tf32 or path != "tf32")


def chosen(
    rows: FitRows,
    parameters: Parameters,
    format: Format,
    paths: tuple[Path, ...],
    expected: Rounding | None = None,
) -> Choice:
    """Fit a head with the parameters that it needs.

    Args:
        rows: The head's rows, under one mask.
        parameters: Parameters near the true ones; they may have a cap and a sink.
        format: The number format of the output.
        paths: The rounding paths that may have produced the output.
        expected: The rounding of the head at these parameters, if they are the expected ones and
            so are tried first.

    Returns:
        The simplest set of parameters whose reduced χ² is below 2 under its likeliest path; a
        larger one only if each added parameter is 4.5 clustered errors away from none and raises
        2 ln L by the number of rows, and by at least 20. Larger sets are tried only if a parameter
        added to the simplest set is 3 errors away from none, under any path.
    """
    if expected is not None:
        first = _warm(expected, paths)
        if first is not None:
            return first
    plain, _ = aligned(rows, replace(parameters, curvature=0.0))
    plain = replace(plain, sink=0.0, value_scale=_scale(rows, replace(plain, sink=0.0)))
    fits = [refine(rows, compute(rows, plain), PLAIN, format, path) for path in paths]
    extras_of_fits = [_with_extras(rows, fit) for fit in fits]
    likeliest = max(fits, key=lambda fit: (explains(fit), fit.log_likelihood))
    if explains(likeliest) and not any(map(_lacks, extras_of_fits)):
        extras = extras_of_fits[fits.index(likeliest)]
        rounding = Rounding(rows, likeliest.state, format)
        return _choice(rows, likeliest, extras, rounding, paths)
    with_cap, _ = aligned(rows, parameters, ("multiplier", "curvature"))
    for path in paths:
        full = refine(rows, compute(rows, with_cap), (*PLAIN, *EXTRAS), format, path)
        fits.extend(_between(rows, fits[: len(paths)], full, format, path))
    # A fit that diverged does not count.
    kept = [fit for fit in fits if np.isfinite(fit.slopes).all()] or fits
    good = [*filter(explains, kept)] or kept
    good.sort(key=lambda fit: len(fit.names))
    best = good[0]
    for fit in good[1:]:
        if len(fit.names) <= len(best.names):
            better = fit.log_likelihood > best.log_likelihood
        else:
            better = _needed(fit, best)
        best = fit if better else best
    rounding = Rounding(rows, best.state, format)
    return _choice(rows, best, _with_extras(rows, best), rounding, paths)


def stepped(rounding: Rounding, paths: tuple[Path, ...], path: Path | None = None) -> Choice:
    """Return the numbers of a head near those of a rounding, whether or not they explain it.

    Args:
        rounding: The head at numbers that are near.
        paths: The rounding paths that may have produced the output.
        path: The likeliest of them, if that is known.
    """
    fit = single_step(rounding, path or rounding.likeliest(paths))
    if fit.state.logits is rounding.state.logits:
        extras = _with_extras(rounding.rows, fit, rounding.whitened(fit.path))
        return _choice(rounding.rows, fit, extras, rounding, paths)
    if _has_moved(rounding.state.parameters, fit.parameters, ANEW):
        # The noise belongs to the parameters that the fit arrives at.
        rounding = Rounding(rounding.rows, fit.state, rounding.format)
    return _choice(rounding.rows, fit, _with_extras(rounding.rows, fit), rounding, paths)


def _warm(rounding: Rounding, paths: tuple[Path, ...]) -> Choice | None:
    """Return the fit from the expected parameters, if it explains the head and needs no other."""
    rows, parameters, stored = rounding.rows, rounding.state.parameters, rounding.format
    path = rounding.likeliest(paths)
    fit = single_step(rounding, path)
    if _has_moved(parameters, fit.parameters, ANEW):
        # The noise belongs to the parameters that the fit arrives at.
        rounding = Rounding(rows, fit.state, stored)
    other = rounding.likeliest(paths, fit.state)
    if other != path:
        path = other
        fit = single_step(rounding, path)
    if _has_moved(parameters, fit.parameters, FAR_M):
        # The noise of a path that rounds more may hide that the fit has not converged.
        for finer in paths[: paths.index(path)]:
            nearer = refine(rows, fit.state, fit.names, stored, finer)
            if nearer.log_likelihood > fit.log_likelihood:
                fit, path = nearer, finer
                rounding = Rounding(rows, fit.state, stored)
    # A residual far below the noise of a path came by another path.
    is_plausible = fit.chi_square > LEAST_FIT or path == paths[0]
    if not (is_plausible and explains(fit) and _is_sure(fit, PLAIN)):
        return None
    extras = _with_extras(rows, fit)
    return None if _lacks(extras) else _choice(rows, fit, extras, rounding, paths)


def single_step(rounding: Rounding, path: Path) -> Fit:
    """Return the fit that starts where rounding is known: one step, if slopes are constant."""
    rows, start = rounding.rows, rounding.state
    names, noise = _names(start.parameters), rounding.by(path)
    places = [NAMES.index(name) for name in names]
    along, whitened = rounding.slopes[places], rounding.whitened(path)[places]
    residual = noise.whitened(rows.output - start.output)
    step = coefficients(whitened, residual)
    values = np.array([getattr(start.parameters, name) for name in names])
    far = float(np.max(np.abs(step) / np.maximum(np.abs(values), 1e-300)))
    change = np.tensordot(step, whitened, 1)
    # A second step, in units of the noise, is about as large as the first, times the share by which
    # the numbers moved, times the change of the logits.
    logits = float(start.logits.max() - start.logits.min())
    if not far * (1 + logits) * float(np.linalg.norm(change)) < STRAIGHT:
        return refine(rows, start, names, rounding.format, path, FAR_ROUNDS)
    parameters = start.parameters.moved(names, step)
    mixed = (start.output + np.tensordot(step, along, 1)) / parameters.value_scale
    state = replace(start, parameters=parameters, mixed=mixed)
    return Fit(names, state, path, noise, residual - change, whitened)


def _has_moved(start: Parameters, end: Parameters, share: float) -> bool:
    """Return whether m changed by more than a share."""
    return abs(end.multiplier - start.multiplier) > share * abs(start.multiplier)


def hopeless(rows: FitRows, parameters: Parameters, off: float, format: Format, path: Path) -> bool:
    """Return whether directions are so far off that no cap, sink or path can make them fit.

    Args:
        rows: The head's rows, under one mask.
        parameters: The parameters that `aligned` found.
        off: The root mean square of the sines that it returned.
        format: The number format of the output.
        path: The path that rounds most.
    """
    if not _far(rows, parameters, off, format, path):
        return False
    return _far(rows, *aligned(rows, parameters, ("multiplier", "curvature")), format, path)


def _far(rows: FitRows, parameters: Parameters, off: float, format: Format, path: Path) -> bool:
    """Return whether directions are farther off than rounding under a path explains."""
    size = np.maximum(np.square(rows.output).sum(axis=1), 1e-300)
    variances = variance(rows, compute(rows, parameters), format, path).sum(axis=1) / size
    return off > 3 * float(np.sqrt(variances.mean()))


def _between(rows: FitRows, plain: list[Fit], full: Fit, format: Format, path: Path) -> list[Fit]:
    """Return the fits with one extra and with both, if the full fit shows that any is needed."""
    best = max(plain, key=lambda fit: fit.log_likelihood)
    if full.log_likelihood - best.log_likelihood < _gain(full) / 2:
        return []
    one: list[Fit] = []
    for extra in EXTRAS:
        start = replace(full.parameters, **{other: 0.0 for other in EXTRAS if other != extra})
        if extra == "sink":
            start, _ = aligned(rows, start)
        names = (*PLAIN, extra)
        one.append(refine(rows, compute(rows, start), names, format, path))
    return [*one, full]


def _needed(fit: Fit, simpler: Fit) -> bool:
    """Return whether the larger set of parameters is needed."""
    more = len(fit.names) - len(simpler.names)
    if 2 * (fit.log_likelihood - simpler.log_likelihood) < more * _gain(fit):
        return False
    return _is_sure(fit, simpler.names)


def _is_sure(fit: Fit, simpler: tuple[Name, ...]) -> bool:
    """Return whether each parameter outside a simpler set is certainly present."""
    added = [name for name in fit.names if name not in simpler]
    if not added:
        return True
    fitted = numbers(fit.products, fit.path)
    more = [fitted[name] for name in added]
    return all(abs(number.value) > SURE * _error(number) for number in more)


def _gain(fit: Fit) -> float:
    return max(LEAST_GAIN, float(len(fit.residual)))


def _error(number: FittedNumber) -> float:
    return number.error if number.df else number.error / SURE


def _lacks(extras: Mapping[Name, Extra]) -> bool:
    """Return whether any extra is worth a fit of its own, which then decides about it."""
    added = [extra.numbers[name] for name, extra in extras.items()]
    return any(abs(number.value) > 3 * _error(number) for number in added)


def _names(parameters: Parameters) -> tuple[Name, ...]:
    extras = [name for name in EXTRAS if getattr(parameters, name) != 0]
    return (*PLAIN, *extras)


def _with_extras(rows: FitRows, fit: Fit, whitened: Floats | None = None) -> dict[Name, Extra]:
    """Return, for each extra that is not in the fit, a fit that has it too.

    Args:
        rows: The head's rows, under one mask.
        fit: The fit.
        whitened: The slopes along all parameters, whitened, if they are known.
    """
    missing = tuple(extra for extra in EXTRAS if extra not in fit.names)
    if not missing:
        return {}
    if whitened is None:
        more = fit.noise.whitened(slopes(rows, fit.state, missing))
    else:
        more = whitened[[NAMES.index(name) for name in missing]]
    along = np.concatenate([fit.slopes, more])
    every = replace(fit, names=(*fit.names, *missing), slopes=along).products
    extras: dict[Name, Extra] = {}
    for extra in missing:
        with_extra = every.of((*fit.names, extra))
        normal = with_extra.by_row.sum(axis=0)
        pulls = dict(zip(fit.names, -solved(normal[:-1, :-1], normal[:-1, -1]), strict=True))
        extras[extra] = Extra(numbers(with_extra.stepped(), fit.path), pulls)
    return extras


def _approximated(
    rows: FitRows, fit: Fit, fitted: dict[Name, FittedNumber]
) -> dict[Name, FittedNumber]:
    """Return numbers whose intervals hold what approximate exponentials may have made of them."""
    reach = reach_of_exponentials(rows, fit.state, fit.noise, fit.slopes)
    return fitted | {
        name: replace(fitted[name], bias=fitted[name].bias + by)
        for name, by in zip(fit.names, reach.tolist(), strict=True)
    }


def _choice(
    rows: FitRows, fit: Fit, extras: dict[Name, Extra], rounding: Rounding, paths: tuple[Path, ...]
) -> Choice:
    fitted = numbers(fit.products, fit.path)
    fitted.update({extra: then.numbers[extra] for extra, then in extras.items()})
    if fit.path in STEPWISE:
        shifts = shifts_by_steps(rows, fit.state, rounding.format, fit.path)
        fitted = allowed(fit, fitted, [fit.noise.whitened(shift) for shift in shifts])
        if fit.parameters.curvature <= 0:
            fitted["curvature"] = unseen_cap(fit, fitted["curvature"], rounding.format)
    if rounding.format.bits < 24:
        fitted = _approximated(rows, fit, fitted)
    likelihoods = {fit.path: fit.log_likelihood}
    for path in rounding.likely(paths, fit.state):
        if path != fit.path:
            noise = rounding.by(path)
            rest = noise.whitened(rows.output - fit.state.output)
            likelihoods[path] = replace(fit, noise=noise, residual=rest).log_likelihood
    least = max(likelihoods.values()) - ODDS
    likeliest = sorted(likelihoods, key=lambda path: -likelihoods[path])
    remaining = tuple(path for path in likeliest if likelihoods[path] > least)
    sizes = {path: rounding.size(path) for path in paths}
    # A fit that moved has a noise of its own, which `rounding` may know of few rows alone.
    sizes[fit.path] = relative_size(fit.noise, rows.output)
    return Choice(fit, fitted, extras, remaining, sizes)


def _scale(rows: FitRows, parameters: Parameters) -> float:
    """Return the best c with all other parameters held."""
    mixed = compute(rows, parameters).mixed
    weight = 1 / np.maximum(np.square(rows.output).sum(axis=1, keepdims=True), 1e-300)
    return float((weight * mixed * rows.output).sum() / (weight * mixed * mixed).sum())
