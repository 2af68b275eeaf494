from math import inf

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attn_tui.compute.evaluation import evaluate
from attn_tui.compute.jacobian import jacobian
from attn_tui.compute.keys import ALL
from attn_tui.compute.logit_map import LogitMap
from attn_tui.compute.norms import frobenius, norms, spectral, trace
from attn_tui.compute.precision import Precision
from attn_tui.compute.split import split
from attn_tui.compute.statistics import entropy
from tests.pairs import each_once, with_rows

from . import exact
from .plain import softmax

some_scores = st.lists(st.floats(-300, 300), min_size=1, max_size=5)
moderate_scores = st.lists(st.floats(-8, 8), min_size=1, max_size=40)


@with_rows(("multiplier", "scores"), each_once([1.0, 1 / 32], exact.SCORES))
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


@with_rows(
    ("behind", "crowd"),
    each_once(
        [1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 1.0], [0.0, 1e-14, 1e-10, 1e-5, 0.5, 50.0], least=12
    ),
)
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


def test_norms_underflow_no_sooner_than_the_complement() -> None:
    p = softmax([0.0, 700.0])
    assert frobenius(p) == pytest.approx(2 * p[0], rel=1e-13)
    assert spectral(p) == pytest.approx(2 * p[0], rel=1e-13)


@with_rows("scores", [[5.0], [-inf, -inf], [-inf, 5.0], [0.0, 5000.0]])
def test_where_nothing_can_move_norms_are_0(scores: list[float]) -> None:
    found = norms(softmax(scores))
    assert (found.frobenius, found.spectral, found.trace) == (0.0, 0.0, 0.0)


@with_rows("p", [[0.0, np.nan], [np.nan, np.nan], [np.nan, 0.0]])
def test_undefined_weights_have_undefined_norms(p: list[float]) -> None:
    found = norms(np.array(p))
    assert np.isnan([found.frobenius, found.spectral, found.trace]).all()


def test_with_respect_to_scores_norms_are_the_multiplier_times_those_of_logits() -> None:
    found = evaluate(np.array([1.0, 2.0, 4.0]), LogitMap(0.25), Precision()).norms
    assert found["scores"].frobenius == 0.25 * found["logits"].frobenius
    assert found["scores"].spectral == 0.25 * found["logits"].spectral
    assert found["scores"].trace == 0.25 * found["logits"].trace


def weights_and_slopes() -> st.SearchStrategy[tuple[list[float], list[float], bool]]:
    number = st.floats(1e-6, 1.0) | st.sampled_from([0.25, 0.5, 1.0])
    return st.integers(1, 8).flatmap(
        lambda n: st.tuples(
            st.lists(number, min_size=n + 1, max_size=n + 1),
            st.lists(number, min_size=n, max_size=n),
            st.booleans(),
        )
    )


@given(weights_and_slopes())
@example(([1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.5], True))
@example(([1.0, 0.5, 0.5, 0.5, 1.0], [1e-6, 1.0, 1.0, 1.0], False))
@example(([1.0, 0.5, 1.0, 0.5, 1.0], [0.5, 1.0, 0.5, 1.0], False))
def test_linear_time_norms_equal_dense_ones_with_slopes_and_a_sink(
    case: tuple[list[float], list[float], bool],
) -> None:
    values, slopes, sink = np.array(case[0]), np.array(case[1]), case[2]
    values = values if sink else values[:-1]
    parts = split(values / values.sum(), slopes.size)
    dense = jacobian(parts) * slopes
    found = norms(parts, slopes)
    assert found.frobenius == pytest.approx(np.linalg.norm(dense), rel=1e-12, abs=1e-15)
    assert found.spectral == pytest.approx(np.linalg.norm(dense, 2), rel=1e-12, abs=1e-15)
    assert found.trace == pytest.approx(np.trace(dense), rel=1e-12, abs=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("sink", [False, True])
def test_the_spectral_norm_of_many_nearly_equal_columns_is_right(sink: bool) -> None:
    noise = np.random.default_rng(2).random(401)
    p = (1.0 + 1e-9 * noise) / noise.size
    slopes = 1.0 + 1e-9 * noise[::-1][: 401 - sink]
    parts = split(p / p.sum(), slopes.size)
    dense = jacobian(parts) * slopes
    assert spectral(parts, slopes) == pytest.approx(np.linalg.norm(dense, 2), rel=1e-12)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_norms_are_those_of_weights_that_do_not_quite_sum_to_1(name: str) -> None:
    precision = Precision(name, arithmetic="stepwise")
    side = evaluate(np.array([1.0, 2.3, 0.9, 1.7]), LogitMap(0.3, sink=0.1), precision)
    assert side.weights().sum() + side.sink_weight != 1.0
    dense = side.jacobian(ALL, ALL, "logits")
    assert side.norms["logits"].frobenius == pytest.approx(np.linalg.norm(dense), rel=1e-12)
    assert side.norms["logits"].spectral == pytest.approx(np.linalg.norm(dense, 2), rel=1e-12)
