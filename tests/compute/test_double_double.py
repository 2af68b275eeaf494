import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_tui.compute.double_double import DoubleDouble, exactly, expm1
from attn_tui.compute.exact_softmax import exact_weights
from attn_tui.compute.logit_map import LogitMap

sizes = st.floats(1e-60, 1e60)
signed = st.one_of(sizes, sizes.map(lambda x: -x))
pairs = st.tuples(signed, st.floats(-1.0, 1.0)).map(
    lambda each: (each[0], each[0] * each[1] * 1e-17)
)


def whole(number: DoubleDouble, place: int = 0) -> mpmath.mpf:
    return mpmath.mpf(float(number.high[place])) + mpmath.mpf(float(number.low[place]))


def made(pair: tuple[float, float]) -> DoubleDouble:
    return DoubleDouble(np.array([pair[0]]), np.array([pair[1]]))


@given(pairs, pairs)
def test_each_operation_keeps_thirty_digits(
    one: tuple[float, float], other: tuple[float, float]
) -> None:
    a, b = made(one), made(other)
    # From 1e120 down to 1e-308.
    with mpmath.workdps(450):
        x, y = whole(a), whole(b)
        for found, true in ((a + b, x + y), (a - b, x - y), (a * b, x * y), (a / b, x / y)):
            # Below the normal numbers of float64, and just above them, there are no pairs.
            error = mpmath.mpf(10) ** -30 * abs(true) + mpmath.mpf(2) ** -1021
            assert abs(whole(found) - true) <= error
            assert found.high[0] == float(whole(found))


@given(st.floats(-1e4, 1e4))
def test_powers_of_e(x: float) -> None:
    rest, power = expm1(exactly(x))
    with mpmath.workdps(60):
        true = mpmath.exp(x)
        assert abs((1 + whole(rest)) * mpmath.mpf(2) ** int(power[0]) / true - 1) < 1e-26
        if power[0] == 0 and not 0.0 < abs(x) < 1e-280:
            assert abs(whole(rest) - mpmath.expm1(x)) <= 1e-26 * abs(mpmath.expm1(x))


@given(st.lists(st.floats(-1e60, 1e60), min_size=1, max_size=40))
def test_a_sum_of_many(numbers: list[float]) -> None:
    with mpmath.workdps(200):
        true = mpmath.fsum(numbers)
        scale = mpmath.fsum(map(abs, numbers))
        assert abs(whole(exactly(np.array(numbers)).total()) - true) <= 1e-29 * scale


MAPS = [
    LogitMap(1.0),
    LogitMap(0.044194173824159216),
    LogitMap(0.0),
    LogitMap(1.0, softcap=50.0),
    LogitMap(0.3, softcap=1e-3),
    LogitMap(2.0, softcap=1e300),
    LogitMap(1.0, sink=0.0),
    LogitMap(0.125, softcap=30.0, sink=11.5),
    LogitMap(1e-300, sink=-3.0),
    LogitMap(1e300, softcap=5.0, sink=1e308),
]

SCORES = [
    [100.0, 120.0, 150.0],
    [0.1, 0.2, 0.3, -np.inf],
    [744.0, 0.0, 1.0],
    [1e8, 1e8 + 1.5, 1e8 - 3.0],
    [1e308, -1e308, 9.9e307, 1e308],
    [0.0, 0.0, 5e-324],
    [-0.7],
]


@pytest.mark.parametrize("map", MAPS, ids=str)
@pytest.mark.parametrize("scores", SCORES, ids=str)
def test_exact_weights_are_what_float64_rounds_the_true_ones_to(
    map: LogitMap, scores: list[float]
) -> None:
    found = exact_weights(np.array(scores), map)
    with mpmath.workdps(700):
        logits = [mpmath.mpf(map.multiplier) * s for s in scores if s > -np.inf]
        if map.softcap is not None:
            cap = mpmath.mpf(map.softcap)
            logits = [cap * mpmath.tanh(z / cap) for z in logits]
        every = logits if map.sink is None else [*logits, mpmath.mpf(map.sink)]
        total = mpmath.fsum(mpmath.exp(z - max(every)) for z in every)
        true = iter([mpmath.exp(z - max(every)) / total for z in logits])
        expected = [float(next(true)) if s > -np.inf else 0.0 for s in scores]
    assert found.tolist() == expected


def test_exact_weights_of_many_keys_sum_to_1() -> None:
    scores = 8.0 * np.random.default_rng(5).standard_normal(70_001)
    weights = exact_weights(scores, LogitMap(1.0))
    with mpmath.workdps(40):
        assert abs(mpmath.fsum(weights.tolist()) - 1) < 1e-17
