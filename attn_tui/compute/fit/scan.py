"""A search from nothing: m, cap and window for which the output's rows point the right way."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.head import HELD, Floats, Parameters, Rows, capped

ROWS = 12
"""A scan looks at so many rows."""
DIRECTIONS = 16
"""Values are seen from so many directions, drawn at random: enough to tell structures apart."""
STDS = tuple(0.03 * 2.0**i for i in range(12))
"""Standard deviations of the logits that are tried."""
CAPS: tuple[float | None, ...] = (None, 50.0, 30.0, 20.0, 10.0)
"""Soft caps that are tried."""
PLAINLY = 1.5
"""A window must make the residual so many times smaller than none does."""


@dataclass(frozen=True)
class Candidate:
    """A structure that the scan found.

    Attributes:
        off: The root of the mean square sine between output and fit.
        near: m and the cap.
        window: Keys a query sees, its own among them; None is all up to its own.
    """

    off: float
    near: Parameters
    window: int | None


def chosen_rows(count: int) -> NDArray[np.intp]:
    """Return which of so many rows a scan looks at: evenly spread, the last among them."""
    return np.unique(np.linspace(0, count - 1, min(count, ROWS)).round().astype(np.intp))


def scan(rows: Rows, own: NDArray[np.intp] | None) -> list[Candidate]:
    """Try all multipliers, caps and windows on some rows.

    Args:
        rows: Of the head; their mask counts only where ``own`` is None.
        own: The key that each row stands at, shape (r,): windows back from there are tried, all
            at once by cumulative sums. None: no windows.

    Returns:
        The best few, best first.
    """
    some = chosen_rows(len(rows.output))
    part = rows.part(some)
    seen = np.abs(part.scores[part.seen])
    typical = float(np.sqrt(np.mean(np.square(seen)))) if seen.size else 0.0
    if not typical:
        return []
    found = []
    for std in STDS:
        for cap in CAPS:
            if cap is not None and 3 * std < cap / 8:
                continue
            near = Parameters(std / typical, curvature=0.0 if cap is None else cap**-2)
            found.append(best_window(part, near, None if own is None else own[some]))
    found.sort(key=lambda candidate: candidate.off)
    return found[:4]


def best_window(rows: Rows, near: Parameters, own: NDArray[np.intp] | None) -> Candidate:
    """Return how far off the directions are with these parameters and the best window."""
    values, units = seen_from(rows)
    z, _ = capped(near.multiplier * rows.scores.astype(HELD), near.curvature)
    if rows.bias is not None:
        z = z + rows.bias
    if own is None:
        z = np.where(rows.seen, z, -np.inf)
        p = np.exp(z - np.maximum(z.max(axis=1, keepdims=True), -1e300))
        return Candidate(_off(sines(p @ values, units).mean()), near, None)
    longest = int(own.max()) + 1
    total = np.zeros(longest)
    for i, last in enumerate(own):
        if last < 0:
            continue
        # A query may stand behind the last key: windows that do not reach back to it are empty.
        beyond = max(int(last) + 1 - len(values), 0)
        back = slice(int(last) - beyond, None, -1)
        one = z[i, back]
        p = np.exp(one - one.max())
        sums = np.cumsum(p[:, None] * values[back], axis=0)
        apart = sines(sums, units[i])
        total[:beyond] += 1.0
        total[beyond : beyond + len(apart)] += apart
        total[beyond + len(apart) :] += apart[-1]
    total /= len(own)
    best = int(np.argmin(total))
    without = _off(total[-1])
    if without <= PLAINLY * _off(total[best]):
        return Candidate(without, near, None)
    return Candidate(_off(total[best]), near, best + 1)


def seen_from(rows: Rows) -> tuple[Floats, Floats]:
    """Return values and the output's directions, seen from a few directions only."""
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


def _off(square: float) -> float:
    return float(np.sqrt(square))


def distinct(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates without those that repeat another's window with a near multiplier."""
    kept: list[Candidate] = []
    for one in candidates:
        same = [
            other
            for other in kept
            if other.window == one.window
            and 0.4 < one.near.multiplier / other.near.multiplier < 2.5
            and (other.near.curvature > 0) == (one.near.curvature > 0)
        ]
        if not same:
            kept.append(one)
    return kept
