"""Rows of the output that do not fit while all others do."""

from collections.abc import Iterator

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

    Of each mask, the multiplier near 1/√d_k and what a scan finds are tried. Directions
    alone are looked at: a row that is far off is so by 1 at most, and does not turn the fit.
    """
    most = int(len(head.rows) * SHARE)
    best: NDArray[np.bool_] | None = None
    least = np.inf
    for rows, near in _structures(head) if most else ():
        sines = _sines(rows, near)
        odd = sines > FAR * np.median(sines)
        if not 0 < odd.sum() <= most:
            continue
        kept = rows.part(np.flatnonzero(~odd))
        nearer, off = aligned(kept, near)
        odd = _sines(rows, nearer) > FAR * max(off, 1e-9)
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


def _sines(rows: Rows, near: Parameters) -> Floats:
    """Return the sine between each row of the output and the fit, shape (r,)."""
    mixed = compute(rows, near).mixed
    along = (mixed * rows.output).sum(axis=1)
    square = np.square(mixed).sum(axis=1) * np.square(rows.output).sum(axis=1)
    return np.asarray(np.sqrt(np.clip(1 - along**2 / np.maximum(square, 1e-300), 0, 1)))
