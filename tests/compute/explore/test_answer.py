"""One vector: weights, gradients, curves over d_k, comparisons, and a million keys."""

import tracemalloc
from dataclasses import replace
from math import exp, inf, log
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_tui.compute import evaluation
from attn_tui.compute.arrays import ALL
from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore import answer as explore
from attn_tui.compute.explore.answer import (
    OverDk,
    VectorAnswer,
    answer_vector,
    compare,
    largest_weight,
)
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.mask import parse_mask
from attn_tui.compute.numbers import scientific
from attn_tui.compute.precision import FORMATS, Precision
from attn_tui.compute.scale import Scale, Wrt, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Typed, Vector
from tests.asking import answer_to, asking
from tests.pairs import covering


def vector(*scores: float, name: str = "a") -> Vector:
    return Vector(name, np.array(scores))


def answered(*scores: float, setup: Setup = Setup()) -> VectorAnswer:
    return answer_to(vector(*scores), setup)


def over_d_k(*arguments: Any, **options: Any) -> OverDk:
    curves = explore.over_d_k(*arguments, **options)
    assert curves
    return curves


def test_unscaled_stands_beside_the_rules_multiplier() -> None:
    result = answered(1.0, 2.0, setup=Setup(d_k=64, scale=Scale("inverse")))
    assert (result.unscaled.multiplier, result.scaled.multiplier) == (1.0, 1 / 64)
    np.testing.assert_array_equal(result.scaled.logits(), np.array([1.0, 2.0]) / 64)
    assert (result.status, result.reason, result.masked.tolist()) == ("ok", "", [])


@given(
    st.lists(st.floats(-1e5, 1e5) | st.just(-inf), min_size=1, max_size=5),
    st.sampled_from(["none", "inverse", "temperature:T=1e300", "temperature:T=1e-3"]),
    st.sampled_from([Precision(name, naive) for name in FORMATS for naive in (False, True)]),
)
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
    for name, naive in covering(FORMATS, [True, False], least=6):
        result = answered(-inf, -inf, setup=Setup(precision=Precision(name, naive)))
        assert result.status == "masked"
        assert "masked" in result.reason
        assert result.masked.tolist() == [0, 1]
        for side in (result.unscaled, result.scaled):
            assert side.weights().tolist() == [0.0, 0.0]
            assert side.gradient(0, "scores").tolist() == [0.0, 0.0]
            assert (side.entropy, side.effective_keys, side.participation_ratio) == (0.0, 0.0, 0.0)
            assert (side.max_weight, side.norms["scores"].spectral) == (0.0, 0.0)


def test_an_experiment_is_answered_once_with_its_vectors_in_order() -> None:
    experiment = asking(vector(1.0), vector(2.0, 3.0, name="b"))
    (result,) = explore.answer(experiment)
    assert result.experiment is experiment
    assert [one.vector for one in result.vectors] == list(experiment.vectors)


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
        # The bias counts too.
        (replace(vector(1.0, 3.0, 2.0), bias=np.array([9.0, 0.0, 0.0])), 0),
    ]:
        result = answer_to(one)
        assert (result.leader, result.of) == (leader, leader)
        assert result.of == result.scaled.weights().argmax()
        assert answer_to(one, Setup().put(Settings(of=1))).of == 1
        explore.check_keys(asking(one))


def test_over_d_k_agrees_with_each_single_answer() -> None:
    for precision, wrt, rule in covering(
        [Precision(), Precision("float32"), Precision(naive=True)],
        ["scores", "logits"],
        ["inverse-sqrt", "inverse", "none"],
        least=6,
    ):
        setup = Setup(scale=Scale(rule), precision=precision).put(Settings(wrt=wrt))
        scores = vector(3.0, 120.0, -inf, 150.0, 120.0, 7.0, 1.0)
        d_ks = (1, 64, 65_536)
        curves = over_d_k(asking(scores, setup=setup), 0, d_ks, most_keys=4)
        assert curves.keys.tolist() == [3, 1, 4, 5]
        assert curves.max_entropy == log(6)
        assert curves.d_k.tolist() == [1, 64, 65_536]
        for column, d_k in enumerate(d_ks):
            one = answer_to(scores, Setup(d_k, setup.scale, precision)).scaled
            np.testing.assert_array_equal(curves.weights[:, column], one.weights(curves.keys))
            assert curves.entropy[column] == one.entropy
            assert curves.gradient[column] == one.norms[wrt].frobenius


@pytest.mark.parametrize("wrt", ["scores", "logits"])
def test_the_gradient_of_a_named_key_is_the_norm_of_its_row(wrt: Wrt) -> None:
    scores = vector(3.0, 120.0, -inf, 150.0, 120.0, 7.0, 1.0)
    setup = Setup(64, Scale(softcap=20.0)).put(Settings(4, wrt))
    one = answer_to(scores, setup)
    for side, (size, log_size) in zip(one.sides, one.gradients, strict=True):
        assert size == pytest.approx(float(np.linalg.norm(side.gradient(4, wrt))), rel=1e-12)
        assert exp(log_size) == pytest.approx(size, rel=1e-12)
    over = over_d_k(asking(scores, setup=setup), 0, (64,))
    assert (over.gradient[0], over.log_gradient[0]) == one.gradients[1]
    masked = answer_to(scores, setup.put(Settings(2, wrt)))
    assert masked.gradients == ((0.0, -inf), (0.0, -inf))


def test_the_largest_weight_of_all_vectors_is_found_where_it_is() -> None:
    vectors = vector(1.0, 2.0), vector(-inf, -inf), vector(0.0, 9.0, 1.0), vector(5.0, 14.0, 6.0)
    place = largest_weight(asking(*vectors, setup=Setup(64)))
    assert place is not None
    assert (place.index, place.key) == (2, 1)
    weights = explore.answer_vector(asking(*vectors, setup=Setup(64)), 2).scaled.weights()
    assert place.weight == weights[1] == pytest.approx(exp(place.log_weight))
    assert largest_weight(asking(vector(-inf))) is None
    assert largest_weight(asking(*vectors), lambda: True) is None


@pytest.mark.parametrize("qk_norm", [False, True])
def test_over_d_k_follows_what_is_drawn_at_each_d_k(qk_norm: bool) -> None:
    source = Drawn(n_keys=9, seed=4, count=2)
    scale = Scale("inverse-sqrt", softcap=3.0, sink=0.0, qk_norm=qk_norm)
    setup = Setup(64, scale, mask=parse_mask("3"))
    curves = over_d_k(Experiment(source, setup), 1, (1, 64, 4096))
    for column, d_k in enumerate((1, 64, 4096)):
        one = explore.answer_vector(Experiment(source, replace(setup, d_k=d_k)), 1).scaled
        np.testing.assert_allclose(curves.weights[:, column], one.weights(curves.keys), rtol=1e-12)
        assert curves.entropy[column] == pytest.approx(one.entropy, rel=1e-12)
        assert curves.gradient[column] == pytest.approx(one.norms["scores"].frobenius, rel=1e-12)


def test_over_d_k_can_be_stopped() -> None:
    answers = iter([False, True])
    experiment = asking(vector(1.0, 2.0))
    assert explore.over_d_k(experiment, 0, (1, 2, 3), stop=lambda: next(answers)) is None


def test_over_d_k_has_no_keys_to_follow_if_all_are_masked() -> None:
    curves = over_d_k(asking(vector(-inf, -inf)), 0, (1, 2))
    assert (curves.keys.size, curves.weights.shape, curves.max_entropy) == (0, (0, 2), 0.0)
    assert not curves.entropy.any()
    assert not curves.gradient.any()


def test_two_settings_of_one_vector_stand_beside_each_other() -> None:
    scores = vector(1.0, 2.0, 4.0)
    pinned = answer_to(scores, Setup(d_k=4))
    now = answer_to(scores, Setup(d_k=64).put(Settings(of=1, wrt="logits")))
    pair = compare(pinned, now)
    assert pair.names == ("pinned", "now")
    assert (pair.unscaled, pair.scaled) == (pinned.scaled, now.scaled)
    assert (pair.vector, pair.of, pair.wrt) == (scores, 1, "logits")
    assert (pair.status, pair.reason, pair.masked.tolist()) == ("ok", "", [])


@pytest.mark.parametrize("sink", [None, 0.0, 9.0])
def test_a_shorter_vector_is_padded_with_masked_keys(sink: float | None) -> None:
    setup = Setup(d_k=1, scale=Scale(sink=sink))
    short = answer_to(vector(1.0, 3.0), setup)
    long = answer_to(vector(1.0, -inf, 4.0, -inf, name="b"), setup)
    for pair, name in ((compare(short, long), "b"), (compare(long, short), "a")):
        assert (pair.vector.n_keys, pair.vector.name) == (4, name)
        assert pair.masked.tolist() == [3]
    pair = compare(short, long)
    padded = pair.unscaled
    assert padded.weights().tolist() == [*short.scaled.weights(), 0.0, 0.0]
    assert padded.scores().tolist() == [1.0, 3.0, -inf, -inf]
    assert padded.sink_weight == short.scaled.sink_weight
    assert padded.entropy == pytest.approx(short.scaled.entropy, rel=1e-15)
    assert padded.complements()[:2].tolist() == short.scaled.complements().tolist()
    assert padded.norms["scores"].spectral == pytest.approx(short.scaled.norms["scores"].spectral)
    entries = padded.jacobian(ALL, ALL, "scores")
    np.testing.assert_array_equal(entries[:2, :2], short.scaled.jacobian(ALL, ALL, "scores"))
    assert not entries[2:].any()
    assert (padded.log_weights()[2:] == -inf).all()
    assert compare(long, short).vector.scores.tolist() == [1.0, 3.0, -inf, -inf]


def test_what_gave_out_is_named_by_its_side() -> None:
    naive = Setup(d_k=1, precision=Precision("float32", naive=True))
    broken, fine = answer_to(vector(100.0, 150.0), naive), answer_to(vector(1.0, 2.0))
    assert compare(broken, fine).reason.startswith("pinned: e^z overflows float32")
    assert compare(fine, broken).reason.startswith("now: e^z overflows float32")
    assert compare(broken, broken).reason.startswith("both: e^z overflows")


def test_a_comparison_is_masked_only_if_both_sides_are() -> None:
    hidden, seen = answer_to(vector(-inf, -inf)), answer_to(vector(1.0, 2.0))
    assert (compare(hidden, seen).status, compare(hidden, seen).masked.tolist()) == ("ok", [])
    assert compare(hidden, hidden).status == "masked"


N = 1_000_000


MEGABYTE = 1e6


SCALES = {
    "plain": Scale(),
    "cap and sink": Scale("ssmax", softcap=50.0, sink=0.0),
}


def asked(scale: Scale, precision: Precision = Precision(), n: int = N) -> Experiment:
    scores = np.random.default_rng(3).normal(scale=8.0, size=n)
    scores.setflags(write=False)
    return Experiment(Typed((Vector("a", scores),)), Setup(64, scale, precision))


@pytest.mark.slow
@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
@pytest.mark.parametrize("precision", [Precision(), Precision("bfloat16", scores="float16")])
def test_a_million_keys_need_little_memory(scale: Scale, precision: Precision) -> None:
    experiment = asked(scale, precision)
    tracemalloc.start()
    try:
        result = answer_vector(experiment, 0)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert result.scaled.norms["scores"].spectral > 0.0
    # Two sides with 8 MB of weights each, besides the scores, which existed before.
    assert kept <= 17 * MEGABYTE
    assert peak <= 70 * MEGABYTE


def test_a_million_keys_agree_with_a_hundred_of_each_weight() -> None:
    scores = np.repeat(np.linspace(0.0, 9.0, 100), N // 100)
    side = answer_vector(
        Experiment(Typed((Vector("a", scores),)), Setup(1, Scale("none", sink=1.0))), 0
    ).scaled
    powers = np.exp(np.linspace(0.0, 9.0, 100))
    total = powers.sum() * (N // 100) + np.e
    np.testing.assert_allclose(side.weights()[:: N // 100], powers / total, rtol=1e-12)
    # Tied keys have their weight as an eigenvalue, and λ is no larger than that.
    assert side.norms["logits"].spectral == pytest.approx(powers[-1] / total, rel=1e-12)
    assert side.complements(ALL).shape == (N,)


def test_what_is_said_of_all_keys_is_worked_out_with_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An answer with a million keys is computed in a thread; the screen must not wait for more."""
    result = answer_vector(asked(SCALES["plain"], Precision("float16")), 0)

    def fail(*arguments: object) -> None:
        raise AssertionError

    for name in ("entropy", "norms", "participation_ratio", "evaluate", "largest"):
        monkeypatch.setattr(evaluation, name, fail)
    for side in (result.unscaled, result.scaled):
        assert side.entropy > 0.0
        assert side.log_entropy < 10.0
        assert side.participation_ratio > 1.0
        assert side.norms["scores"].trace > 0.0
        assert side.vanished
        assert side.unrounded[side.ends[0]] == side.unrounded.max()
    assert result.unscaled.vanished
    assert result.unscaled.vanished.number > 900_000
