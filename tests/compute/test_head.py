"""A whole head beside mpmath, one row at a time, and central differences."""

from dataclasses import replace
from math import inf
from typing import Any

import mpmath
import numpy as np
import pytest

from attn_tui.compute.evaluation import evaluate
from attn_tui.compute.head import Head, row_weights
from attn_tui.compute.logit_map import PLAIN, LogitMap
from attn_tui.compute.precision import Precision
from attn_tui.compute.source import Floats

MAPS = [LogitMap(0.5), LogitMap(0.5, softcap=2.0), LogitMap(0.5, sink=0.7), LogitMap(30.0)]


def head(map: LogitMap = PLAIN, causal: bool = False) -> Head:
    draw = np.random.default_rng(7).standard_normal
    return Head(draw((5, 4)), draw((5, 4)), draw((5, 3)), map, causal)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("map", MAPS)
def test_weights_and_output_are_those_of_mpmath(map: LogitMap, causal: bool) -> None:
    found = head(map, causal)
    for i, query in enumerate(found.queries):
        seen = i + 1 if causal else len(found.keys)
        scores = [mpmath.fdot(query, key) for key in found.keys[:seen]]
        m, cap = map.multiplier, map.softcap
        z = [m * s if cap is None else cap * mpmath.tanh(m * s / cap) for s in scores]
        powers = [mpmath.exp(each) for each in z]
        total = mpmath.fsum(powers) + (0 if map.sink is None else mpmath.exp(map.sink))
        weights = [float(power / total) for power in powers] + [0.0] * (len(found.keys) - seen)
        assert found.weights[i] == pytest.approx(weights, rel=1e-12)
        assert found.output[i] == pytest.approx(np.array(weights) @ found.values, rel=1e-9)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("map", MAPS)
def test_gradients_are_central_differences(map: LogitMap, causal: bool) -> None:
    given = head(map, causal)
    upstream = np.random.default_rng(8).standard_normal((5, 3))
    names = ("queries", "keys", "values")
    for name, gradient in zip(names, given.gradients(upstream), strict=True):
        true = np.empty_like(gradient)
        for at in np.ndindex(*gradient.shape):
            ends = [float((moved(given, name, at, by).output * upstream).sum()) for by in (-1, 1)]
            true[at] = (ends[1] - ends[0]) / 2e-6
        assert gradient == pytest.approx(true, rel=1e-5, abs=1e-8)


def moved(given: Head, name: str, at: tuple[int, ...], by: int) -> Head:
    entries: Floats = getattr(given, name).copy()
    entries[at] += by * 1e-6
    arrays: dict[str, Any] = {name: entries}
    return replace(given, **arrays)


def test_a_saturated_row_has_the_gradient_of_the_row_alone() -> None:
    scores = np.array([100.0, 120.0, 150.0])
    found = Head(np.ones((1, 1)), scores[:, None], np.eye(3))
    upstream = np.array([[0.0, 0.5, -1.0]])
    alone = evaluate(scores, PLAIN, Precision()).pulled_back(upstream[0], "scores")
    assert found.score_gradient(upstream)[0] == pytest.approx(alone, rel=1e-12, abs=0.0)


def test_a_row_of_masked_keys_has_no_weight() -> None:
    none = np.full((1, 2), -inf)
    assert row_weights(none).tolist() == [[0.0, 0.0]]


def test_a_key_beside_a_small_sink_has_the_gradient_of_the_row_alone() -> None:
    low = LogitMap(1.0, sink=-60.0)
    found = Head(np.ones((1, 1)), np.zeros((1, 1)), np.ones((1, 1)), low)
    alone = evaluate(np.zeros(1), low, Precision()).pulled_back(np.ones(1), "scores")
    assert found.score_gradient(np.ones((1, 1)))[0] == pytest.approx(alone, rel=1e-12, abs=0.0)
    assert alone[0] > 0.0
