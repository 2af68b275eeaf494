"""The likeliest window of a head near one that fits, and those that fit as well."""

from dataclasses import replace

import numpy as np

from attn_tui.compute.fit.case import Case, parameters_of
from attn_tui.compute.fit.differences import STRAIN, compared
from attn_tui.compute.fit.head import Parameters, Rows, compute
from attn_tui.compute.fit.noise import Noise
from attn_tui.compute.fit.question import Test
from attn_tui.compute.fit.rounding import Rounding
from attn_tui.compute.fit.solve import aligned
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

MOVES = 4
"""So often a window is moved at most, each time by up to `REACH`."""
REACH = 32


def moved(case: Case, test: Test) -> Test:
    """Return a test with its window moved to the likeliest near it, and those as likely."""
    mask = test.model.mask
    if mask.window is None or not test.estimates:
        return test
    head, at = case.head, mask.window
    near, rows = parameters_of(test.model), case.rows(test.model)
    path = Rounding(rows, compute(rows, near), case.format).likeliest(case.paths)
    costs: dict[int, float] = {}
    for _ in range(MOVES):
        weighed = Rounding(rows, compute(rows, near), case.format).by(path)
        costs = _costs(head, rows, near, weighed, mask, at)
        best = min(costs, key=costs.__getitem__)
        if costs[best] >= costs[at]:
            break
        at = best
        mask = replace(mask, window=at)
        rows = rows.under(mask.seen(head))
        near, _ = aligned(rows, near)
    if at != test.model.mask.window:
        test = case.test(replace(test.model, mask=mask), near)
    causal = replace(mask, kind="causal", window=None)
    if np.array_equal(causal.seen(head), mask.seen(head)):
        plain = replace(test, model=replace(test.model, mask=causal))
        return compared(plain, case.question, head)
    # Costs that are NaN are like none.
    alike = [at, *(each for each, cost in costs.items() if cost < costs[at] + STRAIN)]
    found = replace(test, window=(min(alike), max(alike)))
    expected = case.question.model.mask
    if expected.window in alike and replace(mask, window=expected.window) == expected:
        changes = tuple(part for part in found.changes if part != "mask")
        return replace(found, model=replace(found.model, mask=expected), changes=changes)
    return found


def _costs(
    head: HeadRows, rows: Rows, near: Parameters, weighed: Noise, mask: HeadMask, at: int
) -> dict[int, float]:
    """Return χ² with each window near one, until it grows."""

    def cost(window: int) -> float:
        state = compute(rows.under(replace(mask, window=window).seen(head)), near)
        return float(np.square(weighed.freed(rows.output - state.output)).sum())

    costs = {at: cost(at)}
    for side in (-1, 1):
        for away in range(1, REACH + 1):
            window = at + side * away
            if not 1 <= window <= head.n_keys:
                break
            costs[window] = cost(window)
            if costs[window] > costs[at] + 2 * STRAIN and away >= 2:
                break
    return costs
