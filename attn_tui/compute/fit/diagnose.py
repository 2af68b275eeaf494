"""From the rows of a head to what it was computed with."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.diagnosis import Diagnosis, Estimate
from attn_tui.compute.fit.errors import numbers
from attn_tui.compute.fit.model import Name, Parameters, rows_of
from attn_tui.compute.fit.noise import PATHS, coarsest, format_of
from attn_tui.compute.fit.paths import Fitted, fitted, tells
from attn_tui.compute.fit.solve import coarse, relative_residual
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

PLAIN: tuple[Name, ...] = ("multiplier", "value_scale")


def diagnose(head: HeadRows, *, start: Diagnosis | None = None) -> Diagnosis:
    """Find what a head was computed with, from its queries, keys, values and output.

    Args:
        head: Some of its rows; 8 to 64 are usual.
        start: What another head of the same model was computed with: tried first.

    Returns:
        The diagnosis; if nothing fits, without a multiplier.
    """
    kept, notes = usable(head)
    if not len(kept):
        return nothing("no row of the output has a number other than 0", notes)
    head = taken(head, kept)
    assert head.output is not None
    spacing = format_of(coarsest(head.output, head.formats.get("out", "float32")))
    best: tuple[HeadMask, Fitted] | None = None
    first = head.d_k**-0.5
    for mask in masks(head):
        rows = rows_of(head, mask)
        state, _ = coarse(rows, Parameters(first), PLAIN)
        found = fitted(rows, state, PLAIN, spacing)
        if best is None or found.fit.log_likelihood > best[1].fit.log_likelihood:
            best = mask, found
    assert best is not None
    mask, found = best
    rows = rows_of(head, mask)
    errors = numbers(found.fit)
    keys = rows.seen.sum(axis=1)
    multiplier: Estimate | None = errors["multiplier"] if found.fits else None
    value_scale: Estimate | None = errors["value_scale"] if found.fits else None
    return Diagnosis(
        multiplier, value_scale, None, None, mask if found.fits else None, None, None,
        relative_residual(rows, found.fit.state), found.rounding,
        found.fit.path if tells(spacing) else None, found.fits,
        tuple(int(i) for i in head.rows), (int(keys.min()), int(keys.max())), notes=notes,
    )  # fmt: skip


def masks(head: HeadRows) -> tuple[HeadMask, ...]:
    """Return the masks that a head may have without a window, the likeliest first."""
    if head.seen is not None:
        return (HeadMask("given"),)
    corner = head.n_keys - head.n_queries
    causal = [HeadMask("causal", 0)]
    if corner and head.positions is None:
        causal.insert(0, HeadMask("causal", corner))
    different: list[HeadMask] = []
    for mask in (*causal, HeadMask("none")):
        seen = mask.seen(head)
        if seen.any(axis=1).all() and not any(
            np.array_equal(seen, m.seen(head)) for m in different
        ):
            different.append(mask)
    return tuple(different)


def usable(head: HeadRows) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Return which rows can be used, and what is to be said of the others."""
    assert head.output is not None
    finite = np.isfinite(head.output).all(axis=1) & np.isfinite(head.queries).all(axis=1)
    other = finite & head.output.any(axis=1)
    notes = []
    if (zero := int((finite & ~other).sum())) > 0:
        notes.append(f"{zero} rows of the output are all 0 and are left out")
    if (bad := int((~finite).sum())) > 0:
        notes.append(f"{bad} rows hold NaN or infinity and are left out")
    return np.flatnonzero(other), tuple(notes)


def taken(head: HeadRows, at: NDArray[np.intp]) -> HeadRows:
    """Return only some of a head's rows, by their place."""
    if len(at) == len(head.rows):
        return head

    def some(values: NDArray[np.generic] | None) -> NDArray[np.generic] | None:
        return None if values is None else values[at]

    names = ("rows", "queries", "output", "scores", "weights", "log_sum_exp", "bias", "seen")
    parts = {name: some(getattr(head, name)) for name in (*names, "positions")}
    return replace(head, **parts)  # type: ignore[arg-type]


def nothing(reason: str, notes: tuple[str, ...] = ()) -> Diagnosis:
    """Return the diagnosis of a head of which nothing can be said."""
    names = ("multiplier", "value_scale", "softcap", "sink", "mask")
    return Diagnosis(
        None, None, None, None, None, None, None, 0.0, dict.fromkeys(PATHS, 0.0), None, False,
        (), (0, 0), tuple((name, reason) for name in names), notes=notes,
    )  # fmt: skip
