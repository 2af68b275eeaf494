"""Alternatives to the expected model: one change away, or two."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import inf, isnan

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.case import HeadCase, parameters_of
from attn_tui.compute.fit.choose import PLAIN, explains, hopeless
from attn_tui.compute.fit.differences import STRAIN, compared, ordered
from attn_tui.compute.fit.estimates import Estimate
from attn_tui.compute.fit.estimates import numbers as numbers_of
from attn_tui.compute.fit.head import FitRows, Floats, Name, Parameters, State, compute
from attn_tui.compute.fit.masks import (
    assumed_masks,
    distinct,
    local,
    open_masks,
    other_masks,
    windowed,
)
from attn_tui.compute.fit.model import Candidate, Others
from attn_tui.compute.fit.noise import Rounding
from attn_tui.compute.fit.solve import Fit, aligned, relative_residual
from attn_tui.compute.heads.head_model import HeadModel, Part
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows


def one_change(case: HeadCase, tests: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield tests of models that are one change from the promised one.

    Args:
        case: The head.
        tests: The tests so far.
    """
    model = case.reference.model
    tests = list(tests)
    if not any(test.explains for test in tests):
        for base in case.bases():
            tests += _numbers(case, base)
    if not any(test.explains for test in tests):
        # A law is a larger change than another m: it is not tried if another m is enough.
        positions = model.mask.positions(case.head)
        for law in case.reference.laws:
            if np.ptp(law.factors(positions)) > 1e-6:
                tests += tried(case, replace(model, law=law))
    yield from tests
    for base in case.bases():
        yield from _twice(case, base)
    yield from _similar_masks(case)
    if case.head.bias is not None or model.bias is not None:
        bare = case.altered(lambda head: replace(head, bias=None))
        for base in bare.bases():
            for test in tried(bare, replace(base, bias=None)):
                yield replace(test, changes=ordered({*test.changes, "bias"}))


def kv_heads(case: HeadCase, others: Others) -> Iterator[Candidate]:
    """Yield tests of the expected model with keys and values of other heads, until one explains.

    Args:
        case: The head.
        others: Yields the head with the keys and values of each other KV head.
    """
    for number, head in others():
        other = case.altered(partial(_with_keys, other=head))
        for base in other.bases():
            rounding = other.rounding(base)
            if other.is_close(rounding.rows, rounding.state):
                test = other.test(base)
                changes = ordered({*test.changes, "kv_head"})
                yield replace(test, changes=changes, kv_head=number)
                if test.explains:
                    return


def _with_keys(head: HeadRows, other: HeadRows) -> HeadRows:
    return replace(head, keys=other.keys, values=other.values)


def two_changes(case: HeadCase) -> Iterator[Candidate]:
    """Yield tests with another mask, and perhaps other numbers, ignoring a captured mask."""
    start = parameters_of(case.reference.model)
    bare = case.altered(lambda head: replace(head, seen=None))
    for masked, changed in _masked(case, bare):
        if not masked.is_far(masked.rows(changed), start):
            yield masked.test(changed)
    for by in (0.25, 4.0):
        yield from _shown_masks(case, bare, replace(start, multiplier=start.multiplier * by))


def tried(case: HeadCase, model: HeadModel) -> Iterator[Candidate]:
    """Yield the test of a model, unless the model is hopeless."""
    if not case.is_far(case.rows(model), parameters_of(model)):
        yield case.test(model)


def _numbers(case: HeadCase, model: HeadModel) -> Iterator[Candidate]:
    """Yield tests of a model with its numbers fitted from a few starts, until one explains."""
    rows = case.rows(model)
    for power in (0, 1, -1, 2, -2, 3, -3):
        start = replace(parameters_of(model), multiplier=model.multiplier * 4.0**power)
        names: tuple[Name, ...] = ("multiplier", "curvature")
        parameters, off = aligned(rows, start, names if start.curvature else names[:1])
        if not hopeless(rows, parameters, off, case.format, case.paths[-1]):
            test = case.test(model, parameters)
            yield test
            if test.explains:
                return


def _twice(case: HeadCase, model: HeadModel) -> Iterator[Candidate]:
    """Yield tests with a second softmax of the weights, in which masked keys weigh e⁰ or nothing.

    m and c keep their expected values. Keys without weight all weigh e⁰ in the second softmax, and
    rounding moves them together to one side; a fitted m would follow that.
    """
    rows = case.rows(model)
    parameters = replace(parameters_of(model), sink=0.0)
    ways = [rows.seen]
    if not rows.seen.all():
        ways.append(np.ones_like(rows.seen))
    for there in ways:
        second, state, along = _again(rows, parameters, there)
        if not case.is_close(second, state):
            continue
        rounding = Rounding(second, state, case.format)
        path = rounding.likeliest(case.paths)
        noise = rounding.by(path)
        residual = noise.whitened(rows.output - state.output)
        whitened = noise.whitened(np.stack([along, state.mixed]))
        fit = Fit(PLAIN, replace(state, parameters=parameters), path, noise, residual, whitened)
        numbers = numbers_of(fit.products, path)
        estimates: dict[Part, Estimate] = {
            "multiplier": numbers["multiplier"], "value_scale": numbers["value_scale"],
        }  # fmt: skip
        size = float(np.square(rows.output).sum()) or 1.0
        noise_size = float(np.sqrt(noise.variance.sum() / size))
        test = Candidate(
            replace(model, softmax_twice=True, sink=None), explains(fit),
            relative_residual(second, state), {path: noise_size}, (path,), estimates,
            chi_square=fit.chi_square, strain=0.0,
        )  # fmt: skip
        yield compared(test, case.reference, case.head)


def _again(
    rows: FitRows, parameters: Parameters, there: NDArray[np.bool_]
) -> tuple[FitRows, State, Floats]:
    """Return a head with a second softmax, as a head whose scores are the first weights.

    Args:
        rows: The head, under its mask.
        parameters: The parameters of the first softmax, and c.
        there: The keys that the second softmax runs over, shape (r, n); masked keys weigh e⁰ in it.

    Returns:
        The rows; their state; and the slope of the output along m, shape (r, d_v).
    """
    first = compute(rows, replace(parameters, value_scale=1.0))
    weights = np.where(rows.seen, first.weights, 0.0)
    second = replace(rows, scores=weights, seen=there, bias=None)
    state = compute(second, Parameters(1.0, parameters.value_scale))
    change = np.where(rows.seen, rows.scores * first.slope, 0.0)
    change = weights * (change - (weights * change).sum(axis=1, keepdims=True))
    turned = state.weights * change
    turned -= state.weights * turned.sum(axis=1, keepdims=True)
    return second, state, parameters.value_scale * (turned @ rows.values)


def _similar_masks(case: HeadCase) -> Iterator[Candidate]:
    """Yield tests with another mask and the expected numbers, ignoring a captured mask."""
    model = case.reference.model
    bare = case.altered(lambda head: replace(head, seen=None))
    for masked, changed in _masked(case, bare):
        rounding = masked.rounding(changed)
        if masked.is_close(rounding.rows, rounding.state):
            yield masked.test(changed)
    yield from _shown_masks(case, bare, parameters_of(model))


def _masked(case: HeadCase, bare: HeadCase) -> Iterator[tuple[HeadCase, HeadModel]]:
    """Yield models with the nearest alternative masks under which rows see other keys.

    Each comes with the case that it is a model of: with the captured mask, or without.
    """
    model = case.reference.model
    expected = model.mask.seen(case.head)
    if model.mask.kind == "given":
        yield case, replace(model, mask=replace(model.mask, inverted=True))
    for mask in distinct(bare.head, [*other_masks(case.head, model.mask)]):
        if not np.array_equal(mask.seen(bare.head), expected):
            yield bare, replace(model, mask=mask)
    if case.head.positions is None or not model.mask.by_position:
        return
    # A kernel may not know where queries stand, and have them at the last keys, or at the first.
    placeless = bare.altered(lambda head: replace(head, positions=None))
    for offset in dict.fromkeys((case.head.n_keys - case.head.n_queries, 0)):
        mask = replace(model.mask, offset=offset)
        if not np.array_equal(mask.seen(placeless.head), expected):
            yield placeless, replace(model, mask=mask)


def _shown_masks(case: HeadCase, bare: HeadCase, parameters: Parameters) -> Iterator[Candidate]:
    """Yield tests with the window, or the hidden, packed or prefix keys, that the output shows."""
    model = case.reference.model
    rows = bare.rows(replace(model, mask=HeadMask("none")))
    by_position = [model.mask] if model.mask.by_position else []
    for mask in dict.fromkeys([*by_position, *open_masks(bare.head)]):
        plain = replace(mask, kind="causal", window=None) if mask.kind == "window" else mask
        masks = [windowed(rows, bare.head, plain, parameters)]
        masks += assumed_masks(case.head, mask, rows, parameters)
        for other in filter(None, masks):
            yield moved(bare, bare.test(replace(model, mask=other)))
        reaching = local(rows, bare.head, mask, parameters)
        if reaching is not None:
            yield bare.test(replace(model, mask=reaching))


REACH = 32
"""How much longer or shorter than the window found other windows are tried."""


def moved(case: HeadCase, test: Candidate) -> Candidate:
    """Return a test with its window moved to the likeliest nearby, and the range of equals."""
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
        return compared(plain, case.reference, head)
    # The best is named apart: no comparison holds if its cost is infinite.
    alike = [best, *(window for window, cost in costs.items() if cost < costs[best] + STRAIN)]
    test = replace(test, window=(min(alike), max(alike)))
    expected = case.reference.model.mask
    if expected.window in alike and replace(mask, window=expected.window) == expected:
        changes = tuple(part for part in test.changes if part != "mask")
        return replace(test, model=replace(test.model, mask=expected), changes=changes)
    return test


def _costs(case: HeadCase, model: HeadModel) -> dict[int, float]:
    """Return χ² for each window length near that of a model."""
    parameters, rows, mask = parameters_of(model), case.rows(model), model.mask
    rounding = Rounding(rows, compute(rows, parameters), case.format)
    noise = rounding.by(rounding.likeliest(case.paths))
    least, most = (mask.window or 1) - REACH, (mask.window or 1) + REACH
    costs: dict[int, float] = {}
    for window in range(max(least, 1), min(most, case.head.n_keys) + 1):
        seen = replace(mask, window=window).seen(case.head)
        rest = rows.output - compute(rows.under(seen), parameters).output
        cost = float(np.square(noise.whitened(rest)).sum())
        # It is NaN if a row sees no key.
        costs[window] = inf if isnan(cost) else cost
    return costs
