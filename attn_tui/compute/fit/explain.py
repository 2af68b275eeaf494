"""Whether a model explains the output of a head, and if the expected one does not, which does."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf, isnan, nan

import numpy as np

from attn_tui.compute.fit.alternatives import kv_heads, one_change, tried, two_changes
from attn_tui.compute.fit.case import Case
from attn_tui.compute.fit.differences import half_ulp
from attn_tui.compute.fit.question import SHOWN, Explained, Others, Question, Suspect, Test
from attn_tui.compute.fit.solve import relative_residual
from attn_tui.compute.fit.suspects import suspect_of
from attn_tui.compute.fit.telling import told, where
from attn_tui.compute.heads.rows import HeadRows

__all__ = ["SHOWN", "Explained", "Others", "Question", "Test", "explain", "half_ulp"]


def explain(
    head: HeadRows,
    question: Question,
    others: Others = tuple,
    search: bool = True,
) -> Explained:
    """Return whether the expected model explains a head, or which others do.

    Args:
        head: Some of its rows; 8 to 64 are usual.
        question: What is expected.
        others: The head with keys and values of others of its layer, which it may have been given.
        search: Whether to go on where one change from what is expected explains nothing: to test
            for faults that no model has, then to try two changes.
    """
    with np.errstate(all="ignore"):
        case = Case.of(head, question)
        if isinstance(case, str):
            return _unexplained(question, case)
        try:
            return _explained(case, others, search)
        except np.linalg.LinAlgError:
            problem = "its numbers are too large or too small to be fitted"
            return _unexplained(question, problem)


def _unexplained(question: Question, problem: str) -> Explained:
    nothing = Test(question.model, False, nan)
    return Explained(nothing, (nothing,), problem=problem)


def _explained(case: Case, others: Others, search: bool) -> Explained:
    """Return what explains the head, the expected model first."""
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
    """Return what orders tests: what explains, by the fewest changes, then the likeliest.

    What leaves out rows, as those of padding, comes behind what explains all.
    """
    if not test.explains:
        return True, 0, 0, 0, inf if isnan(test.residual) else test.residual
    counted = len(case.counted(test))
    return False, counted, test.left_out, len(test.changes), test.chi_square


def _alternatives(
    case: Case, known: Sequence[Test], others: Others, search: bool
) -> tuple[list[Test], Suspect | None]:
    """Return what was tried: one change from what is expected, and if that is not enough, two.

    Between them come tests for faults that no model has: such a fault is one change, too.
    """
    tests = [*known]

    def is_enough(stage: Iterator[Test], changes: float) -> bool:
        with suppress(np.linalg.LinAlgError):
            # Numbers that cannot be fitted end a stage, and not the head.
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
    """Return what explains the head by the fewest changes; else what comes nearest."""
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
    """Return what is known of the head: what fits it, and whether it could have told."""
    model = case.question.model
    if "mask" not in case.question.said:
        model = replace(model, mask=expected.model.mask)
    made = case.made(model)
    rows, state = made.rows, made.state
    path = best[0].paths[0] if best[0].paths else made.likeliest(case.paths)
    weighed = made.by(path)
    size = float(np.square(rows.output).sum()) or 1.0
    needed, found = told(case, model, expected, made, weighed)
    keys = rows.seen.sum(axis=1)
    is_explained = best[0].explains and not case.counted(best[0])
    return Explained(
        expected, best, relative_residual(rows, state),
        float(np.sqrt(weighed.variance.sum() / size)), found, needed,
        tuple(int(row) for row in case.head.rows), (int(keys.min()), int(keys.max())),
        {} if is_explained else where(rows, state), case.notes,
        suspect=None if best[0].explains else suspect,
    )  # fmt: skip
