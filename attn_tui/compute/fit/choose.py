"""Which parameters a head needs: the simplest set that fits, and more only where it is sure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from attn_tui.compute.fit.estimates import (
    Beside,
    Number,
    Undecided,
    allowed,
    hidden_logits,
    numbers,
    unseen_cap,
)
from attn_tui.compute.fit.head import Floats, Name, Parameters, Path, Rows, State, compute, slopes
from attn_tui.compute.fit.noise import Format, Rounding, paths_of, variance
from attn_tui.compute.fit.solve import Fit, aligned, coefficients, refine, solved

PLAIN: tuple[Name, ...] = ("multiplier", "value_scale")
EXTRAS: tuple[Name, ...] = ("curvature", "sink")
MOST: Mapping[Name, float] = {"curvature": 10.0**-2, "sink": inf}
"""A cap below 10 is not thought of where none is found: logits that small would not show it."""
ODDS = 4.6
"""A path is said if it is a hundred times as likely as any other: ln 100."""
FITS_BELOW = 2.0
"""A fit is one whose reduced χ² is below this."""
VAGUE = 0.5
"""Rounding that makes more than this share of an output would explain any."""
LEAST_NEAR = 0.3
"""And above this, unless its path is the one that rounds least."""
FAR_M = 1e-3
"""An m that moved by more than this share may not have arrived."""
ANEW = 1e-2
"""And of one that moved by more than this, noise is worked out anew."""
STRAIGHT = 0.05
"""Slopes are constant where a second step would change so much, in units of noise, at most."""
FAR_ROUNDS = 6
"""Rounds of a fit whose numbers move farther: it has to arrive."""
SURE = 4.5
"""A parameter is there only if it is so many of its errors from none."""
LEAST_GAIN = 20.0
"""Twice the gain of ln L that each of them must bring at least; with more rows, their number."""


@dataclass(frozen=True, eq=False)
class Extra:
    """A fit with one parameter more.

    Attributes:
        numbers: All its parameters.
        pulls: By how much each of the others rises where that parameter rises by 1.
    """

    numbers: Mapping[Name, Number]
    pulls: Mapping[Name, float]

    def takes(self, name: Name, alone: Number) -> bool:
        """Return whether a number is known only as long as that parameter is none."""
        half = self.numbers[name].half(0.95)
        return half > 0.1 * abs(alone.value) and half > 20 * alone.half(0.95)


@dataclass(frozen=True, eq=False)
class Choice:
    """The parameters a head needs, fitted, and what is known of those it does not need.

    Attributes:
        fit: The fit.
        numbers: All parameters with their errors; one that is not in the fit as if it were added.
        beside: For each parameter that is not in the fit, the fit with that too.
        paths: Those that remain, the likeliest first; more than one if likelihood does not tell.
        made: ‖noise‖/‖out‖ that each path makes.
    """

    fit: Fit
    numbers: Mapping[Name, Number]
    beside: Mapping[Name, Extra]
    paths: tuple[Path, ...]
    made: Mapping[Path, float]

    @property
    def fits(self) -> bool:
        """Whether it is no farther off than rounding makes it."""
        return explains(self.fit)


def undecided(choice: Choice, name: Name) -> Undecided:
    """Return a number, with what it is if there is a cap or a sink that was not found."""
    besides = tuple(
        Beside(extra.numbers[which], extra.pulls[name], MOST[which])
        for which, extra in choice.beside.items()
    )
    return Undecided(choice.numbers[name], besides)


def explains(fit: Fit) -> bool:
    """Whether rounding by its path makes what a fit leaves."""
    if fit.noise.variance.sum() > VAGUE**2 * np.square(fit.state.output).sum():
        return False
    return fit.chi_square < FITS_BELOW


def paths_for(format: Format, tf32: bool = False) -> tuple[Path, ...]:
    """Return the paths that numbers of a format may have come; TF32 only where that is said."""
    return tuple(path for path in paths_of(format) if tf32 or path != "tf32")


def chosen(
    rows: Rows,
    near: Parameters,
    format: Format,
    paths: tuple[Path, ...],
    expected: Rounding | None = None,
) -> Choice:
    """Fit a head with the parameters that it needs.

    Args:
        rows: Of the head, under one mask.
        near: Parameters that are near; they may have a cap and a sink.
        format: Of the output.
        paths: The paths of rounding that it may have come.
        expected: What rounding makes of a head with those parameters, if they are expected, and so
            tried first.

    Returns:
        The simplest set of parameters whose reduced χ² is below 2 under its likeliest path; a
        larger one only if each that is added is 4.5 clustered errors from none, and raises
        2 ln L by the number of rows, and at least by 20. Such are tried only where one that is
        added to the simplest set is 3 errors from none, under any path.
    """
    if expected is not None:
        first = _warm(expected, paths)
        if first is not None:
            return first
    plain, _ = aligned(rows, replace(near, curvature=0.0))
    plain = replace(plain, sink=0.0, value_scale=_scale(rows, replace(plain, sink=0.0)))
    fits = [refine(rows, compute(rows, plain), PLAIN, format, path) for path in paths]
    beside = [_with_extras(rows, fit) for fit in fits]
    likeliest = max(fits, key=lambda fit: (explains(fit), fit.log_likelihood))
    if explains(likeliest) and not any(map(_lacks, beside)):
        extras = beside[fits.index(likeliest)]
        rounding = Rounding(rows, likeliest.state, format)
        return _choice(rows, likeliest, extras, rounding, paths)
    whole, _ = aligned(rows, near, ("multiplier", "curvature"))
    for path in paths:
        full = refine(rows, compute(rows, whole), (*PLAIN, *EXTRAS), format, path)
        fits.extend(_between(rows, fits[: len(paths)], full, format, path))
    # A fit that went astray is none.
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


def _warm(rounding: Rounding, paths: tuple[Path, ...]) -> Choice | None:
    """Return the fit from parameters that are expected, if it explains the head and lacks none."""
    rows, near, stored = rounding.rows, rounding.state.parameters, rounding.format
    path = rounding.likeliest(paths)
    fit = _expected_fit(rounding, path)
    if _has_moved(near, fit.parameters, ANEW):
        # Noise is that of where the fit arrives.
        rounding = Rounding(rows, fit.state, stored)
    other = rounding.likeliest(paths, fit.state)
    if other != path:
        path = other
        fit = _expected_fit(rounding, path)
    if _has_moved(near, fit.parameters, FAR_M):
        # The noise of a path that rounds more may have hidden that the fit had not arrived.
        for finer in paths[: paths.index(path)]:
            nearer = refine(rows, fit.state, fit.names, stored, finer)
            if nearer.log_likelihood > fit.log_likelihood:
                fit, path = nearer, finer
                rounding = Rounding(rows, fit.state, stored)
    # What is far nearer than a path makes it came another.
    is_near = fit.chi_square > LEAST_NEAR or path == paths[0]
    if not (is_near and explains(fit) and _is_sure(fit, PLAIN)):
        return None
    extras = _with_extras(rows, fit)
    return None if _lacks(extras) else _choice(rows, fit, extras, rounding, paths)


def _expected_fit(rounding: Rounding, path: Path) -> Fit:
    """Return the fit from where rounding is known: one step, if slopes are as good as constant."""
    rows, start = rounding.rows, rounding.state
    names, weighed = _names(start.parameters), rounding.by(path)
    along = slopes(rows, start, names)
    freed = weighed.freed(along)
    residual = weighed.freed(rows.output - start.output)
    step = coefficients(freed, residual)
    values = np.array([getattr(start.parameters, name) for name in names])
    far = float(np.max(np.abs(step) / np.maximum(np.abs(values), 1e-300)))
    change = np.tensordot(step, freed, 1)
    # What a second step would change, in units of the noise, is about the first, times the share
    # by which numbers moved, times what logits change by that.
    logits = float(start.logits.max() - start.logits.min())
    if not far * (1 + logits) * float(np.linalg.norm(change)) < STRAIGHT:
        return refine(rows, start, names, rounding.format, path, FAR_ROUNDS)
    parameters = start.parameters.moved(names, step)
    mixed = (start.output + np.tensordot(step, along, 1)) / parameters.value_scale
    state = replace(start, parameters=parameters, mixed=mixed)
    return Fit(names, state, path, weighed, residual - change, freed)


def _has_moved(start: Parameters, end: Parameters, share: float) -> bool:
    """Return whether m changed by more than a share."""
    return abs(end.multiplier - start.multiplier) > share * abs(start.multiplier)


def hopeless(rows: Rows, near: Parameters, off: float, format: Format, path: Path) -> bool:
    """Return whether directions are so far off that no cap, sink or path can make them fit.

    Args:
        rows: Of the head, under one mask.
        near: Parameters, as `aligned` finds them.
        off: And how far off they are.
        format: Of the output.
        path: That which rounds most.
    """
    if not _far(rows, near, off, format, path):
        return False
    return _far(rows, *aligned(rows, near, ("multiplier", "curvature")), format, path)


def _far(rows: Rows, near: Parameters, off: float, format: Format, path: Path) -> bool:
    """Return whether directions are farther off than a path of rounding makes them."""
    size = np.maximum(np.square(rows.output).sum(axis=1), 1e-300)
    made = variance(rows, compute(rows, near), format, path).sum(axis=1) / size
    return off > 3 * float(np.sqrt(made.mean()))


def _between(rows: Rows, plain: list[Fit], full: Fit, format: Format, path: Path) -> list[Fit]:
    """Return the fits with one extra and with both where the full one says that any is needed."""
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
    """Return whether a larger set is to be taken."""
    more = len(fit.names) - len(simpler.names)
    if 2 * (fit.log_likelihood - simpler.log_likelihood) < more * _gain(fit):
        return False
    return _is_sure(fit, simpler.names)


def _is_sure(fit: Fit, simpler: tuple[Name, ...]) -> bool:
    """Return whether each parameter besides those of a simpler set is surely there."""
    added = [name for name in fit.names if name not in simpler]
    if not added:
        return True
    known = numbers(fit.products, fit.path)
    more = [known[name] for name in added]
    return all(abs(number.value) > SURE * _error(number) for number in more)


def _gain(fit: Fit) -> float:
    return max(LEAST_GAIN, float(len(fit.residual)))


def _error(number: Number) -> float:
    return number.error if number.df else number.error / SURE


def _lacks(beside: Mapping[Name, Extra]) -> bool:
    """Return whether an extra is worth a fit of its own; it is judged by that."""
    added = [extra.numbers[name] for name, extra in beside.items()]
    return any(abs(number.value) > 3 * _error(number) for number in added)


def _names(parameters: Parameters) -> tuple[Name, ...]:
    extras = [name for name in EXTRAS if getattr(parameters, name) != 0]
    return (*PLAIN, *extras)


def _with_extras(rows: Rows, fit: Fit) -> dict[Name, Extra]:
    """Return, for each extra that is not in the fit, a fit that has it too."""
    missing = tuple(extra for extra in EXTRAS if extra not in fit.names)
    if not missing:
        return {}
    more = fit.noise.freed(slopes(rows, fit.state, missing))
    along = np.concatenate([fit.slopes, more])
    every = replace(fit, names=(*fit.names, *missing), slopes=along).products
    extras: dict[Name, Extra] = {}
    for extra in missing:
        with_extra = every.of((*fit.names, extra))
        normal = with_extra.by_row.sum(axis=0)
        pulls = dict(zip(fit.names, -solved(normal[:-1, :-1], normal[:-1, -1]), strict=True))
        extras[extra] = Extra(numbers(with_extra.stepped(), fit.path), pulls)
    return extras


def _choice(
    rows: Rows, fit: Fit, beside: dict[Name, Extra], rounding: Rounding, paths: tuple[Path, ...]
) -> Choice:
    known = numbers(fit.products, fit.path)
    known.update({extra: then.numbers[extra] for extra, then in beside.items()})
    if fit.path == "eager":
        if fit.parameters.curvature > 0:
            hidden = _hidden(rows, fit.state, rounding.format)
            known = allowed(fit, known, fit.noise.freed(hidden))
        else:
            known["curvature"] = unseen_cap(fit, known["curvature"], rounding.format)
    likelihoods = {fit.path: fit.log_likelihood}
    for path in rounding.likely(paths, fit.state):
        if path != fit.path:
            made = rounding.by(path)
            rest = made.freed(rows.output - fit.state.output)
            likelihoods[path] = replace(fit, noise=made, residual=rest).log_likelihood
    least = max(likelihoods.values()) - ODDS
    likeliest = sorted(likelihoods, key=lambda path: -likelihoods[path])
    remaining = tuple(path for path in likeliest if likelihoods[path] > least)
    sizes = {path: rounding.size(path) for path in paths}
    return Choice(fit, known, beside, remaining, sizes)


def _hidden(rows: Rows, state: State, format: Format) -> Floats:
    """Return what logits of which rounding hides a part of the cap add to the output."""
    by_key = state.weights * np.where(rows.seen, hidden_logits(state, format), 0.0)
    mean = by_key.sum(axis=1, keepdims=True)
    return np.asarray(state.parameters.value_scale * (by_key @ rows.values - mean * state.mixed))


def _scale(rows: Rows, parameters: Parameters) -> float:
    """Return the c that is best where all else is known."""
    mixed = compute(rows, parameters).mixed
    weight = 1 / np.maximum(np.square(rows.output).sum(axis=1, keepdims=True), 1e-300)
    return float((weight * mixed * rows.output).sum() / (weight * mixed * mixed).sum())
