"""Softmax against 50 digits, with biases, PyTorch in every format, and published examples."""

import json
from itertools import product
from math import inf
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from attn_tui.compute.arrays import dtype_of, limits, rounded
from attn_tui.compute.evaluation import evaluate
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import answer_vector
from attn_tui.compute.mask import Mask
from attn_tui.compute.precision import FORMATS, ROUNDS, ArithmeticName, Precision
from attn_tui.compute.scale import PLAIN, LogitMap, Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.softmax import exact_weights
from attn_tui.compute.source import Products, Vector
from attn_tui.compute.weights import split
from tests.asking import answer_to
from tests.pairs import covering

from . import exact
from .plain import log_softmax, softmax

STABLE = Precision()


MULTIPLIERS = (1.0, 1 / 32, 1 / np.sqrt(3.0), 7.3)


some_scores = st.lists(st.floats(-250, 250), min_size=1, max_size=6)


def test_weights_and_complements_are_right_to_13_digits() -> None:
    for multiplier, scores in covering(MULTIPLIERS, exact.SCORES):
        p, gaps = exact.weights(scores, multiplier), exact.gaps(scores, multiplier)
        weights = softmax(scores, multiplier)
        assert exact.agrees(weights, p, gaps)
        gap = exact.runner_up(scores, multiplier)
        assert exact.agrees(split(weights).without(), exact.complements(p), gap)


@given(some_scores, st.floats(0.01, 0.99))
def test_any_weights_are_right_to_13_digits(scores: list[float], multiplier: float) -> None:
    p = exact.weights(scores, multiplier)
    weights = softmax(scores, multiplier)
    assert exact.agrees(weights, p)
    assert exact.agrees(split(weights).without(), exact.complements(p))
    assert exact.agrees(log_softmax(scores, multiplier), exact.log_weights(scores, multiplier))


def test_log_weights_are_right_where_weights_underflow() -> None:
    for multiplier, scores in covering(MULTIPLIERS, [s for s in exact.SCORES if max(s) < 1e300]):
        assert exact.agrees(log_softmax(scores, multiplier), exact.log_weights(scores, multiplier))


@pytest.mark.parametrize("naive", [True, False])
def test_a_mask_holds_where_the_multiplier_underflows(naive: bool) -> None:
    assert softmax([1.0, -inf], 1e-300, Precision("float32", naive)).tolist() == [1.0, 0.0]


def test_scores_of_opposite_ends_of_float64_differ_without_overflow() -> None:
    assert log_softmax([1e308, -1e308], 0.25).tolist() == [0.0, -5e307]


def test_the_maximum_is_subtracted_before_the_multiplication() -> None:
    scores = [1e16, 1e16 + 2.0, 1e16 + 4.0]
    assert exact.agrees(softmax(scores, 1 / 3), exact.weights(scores, 1 / 3))


@pytest.mark.parametrize(
    ("name", "last_finite", "first_infinite", "last_power", "first_zero"),
    [
        ("float32", 88.72, 88.73, -103.97, -103.98),
        ("float64", 709.78, 709.79, -745.13, -745.14),
        ("float16", 11.086, 11.1, -17.32, -17.34),
        ("bfloat16", 88.5, 89.0, -92.5, -93.5),
    ],
)
def test_naive_softmax_gives_out_at_the_formats_thresholds(
    name: str, last_finite: float, first_infinite: float, last_power: float, first_zero: float
) -> None:
    naive = Precision(name, naive=True, arithmetic="stepwise")
    assert softmax([last_finite, 0.0], 1.0, naive)[0] == 1.0
    assert np.isnan(softmax([first_infinite, 0.0], 1.0, naive)).tolist() == [True, False]
    assert softmax([last_power], 1.0, naive)[0] == 1.0
    assert np.isnan(softmax([first_zero], 1.0, naive)[0])


OF_TORCH: dict[tuple[str, ArithmeticName], list[float]] = {
    ("bfloat16", "softmax"): [
        0.1416015625, 2.6557245291769505e-10, 0.55859375, 0.298828125, 7.741618901491165e-09,
    ],
    ("bfloat16", "sdpa"): [
        0.142578125, 2.6921043172478676e-10, 0.546875, 0.30859375, 7.8580342233181e-09,
    ],
    ("bfloat16", "stepwise"): [
        0.15234375, 2.7466739993542433e-10, 0.52734375, 0.3203125, 8.09086486697197e-09,
    ],
    ("float16", "softmax"): [0.1424560546875, 0.0, 0.54638671875, 0.311279296875, 0.0],
    ("float16", "sdpa"): [0.1424560546875, 0.0, 0.5478515625, 0.3095703125, 0.0],
    ("float16", "stepwise"): [0.1431884765625, 0.0, 0.548828125, 0.307861328125, 0.0],
}  # fmt: skip
"""What PyTorch 2.14 computed from five scores times 4/√96, by the lines `Precision` says."""


def test_each_arithmetic_is_what_torch_computed() -> None:
    for name, arithmetic in OF_TORCH:
        scores, precision = [41.3, -7.9, 44.6, 43.2, 0.37], Precision(name, arithmetic=arithmetic)
        assert softmax(scores, 96**-0.5 * 4, precision).tolist() == OF_TORCH[name, arithmetic]


def by_hand(
    scores: NDArray[np.float64], m: float, name: str, arithmetic: ArithmeticName
) -> NDArray[np.float64]:
    """Return the weights step by step, in arrays of the type, as ml_dtypes and NumPy round them."""
    narrow = dtype_of(name)
    if arithmetic == "stepwise":
        z = scores.astype(narrow) * narrow.type(m)
        powers = np.exp(z - z.max())
        total = powers.sum(dtype=np.float32).astype(narrow)
        return np.asarray(powers / total, np.float64)
    z = scores.astype(np.float32) * np.float32(m)
    if arithmetic == "softmax":
        z = z.astype(narrow).astype(np.float32)
    powers = np.exp(z - z.max())
    return np.asarray((powers / powers.sum()).astype(narrow), np.float64)


@pytest.mark.parametrize("arithmetic", ROUNDS)
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_each_arithmetic_is_its_steps_bit_for_bit(name: str, arithmetic: ArithmeticName) -> None:
    generator = np.random.default_rng(5)
    precision = Precision(name, arithmetic=arithmetic)
    for n_keys, m, spread in ((2, 1.0, 1.0), (7, 96**-0.5, 300.0), (500, 1 / 8, 20.0)):
        scores = spread * generator.standard_normal(n_keys)
        scores[0] = -inf
        weights = softmax(scores, m, precision)
        assert weights.tolist() == by_hand(scores, m, name, arithmetic).tolist()


def test_sdpa_keeps_logits_that_16_bits_cannot_tell_apart() -> None:
    sdpa, exact_weights = Precision("bfloat16", arithmetic="sdpa"), softmax([100.0, 100.2])
    side = evaluate(np.array([100.0, 100.2]), PLAIN, sdpa)
    assert side.logits().tolist() == [100.0, float(np.float32(100.2))]
    assert side.weights().tolist() == rounded(exact_weights, "bfloat16").tolist()


def test_a_sink_above_every_key_is_what_16_bits_subtract() -> None:
    """The sink is one more logit, so the weights are those of softmax with it at the end."""
    scores = np.array([1.03, 2.7, -0.4])
    for name, arithmetic in OF_TORCH:
        precision = Precision(name, arithmetic=arithmetic)
        side = evaluate(scores, LogitMap(1.0, sink=7.0), precision)
        appended = by_hand(np.append(scores, 7.0), 1.0, name, arithmetic).tolist()
        assert [*side.weights(), side.sink_weight] == appended


def test_in_16_bits_logits_and_weights_are_rounded_and_all_between_is_float32() -> None:
    softmax_16, stepwise = Precision("bfloat16"), Precision("bfloat16", arithmetic="stepwise")
    assert softmax([60.25, -10.4375], 1.0, softmax_16)[1] == pytest.approx(2.003e-31, rel=1e-3)
    assert softmax([60.25, -10.4375], 1.0, stepwise)[1] == pytest.approx(2.40e-31, rel=2e-3)
    naive = Precision("float16", naive=True)
    assert softmax([88.7, 80.0], 1.0, naive)[0] == pytest.approx(1.0 - np.exp(-8.7), abs=2**-11)
    assert np.isnan(softmax([88.8, 0.0], 1.0, naive)[0])


@given(st.lists(st.floats(-40, 40, width=16), min_size=1, max_size=20), st.sampled_from([0, 1]))
def test_a_16_bit_weight_is_the_exact_one_of_rounded_logits_rounded(
    scores: list[float], which: int
) -> None:
    name = ("float16", "bfloat16")[which]
    # 5/16 times a 16-bit number is exact in float32, so that both round the same logit.
    exact_weights = softmax(rounded(0.3125 * np.array(scores), name))
    spacing = 2.0 ** (-10, -7)[which]
    weights = softmax(scores, 0.3125, Precision(name))
    np.testing.assert_allclose(weights, exact_weights, rtol=0.51 * spacing, atol=3e-8)


def test_the_short_way_is_taken_only_where_nothing_overflows() -> None:
    for scores, m in [
        ([1.7e308, -1.7e308, 1.7e308], 2e-309),
        ([5.0, -inf, 5.0], 0.0),
        ([-inf, -inf], 1.0),
        ([2.0**968, -1.79e308], 1e-308),
        ([2.0**990, -1.7976931348623157e308], 1e-308),
    ]:
        seen = np.array(scores) > -inf
        weights = softmax(scores, m)
        assert not weights[~seen].any()
        if seen.any():
            assert exact.agrees(weights[seen], exact.weights(np.array(scores)[seen].tolist(), m))


def test_naive_log_weights_are_logarithms_of_what_the_weights_became() -> None:
    naive = Precision("float32", naive=True)
    assert log_softmax([-110.0, -80.0], 1.0, naive).tolist() == [-inf, 0.0]
    assert np.isnan(log_softmax([100.0, 200.0], 1.0, naive)).all()


@pytest.mark.parametrize(("name", "cap", "sink"), covering(FORMATS, [None, 20.0], [None, 0.0]))
def test_weights_are_numbers_of_the_format_near_the_exact_ones(
    name: str, cap: float | None, sink: float | None
) -> None:
    scores = [3.0, -2.0, 4.5, 4.25]
    side = evaluate(np.array(scores), LogitMap(0.5, cap, sink), Precision(name))
    for numbers in (side.logits(), side.weights(), np.array([side.sink_weight])):
        np.testing.assert_array_equal(numbers, rounded(numbers, name))
        assert numbers.dtype == np.float64
    true = np.array(exact.shares(scores, side.map), dtype=float)
    eps = float(limits(dtype_of(name)).eps)
    np.testing.assert_allclose(side.weights(), true[:4], rtol=8 * eps)


def test_rounding_the_scores_is_not_computing_in_that_format() -> None:
    rounds = Precision(scores="bfloat16")
    assert softmax([100.0, 100.2], 1.0, rounds).tolist() == [0.5, 0.5]
    third = softmax([0.0, 0.0, 0.0], 1.0, rounds)
    assert third[0] == 1 / 3 != softmax([0.0, 0.0, 0.0], 1.0, Precision("bfloat16"))[0]
    side = evaluate(np.array([100.2, -inf]), PLAIN, rounds)
    assert side.scores().tolist() == [100.0, -inf]


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_a_sum_of_many_keys_is_kept_in_float32(name: str) -> None:
    n = 100_000
    p = softmax(np.zeros(n), 1.0, Precision(name))
    assert p[0] == rounded(np.array([1 / n]), name)[0]


SCORES = np.array([300.0, 299.0, -np.inf, 12.5, 280.0, 0.0])


BIAS = np.array([-3.0, 0.25, 0.0, 40.0, 8.0, -1.5])


MAPS = [LogitMap(m, cap, sink) for m, cap, sink in product((1.0, 0.125), (None, 50.0), (None, 30))]


def shares(map: LogitMap) -> np.ndarray:
    with mpmath.workdps(50):
        logits = exact.logits(SCORES.tolist(), map)
        z = [logit + mpmath.mpf(b) for logit, b in zip(logits, BIAS.tolist(), strict=True)]
        powers = [mpmath.exp(logit) for logit in z]
        total = sum(powers) + (0 if map.sink is None else mpmath.exp(map.sink))
        return np.array([float(power / total) for power in powers])


@pytest.mark.parametrize("map", MAPS)
def test_weights_with_a_bias_are_exact(map: LogitMap) -> None:
    p = shares(map)
    weights = exact_weights(SCORES, map, BIAS)
    assert weights is not None
    np.testing.assert_allclose(weights, p, rtol=2e-16)
    for naive in (True, False):
        side = evaluate(SCORES, map, Precision(naive=naive), BIAS)
        np.testing.assert_allclose(side.weights(), p, rtol=1e-12)
        np.testing.assert_allclose(side.log_weights()[p > 0], np.log(p[p > 0]), rtol=1e-11)
        assert side.max_weight == side.weights()[side.ends[0]]
        jacobian = (np.diag(p) - np.outer(p, p)) * side.slopes()
        np.testing.assert_allclose(side.frobenius("scores")[0], np.linalg.norm(jacobian), rtol=1e-9)


@pytest.mark.parametrize(("name", "map"), covering(["float32", "bfloat16", "float16"], MAPS[4:]))
def test_a_bias_is_rounded_like_logits(name: str, map: LogitMap) -> None:
    side = evaluate(SCORES, map, Precision(format=name), BIAS)
    scale = {"float32": 1e-5, "float16": 0.05, "bfloat16": 0.3}[name]
    np.testing.assert_allclose(side.weights(), shares(map), atol=scale)
    assert side.weights()[2] == 0.0


def test_a_padded_key_has_no_bias() -> None:
    side = evaluate(SCORES, MAPS[0], Precision(), BIAS).padded(9)
    assert side.logits()[6:].tolist() == [-np.inf] * 3
    np.testing.assert_allclose(side.weights()[:6], shares(MAPS[0]), rtol=1e-12)


WIDE_MAPS = [
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


WIDE_SCORES = [
    [100.0, 120.0, 150.0],
    [0.1, 0.2, 0.3, -np.inf],
    [744.0, 0.0, 1.0],
    [1e8, 1e8 + 1.5, 1e8 - 3.0],
    [1e308, -1e308, 9.9e307, 1e308],
    [0.0, 0.0, 5e-324],
    [1e4, 9_999.5, 9_300.0, 0.0],
    [1e40, 1e40, -1e40],
    [-0.7],
]


@pytest.mark.parametrize(("map", "scores"), covering(WIDE_MAPS, WIDE_SCORES))
def test_exact_weights_are_what_float64_rounds_the_true_ones_to(
    map: LogitMap, scores: list[float]
) -> None:
    weights = exact_weights(np.array(scores), map)
    assert weights is not None
    with mpmath.workdps(700):
        logits = [mpmath.mpf(map.multiplier) * s for s in scores if s > -np.inf]
        if map.softcap is not None:
            cap = mpmath.mpf(map.softcap)
            logits = [cap * mpmath.tanh(z / cap) for z in logits]
        every = logits if map.sink is None else [*logits, mpmath.mpf(map.sink)]
        total = mpmath.fsum(mpmath.exp(z - max(every)) for z in every)
        true = iter([mpmath.exp(z - max(every)) / total for z in logits])
        expected = [float(next(true)) if s > -np.inf else 0.0 for s in scores]
    assert weights.tolist() == expected


def test_exact_weights_of_many_keys() -> None:
    scores = 8.0 * np.random.default_rng(5).standard_normal(5_000)
    with mpmath.workdps(50):
        powers = [mpmath.exp(s) for s in scores.tolist()]
        total = mpmath.fsum(powers)
        expected = [float(power / total) for power in powers]
    weights = exact_weights(scores, LogitMap(1.0))
    assert weights is not None
    assert weights.tolist() == expected


@pytest.mark.parametrize("answers", [[True], [False, True], [False] * 3 + [True]])
def test_many_keys_can_be_stopped(answers: list[bool]) -> None:
    waiting = iter(answers)
    assert exact_weights(np.zeros(5_000), LogitMap(1.0), stop=lambda: next(waiting)) is None
    assert not list(waiting)


def assert_within_ulps(computed: NDArray[np.floating], printed: list[float]) -> None:
    in_float32 = np.array(printed, dtype=np.float32)
    np.testing.assert_array_max_ulp(computed.astype(np.float32), in_float32, maxulp=4)


def test_the_worked_example_in_float32() -> None:
    vector = Vector("a", np.array([100.0, 120.0, 150.0]))
    weights = answer_to(vector, Setup(d_k=1024, precision=Precision("float32")))
    assert_within_ulps(
        weights.unscaled.weights(), [1.9287498933537385e-22, 9.357622912219837e-14, 1.0]
    )
    assert_within_ulps(
        weights.unscaled.gradient(0, "scores"),
        [1.9287498933537385e-22, -1.8048514720778033e-35, -1.9287498933537385e-22],
    )
    assert_within_ulps(
        weights.scaled.weights(), [0.13090753555297852, 0.24456748366355896, 0.6245249509811401]
    )
    assert_within_ulps(
        weights.scaled.gradient(0, "scores"),
        [0.0035553360357880592, -0.0010004914365708828, -0.002554844366386533],
    )


@pytest.mark.parametrize(
    ("scores", "printed", "tolerance"),
    [
        ([10, 20, 30], [2.06e-9, 4.54e-5, 0.99995], 5e-3),
        ([-1, 0, 1], [0.09003058, 0.24472848, 0.66524094], 2e-7),
        ([-2, 0, 0.5], [0.0486, 0.3592, 0.5922], 1e-3),
        ([1, 0], [0.731, 0.269], 5e-4),
    ],
)
def test_softmax_prints_what_articles_print(
    scores: list[float], printed: list[float], tolerance: float
) -> None:
    for name in ("float32", "float64"):
        weights = softmax(scores, 1.0, Precision(name))
        np.testing.assert_allclose(weights, printed, rtol=tolerance)


RECORDED = json.loads((Path(__file__).parent / "data" / "sdpa.json").read_text("utf-8"))


def asked(case: dict[str, Any]) -> Experiment:
    m = case.get("scale")
    queries, keys, values = (np.array(case[name]) for name in ("queries", "keys", "values"))
    source = Products(queries, keys, values)
    hidden = tuple((key, key + 1) for key in case.get("hidden", []))
    setup = Setup(
        scale=Scale() if m is None else Scale("temperature", (("T", 1 / m),)),
        precision=Precision(case.get("dtype", "float64")),
        mask=Mask(hidden, case.get("causal", False)),
    )
    return Experiment(source, setup)


@pytest.mark.parametrize("case", RECORDED["cases"])
def test_weights_output_and_gradient_are_those_of_torch(case: dict[str, Any]) -> None:
    experiment = asked(case)
    digits = 1e-6 if "dtype" in case else 1e-14

    def check(computed: NDArray[np.float64], recorded: list[float]) -> None:
        np.testing.assert_allclose(computed, recorded, rtol=20 * digits, atol=10 * digits)

    for row in range(4):
        side = answer_vector(experiment, row).scaled
        by_query = np.array([side.gradient(of, "scores") for of in range(5)])
        check(side.weights(), case["weights"][row])
        check(side.weights() @ np.array(case["values"]), case["output"][row])
        check(by_query @ np.array(case["keys"]), case["by_query"][row])


def test_masked_keys_have_no_weight_and_the_others_share_all() -> None:
    for name, naive in covering(FORMATS, [True, False], least=6):
        precision = Precision(name, naive)
        masked = softmax([1.0, -inf, 2.0], 0.5, precision)
        assert masked[1] == 0.0
        np.testing.assert_array_equal(masked[[0, 2]], softmax([1.0, 2.0], 0.5, precision))
        assert log_softmax([1.0, -inf, 2.0], 0.5, precision)[1] == -inf
        assert softmax([-inf, -inf], 1.0, precision).tolist() == [0.0, 0.0]
        assert log_softmax([-inf, -inf], 1.0, precision).tolist() == [-inf, -inf]
