"""The likeliest window of a head near one that fits, and those that fit as well."""

from dataclasses import replace

import numpy as np

from attn_tui.compute.fit.case import Case, parameters_of
from attn_tui.compute.fit.differences import STRAIN, compared
from attn_tui.compute.fit.head import compute
from attn_tui.compute.fit.model import Model
from attn_tui.compute.fit.question import Test
from attn_tui.compute.fit.rounding import Rounding

REACH = 32
"""So much longer or shorter windows are looked at."""


def moved(case: Case, test: Test) -> Test:
    """Return a test with its window moved to the likeliest near it, and those as likely."""
    mask = test.model.mask
    if mask.window is None or not test.estimates:
        return test
    head = case.head
    costs = _costs(case, test.model)
    best = min(costs, key=costs.__getitem__)
    if best != mask.window:
        mask = replace(mask, window=best)
        test = case.test(replace(test.model, mask=mask), parameters_of(test.model))
        costs = _costs(case, test.model)
    causal = replace(mask, kind="causal", window=None)
    if np.array_equal(causal.seen(head), mask.seen(head)):
        plain = replace(test, model=replace(test.model, mask=causal))
        return compared(plain, case.question, head)
    # Costs that are NaN are like none.
    alike = [best, *(each for each, cost in costs.items() if cost < costs[best] + STRAIN)]
    found = replace(test, window=(min(alike), max(alike)))
    expected = case.question.model.mask
    if expected.window in alike and replace(mask, window=expected.window) == expected:
        changes = tuple(part for part in found.changes if part != "mask")
        return replace(found, model=replace(found.model, mask=expected), changes=changes)
    return found


def _costs(case: Case, model: Model) -> dict[int, float]:
    """Return χ² with each window near that of a model."""
    near, rows, mask = parameters_of(model), case.rows(model), model.mask
    rounding = Rounding(rows, compute(rows, near), case.format)
    weighed = rounding.by(rounding.likeliest(case.paths))
    least, most = (mask.window or 1) - REACH, (mask.window or 1) + REACH
    costs: dict[int, float] = {}
    for window in range(max(least, 1), min(most, case.head.n_keys) + 1):
        seen = replace(mask, window=window).seen(case.head)
        rest = rows.output - compute(rows.under(seen), near).output
        costs[window] = float(np.square(weighed.freed(rest)).sum())
    return costs
