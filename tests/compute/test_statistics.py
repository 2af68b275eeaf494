from math import inf

import mpmath
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attn_tui.compute.statistics import (
    entropy,
    participation_ratio,
)
from tests.pairs import each_once, with_rows

from . import exact
from .plain import softmax


@with_rows(("multiplier", "scores"), each_once([1.0, 1 / 32], exact.SCORES))
def test_statistics_are_right_to_13_digits(scores: tuple[float, ...], multiplier: float) -> None:
    true = exact.weights(scores, multiplier)
    p = softmax(scores, multiplier)
    nats = exact.entropy(true)
    gap = exact.runner_up(scores, multiplier)
    assert exact.agrees(entropy(p), nats, gap)
    assert exact.agrees(participation_ratio(p), 1 / mpmath.fsum(x**2 for x in true))


@given(st.lists(st.floats(-250, 250), min_size=1, max_size=6))
def test_any_entropy_is_right_to_13_digits(scores: list[float]) -> None:
    assert exact.agrees(entropy(softmax(scores)), exact.entropy(exact.weights(scores)))


def test_masked_weights_count_no_keys() -> None:
    p = softmax([-inf, -inf])
    assert (entropy(p), participation_ratio(p)) == (0.0, 0.0)


def test_one_key_has_an_entropy_of_plain_0() -> None:
    assert str(entropy(softmax([5.0]))) == "0.0"


def test_undefined_weights_have_undefined_statistics() -> None:
    p = np.array([0.0, np.nan])
    assert np.isnan([entropy(p), participation_ratio(p)]).all()
