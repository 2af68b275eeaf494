from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_tui.compute.evaluation import evaluate
from attn_tui.compute.jacobian import jacobian
from attn_tui.compute.logit_map import LogitMap
from attn_tui.compute.norms import frobenius, norms, spectral, trace
from attn_tui.compute.precision import Precision
from attn_tui.compute.statistics import entropy

from . import exact
from .plain import softmax

some_scores = st.lists(st.floats(-300, 300), min_size=1, max_size=5)
moderate_scores = st.lists(st.floats(-8, 8), min_size=1, max_size=40)


@pytest.mark.parametrize("multiplier", [1.0, 1 / 32])
@pytest.mark.parametrize("scores", exact.SCORES)
def test_norms_are_right_to_13_digits(scores: tuple[float, ...], multiplier: float) -> None:
    p, true = softmax(scores, multiplier), exact.weights(scores, multiplier)
    gap = exact.runner_up(scores, multiplier)
    assert exact.agrees(frobenius(p), exact.frobenius(true), gap)
    assert exact.agrees(spectral(p), exact.spectral(true), gap)
    assert exact.agrees(trace(p), exact.trace(true), gap)


@given(some_scores)
def test_any_norms_are_right_to_13_digits(scores: list[float]) -> None:
    p, true, gap = softmax(scores), exact.weights(scores), exact.runner_up(scores)
    assert exact.agrees(frobenius(p), exact.frobenius(true), gap)
    assert exact.agrees(spectral(p), exact.spectral(true), gap)
    assert exact.agrees(trace(p), exact.trace(true), gap)


@pytest.mark.parametrize("behind", [1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 1.0])
@pytest.mark.parametrize("crowd", [0.0, 1e-14, 1e-10, 1e-5, 0.5, 50.0])
def test_the_spectral_norm_is_right_near_ties(behind: float, crowd: float) -> None:
    scores = [0.0, -behind, -behind, -behind * (1 + crowd), -behind - crowd]
    assert exact.agrees(spectral(softmax(scores)), exact.spectral(exact.weights(scores)))


@given(moderate_scores)
def test_linear_time_norms_equal_dense_ones(scores: list[float]) -> None:
    p = softmax(scores)
    dense = jacobian(p)
    assert frobenius(p) == pytest.approx(np.linalg.norm(dense), rel=1e-12, abs=1e-15)
    assert spectral(p) == pytest.approx(np.linalg.norm(dense, 2), rel=1e-12, abs=1e-15)
    assert trace(p) == pytest.approx(np.trace(dense), rel=1e-12)


def test_linear_time_norms_equal_dense_ones_for_many_keys() -> None:
    p = softmax(np.random.default_rng(1).normal(size=500), 3.0)
    dense = jacobian(p)
    assert frobenius(p) == pytest.approx(np.linalg.norm(dense), rel=1e-13)
    assert spectral(p) == pytest.approx(np.linalg.norm(dense, 2), rel=1e-13)


@given(st.lists(st.floats(-900, 900), min_size=1, max_size=20))
def test_norms_keep_their_bounds(scores: list[float]) -> None:
    p = softmax(scores)
    found = norms(p)
    own = jacobian(p).diagonal().max()
    slack = 1 + 1e-13
    assert own <= found.spectral * slack
    assert found.spectral <= min(2 * own, 0.5) * slack
    assert found.spectral <= found.frobenius * slack <= 0.5 * slack**2
    assert found.trace <= entropy(p) * slack


@given(some_scores)
def test_norms_do_not_depend_on_the_order_of_keys(scores: list[float]) -> None:
    p = softmax(scores)
    ahead, back = norms(p), norms(p[::-1])
    assert ahead.frobenius == pytest.approx(back.frobenius, rel=1e-14, abs=0)
    assert ahead.spectral == pytest.approx(back.spectral, rel=1e-14, abs=0)
    assert ahead.trace == pytest.approx(back.trace, rel=1e-14, abs=0)


@pytest.mark.parametrize("n", [2, 3, 7, 1000])
def test_equal_weights_have_known_norms(n: int) -> None:
    p = softmax(np.zeros(n))
    assert spectral(p) == pytest.approx(1 / n, rel=1e-13)
    assert frobenius(p) == pytest.approx(sqrt(n - 1) / n, rel=1e-13)
    assert trace(p) == pytest.approx(1 - 1 / n, rel=1e-13)


@pytest.mark.parametrize("m", [1e-9, 0.01, 1.0, 100.0])
def test_a_tie_never_vanishes(m: float) -> None:
    expected = 1 / (2 + np.exp(-100 * m))
    assert spectral(softmax([100.0, 100.0, 0.0], m)) == pytest.approx(expected, rel=1e-14)


def test_norms_underflow_no_sooner_than_the_complement() -> None:
    p = softmax([0.0, 700.0])
    assert frobenius(p) == pytest.approx(2 * p[0], rel=1e-13)
    assert spectral(p) == pytest.approx(2 * p[0], rel=1e-13)


@pytest.mark.parametrize("scores", [[5.0], [-inf, -inf], [-inf, 5.0], [0.0, 5000.0]])
def test_where_nothing_can_move_norms_are_0(scores: list[float]) -> None:
    found = norms(softmax(scores))
    assert (found.frobenius, found.spectral, found.trace) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("p", [[0.0, np.nan], [np.nan, np.nan], [np.nan, 0.0]])
def test_undefined_weights_have_undefined_norms(p: list[float]) -> None:
    found = norms(np.array(p))
    assert np.isnan([found.frobenius, found.spectral, found.trace]).all()


def test_with_respect_to_scores_norms_are_the_multiplier_times_those_of_logits() -> None:
    found = evaluate(np.array([1.0, 2.0, 4.0]), LogitMap(0.25), Precision()).norms
    assert found["scores"].frobenius == 0.25 * found["logits"].frobenius
    assert found["scores"].spectral == 0.25 * found["logits"].spectral
    assert found["scores"].trace == 0.25 * found["logits"].trace
