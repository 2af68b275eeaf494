"""The precision lab, and where a format fails."""

from math import inf, isfinite, isnan
from unittest.mock import patch

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.explore.precision_lab import FormatTrial, Lab, lab
from attn_tui.compute.precision import FORMATS, Precision
from attn_tui.compute.scale import PLAIN, LogitMap, Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.softmax import exact_weights
from attn_tui.compute.source import Vector
from tests.asking import answer_to, asking

EXAMPLE = Vector("a", np.array([100.0, 120.0, 150.0]))


def labbed(vector: Vector, setup: Setup = Setup(), key: int = 0) -> Lab:
    result = lab(asking(vector, setup=setup), 0, key)
    assert result
    return result


def trial_of(results: Lab, side: int, format: str, naive: bool) -> FormatTrial:
    return next(
        trial
        for trial in results.sides[side].trials
        if (trial.precision.format, trial.precision.naive) == (format, naive)
    )


def test_stable_float64_is_not_taken_for_exact() -> None:
    """Each method misses some of these weights by an ulp; neither is always nearer."""
    scores = 3.0 * np.random.default_rng(1).standard_normal(40)
    (side, _) = labbed(Vector("a", scores), key=7).sides
    with mpmath.workdps(50):
        powers = [mpmath.exp(s) for s in scores.tolist()]
        true = [float(power / mpmath.fsum(powers)) for power in powers]
    assert side.exact == true[7]
    evaluated = answer_to(Vector("a", scores)).unscaled.weights()
    missed = np.flatnonzero(evaluated != np.array(true))
    assert 0 < missed.size == side.trials[0].n_differ
    assert 0.0 < side.trials[0].worst < 1e-16
    assert side.trials[1].n_differ > 0


def test_what_differs_and_what_vanished_is_counted() -> None:
    vector = Vector("a", np.array([0.0, 0.1, -20.0, -800.0, -inf]))
    result = labbed(vector, Setup(scale=Scale("none")), key=9)
    assert result.key == 4
    half = trial_of(result, 0, "float16", False)
    assert half.n_vanished == 1, "float64 keeps e^−20, and neither keeps e^−800"
    assert half.worst_key in (0, 1)
    exact = exact_weights(vector.scores, PLAIN)
    assert exact is not None
    computed = answer_to(vector, Setup(precision=Precision("float16"))).unscaled.weights()
    assert half.worst == np.abs(computed - exact).max()
    as_float16 = exact.astype(np.float16).astype(np.float64)
    assert half.n_differ == np.count_nonzero(computed != as_float16)


@pytest.mark.parametrize("most", [1, 3, 5, 50])
def test_the_weights_that_differ_most_are_named(most: int) -> None:
    vector = Vector("a", np.append(np.linspace(0.0, 3.0, 30), -inf))
    result = lab(asking(vector), 0, 0, most=most)
    assert result
    for index, side in enumerate(result.sides):
        for trial in side.trials:
            answer = answer_to(vector, Setup(precision=trial.precision))
            computed = (answer.unscaled, answer.scaled)[index].weights()
            exact = exact_weights(vector.scores, (PLAIN, LogitMap(1.0 / 32.0))[index])
            assert exact is not None
            names = {"bfloat16": "float32"}
            as_format = exact.astype(names.get(trial.precision.format, trial.precision.format))
            if trial.precision.format != "bfloat16":
                differ = np.flatnonzero(computed != as_format.astype(np.float64))
                assert trial.n_differ == differ.size
                assert {differing.key for differing in trial.differing} <= set(differ.tolist())
                left = set(differ.tolist()) - {differing.key for differing in trial.differing}
                errors = np.abs(computed - exact)
                least = min(
                    (abs(differing.difference) for differing in trial.differing), default=inf
                )
                assert all(errors[key] <= least for key in left)
            assert len(trial.differing) == min(most, trial.n_differ)
            sizes = [abs(differing.difference) for differing in trial.differing]
            assert sizes == sorted(sizes, reverse=True)
            for key, right, wrong in trial.differing:
                assert (right, wrong) == (exact[key], computed[key])
    assert any(trial.differing for trial in result.sides[0].trials)


def test_nan_is_farther_than_any_number_and_a_million_keys_are_not_named() -> None:
    result = labbed(EXAMPLE)
    broken = trial_of(result, 0, "float16", True)
    assert [differing.key for differing in broken.differing] == [0, 1, 2]
    assert isnan(broken.differing[0].difference)
    many = lab(asking(Vector("a", np.linspace(0, 1, 5_000))), 0, 0, most=4_000)
    assert many
    assert max(len(differing.differing) for differing in many.sides[0].trials) == 1_000


def test_rounding_of_scores_holds_for_every_trial_but_not_for_the_exact_weights() -> None:
    vector = Vector("a", np.array([100.0, 100.2]))
    setup = Setup(precision=Precision("float16", scores="bfloat16"), scale=Scale("none"))
    result = labbed(vector, setup)
    for side in result.sides:
        assert side.exact == pytest.approx(0.450, abs=5e-4)
        for trial in side.trials:
            assert trial.precision.scores == "bfloat16"
        for trial in side.trials[::2]:
            assert not trial.precision.naive
            assert (trial.weight, trial.n_differ) == (0.5, 2)
            assert trial.worst == pytest.approx(0.05, abs=5e-4)


def test_a_lab_can_be_stopped_while_the_exact_weights_are_computed() -> None:
    answers = iter([False] * 3 + [True])
    with patch("attn_tui.compute.explore.precision_lab.evaluate", side_effect=AssertionError):
        assert lab(asking(Vector("a", np.zeros(5_000))), 0, 0, lambda: next(answers)) is None


STABLE32, NAIVE32 = Precision("float32"), Precision("float32", naive=True)


STABLE64, NAIVE64 = Precision(), Precision(naive=True)


NONE = Scale("none")


def answered(
    scores: list[float], precision: Precision, scale: Scale = NONE, d_k: int = 1
) -> VectorAnswer:
    return answer_to(Vector("a", np.array(scores)), Setup(d_k, scale, precision))


SAID: list[tuple[list[float], Precision, str, str]] = [
    ([100, 120, 150], NAIVE32, "overflow", "e^z overflows float32 above 88.72; infinity/infinity"),
    ([88.7] * 2, NAIVE32, "overflow", "Σe^z overflows float32 beyond ±3.40e38"),
    ([-104], NAIVE32, "nan", "every e^z rounds to 0 in float32 below −103.97; 0/0 is NaN"),
    ([-746, -inf], NAIVE64, "nan", "every e^z rounds to 0 in float64 below −745.13"),
    ([0, 1e308], STABLE32, "overflow", "scores overflow float32 beyond ±3.40e38; infinity−infin"),
    ([0, -1e308], STABLE32, "overflow", "beyond ±3.40e38; the weights hold"),
    ([1e308, -1e308], STABLE64, "overflow", "differences of logits overflow float64 beyond ±1.80"),
]


def test_the_reason_says_what_gave_out_where_and_what_comes_of_it() -> None:
    for scores, precision, status, reason in SAID:
        vector = answered(scores, precision)
        assert vector.status == status
        assert vector.reason.startswith("both: ")
        assert reason in vector.reason


def test_only_the_side_that_gave_out_is_named() -> None:
    result = answered([100, 120, 150], NAIVE32, Scale(), d_k=1024)
    assert result.reason.startswith("unscaled: e^z overflows float32")
    assert "; scaled" not in result.reason
    assert np.isfinite(result.scaled.weights()).all()


def test_two_different_reasons_are_both_given() -> None:
    result = answered([-10, -80], NAIVE32, parse_scale("temperature:T=1e-38"))
    assert result.reason.startswith("scaled: logits overflow float32")
    result = answered([-200, -200], NAIVE32, parse_scale("temperature:T=1e-38"))
    assert result.reason.startswith("unscaled: every e^z rounds to 0")
    assert "; scaled: logits overflow" in result.reason
    assert result.status == "overflow"


def test_a_logit_may_overflow_while_the_weights_hold() -> None:
    result = answered([1e300, 1e300], STABLE64, parse_scale("temperature:T=1e-10"))
    assert result.status == "overflow"
    assert result.reason == "scaled: logits overflow float64 beyond ±1.80e308; the weights hold"
    assert result.scaled.logits().tolist() == [inf, inf]
    assert result.scaled.weights().tolist() == [0.5, 0.5]


HALF, NAIVE_HALF, BRAIN, NAIVE_BRAIN = (
    Precision(name, naive, arithmetic="stepwise")
    for name in ("float16", "bfloat16")
    for naive in (False, True)
)


SOFTMAX, NAIVE_SOFTMAX = Precision("float16"), Precision("float16", naive=True)


SDPA = Precision("float16", arithmetic="sdpa")


CAPPED, SUNK = Scale("none", softcap=1e-9), Scale("none", sink=1e5)


GIVEN_OUT: list[tuple[list[float], Precision, Scale, str]] = [
    ([100, 120, 150], NAIVE_HALF, NONE, "e^z overflows float16 above 11.09"),
    ([-93.5], NAIVE_BRAIN, NONE, "every e^z rounds to 0 in bfloat16 below −92.88"),
    ([70_000, 0], HALF, NONE, "scores overflow float16 beyond ±65,504; infinity−infinity"),
    ([3e38, -3e38], BRAIN, NONE, "differences of logits overflow bfloat16 beyond ±3.39e38"),
    ([-70_000, 0], Precision(scores="float16"), NONE, "rounded scores overflow float16 beyond"),
    ([1, 2], HALF, Scale("none", softcap=1e5), "soft cap overflows float16"),
    ([1, 0], HALF, CAPPED, "soft cap rounds to 0 in float16; 0/0 is NaN"),
    ([1, 2], HALF, CAPPED, "cap rounds to 0 in float16; the weights hold"),
    ([1, 2], HALF, SUNK, "sink overflows float16 beyond ±65,504; infinity−infinity is NaN"),
    ([1, 2], STABLE32, parse_scale("temperature:T=1e-300"), "multiplier overflows float32"),
    ([88, 12], NAIVE_SOFTMAX, NONE, ""),
    ([89, 12], NAIVE_SOFTMAX, NONE, "is NaN (inside, it computes in float32)"),
    ([70_000, 0], SOFTMAX, NONE, "logits overflow float16 beyond ±65,504; infinity−infinity"),
    ([70_000, 0], SDPA, SUNK, ""),
    ([0.0] * 65_520, HALF, NONE, "Σe^z overflows float16 beyond ±65,504; every e^z/"),
    ([0.0] * 65_520, SOFTMAX, NONE, ""),
]


def test_every_format_gives_out_where_it_does() -> None:
    for scores, precision, scale, reason in GIVEN_OUT:
        told = answered(scores, precision, scale).reason
        assert reason in told
        assert bool(told) == bool(reason)


def test_a_sink_keeps_weights_that_would_be_0_over_0() -> None:
    result = answered([-18, -19], NAIVE_HALF, Scale("none", sink=0.0))
    assert result.reason.startswith("unscaled: every e^z rounds to 0")
    assert result.scaled.weights().tolist() == [0.0, 0.0]
    assert result.scaled.sink_weight == 1.0


def test_a_cap_keeps_what_would_overflow() -> None:
    result = answered([100, 120, 150], NAIVE_HALF, Scale("none", softcap=5.0))
    assert result.reason == "unscaled: e^z overflows float16 above 11.09; infinity/infinity is NaN"
    capped = answered([70_000, 80_000, 0], Precision(scores="float16"), Scale("none", softcap=2.0))
    assert (
        "scaled: rounded scores overflow float16 beyond ±65,504; the weights hold" in capped.reason
    )
    assert capped.scaled.weights()[0] == capped.scaled.weights()[1] > 0.4


ends = st.sampled_from([0.0, -inf, 88.7, 89.0, -104.0, 710.0, -746.0, 1e38, -1e38, 1e308, -1e308])


any_scores = st.lists(st.one_of(ends, st.floats(-1e308, 1e308)), min_size=1, max_size=5)


def is_finite(side: Evaluation) -> bool:
    arrays = (side.weights(), side.complements(), side.gradient(0, "scores"))
    norms = side.norms["scores"]
    numbers = (side.entropy, side.effective_keys, norms.spectral, norms.frobenius, norms.trace)
    return all(np.isfinite(array).all() for array in arrays) and all(map(isfinite, numbers))


@given(
    any_scores,
    st.builds(Precision, st.sampled_from(FORMATS), st.booleans(), st.sampled_from(FORMATS)),
    st.builds(
        Scale,
        st.sampled_from(["inverse-sqrt", "none", "ssmax", "log-length"]),
        softcap=st.sampled_from([None, 1e-300, 1e-9, 50.0, 1e300]),
        sink=st.sampled_from([None, 0.0, -1e5, 1e5, 1e300]),
    )
    | st.just(parse_scale("temperature:T=1e-30")),
)
def test_what_is_ok_is_finite_and_what_is_not_has_a_reason(
    scores: list[float], precision: Precision, scale: Scale
) -> None:
    result = answered(scores, precision, scale, d_k=64)
    masked = np.isneginf(scores)
    sides = (result.unscaled, result.scaled)
    assert (result.status == "ok") == (result.reason == "")
    assert result.masked.tolist() == np.flatnonzero(masked).tolist()
    if result.status == "ok":
        assert all(is_finite(side) for side in sides)
        assert all(np.isfinite(side.logits()[~masked]).all() for side in sides)
    if "the weights hold" in result.reason and "NaN" not in result.reason:
        assert all(np.isfinite(side.weights()).all() for side in sides)
    for side in sides:
        side.log_gradient(0, "scores")
        side.log_weights()
