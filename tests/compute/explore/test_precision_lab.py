from dataclasses import replace
from math import inf, isnan
from unittest.mock import patch

import mpmath
import numpy as np
import pytest

from attn_tui.compute.exact_softmax import exact_weights
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.precision_lab import Lab, Trial, lab
from attn_tui.compute.logit_map import PLAIN, LogitMap
from attn_tui.compute.precision import FORMATS, Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Products
from attn_tui.compute.vector import Vector
from tests.asking import answer_to, asking
from tests.pairs import with_rows

EXAMPLE = Vector("a", np.array([100.0, 120.0, 150.0]))


def labbed(vector: Vector, setup: Setup = Setup(), key: int = 0) -> Lab:
    found = lab(asking(vector, setup=setup), 0, key)
    assert found
    return found


def trial_of(found: Lab, side: int, format: str, stable: bool) -> Trial:
    return next(
        trial
        for trial in found.sides[side].trials
        if (trial.precision.format, trial.precision.stable) == (format, stable)
    )


def test_every_format_is_tried_by_both_methods() -> None:
    found = labbed(EXAMPLE)
    assert [side.name for side in found.sides] == ["unscaled", "scaled"]
    for side in found.sides:
        tried = [(trial.precision.format, trial.precision.stable) for trial in side.trials]
        assert tried == [(name, stable) for name in FORMATS for stable in (True, False)]


def test_stable_float64_is_not_taken_for_exact() -> None:
    """Of these weights each method misses some by an ulp; which is nearer is not known before."""
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
    found = labbed(vector, Setup(scale=Scale("none")), key=9)
    assert found.key == 4
    half = trial_of(found, 0, "float16", True)
    assert half.n_vanished == 1, "float64 keeps e^−20, and neither keeps e^−800"
    assert half.worst_key in (0, 1)
    exact = exact_weights(vector.scores, PLAIN)
    assert exact is not None
    computed = answer_to(vector, Setup(precision=Precision("float16"))).unscaled.weights()
    assert half.worst == np.abs(computed - exact).max()
    as_float16 = exact.astype(np.float16).astype(np.float64)
    assert half.n_differ == np.count_nonzero(computed != as_float16)


@with_rows("most", [1, 3, 5, 50])
def test_the_weights_that_differ_most_are_named(most: int) -> None:
    vector = Vector("a", np.append(np.linspace(0.0, 3.0, 30), -inf))
    found = lab(asking(vector), 0, 0, most=most)
    assert found
    for index, side in enumerate(found.sides):
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
                assert {each.key for each in trial.differing} <= set(differ.tolist())
                left = set(differ.tolist()) - {each.key for each in trial.differing}
                errors = np.abs(computed - exact)
                least = min((abs(each.difference) for each in trial.differing), default=inf)
                assert all(errors[key] <= least for key in left)
            assert len(trial.differing) == min(most, trial.n_differ)
            sizes = [abs(each.difference) for each in trial.differing]
            assert sizes == sorted(sizes, reverse=True)
            for key, right, wrong in trial.differing:
                assert (right, wrong) == (exact[key], computed[key])
    assert any(trial.differing for trial in found.sides[0].trials)


def test_nan_is_farther_than_any_number_and_a_million_keys_are_not_named() -> None:
    found = labbed(EXAMPLE)
    broken = trial_of(found, 0, "float16", False)
    assert [each.key for each in broken.differing] == [0, 1, 2]
    assert isnan(broken.differing[0].difference)
    many = lab(asking(Vector("a", np.linspace(0, 1, 5_000))), 0, 0, most=4_000)
    assert many
    assert max(len(each.differing) for each in many.sides[0].trials) == 1_000


def test_rounding_of_scores_holds_for_every_trial_but_not_for_the_exact_weights() -> None:
    vector = Vector("a", np.array([100.0, 100.2]))
    setup = Setup(precision=Precision("float16", scores="bfloat16"), scale=Scale("none"))
    found = labbed(vector, setup)
    for side in found.sides:
        assert side.exact == pytest.approx(0.450, abs=5e-4)
        for trial in side.trials:
            assert trial.precision.scores == "bfloat16"
        for trial in side.trials[::2]:
            assert trial.precision.stable
            assert (trial.weight, trial.n_differ) == (0.5, 2)
            assert trial.worst == pytest.approx(0.05, abs=5e-4)


def test_rounding_of_queries_and_keys_holds_for_every_trial_too() -> None:
    source = Products(np.array([[10.0, 1.01]]), np.array([[10.0, 0.0], [9.9, 1.0]]))
    setup = Setup(precision=Precision(vectors="bfloat16"))
    found = lab(Experiment(source, setup), 0, 0)
    plain = lab(Experiment(source, replace(setup, precision=Precision())), 0, 0)
    assert found
    assert plain
    assert found.sides[1].exact == plain.sides[1].exact
    assert found.sides[1].trials[0].n_differ == 2


def test_a_masked_vector_is_no_trouble() -> None:
    found = labbed(Vector("a", np.array([-inf, -inf])))
    for trial in (trial for side in found.sides for trial in side.trials):
        assert trial.status == "masked"
        assert (trial.weight, trial.n_differ, trial.n_vanished, trial.worst) == (0.0, 0, 0, 0.0)


def test_a_lab_can_be_stopped_while_the_exact_weights_are_computed() -> None:
    answers = iter([False] * 3 + [True])
    with patch("attn_tui.compute.explore.precision_lab.evaluate", side_effect=AssertionError):
        assert lab(asking(Vector("a", np.zeros(5_000))), 0, 0, lambda: next(answers)) is None
