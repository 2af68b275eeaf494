"""Keys at one end that rows of the output do not see, though nothing captured says so: padding."""

from dataclasses import replace

import numpy as np

from attn_tui.compute.fit.model import Parameters, Rows, capped
from attn_tui.compute.fit.scan import PLAINLY, seen_from, sines
from attn_tui.compute.fit.usable import taken
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

LEAST = 4
"""Rows that have to be left, at least."""
_NUMBERS = 64
"""And so many numbers of the output."""
_ROWS = 64
"""So many rows are looked at."""


def padded(rows: Rows, mask: HeadMask, near: Parameters) -> tuple[float, HeadMask] | None:
    """Return a mask with keys hidden at one end, where the output's directions say so, or None.

    All lengths are tried at once, by sums of keys from either end. A row that sees no key then, as
    those of padding, is left out: models give it the mean of all values, 0, or anything.

    Args:
        rows: Of the head, under the mask.
        mask: Which keys are seen but for padding.
        near: Parameters, of which the multiplier and the cap count.

    Returns:
        The mask, after the mean square sine between output and fit.
    """
    some = np.linspace(0, len(rows.output) - 1, min(len(rows.output), _ROWS)).round()
    part = rows.part(np.unique(some.astype(np.intp)))
    values, units = seen_from(part)
    z, _ = capped(near.multiplier * part.scores, near.curvature)
    if part.bias is not None:
        z = z + part.bias
    z = np.where(part.seen, z, -np.inf)
    p = np.exp(z - np.maximum(z.max(axis=1, keepdims=True), -1e300))
    least = max(LEAST, -(-_NUMBERS // max(part.output.shape[1], 1)))
    n = len(values)
    # From key i on, and up to key i.
    off = np.full((2, n), np.inf)
    for side, back in enumerate((slice(None, None, -1), slice(None))):
        total, count = np.zeros(n), np.zeros(n)
        for one, sees, unit in zip(p[:, back], part.seen[:, back], units, strict=True):
            there = np.logical_or.accumulate(sees)
            total += there * sines(np.cumsum(one[:, None] * values[back], axis=0), unit)
            count += there
        off[side] = np.where(count >= least, total / np.maximum(count, 1.0), np.inf)[back]
    side, at = (int(i) for i in np.unravel_index(np.argmin(off), off.shape))
    without = min(off[0, 0], off[1, -1])
    if not np.sqrt(without) > PLAINLY * np.sqrt(off[side, at]):
        return None
    hidden = (0, at - 1) if side == 0 else (at + 1, n - 1)
    return float(off[side, at]), replace(mask, hidden=hidden)


def seeing(head: HeadRows, mask: HeadMask) -> HeadRows | None:
    """Return the rows of a head that see a key, or None if these are too few to tell anything."""
    sees = np.asarray(mask.seen(head).any(axis=1))
    if sees.all():
        return head
    return taken(head, np.flatnonzero(sees)) if int(sees.sum()) >= LEAST else None
