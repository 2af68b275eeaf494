"""How far weights made by some rule miss the capture, and how much of that is rounding."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np

from attn_tui.compute.fit.head import (
    Floats,
    Parameters,
    Path,
    Rows,
    State,
    cleared,
    compute,
    rows_of,
    slopes,
    taken,
    usable,
)
from attn_tui.compute.fit.noise import (
    SUMS,
    Format,
    coarsest,
    format_of,
    paths_of,
    score_variance,
    variance_along,
)
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.reconstruction import Weighing
from attn_tui.compute.heads.rows import HeadRows, Reals

MARGIN = 4.0
"""Weights are not those in use if they miss by more than this many times the rounding noise."""

CLOSE = 0.01
"""Weights also count as those in use if an m that is off by this share would miss as much: the
paths do not cover all arithmetic."""

SURE = 5.0
"""m may be off by this many standard deviations of the rounding noise."""

FLUSHED = 2.0**-126
"""Numbers up to this may have been flushed to 0."""

WIDE = 0.5
"""A capture does not tell m if an error of this share of m would not show."""


@dataclass(frozen=True)
class Miss:
    """How far weights miss the capture.

    Attributes:
        size: ‖captured − made‖/‖captured‖; NaN if there is nothing to compare.
        rounding: The size that rounding alone would make, by the assumed path.
        slope: The change of size for a relative change of m.
        shift: The relative change of m that would remove as much of the miss as possible.
        error: The standard deviation of shift that rounding makes.
        contrast: The slope in units of the rounding noise.
    """

    size: float
    rounding: float
    slope: float = nan
    shift: float = 0.0
    error: float = 0.0
    contrast: float = nan

    @property
    def allowed(self) -> float:
        """The largest size that rounding, or a tolerable error of m, explains."""
        return max(MARGIN * self.rounding, CLOSE * self.slope)

    @property
    def fits(self) -> bool:
        """Whether rounding, or a tolerable error of m, explains the miss."""
        return self.size <= self.allowed

    @property
    def within(self) -> float:
        """The share by which m may be off: the shift, and what rounding adds to it."""
        if not (self.slope > 0 and self.rounding > 0):
            return inf
        return abs(self.shift) + SURE * self.error * max(self.size / self.rounding, 1.0)

    @property
    def tells(self) -> bool:
        """Whether a multiplier that is far off would show in the capture."""
        return self.contrast * WIDE > MARGIN


def miss_of(
    head: HeadRows,
    weighing: Weighing,
    value_scale: float = 1.0,
    path: Path = "float32",
    quick: bool = False,
) -> Miss:
    """Return how far weights miss the captured output, or else the captured weights.

    Rows that are all 0, or that meet NaN or infinity, are left out.

    Args:
        head: Some rows of the head.
        weighing: The rule that makes the weights.
        value_scale: c of out = c·P·V.
        path: The rounding path, if the head's numbers have 16 bits.
        quick: Whether to stop, in a fraction of the time, if the spacing of the output alone
            explains the miss.
    """
    finite, clear = cleared(head, weighing.mask)
    kept, _ = usable(head, clear)
    if weighing.mask.hidden:
        # Models return anything for a row of padding.
        kept = kept[weighing.mask.seen(taken(head, kept)).any(axis=1)]
    if not len(kept):
        return Miss(nan, nan, nan)
    head, made = taken(finite, kept), weighing.map
    parameters = Parameters(
        made.multiplier,
        value_scale,
        0.0 if made.softcap is None else made.softcap**-2,
        0.0 if made.sink is None else 1.0,
        made.sink or 0.0,
    )
    with np.errstate(all="ignore"):
        if quick and (near := _spaced(head, weighing.mask, parameters)) is not None and near.fits:
            return near
        rows = rows_of(head, weighing.mask)
        every = _compared(head, rows, parameters, path)
        return min(every, key=lambda miss: miss.size, default=Miss(nan, nan, nan))


def _spaced(head: HeadRows, mask: HeadMask, parameters: Parameters) -> Miss | None:
    """Return the miss of an output, with the spacing of its own numbers as the only noise."""
    if head.output is None or head.values is None:
        return None
    spacing = format_of(coarsest(head.output, head.formats.get("out", "float32")))
    rows = rows_of(head, mask, np.result_type(head.queries, head.keys, np.float32))
    state = compute(rows, parameters)
    noise = np.square(spacing.spacing(rows.output)) / 12
    noise += SUMS * 2.0**-48 * np.square(rows.output).mean()
    along = parameters.multiplier * slopes(rows, state, ("multiplier",))[0]
    spread = float((noise * np.square(along)).sum())
    return _of(rows.output, state.output, noise, along, spread)


def _compared(head: HeadRows, rows: Rows, parameters: Parameters, path: Path) -> Iterator[Miss]:
    """Yield the miss of the output, or of the weights if only they were captured."""
    state = compute(rows, parameters)
    if head.output is not None and head.values is not None:
        spacing = format_of(coarsest(head.output, head.formats.get("out", "float32")))
        path = path if path in paths_of(spacing) else "float32"
        along = parameters.multiplier * slopes(rows, state, ("multiplier",))[0]
        noise, spread = variance_along(rows, state, spacing, path, along)
        yield _of(rows.output, state.output, noise, along, spread)
        return
    if (captured := head.weights) is not None:
        x = parameters.multiplier * rows.scores * state.slope
        spacing = format_of(coarsest(captured, head.formats.get("weights", "float32")))
        weights = captured.astype(np.float64)
        p, by_score = state.weights, _by_score(rows, state, spacing)
        noise = np.square(spacing.spacing(weights)) / 12 + np.square(p) * (
            by_score + (np.square(p) * by_score).sum(axis=1, keepdims=True)
        )
        along = p * (x - (p * x).sum(axis=1, keepdims=True))
        yield _of(weights, p, noise, along, common=p)


def _by_score(rows: Rows, state: State, spacing: Format) -> Floats:
    """Return the variance of logits under the path that rounds most."""
    return score_variance(rows, state, spacing, paths_of(spacing)[-1])


def _of(
    captured: Reals,
    made: Floats,
    noise: Floats,
    along: Floats,
    spread: float | None = None,
    common: Floats | None = None,
) -> Miss:
    """Return a miss, from the rounding variance of each number and of their sum along m.

    Without the latter, numbers are independent and each is weighed by its own variance, so that
    small weights tell of m, too. A multiple of ``common`` in each row tells nothing.
    """
    off, square = captured - made, float(np.square(along).sum())
    size = float(np.square(captured).sum()) or 1.0
    squares = (float(np.square(off).sum()), float(noise.sum()), square)
    missed, rounding, slope = (sqrt(total / size) for total in squares)
    contrast = slope / rounding if rounding else nan
    if spread is None:
        noise = noise + FLUSHED**2
        if common is not None:
            part = (along * common / noise).sum(axis=1, keepdims=True)
            whole = (common * common / noise).sum(axis=1, keepdims=True)
            along = along - part / np.maximum(whole, 1e-300) * common
        weighed = along / noise
        spread = square = float((weighed * along).sum())
        along, contrast = weighed, sqrt(square / along.size)
    if not square:
        return Miss(missed, rounding, slope, contrast=contrast)
    shift, error = float((off * along).sum()) / square, sqrt(spread) / square
    return Miss(missed, rounding, slope, shift, error, contrast)
