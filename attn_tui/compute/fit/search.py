"""Which structure a head has: its mask, window and parameters, the likeliest tried first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.by_row import row_factors, scaled, uneven
from attn_tui.compute.fit.choose import PLAIN, Choice, bare, chosen, hopeless
from attn_tui.compute.fit.diagnosis import Diagnosis, Path
from attn_tui.compute.fit.model import Floats, Name, Parameters, Rows, compute, rows_of
from attn_tui.compute.fit.noise import Format
from attn_tui.compute.fit.padding import padded, seeing
from attn_tui.compute.fit.scan import Candidate, best_offset, best_window, distinct, scan
from attn_tui.compute.fit.solve import aligned, refine
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

UNEVEN = 5.0
"""Rows have multipliers of their own only if these raise 2 ln L by so much a row."""


Moved = Literal["window", "offset"]
"""What of a mask is moved to the likeliest."""

HOPELESS = 0.7
"""The scan's steps in m are so fine that what is there leaves a mean sine well below this."""
PROBE = 6
"""Multipliers by row are tried on so many rows before all."""


@dataclass(frozen=True, eq=False)
class Attempt:
    """A structure, fitted.

    Attributes:
        head: The rows that are fitted: all, or those that see a key where others are padding.
        mask: Which keys are seen.
        rows: The head under that mask, its scores multiplied by the factors.
        choice: The fit.
        factors: What each row's scores are multiplied by, shape (r, 1), or None.
        alike: The least and the largest that fit as well of what was moved: windows, if there is
            one, else keys at which query 0 may stand, if it stands between the corners.
    """

    head: HeadRows
    mask: HeadMask
    rows: Rows
    choice: Choice
    factors: Floats | None = None
    alike: tuple[int, int] | None = None

    @property
    def fits(self) -> bool:
        """Whether the reduced χ² is below 2."""
        return self.choice.fits


def search(
    head: HeadRows, format: Format, start: Diagnosis | None = None, deep: bool = True
) -> Attempt:
    """Return the first structure that fits, or of those tried the one that comes nearest.

    First what another head was computed with; then 1/√d_k under each mask without a window; only
    if these fail a scan of multipliers, caps and windows; last, multipliers by row. What is not
    deep ends with the first of these that there is.
    """
    masks = unwindowed(head)
    rows = rows_of(head, masks[0])
    nearest: Attempt | None = None
    for attempt in _attempts(head, rows, masks, format, start, deep):
        if attempt.fits:
            return attempt
        if attempt.head is not head:
            continue  # What some rows come near to says nothing of all.
        if nearest is None or attempt.choice.fit.chi_square < nearest.choice.fit.chi_square:
            nearest = attempt
    if nearest is None:
        there = rows.under(masks[0].seen(head))
        near, _ = aligned(there, Parameters(head.d_k**-0.5))
        fit = refine(there, compute(there, near), PLAIN, format, "float32", 1)
        choice = bare(there, fit, format)
        if choice.fits:
            # Of what fits more is asked than how near it is.
            choice = chosen(there, near, format)
        nearest = Attempt(head, masks[0], there, choice)
    return nearest


def _attempts(
    head: HeadRows,
    rows: Rows,
    masks: tuple[HeadMask, ...],
    format: Format,
    start: Diagnosis | None,
    deep: bool,
) -> Iterator[Attempt]:
    if start is not None and (known := _known(start)) is not None:
        near, mask, path = known
        if mask.kind != "given" or head.seen is not None:
            bare = replace(mask, hidden=None, packed=())
            for each in dict.fromkeys((mask, bare)):
                if (some := seeing(head, each)) is not None:
                    there = rows_of(some, each)
                    attempt = Attempt(some, each, there, chosen(there, near, format, path))
                    yield _moved(attempt, format)
            yield from _padded(head, bare, [near], format)
            if not deep:
                return
    held = None if start is None else start.temperature
    if start is not None and start.sight is not None and held is not None and held.kind == "by row":
        if (by_row := _by_row(head, start.sight, rows, format)) is not None:
            yield by_row
        if not deep:
            return
    first = Parameters(head.d_k**-0.5)
    order: list[tuple[float, int, HeadMask, Rows, Parameters]] = []
    for mask in masks:
        there = rows.under(mask.seen(head))
        near, off = aligned(there, first)
        order.append((off, len(order), mask, there, near))
    order.sort(key=lambda one: one[:2])
    for off, _, mask, there, near in order:
        if off <= 3 * order[0][0] + 1e-6 and not hopeless(there, near, off, format):
            attempt = Attempt(head, mask, there, chosen(there, near, format))
            if attempt.fits and _is_uneven(attempt):
                by_row = _by_row(head, attempt.mask, rows, format)
                attempt = by_row if by_row is not None and by_row.fits else attempt
            yield attempt
    if not deep:
        return
    steps = [replace(first, multiplier=first.multiplier * 4.0**at) for at in range(-2, 3)]
    yield from _between(head, rows, steps, format)
    for _, _, mask, _, _ in order:
        yield from _padded(head, mask, steps, format)
    yield from _scanned(head, rows, masks, format)
    for mask in masks:
        if (by_row := _by_row(head, mask, rows, format)) is not None:
            yield by_row


def _scanned(
    head: HeadRows, rows: Rows, masks: tuple[HeadMask, ...], format: Format
) -> Iterator[Attempt]:
    """Try what a scan under each mask finds, the best first."""
    found: list[tuple[float, HeadMask, Candidate]] = []
    for mask in masks:
        own = mask.own(head) if mask.kind == "causal" else None
        there = rows.under(mask.seen(head))
        found.extend((one.off, mask, one) for one in distinct(scan(there, own)))
    found.sort(key=lambda one: one[0])
    for off, mask, one in found[:5]:
        if off > HOPELESS:
            return
        windowed = mask if one.window is None else replace(mask, kind="window", window=one.window)
        near = one.near
        names: tuple[Name, ...] = ("multiplier",)
        if near.curvature > 0:
            names = ("multiplier", "curvature")
        for _ in range(3):
            there = rows.under(windowed.seen(head))
            near, off = aligned(there, near, names)
            if mask.kind != "causal":
                break
            again = best_window(rows, near, mask.own(head)).window
            if again == windowed.window:
                break
            windowed = mask if again is None else replace(mask, kind="window", window=again)
        there = rows.under(windowed.seen(head))
        if windowed.window is None and hopeless(there, near, off, format):
            continue
        attempt = Attempt(head, windowed, there, chosen(there, near, format))
        yield _moved(attempt, format)


def _between(
    head: HeadRows, rows: Rows, nears: Sequence[Parameters], format: Format
) -> Iterator[Attempt]:
    """Try queries that stand between the corners, as those of a chunk do, under a causal mask."""
    if not _is_between(head, 1):
        return
    most = head.n_keys - head.n_queries
    every = rows.under(np.ones_like(rows.seen))
    tried = [(*best_offset(every, near, head.rows, most), near) for near in nears]
    _, offset, near = min(tried, key=lambda one: one[0])
    for _ in range(3):
        mask = HeadMask("causal", offset)
        there = every.under(mask.seen(head))
        near, off = aligned(there, near)
        if (again := best_offset(every, near, head.rows, most)[1]) == offset:
            break
        offset = again
    if _is_between(head, mask.offset) and not hopeless(there, near, off, format):
        yield _moved(Attempt(head, mask, there, chosen(there, near, format)), format)


def _padded(
    head: HeadRows, mask: HeadMask, nears: Sequence[Parameters], format: Format
) -> Iterator[Attempt]:
    """Try a mask with keys hidden at one end, if directions say so and none was captured.

    Rows before the end of these may see them: then they are of another text.
    """
    if head.seen is not None or mask.kind == "given":
        return
    every = rows_of(head, mask)
    for last in (False, True):
        tried = [(each, near) for near in nears if (each := padded(every, mask, near))]
        if not tried:
            return
        (_, found), near = min(tried, key=lambda one: one[0][0])
        if (some := seeing(head, found)) is None:
            return
        rows = rows_of(some, found)
        names: tuple[Name, ...] = ("multiplier",)
        if near.curvature > 0:
            names = ("multiplier", "curvature")
        near, off = aligned(rows, near, names)
        nears = [near]
        if last and not hopeless(rows, near, off, format):
            yield from _packed(head, every, found, near, format)
            yield Attempt(some, found, rows, chosen(rows, near, format))


def _packed(
    head: HeadRows, every: Rows, hidden: HeadMask, near: Parameters, format: Format
) -> Iterator[Attempt]:
    """Try rows that see no text but their own, of which the last begins behind hidden keys."""
    mask = replace(hidden, hidden=None)
    own = mask.own(head)
    begins: tuple[int, ...] = ()
    while mask.by_position and hidden.hidden is not None and hidden.hidden[0] == 0:
        begins = (hidden.hidden[1] + 1, *begins)
        before = np.flatnonzero(own < begins[0])
        if not len(before):
            return
        packed = replace(mask, packed=begins)
        rows = every.under(packed.seen(head))
        nearer, off = aligned(rows, near)
        if not hopeless(rows, nearer, off, format):
            yield Attempt(head, packed, rows, chosen(rows, nearer, format))
        found = padded(every.part(before), mask, near)
        hidden = mask if found is None else found[1]


def _by_row(head: HeadRows, mask: HeadMask, rows: Rows, format: Format) -> Attempt | None:
    """Fit every row with a multiplier of its own, if that may fit."""
    there = rows.under(mask.seen(head))
    count = len(rows.output)
    probe = np.unique(np.linspace(0, count - 1, PROBE).round().astype(np.intp))
    for part in (there.part(probe), there):
        near, _ = aligned(part, Parameters(head.d_k**-0.5))
        factors = row_factors(part, near)
        typical = float(np.exp(np.median(np.log(factors))))
        factors = factors / typical
        tempered = scaled(part, factors)
        near, off = aligned(tempered, replace(near, multiplier=near.multiplier * typical, sink=0.0))
        if hopeless(tempered, near, off, format):
            return None
    return Attempt(head, mask, tempered, chosen(tempered, near, format), factors)


def _is_uneven(attempt: Attempt) -> bool:
    """Whether rows that fit with one multiplier fit far better with their own."""
    fit = attempt.choice.fit
    return len(attempt.rows.output) > 3 and uneven(fit) > UNEVEN * max(fit.chi_square, 1.0)


def _moved(attempt: Attempt, format: Format) -> Attempt:
    """Move a window, or where queries stand between the corners, to the likeliest near it.

    And find those that are as likely.
    """
    head, mask = attempt.head, attempt.mask
    name: Moved = "offset" if mask.window is None else "window"
    if mask.window is None and not (mask.kind == "causal" and _is_between(head, mask.offset)):
        return attempt
    for _ in range(3):
        at = getattr(attempt.mask, name)
        costs = _costs(attempt, name, at)
        best = min(costs, key=costs.__getitem__)
        if costs[best] >= costs[at]:
            break
        at = best
        mask = _at(attempt.mask, name, at)
        rows = attempt.rows.under(mask.seen(head))
        near, path = attempt.choice.fit.parameters, attempt.choice.fit.path
        attempt = Attempt(head, mask, rows, chosen(rows, near, format, path))
    if not attempt.fits:
        return attempt
    causal = replace(attempt.mask, kind="causal", window=None)
    if name == "window" and np.array_equal(causal.seen(head), attempt.mask.seen(head)):
        return replace(attempt, mask=causal)
    alike = [each for each, cost in costs.items() if cost < costs[at] + 20]
    return replace(attempt, alike=(min(alike), max(alike)))


def _costs(attempt: Attempt, name: Moved, at: int) -> dict[int, float]:
    """Return χ² with each window, or key that query 0 stands at, near one, until it grows."""
    fit, head = attempt.choice.fit, attempt.head
    least, most = (1, head.n_keys) if name == "window" else (0, head.n_keys - head.n_queries)
    costs: dict[int, float] = {}

    def cost(moved: int) -> float:
        seen = _at(attempt.mask, name, moved).seen(head)
        state = compute(attempt.rows.under(seen), fit.parameters)
        rest = fit.noise.freed(attempt.rows.output - state.output)
        return float(np.square(rest).sum())

    costs[at] = cost(at)
    for side in (-1, 1):
        for away in range(1, 33):
            moved = at + side * away
            if not least <= moved <= most:
                break
            costs[moved] = cost(moved)
            if costs[moved] > costs[at] + 40 and away >= 2:
                break
    return costs


def _at(mask: HeadMask, name: Moved, value: int) -> HeadMask:
    return replace(mask, window=value) if name == "window" else replace(mask, offset=value)


def _is_between(head: HeadRows, offset: int | None) -> bool:
    """Whether query 0 would stand between the corners, and nothing captured says where it does."""
    told = head.positions is not None or head.seen is not None
    return not told and offset is not None and 0 < offset < head.n_keys - head.n_queries


def _known(start: Diagnosis) -> tuple[Parameters, HeadMask, Path | None] | None:
    """Return what another head was computed with, if it says enough to start from."""
    if start.multiplier is None or start.sight is None:
        return None
    m = start.multiplier.at().value
    if m is None:
        return None
    cap = None if start.softcap is None else start.softcap.at().value
    sink = None if start.sink is None else start.sink.at().value
    c = None if start.scale is None else start.scale.at().value
    near = Parameters(m, c or 1.0, 0.0 if cap is None else cap**-2)
    if sink is not None:
        near = replace(near, sink=1.0, level=sink)
    return near, start.sight, next(iter(start.paths), start.path)


def unwindowed(head: HeadRows) -> tuple[HeadMask, ...]:
    """Return the masks that a head may have without a window, the likeliest first."""
    if head.seen is not None:
        return (HeadMask("given"),)
    corner = head.n_keys - head.n_queries
    causal = [HeadMask("causal", 0)]
    if corner and head.positions is None:
        causal.insert(0, HeadMask("causal", corner))
    kept: list[HeadMask] = []
    known: list[NDArray[np.bool_]] = []
    for mask in (*causal, HeadMask("none")):
        seen = mask.seen(head)
        if seen.any(axis=1).all() and not any(np.array_equal(seen, other) for other in known):
            kept.append(mask)
            known.append(seen)
    return tuple(kept)
