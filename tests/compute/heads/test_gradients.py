"""Gradients through a head against PyTorch, mpmath and one row; blocks against the whole."""

from dataclasses import replace
from math import inf
from typing import Any

import mpmath
import numpy as np
import pytest

from attn_tui.compute.evaluation import evaluate
from attn_tui.compute.heads import blocks
from attn_tui.compute.heads.gradients import gradients
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.heads.weighing import Weighing
from attn_tui.compute.logit_map import PLAIN, LogitMap
from attn_tui.compute.precision import Precision
from tests.compute import exact
from tests.compute.heads.test_row_statistics import MAPS, MASKED, drawn, of_recorded
from tests.pairs import each_once, with_rows


def upstream(n_q: int) -> np.ndarray:
    return np.random.default_rng(3).standard_normal((n_q, 3))


@with_rows("case", MASKED)
def test_gradients_are_those_of_torch(case: dict[str, Any]) -> None:
    dtype = case.get("dtype", "float64")
    given, dq, dk, dv = (np.array(case[name], dtype) for name in ("upstream", "dq", "dk", "dv"))
    digits = 2e-5 if dtype == "float32" else 1e-12
    keys, values = np.zeros(dk.shape), np.zeros(dv.shape)
    for head, (kv, rows, weighing) in enumerate(of_recorded(case)):
        found = gradients(rows, weighing, given[head])
        np.testing.assert_allclose(found.queries, dq[head], digits, digits)
        # Heads that share keys add up.
        keys[kv] += found.keys
        values[kv] += found.values
    np.testing.assert_allclose(keys, dk, digits, digits)
    np.testing.assert_allclose(values, dv, digits, digits)


@with_rows("map", [PLAIN, LogitMap(1.0, sink=-60.0)])
@with_rows("scores", [(100.0, 120.0, 150.0), (0.0,)])
def test_a_row_has_the_gradient_of_scores_alone(scores: tuple[float, ...], map: LogitMap) -> None:
    # A saturated row; and a key beside a small sink.
    n = len(scores)
    rows = HeadRows(np.arange(1), 1, np.ones((1, 1)), np.array(scores)[:, None], np.eye(n))
    given = np.array([[0.0, 0.5, -1.0][-n:]])
    found = gradients(rows, Weighing(map), given).keys[:, 0]
    alone = evaluate(np.array(scores), map, Precision()).pulled_back(given[0], "scores")
    assert found == pytest.approx(alone, rel=1e-12, abs=0.0)


def test_a_saturated_row_keeps_what_50_digits_say() -> None:
    # The second key is e^−90 of the first, and nothing of it may cancel.
    q, k, v = np.array([[3.0]]), np.array([[30.0], [0.0], [-inf]]), np.array([[2.0], [5.0], [9.0]])
    rows = HeadRows(
        np.arange(1), 1, q, np.where(k == -inf, 0.0, k), v, seen=np.array([[True, True, False]])
    )
    found = gradients(rows, Weighing(LogitMap(1.0), HeadMask("given")), np.ones((1, 1)))
    with mpmath.workdps(80):
        p = exact.shares([90.0, 0.0], LogitMap(1.0))
        by_score = [float(p[0] * p[1] * (2 - 5)), float(p[0] * p[1] * (5 - 2))]
    np.testing.assert_allclose(found.queries, [[30.0 * by_score[0]]], 1e-12)
    np.testing.assert_allclose(found.keys[:, 0], [3 * by_score[0], 3 * by_score[1], 0.0], 1e-12)
    np.testing.assert_allclose(found.values[:, 0], [float(p[0]), float(p[1]), 0.0], 1e-12)


@with_rows(
    ("map", "mask"), each_once(MAPS, [HeadMask(), HeadMask("causal", 2), HeadMask("window", 10, 7)])
)
def test_gradients_with_a_bias_are_central_differences(mask: HeadMask, map: LogitMap) -> None:
    draw = np.random.default_rng(5).standard_normal
    rows = replace(drawn(n_q=6, n=12), bias=draw((6, 12)))
    weighing, given = Weighing(map, mask), upstream(6)
    found = gradients(rows, weighing, given)

    def loss(**moved: Any) -> float:
        output = blocks.row_statistics(replace(rows, **moved), weighing, output=True).output
        assert output is not None
        return float((output * given).sum())

    for name in ("queries", "keys", "values"):
        numbers, gradient = getattr(rows, name), getattr(found, name)
        for at in [(0, 0), (5, 2), (3, 1)]:
            step = np.zeros(numbers.shape)
            step[at] = 1e-6
            slope = (loss(**{name: numbers + step}) - loss(**{name: numbers - step})) / 2e-6
            assert gradient[at] == pytest.approx(slope, rel=1e-6, abs=1e-9)


def test_blocks_of_a_head_make_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, weighing = drawn(n_q=70), Weighing(MAPS[2], HeadMask("causal", 20))
    whole = gradients(rows, weighing, upstream(70))
    monkeypatch.setattr("attn_tui.compute.heads.gradients.rows_at_once", lambda *_: 13)
    in_blocks = gradients(rows, weighing, upstream(70))
    for name in ("queries", "keys", "values"):
        np.testing.assert_allclose(getattr(in_blocks, name), getattr(whole, name), 1e-11, 1e-13)


def test_a_head_without_values_has_no_gradients() -> None:
    with pytest.raises(ValueError, match="no values"):
        gradients(replace(drawn(), values=None), Weighing(MAPS[0]), upstream(70))
