"""Masks that a head may have in place of the expected one."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.head import FLOAT64, FitRows, Floats, Parameters, capped
from attn_tui.compute.heads.mask import HeadMask, upper_triangle
from attn_tui.compute.heads.rows import HeadRows

LEAST = 4
"""The least number of rows that must see a key."""
_NUMBERS = 64
"""The least number of output values that these rows must have together."""
_ROWS = 64
"""The most rows to use."""
MOST = 0.5
"""The share of rows that must see a key."""
DIRECTIONS = 16
"""The number of random directions that values are projected on: enough to tell masks apart."""
PLAINLY = 1.5
"""A mask must make the residual this many times smaller than it is without the mask."""


def open_masks(head: HeadRows) -> list[HeadMask]:
    """Return the causal masks at either corner and no mask: those plausible without being named."""
    corner = head.n_keys - head.n_queries
    corners = [0] if head.positions is not None or corner <= 0 else [corner, 0]
    masks = [*(HeadMask("causal", offset) for offset in corners), HeadMask("none")]
    return distinct(head, masks)


def distinct(head: HeadRows, masks: list[HeadMask]) -> list[HeadMask]:
    """Return the masks under which most rows see a key; of equivalent masks only the first."""
    kept: list[HeadMask] = []
    before: list[NDArray[np.bool_]] = []
    for mask in masks:
        seen = mask.seen(head)
        is_sensible = seen.any(axis=1).mean() > MOST
        if is_sensible and not any(np.array_equal(seen, other) for other in before):
            kept.append(mask)
            before.append(seen)
    return kept


def other_masks(head: HeadRows, expected: HeadMask) -> Iterator[HeadMask]:
    """Yield the alternatives to a mask that can be listed without a fit.

    The same inverted; the keys from the query's own on; causal at either corner, or one key off;
    none; a window longer or shorter by one, to either side; a chunk dropped.
    """
    if not expected.inverted:
        yield replace(expected, inverted=True)
    if expected.kind in ("none", "causal"):
        yield upper_triangle(expected)
    if expected.window is not None:
        step = 2 if expected.kind == "local" else 1
        for by in (step, -step):
            if expected.window + by > 0:
                yield replace(expected, window=expected.window + by)
    if expected.by_position and expected.offset is not None:
        # The query's own key is hidden, or it sees one key ahead.
        for by in (-1, 1):
            yield replace(expected, offset=expected.offset + by)
    if expected.kind == "none":
        yield from (HeadMask("causal", by) for by in (-1, 0, 1))
    if expected.kind == "local" and expected.window is not None:
        yield replace(expected, window=2 * expected.window)
    if expected.chunk is not None:
        yield replace(expected, chunk=None)
        yield HeadMask("window", expected.offset, expected.chunk)
    yield from open_masks(replace(head, seen=None))


def windowed(
    rows: FitRows, head: HeadRows, mask: HeadMask, parameters: Parameters
) -> HeadMask | None:
    """Return a causal mask with the window that the output shows, if it shows one plainly.

    All windows are tried at once, by cumulative sums back from the query's own key.
    """
    if mask.kind != "causal" or mask.packed or mask.hidden:
        return None
    positions = mask.positions(head)
    part, weights = _weights(rows.under(np.ones_like(rows.seen)), parameters)
    values, units = seen_from(part)
    positions = positions[_some(len(rows.output))]
    total = np.zeros(max(int(positions.max()) + 1, 1))
    for one, unit, last in zip(weights, units, positions, strict=True):
        if last < 0:
            continue
        # A query may stand past the last key: windows that do not reach back to it are empty.
        beyond = max(int(last) + 1 - len(values), 0)
        back = slice(int(last) - beyond, None, -1)
        apart = sines(np.cumsum(one[back, None] * values[back], axis=0), unit)
        total[:beyond] += 1.0
        total[beyond : beyond + len(apart)] += apart
        total[beyond + len(apart) :] += apart[-1]
    best = int(np.argmin(total))
    is_plain = np.sqrt(total[-1]) > PLAINLY * np.sqrt(total[best])
    return replace(mask, kind="window", window=best + 1) if is_plain else None


def local(rows: FitRows, head: HeadRows, mask: HeadMask, parameters: Parameters) -> HeadMask | None:
    """Return a mask of keys to either side that the output shows in place of none, or None.

    All reaches are tried at once, by cumulative sums from the query's own key outwards.
    """
    if mask.kind != "none" or mask.packed or mask.hidden:
        return None
    positions = replace(mask, kind="local", offset=mask.offset or 0).positions(head)
    part, weights = _weights(rows.under(np.ones_like(rows.seen)), parameters)
    values, units = seen_from(part)
    away = np.abs(np.arange(len(values)) - positions[_some(len(rows.output)), None])
    reaches = np.arange(int(away.max()) + 1)
    total = np.zeros(len(reaches))
    for one, unit, distances in zip(weights, units, away, strict=True):
        outwards = np.argsort(distances, kind="stable")
        sums = np.cumsum(one[outwards, None] * values[outwards], axis=0)
        counts = np.searchsorted(distances[outwards], reaches, side="right")
        total += np.where(counts > 0, sines(sums[np.maximum(counts - 1, 0)], unit), 1.0)
    best = int(np.argmin(total))
    is_plain = np.sqrt(total[-1]) > PLAINLY * np.sqrt(total[best])
    if not is_plain or not best:
        return None
    return replace(mask, kind="local", offset=mask.offset or 0, window=2 * best)


def assumed_masks(
    head: HeadRows, mask: HeadMask, rows: FitRows, parameters: Parameters
) -> list[HeadMask]:
    """Return the masks with padding, packed texts or a prefix that the output shows.

    Args:
        head: The head; with a captured mask there are none.
        mask: The mask apart from padding, packing and prefix.
        rows: The head, under any mask.
        parameters: Parameters near the true ones; only m and the cap count.
    """
    if head.seen is not None or mask.kind == "given" or mask.hidden or mask.packed:
        return []
    every = rows.under(mask.seen(head))
    masks = [_prefixed(head, mask, rows, parameters)]
    hidden = _padded(every, mask, parameters)
    masks.append(hidden)
    if hidden is not None:
        masks.append(_packed(head, every, hidden, parameters))
    return [other for other in masks if other is not None]


def _some(count: int) -> NDArray[np.intp]:
    """Return the places of the rows to use: evenly spread, including the last."""
    return np.unique(np.linspace(0, count - 1, min(count, _ROWS)).round().astype(np.intp))


def _weights(rows: FitRows, parameters: Parameters) -> tuple[FitRows, NDArray[np.float64]]:
    """Return some rows, and e^z of all keys up to a factor for each row."""
    part = rows.part(_some(len(rows.output)))
    z, _ = capped(parameters.multiplier * part.scores.astype(FLOAT64), parameters.curvature)
    if part.bias is not None:
        z = z + part.bias
    z = np.where(part.seen, z, -np.inf)
    return part, np.exp(z - np.maximum(z.max(axis=1, keepdims=True), -1e300))


def _padded(rows: FitRows, mask: HeadMask, parameters: Parameters) -> HeadMask | None:
    """Return a mask with keys hidden at one end, if the output's directions show that, or None.

    All lengths are tried at once, by cumulative sums from either end. A row that then sees no key,
    as rows of padding do, is left out: models give it the mean of all values, 0, or anything.
    """
    part, p = _weights(rows, parameters)
    values, units = seen_from(part)
    least = max(LEAST, -(-_NUMBERS // max(part.output.shape[1], 1)))
    n = len(values)
    # The mean sin² if only keys from i on, or only keys up to i, are seen.
    off = np.full((2, n), np.inf)
    for side, back in enumerate((slice(None, None, -1), slice(None))):
        total, count = np.zeros(n), np.zeros(n)
        for one, sees, unit in zip(p[:, back], part.seen[:, back], units, strict=True):
            there = np.logical_or.accumulate(sees)
            total += there * sines(np.cumsum(one[:, None] * values[back], axis=0), unit)
            count += there
        off[side] = np.where(count >= least, total / np.maximum(count, 1.0), np.inf)[back]
    side, key = (int(i) for i in np.unravel_index(np.argmin(off), off.shape))
    without = min(off[0, 0], off[1, -1])
    if not np.sqrt(without) > PLAINLY * np.sqrt(off[side, key]):
        return None
    hidden = (0, key - 1) if side == 0 else (key + 1, n - 1)
    return replace(mask, hidden=hidden)


def _packed(
    head: HeadRows, every: FitRows, hidden: HeadMask, parameters: Parameters
) -> HeadMask | None:
    """Return a mask of packed texts; the last text begins after the hidden keys."""
    mask, positions = replace(hidden, hidden=None), hidden.positions(head)
    starts: tuple[int, ...] = ()
    padded: HeadMask | None = hidden
    while mask.by_position and padded is not None and padded.hidden and padded.hidden[0] == 0:
        if starts and padded.hidden[1] + 1 >= starts[0]:
            break
        starts = (padded.hidden[1] + 1, *starts)
        before = np.flatnonzero(positions < starts[0])
        if not len(before):
            return None
        padded = _padded(every.part(before), mask, parameters)
    return replace(mask, packed=starts) if starts else None


def _prefixed(
    head: HeadRows, mask: HeadMask, rows: FitRows, parameters: Parameters
) -> HeadMask | None:
    """Return a causal mask with a prefix that every row sees, if the output shows one, or None."""
    if mask.kind != "causal" or mask.window or mask.chunk:
        return None
    part, p = _weights(rows.under(np.ones_like(rows.seen)), parameters)
    positions = mask.positions(head)
    positions = positions[_some(len(rows.output))]
    values, units = seen_from(part)
    total = np.zeros(len(values) + 1)
    for one, unit, last in zip(p, units, positions, strict=True):
        least = min(max(int(last) + 1, 1), len(values))
        apart = sines(np.cumsum(one[:, None] * values, axis=0), unit)
        total[: least + 1] += apart[least - 1]
        total[least + 1 :] += apart[least:]
    best = int(np.argmin(total))
    if not np.sqrt(total[0]) > PLAINLY * np.sqrt(total[best]) or best == len(values):
        return None
    return replace(mask, prefix=best)


def seen_from(rows: FitRows) -> tuple[Floats, Floats]:
    """Return the values and the unit rows of the output, projected on a few directions."""
    d_v = rows.values.shape[1]
    view = np.eye(d_v)
    if d_v > DIRECTIONS:
        view = np.linalg.qr(np.random.default_rng(0).standard_normal((d_v, DIRECTIONS)))[0]
    units = rows.output @ view
    units /= np.maximum(np.linalg.norm(units, axis=1, keepdims=True), 1e-300)
    return rows.values @ view, units


def sines(mixed: Floats, units: Floats) -> Floats:
    """Return sin² between vectors and directions, 1 where a vector is 0."""
    square = np.square(mixed).sum(axis=-1)
    along = (mixed * units).sum(axis=-1)
    return np.asarray(1 - np.square(along) / np.maximum(square, 1e-300)).clip(0.0, 1.0)
