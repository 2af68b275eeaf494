"""Rows of the output that do not fit while all others do."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.model import Floats, Parameters, Rows, compute, rows_of
from attn_tui.compute.fit.scan import distinct, scan
from attn_tui.compute.fit.search import unwindowed
from attn_tui.compute.fit.solve import aligned
from attn_tui.compute.fit.usable import SHARE
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

FAR = 8.0
"""An odd row is so many times as far off as the others are."""


def odd_rows(head: HeadRows) -> NDArray[np.bool_] | None:
    """Return which few rows of the output lie far from what all others fit, shape (r,), or None.

    Of each mask, the multiplier near 1/√d_k and what a scan finds are tried. These are fitted to
    directions alone, which a row that is far off does not turn by much, and stretched rows not.
    """
    most = int(len(head.rows) * SHARE)
    best: NDArray[np.bool_] | None = None
    least = np.inf
    for rows, near in _structures(head) if most else ():
        away = _away(rows, near)
        odd = away > FAR * np.median(away)
        if not 0 < odd.sum() <= most:
            continue
        kept = rows.part(np.flatnonzero(~odd))
        nearer, off = aligned(kept, near)
        odd = _away(rows, nearer) > FAR * max(off, 1e-9)
        if off < least and 0 < odd.sum() <= most:
            best, least = odd, off
    return best


def _structures(head: HeadRows) -> Iterator[tuple[Rows, Parameters]]:
    """Yield rows under masks, with parameters that are near if the mask is right."""
    for mask in unwindowed(head):
        rows = rows_of(head, mask)
        yield rows, aligned(rows, Parameters(head.d_k**-0.5))[0]
        own = mask.own(head) if mask.kind == "causal" else None
        for one in distinct(scan(rows, own)):
            if one.window is None:
                there = rows
            else:
                window = HeadMask("window", mask.offset, one.window)
                there = rows.under(window.seen(head))
            if one.near.curvature > 0:
                yield there, aligned(there, one.near, ("multiplier", "curvature"))[0]
            else:
                yield there, aligned(there, one.near)[0]


def _away(rows: Rows, near: Parameters) -> Floats:
    """Return how far from the fit each row of the output is, as a share of its length, shape (r,).

    With ρ the length of a row over that of p·V without a sink, 1/ρ = (1 + e^b/Σ e^z)/c: a line in
    1/Σ e^z, level or laid so that half of the rows are above it (Theil 1950), whatever others are.
    """
    state = compute(rows, replace(near, value_scale=1.0, sink=0.0))
    square = np.square(state.mixed).sum(axis=1)
    along = (state.mixed * rows.output).sum(axis=1)
    size = square * np.square(rows.output).sum(axis=1)
    sine = np.sqrt(np.clip(1 - along**2 / np.maximum(size, 1e-300), 0, 1))
    inverse = square / along
    sums = (state.top + np.log(state.total))[:, 0]
    share = np.exp(np.clip(np.median(sums) - sums, -300, 300))
    order, half = np.argsort(share), len(share) // 2
    low, high = order[:half], order[-half:]
    steep = np.median((inverse[high] - inverse[low]) / np.maximum(share[high] - share[low], 1e-300))
    line = np.outer([0.0, steep], share)
    line += np.median(inverse - line, axis=1, keepdims=True)
    stretched = np.abs(inverse / line - 1)
    return np.asarray(np.hypot(sine, np.where(np.isfinite(stretched), stretched, 1.0).min(axis=0)))
