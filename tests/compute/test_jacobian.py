from math import inf, log

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_tui.compute.evaluation import Evaluation, evaluate
from attn_tui.compute.jacobian import jacobian, vjp
from attn_tui.compute.keys import ALL
from attn_tui.compute.logit_map import LogitMap, Wrt
from attn_tui.compute.precision import Precision
from tests.pairs import each_once, with_rows

from . import exact
from .plain import softmax

some_scores = st.lists(st.floats(-100, 100), min_size=1, max_size=6)


def evaluated(scores: tuple[float, ...] | list[float], multiplier: float = 1.0) -> Evaluation:
    return evaluate(np.array(scores), LogitMap(multiplier), Precision())


@with_rows(("multiplier", "scores"), each_once([1.0, 1 / 32], exact.SCORES))
def test_every_entry_is_right_to_13_digits(scores: tuple[float, ...], multiplier: float) -> None:
    true = [entry for row in exact.jacobian(exact.weights(scores, multiplier)) for entry in row]
    away = np.array(exact.gaps(scores, multiplier))
    distances = away[:, None] + away
    np.fill_diagonal(distances, away + (away == 0) * exact.runner_up(scores, multiplier))
    found = evaluated(scores, multiplier)
    assert exact.agrees(found.jacobian(ALL, ALL, "logits"), true, distances)
    by_scores = [multiplier * entry for entry in true]
    assert exact.agrees(found.jacobian(ALL, ALL, "scores"), by_scores, distances)


@with_rows(
    ("multiplier", "scores"),
    each_once([1.0, 1 / 32, 30.0], [s for s in exact.SCORES if max(s) < 1e300]),
)
def test_logarithms_of_entries_are_right_where_products_underflow(
    scores: tuple[float, ...], multiplier: float
) -> None:
    true = exact.jacobian(exact.weights(scores, multiplier))
    found = evaluated(scores, multiplier).log_jacobian(ALL, ALL, "scores")
    for computed, entry in zip(found.ravel(), (e for row in true for e in row), strict=True):
        if entry == 0:
            assert computed == -inf
        else:
            size = mpmath.log(abs(entry)) + log(multiplier)
            assert abs(computed - float(size)) <= 1e-13 + 4 * 2.0**-53 * abs(float(size))


@given(some_scores, st.floats(0.01, 1.0))
def test_gradients_equal_central_differences(scores: list[float], multiplier: float) -> None:
    s, step = np.array(scores), 1e-5
    found = evaluated(scores, multiplier).jacobian(ALL, ALL, "scores")
    for key, push in enumerate(step * np.eye(s.size)):
        up, down = softmax(s + push, multiplier), softmax(s - push, multiplier)
        np.testing.assert_allclose(found[:, key], (up - down) / (2 * step), atol=1e-9)


@given(some_scores)
def test_rows_sum_to_0(scores: list[float]) -> None:
    entries = jacobian(softmax(scores))
    sizes = np.abs(entries).sum(axis=1)
    assert (np.abs(entries.sum(axis=1)) <= 1e-14 * sizes).all()
    np.testing.assert_array_equal(entries, entries.T)


@pytest.mark.parametrize("wrt", ["logits", "scores"])
def test_a_gradient_is_a_row_and_a_window_a_part(wrt: Wrt) -> None:
    found = evaluated([100.0, 120.0, 150.0, 149.0], 1 / 32)
    whole = found.jacobian(ALL, ALL, wrt)
    some = np.array([3, 1], dtype=np.intp)
    np.testing.assert_array_equal(found.gradient(2, wrt), whole[2])
    np.testing.assert_array_equal(found.gradient(2, wrt, some), whole[2, some])
    np.testing.assert_array_equal(found.jacobian(some, slice(1, 3), wrt), whole[some, 1:3])
    np.testing.assert_allclose(found.log_gradient(2, wrt), np.log(np.abs(whole[2])), rtol=1e-14)


def test_a_masked_key_takes_no_part() -> None:
    found = evaluated([1.0, -inf, 2.0])
    assert not found.jacobian(ALL, ALL, "logits")[1].any()
    assert not np.signbit(found.gradient(1, "logits")).any()
    assert found.log_gradient(0, "logits")[1] == -inf


def test_a_logarithm_beyond_float64_is_infinite() -> None:
    assert evaluated([0.0, 0.0, 1e308]).log_gradient(0, "logits").tolist() == [-1e308, -inf, -1e308]


@given(
    st.lists(st.tuples(st.floats(-100, 100), st.floats(-9, 9)), min_size=1, max_size=6),
)
def test_products_are_those_of_the_whole_jacobian(pairs: list[tuple[float, float]]) -> None:
    scores, upstream = zip(*pairs, strict=True)
    p = softmax(scores)
    np.testing.assert_allclose(
        vjp(p, upstream), jacobian(p) @ np.array(upstream), rtol=1e-12, atol=1e-14
    )


@with_rows("scores", [(100.0, 120.0, 150.0), (0.0, 300.0, 1.0), (9.0, 8.0, 7.0)])
def test_products_are_right_to_13_digits_in_saturation(scores: tuple[float, ...]) -> None:
    upstream = [3.0, 0.1, 1.7]
    true = exact.vjp(exact.weights(scores), upstream)
    assert exact.agrees(vjp(softmax(scores), upstream), true)


def test_a_gradient_of_float32_weights_is_computed_in_float64() -> None:
    p = softmax([1.0, 2.0], 1.0, Precision("float32"))
    np.testing.assert_array_equal(p, p.astype(np.float32))
    assert evaluate(np.array([1.0, 2.0]), LogitMap(1.0), Precision("float32")).gradient(
        0, "logits"
    ).tolist() == [p[0] * p[1], -p[0] * p[1]]
