"""What a head was computed with, from its weights: a regression of ratios of theirs."""

from dataclasses import replace

import numpy as np

from attn_tui.compute.fit.diagnosis import Diagnosis, Path, Temperature
from attn_tui.compute.fit.estimates import Number, Sink, Whole
from attn_tui.compute.fit.model import Floats, Name, Parameters, Rows, State, bend, compute
from attn_tui.compute.fit.noise import Format, coarsest, format_of, score_paths, score_variance
from attn_tui.compute.fit.regress import (
    Model,
    Regression,
    multiplier_and_cap,
    regressed,
    simplest,
    with_cap,
)
from attn_tui.compute.fit.solve import Fit
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

PLAIN: tuple[Name, ...] = ("multiplier",)


def mask_of(head: HeadRows) -> HeadMask:
    """Return the mask that the weights show: those that are 0 are masked, or too small."""
    assert head.weights is not None
    if head.seen is not None:
        return HeadMask("given")
    there = head.weights > 0
    keys = np.arange(head.n_keys)
    for corner in dict.fromkeys((head.n_keys - head.n_queries, 0)):
        mask = HeadMask("causal", corner)
        own = mask.own(head)
        if (there & (keys > own[:, None])).any():
            continue
        back = own - there.argmax(axis=1) + 1
        window = int(back.max())
        # Every row that could see more must stop at the same key, or nearly.
        longer = own + 1 > window
        if longer.any() and (back[longer] >= window - 2).mean() > 0.9:
            return HeadMask("window", corner, window)
        return mask
    return HeadMask("none")


def model_of(rows: Rows, weights: Floats, format: Format, path: Path) -> Model:
    """Return the model of ln p less its mean over a row, weighed by variances."""
    held = np.where(weights > 0, weights, 1.0)
    data = np.log(held)
    rounding = np.square(format.spacing(held) / held) / 12
    least = 64 * 2.0**format.least
    counts = rows.seen & (weights > least)

    def model(state: State, names: tuple[Name, ...]) -> tuple[Floats, Floats, Floats]:
        at = state.parameters
        z = state.logits if rows.bias is None else state.logits + rows.bias
        variance = rounding + score_variance(rows, state, format, path)
        variance = np.where(counts, variance, np.inf)
        share = 1 / variance
        share /= np.maximum(share.sum(axis=1, keepdims=True), 1e-300)

        def centred(values: Floats) -> Floats:
            return np.where(counts, values - (share * values).sum(axis=1, keepdims=True), 0.0)

        along = {
            "multiplier": lambda: rows.scores * state.slope,
            "curvature": lambda: bend(
                at.multiplier * rows.scores, state.logits, state.slope, at.curvature
            ),
        }
        slopes = np.stack([centred(np.asarray(along[name]())) for name in names])
        return centred(data - z), slopes, variance

    return model


def from_weights(head: HeadRows, rows: Rows, found: Diagnosis) -> Diagnosis:
    """Complete a diagnosis from the weights alone: ln p_ij − ln p_il is z_ij − z_il.

    Args:
        head: With weights.
        rows: The same in float64, its mask that of the weights.
        found: With what is known of the rows.
    """
    assert head.weights is not None
    weights = head.weights.astype(np.float64)
    spacing = format_of(coarsest(head.weights, head.formats.get("weights", "float32")))
    mask = mask_of(head)
    rows = rows.under(mask.seen(head))
    paths = score_paths(spacing)
    fits: list[Regression] = []
    start = Parameters(_slope(rows, weights))
    for path in paths:
        model = model_of(rows, weights, spacing, path)
        plain = regressed(rows, start, PLAIN, model, 1.0, path)
        fits.append(plain)
        fits.append(with_cap(rows, plain, model, 1.0, path))
    best, fits_well = simplest(fits, len(rows.seen))
    state = compute(rows, best.fit.parameters)
    total = weights.sum(axis=1)
    difference = float(np.linalg.norm(weights - state.weights * total[:, None]))
    found = replace(
        found, residual=difference / (float(np.linalg.norm(weights)) or 1.0), fits=fits_well,
        path=best.fit.path,
    )  # fmt: skip
    reason = "only weights were captured"
    if not fits_well:
        why = "nothing fits the weights"
        names = ("multiplier", "softcap", "sink", "mask")
        lost = tuple((name, why) for name in names)
        return replace(found, undetermined=(*lost, ("value_scale", reason)))
    known = best.numbers
    m = known["multiplier"]
    if int(rows.seen.sum(axis=1).max()) < 2 or m.half(0.95) > 0.5 * abs(m.value):
        lost = (("multiplier", "the weights do not tell it"), ("value_scale", reason))
        return replace(found, undetermined=lost, mask=mask)
    multiplier, cap = multiplier_and_cap(fits, best, spacing, _centred)
    return replace(
        found, multiplier=multiplier, softcap=cap,
        sink=_sink(rows, weights, best, spacing), mask=mask, temperature=Temperature("constant"),
        window=Whole(mask.window, mask.window, mask.window) if mask.window else None,
        undetermined=(("value_scale", reason),),
    )  # fmt: skip


def _centred(fit: Fit, by_logit: Floats) -> Floats:
    """Return how logs less their mean change with the logits."""
    share = 1 / fit.noise.variance
    total = np.maximum(share.sum(axis=1, keepdims=True), 1e-300)
    return np.asarray(by_logit - (share * by_logit).sum(axis=1, keepdims=True) / total)


def _slope(rows: Rows, weights: Floats) -> float:
    """Return m from a plain regression of ln p on s within rows."""
    there = rows.seen & (weights > 0)
    count = np.maximum(there.sum(axis=1, keepdims=True), 1)
    logs = np.log(np.where(there, weights, 1.0))
    if rows.bias is not None:
        logs = logs - rows.bias

    def centred(values: Floats) -> Floats:
        values = np.where(there, values, 0.0)
        return np.where(there, values - values.sum(axis=1, keepdims=True) / count, 0.0)

    s, y = centred(rows.scores), centred(logs)
    square = float((s * s).sum())
    return float((s * y).sum()) / square if square else rows.d_k**-0.5


def _sink(rows: Rows, weights: Floats, best: Regression, format: Format) -> Sink | None:
    """Return the sink that takes what the weights lack of 1: e^b = (1/Σp − 1)·Σ e^z, by row."""
    state = compute(rows, replace(best.fit.parameters, sink=0.0))
    total = weights.sum(axis=1)
    if not (total > 0).all():
        return None
    sums = state.top[:, 0] + np.log(state.total[:, 0])
    level = float(np.median(sums))
    lacking = (1 / total - 1) * np.exp(np.clip(sums - level, -300, 300))
    rounding = np.square(format.spacing(weights)).sum(axis=1) / 12 + 2.0**-46
    error = np.sqrt(rounding) / total**2 * np.exp(np.clip(sums - level, -300, 300))
    share = 1 / np.square(error)
    share /= share.sum()
    value = float((share * lacking).sum())
    spread = float(np.sqrt((np.square(share * (lacking - value))).sum()))
    formal = float(np.sqrt(np.square(share * error).sum()))
    number = Number(value, max(spread, formal), max(len(total) - 1.0, 1.0) + 4)
    return Sink(number, level, abs(value) > 4.5 * number.error and value > 0)
