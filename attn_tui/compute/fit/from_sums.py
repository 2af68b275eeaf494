"""What a head was computed with, from the log-sum-exp of its rows: one number each."""

from collections.abc import Iterator
from dataclasses import replace
from math import log

import numpy as np

from attn_tui.compute.fit.diagnosis import Diagnosis, Path, Temperature
from attn_tui.compute.fit.estimates import Sink
from attn_tui.compute.fit.model import Floats, Name, Parameters, Rows, State, bend, compute
from attn_tui.compute.fit.noise import Format, coarsest, format_of, score_paths, score_variance
from attn_tui.compute.fit.regress import (
    Model,
    Regression,
    chi_square,
    multiplier_and_cap,
    regressed,
    with_cap,
)
from attn_tui.compute.fit.solve import Fit
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

STARTS = (0.05, 0.25, 0.5, 1.0, 2.0, 4.0, 12.0)
"""Multipliers to start from, in units of one that gives the logits a standard deviation of 1."""
SETS: tuple[tuple[Name, ...], ...] = (("multiplier",), ("multiplier", "sink"))
"""What is fitted, the simplest first."""
BASES = (1.0, log(2.0))
"""What a captured sum is multiplied by to be natural: some kernels take logarithms to base 2."""

Tried = tuple[float, int, float, HeadMask, Regression]
"""χ², the number of parameters, the base, the mask and the fit."""


def from_sums(
    head: HeadRows, rows: Rows, masks: tuple[HeadMask, ...], found: Diagnosis
) -> Diagnosis:
    """Complete a diagnosis from log-sum-exp alone.

    ln Σ e^(m·s) of one row has up to two solutions m, since it is convex; all rows are fitted
    together, from many starts, under each mask, to both bases, with a sink in the sum and without,
    with a cap and without.

    Args:
        head: With log-sum-exp.
        rows: The same in float64.
        masks: That are tried.
        found: With what is known of the rows.
    """
    assert head.log_sum_exp is not None
    spacing = format_of(coarsest(head.log_sum_exp, head.formats.get("lse", "float32")))
    stored = format_of(coarsest(head.queries, head.formats.get("q", "float32")))
    sums = head.log_sum_exp.astype(np.float64)[:, None]
    tried: list[Tried] = []
    for fitted in SETS:
        for mask in masks:
            there = rows.under(mask.seen(head))
            for base in BASES:
                for fit in _fits(there, sums, base, spacing, fitted):
                    tried.append((chi_square(fit), len(fit.fit.names), base, mask, fit))
        if any(one[0] < 2 for one in tried):
            # A sink in the sum besides would be one parameter more.
            break
    if all(one[0] >= 2 for one in tried):
        # Logits may have been rounded, and the best of these are near.
        path = score_paths(stored)[-1]
        tried.sort(key=lambda one: one[4].off)
        for _, _, base, mask, fit in tried[:4]:
            there = rows.under(mask.seen(head))
            rounded = _model(there, sums, base, spacing, path, stored)
            again = regressed(there, fit.fit.parameters, fit.fit.names, rounded, fit.off, path)
            every = [again]
            if "curvature" not in again.fit.names:
                every.append(with_cap(there, again, rounded, fit.off, path))
            tried += [(chi_square(one), len(one.fit.names), base, mask, one) for one in every]
    # A χ² below 2 is as good as any: then fewer parameters, base e, and the first mask.
    tried.sort(key=lambda one: (max(one[0], 2.0), one[1], -one[2], one[4].off))
    chi, size, base, mask, best = tried[0]
    lost = [("value_scale", "only log-sum-exp was captured")]
    off = _off(best, sums * base)
    found = replace(found, residual=off, fits=chi < 2.0, path=best.fit.path)
    known = best.numbers
    m = known["multiplier"]
    if not found.fits or m.half(0.95) > 0.5 * abs(m.value):
        why = "nothing fits" if not found.fits else "its 95 % interval is wide"
        names = ("multiplier", "softcap", "sink")
        return replace(found, undetermined=(*((name, why) for name in names), *lost))
    rivals = [
        one for one in tried[1:]
        if one[0] < 2.0 and one[1] <= size
        and abs(one[4].fit.parameters.multiplier - m.value) > 0.02 * abs(m.value)
    ]  # fmt: skip
    if rivals:
        other = rivals[0][4].fit.parameters.multiplier
        why = f"{m.value:.4g} and {other:.4g} give the same sums"
        names = ("multiplier", "softcap", "sink")
        return replace(found, undetermined=(*((name, why) for name in names), *lost))
    notes = ["Log-sum-exp is natural." if base == 1.0 else "Log-sum-exp is to base 2."]
    sink = None
    if "sink" in known:
        notes.append("The sink is in it.")
        sink = Sink(known["sink"], best.fit.parameters.level, True)
    else:
        lost.append(("sink", "log-sum-exp holds none"))
    alike = [one[4] for one in tried if one[2:4] == (base, mask)]
    multiplier, cap = multiplier_and_cap(alike, best, stored, _summed)
    return replace(
        found, multiplier=multiplier, softcap=cap, sink=sink, mask=mask,
        temperature=Temperature("constant"), undetermined=tuple(lost),
        notes=(*found.notes, *notes),
    )  # fmt: skip


def _summed(fit: Fit, by_logit: Floats) -> Floats:
    """Return how log-sum-exps change with the logits."""
    return np.asarray((fit.state.weights * by_logit).sum(axis=1, keepdims=True))


def _off(best: Regression, data: Floats) -> float:
    left = best.fit.residual * np.sqrt(best.fit.noise.variance)
    return float(np.linalg.norm(left)) / (float(np.linalg.norm(data)) or 1.0)


def _model(
    rows: Rows, sums: Floats, base: float, spacing: Format, path: Path, format: Format
) -> Model:
    """Return the model of log-sum-exp, with the variance of its rounding and of the logits'."""
    data = sums * base
    rounding = np.square(spacing.spacing(sums) * base) / 12 + np.square(2.0**-23 * data)

    def model(state: State, names: tuple[Name, ...]) -> tuple[Floats, Floats, Floats]:
        at = state.parameters
        by_score = np.square(state.weights) * score_variance(rows, state, format, path)
        if path == "tf32":
            # What a query loses is the same for all keys, and does not average out.
            by_score *= 4
        parts = []
        for name in names:
            if name == "multiplier":
                along = (state.weights * rows.scores * state.slope).sum(axis=1, keepdims=True)
            elif name == "curvature":
                bent = bend(at.multiplier * rows.scores, state.logits, state.slope, at.curvature)
                along = (state.weights * bent).sum(axis=1, keepdims=True)
            else:
                along = np.exp(np.clip(at.level - state.top, -300, 300)) / state.total
            parts.append(along)
        left = data - state.top - np.log(state.total)
        return left, np.stack(parts), rounding + by_score.sum(axis=1, keepdims=True)

    return model


def _fits(
    rows: Rows, sums: Floats, base: float, spacing: Format, names: tuple[Name, ...]
) -> Iterator[Regression]:
    """Yield the best two fits of some parameters from many starts, each with a cap besides too."""
    data = sums * base
    size = float(np.sqrt(np.square(data).mean())) or 1.0
    model = _model(rows, sums, base, spacing, "float32", spacing)
    seen = rows.scores[rows.seen]
    typical = float(np.sqrt(np.mean(np.square(seen)))) or 1.0
    level = float(np.median(data)) - 1.0
    found: list[Regression] = []
    for start in STARTS:
        at = Parameters(start / typical, level=level)
        if "sink" in names:
            # What the sums have more than a guess explains is a guess of the sink.
            state = compute(rows, at)
            more = np.exp(data - level) - np.exp(state.top + np.log(state.total) - level)
            at = replace(at, sink=float(np.clip(np.median(more), 1e-3, 1e3)))
        fit = regressed(rows, at, names, model, size)
        m = fit.fit.parameters.multiplier
        others = [one.fit.parameters.multiplier for one in found]
        if all(abs(m - other) > 1e-3 * abs(other) for other in others):
            found.append(fit)
    found.sort(key=chi_square)
    for fit in found[:2]:
        yield fit
        yield with_cap(rows, fit, model, size, "float32")
