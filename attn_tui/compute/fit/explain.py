"""Which models explain a head's output, and whether another model would have shown."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf, isnan, nan

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.alternatives import kv_heads, one_change, tried, two_changes
from attn_tui.compute.fit.case import EXTREME, Case
from attn_tui.compute.fit.differences import half_ulp
from attn_tui.compute.fit.head import Parameters, Rows, State, compute, taken
from attn_tui.compute.fit.masks import open_masks
from attn_tui.compute.fit.model import (
    LEARNED,
    SHOWN,
    Explained,
    Model,
    Others,
    Part,
    Question,
    Suspect,
    Test,
    Told,
)
from attn_tui.compute.fit.noise import Noise, Rounding
from attn_tui.compute.fit.solve import relative_residual
from attn_tui.compute.fit.suspects import suspect_of
from attn_tui.compute.heads.rows import HeadRows

__all__ = ["SHOWN", "Explained", "Others", "Question", "Test", "explain", "half_ulp"]


def explain(
    head: HeadRows,
    question: Question,
    others: Others = tuple,
    search: bool = True,
) -> Explained:
    """Return whether the expected model explains a head, or which other models do.

    Args:
        head: Some of its rows; 8 to 64 are usual.
        question: The expected model.
        others: Yields the head with the keys and values of other KV heads of its layer.
        search: Whether to go on if no single change explains the head: first test for faults that
            no model has, then try two changes.
    """
    with np.errstate(all="ignore"):
        case = Case.of(head, question)
        if isinstance(case, str):
            return _unexplained(question, case)
        try:
            return _explained(case, others, search)
        except np.linalg.LinAlgError:
            return _unexplained(question, EXTREME)


def _unexplained(question: Question, problem: str) -> Explained:
    nothing = Test(question.model, False, nan)
    return Explained(nothing, (nothing,), problem=problem)


def _explained(case: Case, others: Others, search: bool) -> Explained:
    """Return the models that explain the head, trying the expected one first."""
    first, *bases = case.bases()
    tests = [case.test(first)]
    for base in bases:
        tests += tried(case, base)
    expected = min(tests, key=lambda test: _rank(case, test))
    suspect = None
    best = [test for test in tests if test.explains and not case.counted(test)]
    if not best:
        tests, suspect = _alternatives(case, tests, others, search)
        best = _best(case, tests)
    return _known(case, expected, (*sorted(best, key=lambda test: _rank(case, test)),), suspect)


def _rank(case: Case, test: Test) -> tuple[bool, int, int, int, float]:
    """Return the sort key of a test: explaining ones first, by fewest changes, then likelihood.

    With equally many changes, a test that leaves out rows, as of padding, comes after one that
    explains all of them.
    """
    if not test.explains:
        return True, 0, 0, 0, inf if isnan(test.residual) else test.residual
    counted = len(case.counted(test))
    return False, counted, test.left_out, len(test.changes), test.chi_square


def _alternatives(
    case: Case, known: Sequence[Test], others: Others, search: bool
) -> tuple[list[Test], Suspect | None]:
    """Return the tests with one change from the expected model and, if none explains, with two.

    Faults that no model has are tested in between: each of them is one change, too.
    """
    tests = [*known]

    def is_enough(stage: Iterator[Test], changes: float) -> bool:
        with suppress(np.linalg.LinAlgError):
            # Numbers that cannot be fitted end this stage, not the search.
            for test in stage:
                tests.append(test)
        return any(test.explains and len(case.counted(test)) <= changes for test in tests)

    if is_enough(one_change(case, known), 1) or is_enough(kv_heads(case, others), 1) or not search:
        return tests, None
    suspect = suspect_of(case)
    if suspect is None:
        is_enough(two_changes(case), inf)
    return tests, suspect


def _best(case: Case, tests: Sequence[Test]) -> list[Test]:
    """Return the tests that explain the head with the fewest changes, or else the nearest one."""
    best = min(tests, key=lambda test: _rank(case, test))
    if not best.explains:
        return [best]
    fewest = _rank(case, best)[:4]
    alike: dict[object, Test] = {}
    for test in sorted(tests, key=lambda test: _rank(case, test)):
        if _rank(case, test)[:4] == fewest:
            alike.setdefault((test.changes, test.model.mask, test.model.law), test)
    return [*alike.values()]


def _known(
    case: Case, expected: Test, best: tuple[Test, ...], suspect: Suspect | None
) -> Explained:
    """Return the answer: the best tests, and which other models would have shown."""
    model = case.question.model
    if "mask" not in case.question.said:
        model = replace(model, mask=expected.model.mask)
    made = case.made(model)
    rows, state = made.rows, made.state
    path = best[0].paths[0] if best[0].paths else made.likeliest(case.paths)
    weighed = made.by(path)
    size = float(np.square(rows.output).sum()) or 1.0
    needed, fineness = told(case, model, expected, made, weighed)
    keys = rows.seen.sum(axis=1)
    is_explained = best[0].explains and not case.counted(best[0])
    return Explained(
        expected, best, relative_residual(rows, state),
        float(np.sqrt(weighed.variance.sum() / size)), fineness, needed,
        tuple(int(row) for row in case.head.rows), (int(keys.min()), int(keys.max())),
        {} if is_explained else where(rows, state), case.notes,
        suspect=None if best[0].explains else suspect,
    )  # fmt: skip


SHOWS = 5.0
"""A change shows if it is this many times the rounding noise along it."""
GLANCE = 4
"""The number of rows to try first: a change that shows in a few rows shows in all."""
CELLS = 48
"""The most numbers that describe where a residual lies along one axis."""


def told(
    case: Case, model: Model, expected: Test, made: Rounding, weighed: Noise
) -> tuple[tuple[Part, ...], dict[Part, Told]]:
    """Return the needed parts, and the least change of each that would have shown.

    Args:
        case: The head.
        model: The expected model.
        expected: The test of that model.
        made: The model's output on the rows, and its rounding.
        weighed: The noise of that output.
    """
    stated, parameters = case.question.said, made.state.parameters
    count = len(made.rows.output)
    glance = np.unique(np.linspace(0, count - 1, min(count, GLANCE)).round().astype(np.intp))

    def shows(other: Parameters, seen: NDArray[np.bool_] = made.rows.seen) -> bool:
        for some in (glance, np.arange(count)):
            rows = made.rows.under(seen).part(some)
            change = compute(rows, other).output - made.state.output[some]
            if np.square(weighed.part(some).freed(change)).sum() > SHOWS**2:
                return True
        return False

    fineness: dict[Part, Told] = {}
    needed: list[Part] = ["multiplier"]
    # m may have been rounded: a difference of half an ulp is no other m.
    ulp = (
        2
        * half_ulp(parameters.multiplier, case.question.format)
        / max(abs(parameters.multiplier), 1e-300)
    )
    steps: tuple[tuple[Told, float], ...] = (("ulp", 1 + ulp), ("5 %", 1.05), ("2×", 2.0))
    for name, by in steps:
        if shows(replace(parameters, multiplier=parameters.multiplier * by)):
            fineness["multiplier"] = name
            break
    if model.softcap is not None and "softcap" in stated:
        needed.append("softcap")
        if shows(replace(parameters, curvature=0.0)):
            fineness["softcap"] = "yes"
    if model.sink is not None and "sink" in stated:
        needed.append("sink")
        sink = expected.estimates.get("sink")
        is_found = sink is not None and sink.at(case.question.level).value is not None
        if is_found or (model.sink != LEARNED and shows(replace(parameters, sink=0.0))):
            fineness["sink"] = "yes"
    if "mask" in stated:
        others = [*_other_masks(case, model, made.rows)]
        if others:
            needed.append("mask")
        if others and all(shows(parameters, seen) for seen in others):
            fineness["mask"] = "yes"
    return tuple(needed), fineness


def _other_masks(case: Case, model: Model, rows: Rows) -> Iterator[NDArray[np.bool_]]:
    """Yield what the rows that see a key under a mask see under its nearest alternatives."""
    bare = replace(case.head, seen=None)
    if len(rows.seen) < len(bare.rows):
        bare = taken(bare, np.flatnonzero(model.mask.seen(case.head).any(axis=1)))
    masks = open_masks(bare)
    if model.mask.window is not None:
        masks.append(replace(model.mask, window=model.mask.window + 1))
    for mask in masks:
        if mask != model.mask:
            seen = mask.seen(bare)
            if not np.array_equal(seen, rows.seen):
                yield seen


def where(rows: Rows, state: State) -> dict[str, tuple[float, ...]]:
    """Return the residual of a state by row, key and channel, as shares of the largest."""
    rest = rows.output - state.output
    lengths = np.maximum(np.linalg.norm(rows.values, axis=1), 1e-30)
    by_key = np.where(rows.seen, np.abs(rest @ rows.values.T) / lengths, 0.0).mean(axis=0)
    axes = {
        "row": np.linalg.norm(rest, axis=1), "key": by_key, "channel": np.linalg.norm(rest, axis=0)
    }  # fmt: skip
    return {name: _cells(values) for name, values in axes.items()}


def _cells(values: NDArray[np.floating]) -> tuple[float, ...]:
    """Return values as at most 48 shares of the largest."""
    parts = np.array_split(values, min(len(values), CELLS))
    means = np.array([part.mean() for part in parts])
    most = float(means.max()) or 1.0
    return tuple(float(mean / most) for mean in means)
