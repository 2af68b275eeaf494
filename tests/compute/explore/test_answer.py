from dataclasses import replace
from math import inf, log
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore import answer as explore
from attn_tui.compute.explore.answer import OverDk, VectorAnswer
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.keys import ALL
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.logit_map import Wrt
from attn_tui.compute.mask import parse_mask
from attn_tui.compute.precision import FORMATS, Precision
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.vector import Vector
from attn_tui.report.numbers import scientific
from tests.asking import answer_to, asking
from tests.pairs import each_once


def vector(*scores: float, name: str = "a") -> Vector:
    return Vector(name, np.array(scores))


def answered(*scores: float, setup: Setup = Setup()) -> VectorAnswer:
    return answer_to(vector(*scores), setup)


def over_d_k(*arguments: Any, **options: Any) -> OverDk:
    found = explore.over_d_k(*arguments, **options)
    assert found
    return found


def test_unscaled_stands_beside_the_rules_multiplier() -> None:
    found = answered(1.0, 2.0, setup=Setup(d_k=64, scale=Scale("inverse")))
    assert (found.unscaled.multiplier, found.scaled.multiplier) == (1.0, 1 / 64)
    np.testing.assert_array_equal(found.scaled.logits(), np.array([1.0, 2.0]) / 64)
    assert (found.status, found.reason, found.masked.tolist()) == ("ok", "", [])


def test_weights_cannot_be_changed_by_who_reads_them() -> None:
    with pytest.raises(ValueError, match="read-only"):
        answered(1.0, 2.0).scaled.weights()[0] = 1.0


def test_statistics_are_those_of_the_weights() -> None:
    scaled = answered(1.0, 1.0, -inf).scaled
    assert scaled.entropy == pytest.approx(log(2))
    assert scaled.effective_keys == pytest.approx(2)
    assert scaled.participation_ratio == pytest.approx(2)
    assert scaled.max_weight == 0.5
    assert scaled.norms["logits"].frobenius == pytest.approx(0.5)
    assert scaled.norms["scores"].frobenius == pytest.approx(0.5 / 32)


@given(
    st.lists(st.floats(-1e5, 1e5) | st.just(-inf), min_size=1, max_size=5),
    st.sampled_from(["none", "inverse", "temperature:T=1e300", "temperature:T=1e-3"]),
    st.sampled_from([Precision(name, stable) for name in FORMATS for stable in (True, False)]),
)
@settings(deadline=None)
def test_the_sign_of_an_entry_outlives_the_entry(
    scores: list[float], rule: str, precision: Precision
) -> None:
    side = answered(*scores, setup=Setup(scale=parse_scale(rule), precision=precision)).scaled
    for wrt in get_args(Wrt):
        entries, logs = (f(ALL, ALL, wrt) for f in (side.jacobian, side.log_jacobian))
        for (i, j), entry in np.ndenumerate(entries):
            text = scientific(float(entry), float(logs[i, j]), signed=True)
            assert text in ("0", "NaN") or text[0] == ("+" if i == j else "−")
            if -inf in (scores[i], scores[j]):
                assert text in ("0", "NaN")
                assert not np.signbit(entry) or np.isnan(entry)


def test_the_key_asked_for_is_held_to_the_vectors_last() -> None:
    setup = Setup().put(Settings(of=5, wrt="logits"))
    assert answered(1.0, 2.0, setup=setup).of == 1
    assert answered(*range(9), setup=setup).of == 5
    assert answered(1.0, setup=setup).wrt == "logits"


def test_a_wholly_masked_vector_is_marked_not_broken() -> None:
    for name, stable in each_once(FORMATS, [True, False], least=6):
        found = answered(-inf, -inf, setup=Setup(precision=Precision(name, stable)))
        assert found.status == "masked"
        assert "masked" in found.reason
        assert found.masked.tolist() == [0, 1]
        for side in (found.unscaled, found.scaled):
            assert side.weights().tolist() == [0.0, 0.0]
            assert side.gradient(0, "scores").tolist() == [0.0, 0.0]
            assert (side.entropy, side.effective_keys, side.participation_ratio) == (0.0, 0.0, 0.0)
            assert (side.max_weight, side.norms["scores"].spectral) == (0.0, 0.0)


def test_an_experiment_is_answered_once_with_its_vectors_in_order() -> None:
    experiment = asking(vector(1.0), vector(2.0, 3.0, name="b"))
    (found,) = explore.answer(experiment)
    assert found.experiment is experiment
    assert [one.vector for one in found.vectors] == list(experiment.vectors)


def test_a_stopped_answer_says_nothing() -> None:
    assert list(explore.answer(asking(vector(1.0)), lambda: True)) == []


def test_a_key_that_a_vector_lacks_is_named_with_the_last_it_has() -> None:
    setup = Setup().put(Settings(of=2))
    explore.check_keys(asking(vector(1.0, 2.0, 3.0), setup=setup))
    with pytest.raises(InputError, match=r"'b' has no key 2; expected .* 0 to 1") as caught:
        explore.check_keys(asking(vector(1.0, 2.0, 3.0), vector(1.0, 2.0, name="b"), setup=setup))
    assert caught.value.field == "of"
    many = asking(vector(*range(2000)), setup=Setup().put(Settings(of=12_345)))
    with pytest.raises(InputError, match=r"no key 12,345; expected a key from 0 to 1,999"):
        explore.check_keys(many)


def test_the_gradient_is_that_of_the_largest_weight_unless_asked() -> None:
    for one, leader in [
        (vector(1.0, 3.0, 2.0), 1),
        (vector(-np.inf, 3.0, 4.0), 2),
        (vector(7.0, 7.0, 0.0), 0),
        (vector(-np.inf, -np.inf), 0),
        # What is added to the logits decides too.
        (replace(vector(1.0, 3.0, 2.0), bias=np.array([9.0, 0.0, 0.0])), 0),
    ]:
        found = answer_to(one)
        assert (found.leader, found.of) == (leader, leader)
        assert found.of == found.scaled.weights().argmax()
        assert answer_to(one, Setup().put(Settings(of=1))).of == 1
        explore.check_keys(asking(one))


def test_over_d_k_agrees_with_each_single_answer() -> None:
    for precision, wrt, rule in each_once(
        [Precision(), Precision("float32"), Precision(stable=False)],
        ["scores", "logits"],
        ["inverse-sqrt", "inverse", "none"],
        least=6,
    ):
        setup = Setup(scale=Scale(rule), precision=precision).put(Settings(wrt=wrt))
        scores = vector(3.0, 120.0, -inf, 150.0, 120.0, 7.0, 1.0)
        d_ks = (1, 64, 65_536)
        found = over_d_k(asking(scores, setup=setup), 0, d_ks, most_keys=4)
        assert found.keys.tolist() == [3, 1, 4, 5]
        assert found.max_entropy == log(6)
        assert found.d_k.tolist() == [1, 64, 65_536]
        for column, d_k in enumerate(d_ks):
            one = answer_to(scores, Setup(d_k, setup.scale, precision)).scaled
            np.testing.assert_array_equal(found.weights[:, column], one.weights(found.keys))
            assert found.entropy[column] == one.entropy
            assert found.frobenius[column] == one.norms[wrt].frobenius


def test_over_d_k_follows_at_most_the_keys_there_are() -> None:
    found = over_d_k(asking(vector(1.0, -inf, 2.0)), 0, D_K.stops)
    assert found.keys.tolist() == [2, 0]
    assert found.weights.shape == (2, len(D_K.stops))
    np.testing.assert_allclose(found.weights.sum(axis=0), 1.0)


@pytest.mark.parametrize("qk_norm", [False, True])
def test_over_d_k_follows_what_is_drawn_at_each_d_k(qk_norm: bool) -> None:
    source = Drawn(n_keys=9, seed=4, count=2)
    scale = Scale("inverse-sqrt", softcap=3.0, sink=0.0, qk_norm=qk_norm)
    setup = Setup(64, scale, mask=parse_mask("3"))
    found = over_d_k(Experiment(source, setup), 1, (1, 64, 4096))
    for column, d_k in enumerate((1, 64, 4096)):
        one = explore.answer_vector(Experiment(source, replace(setup, d_k=d_k)), 1).scaled
        np.testing.assert_allclose(found.weights[:, column], one.weights(found.keys), rtol=1e-12)
        assert found.entropy[column] == pytest.approx(one.entropy, rel=1e-12)
        assert found.frobenius[column] == pytest.approx(one.norms["scores"].frobenius, rel=1e-12)


def test_over_d_k_can_be_stopped() -> None:
    answers = iter([False, True])
    experiment = asking(vector(1.0, 2.0))
    assert explore.over_d_k(experiment, 0, (1, 2, 3), stop=lambda: next(answers)) is None


def test_over_d_k_has_no_keys_to_follow_if_all_are_masked() -> None:
    found = over_d_k(asking(vector(-inf, -inf)), 0, (1, 2))
    assert (found.keys.size, found.weights.shape, found.max_entropy) == (0, (0, 2), 0.0)
    assert not found.entropy.any()
    assert not found.frobenius.any()


def test_a_million_keys_keep_nothing_but_scores_and_weights() -> None:
    found = answer_to(Vector("a", np.linspace(0.0, 40.0, 10**6)), Setup())
    top = np.array([10**6 - 1], dtype=np.intp)
    assert found.unscaled.gradient(10**6 - 1, "scores", top)[0] > 0
    assert found.unscaled.weights().nbytes == 8 * 10**6
    assert found.unscaled.norms["logits"].spectral <= 0.5
