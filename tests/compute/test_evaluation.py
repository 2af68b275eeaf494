"""Weights, statistics, Jacobians and norms against the formulas at 50 digits and dense matrices."""

from itertools import product
from math import inf, log

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attn_tui.compute.arrays import ALL
from attn_tui.compute.evaluation import Evaluation, evaluate
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import answer_vector
from attn_tui.compute.mask import parse_mask
from attn_tui.compute.norms import frobenius, norms, spectral, trace
from attn_tui.compute.precision import Precision
from attn_tui.compute.rules import RULES
from attn_tui.compute.scale import PLAIN, LogitMap, Scale, Wrt
from attn_tui.compute.setup import Setup
from attn_tui.compute.softmax import log_slopes, slopes
from attn_tui.compute.source import Typed, Vector
from attn_tui.compute.weights import entropy, jacobian, participation_ratio, split, vjp
from tests.pairs import covering

from . import exact
from .plain import softmax

SCORES = (30.0, -4.0, 31.5, 12.0, 29.0)


CAPS = (None, 50.0, 0.7)


SINKS = (None, 0.0, 2.5)


MASKS = ("", "2", "0:2, 4")


WRT: tuple[Wrt, ...] = ("scores", "logits")

some_scores = st.lists(st.floats(-300, 300), min_size=1, max_size=5)


def evaluated(scores: tuple[float, ...] | list[float], to_logits: LogitMap = PLAIN) -> Evaluation:
    return evaluate(np.array(scores), to_logits, Precision())


def close(computed: object, true: object, tolerance: float = 1e-13) -> None:
    """Check numbers against 50 digits; those below float64's range need only be as small."""
    values = np.asarray(computed, dtype=np.float64).ravel()
    rows = true if isinstance(true, list) else [true]
    truths: list[exact.Big] = [x for row in rows for x in (row if isinstance(row, list) else [row])]
    assert values.size == len(truths)
    for value, truth in zip(values, truths, strict=True):
        if 0 < abs(truth) < 1e-305:
            assert abs(value) < 2e-305
        else:
            assert exact.relative_error(value, truth) <= tolerance, (value, truth)


@exact.digits
def rounded(numbers: list[exact.Big]) -> list[exact.Big]:
    return [+number for number in numbers]


@exact.digits
def logarithms(p: list[exact.Big], others: list[exact.Big]) -> list[exact.Big]:
    pairs = zip(p, others, strict=True)
    return [mpmath.log1p(-c) if 2 * x > 1 else mpmath.log(x) for x, c in pairs]


def check_weights(side: Evaluation, scores: tuple[float, ...] | list[float]) -> None:
    """Check weights and their statistics."""
    with mpmath.workdps(300):
        shares = exact.shares(scores, side.map)
    true = rounded(shares)
    n = len(scores)
    p, nats = true[:n], exact.entropy(true)
    close(side.weights(), p)
    close(side.complements(), exact.complements(true)[:n])
    close(side.sink_weight, mpmath.fsum(true[n:]))
    close(side.max_weight, max(p))
    close(side.entropy, nats)
    close(side.effective_keys, mpmath.exp(nats))
    close(side.participation_ratio, 1 / mpmath.fsum(x**2 for x in true))
    logs = logarithms(p, exact.complements(true)[:n])
    close(side.log_weights(), logs, 4e-13)


def check_gradients(
    side: Evaluation, scores: tuple[float, ...] | list[float], dps: int = 300
) -> None:
    """Check every entry of the Jacobian, its logarithm, and the norms."""
    for wrt in WRT:
        true = exact.central_differences(scores, side.map, wrt, dps)
        entries = [x for row in true for x in row]
        close(side.jacobian(ALL, ALL, wrt), true)
        logs = side.log_jacobian(ALL, ALL, wrt).ravel()
        for log_entry, entry in zip(logs, entries, strict=True):
            size = float(mpmath.log(abs(entry))) if entry else -inf
            assert log_entry == pytest.approx(size, rel=1e-14, abs=1e-12)
        close(side.norms[wrt].frobenius, exact.size(entries))
        close(side.frobenius(wrt)[0], exact.size(entries))
        close(side.norms[wrt].trace, mpmath.fsum(true[key][key] for key in range(len(scores))))
        close(side.norms[wrt].spectral, exact.singular_value(true))


OF_TYPED = [rule.name for rule in RULES.values() if not rule.normalises]
"""The rules that typed scores do not refuse."""


@pytest.mark.parametrize(
    ("mask", "sink", "cap", "rule"), covering(MASKS, SINKS, CAPS, OF_TYPED, least=27)
)
def test_every_combination_is_what_the_formulas_say(
    rule: str, cap: float | None, sink: float | None, mask: str
) -> None:
    setup = Setup(12, Scale(rule, softcap=cap, sink=sink), mask=parse_mask(mask))
    experiment = Experiment(Typed((Vector("a", np.array(SCORES)),)), setup)
    side = answer_vector(experiment, 0).scaled
    scores = experiment.vectors[0].scores.tolist()
    n_attended = sum(score > -inf for score in scores)
    assert side.map == LogitMap(setup.scale.multiplier(12, n_attended), cap, sink)
    check_weights(side, scores)
    check_gradients(side, scores)


@pytest.mark.parametrize("sink", [None, -3.0, 40.0])
@pytest.mark.parametrize("cap", [None, 20.0])
@given(scores=st.lists(st.floats(-90, 90) | st.just(-inf), min_size=1, max_size=5))
@example(scores=[0.0, 0.0, -13.855700502226108, 0.0])
@settings(max_examples=20)
def test_any_scores_are_what_the_formulas_say(
    cap: float | None, sink: float | None, scores: list[float]
) -> None:
    if max(scores) > -inf:
        side = evaluated(scores, LogitMap(0.7, cap, sink))
        check_weights(side, scores)
        check_gradients(side, scores)


@pytest.mark.parametrize(
    ("scores", "to_logits", "size"),
    [
        ((0.0, 230.0, 460.0), LogitMap(1.0), 100),
        ((0.0, 230.0, 460.0), LogitMap(1.0, sink=0.0), 100),
        ((0.0, 1.0, 2.0), LogitMap(1.0, sink=460.0), 199),
        ((2300.0, 2400.0, 2500.0), LogitMap(1.0, softcap=10.0), 199),
        ((2300.0, 2400.0, -2500.0), LogitMap(1.0, softcap=10.0, sink=3.0), 199),
    ],
)
def test_saturation_is_right_down_to_1e_200(
    scores: tuple[float, ...], to_logits: LogitMap, size: int
) -> None:
    side = evaluated(scores, to_logits)
    entries = np.abs(side.jacobian(ALL, ALL, "scores"))
    assert 0.0 < entries[entries > 0.0].min() < 10.0**-size
    check_weights(side, scores)
    check_gradients(side, scores, 1500)


@given(st.floats(-1e4, 1e4), st.floats(1e-3, 10.0), st.floats(1.0, 100.0))
def test_slopes_of_a_cap_and_their_logarithms_are_right(s: float, m: float, c: float) -> None:
    to_logits = LogitMap(m, softcap=c)
    with mpmath.workdps(50):
        x = mpmath.mpf(m) * mpmath.mpf(s) / mpmath.mpf(c)
        true = mpmath.log(m) + 2 * mpmath.log(mpmath.sech(x))
    log_slope = float(log_slopes(np.array([s]), to_logits)[0])
    assert log_slope == pytest.approx(float(true), rel=1e-14, abs=1e-13)
    computed = float(slopes(np.array([s]), to_logits)[0])
    assert computed == pytest.approx(float(mpmath.exp(true)), rel=1e-11, abs=1e-300)


@pytest.mark.parametrize("sink", [None, 1.0])
@pytest.mark.parametrize("cap", [None, 5.0])
def test_a_multiplier_of_0_makes_all_keys_equal_and_no_score_matter(
    cap: float | None, sink: float | None
) -> None:
    side = evaluated([3.0, -9.0, -inf], LogitMap(0.0, cap, sink))
    n_equal = 2 if sink is None else 2 + np.e
    np.testing.assert_allclose(side.weights(), [1 / n_equal, 1 / n_equal, 0.0], rtol=1e-15)
    assert not side.jacobian(ALL, ALL, "scores").any()
    assert (side.log_jacobian(ALL, ALL, "scores") == -inf).all()
    assert side.norms["scores"].spectral == side.norms["scores"].frobenius == 0.0
    assert side.norms["logits"].spectral > 0.1
    assert side.slopes().tolist() == [0.0, 0.0, 0.0]


def test_a_sink_takes_all_if_every_key_is_masked() -> None:
    side = evaluated([-inf, -inf], LogitMap(1.0, sink=-7.0))
    assert side.weights().tolist() == [0.0, 0.0]
    assert (side.sink_weight, side.entropy, side.norms["scores"].spectral) == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("cap", [None, 50.0])
def test_softmax_with_a_sink_is_not_shift_invariant(cap: float | None) -> None:
    taken = [evaluated([s, s], LogitMap(1.0, cap, 0.0)).sink_weight for s in (-1.0, 0.0, 1.0)]
    assert taken == sorted(taken, reverse=True)
    assert taken[1] == pytest.approx(1 / 3, rel=1e-15)


def test_a_cap_bounds_logits_and_keeps_the_order_of_keys() -> None:
    side = evaluated([-1e300, -20.0, 0.0, 20.0, 1e300], LogitMap(1.0, softcap=10.0))
    assert (np.abs(side.logits()) <= 10.0).all()
    assert (np.diff(side.weights()) > 0).all()
    assert side.log_weights()[0] - side.log_weights()[-1] == pytest.approx(-20.0, rel=1e-15)


@pytest.mark.parametrize("wrt", WRT)
@pytest.mark.parametrize(("cap", "sink"), product((None, 9.0), (None, 1.0)))
def test_any_keys_can_be_asked_for_with_a_cap_and_a_sink(
    cap: float | None, sink: float | None, wrt: Wrt
) -> None:
    side = evaluated([3.0, -inf, 8.0, 7.5], LogitMap(1.0, cap, sink))
    keys = np.array([3, 0], dtype=np.intp)
    for part in (side.scores, side.slopes, side.logits, side.weights, side.log_weights):
        np.testing.assert_array_equal(part(keys), part()[keys])
        np.testing.assert_array_equal(part(slice(1, None, 2)), part()[1::2])
        np.testing.assert_array_equal(part(slice(-1, None)), part()[-1:])
    np.testing.assert_array_equal(side.complements(slice(-1, None)), side.complements()[-1:])
    whole = side.jacobian(ALL, ALL, wrt)
    np.testing.assert_array_equal(side.jacobian(keys, slice(1, 3), wrt), whole[keys, 1:3])
    np.testing.assert_array_equal(side.gradient(2, wrt), whole[2])


def test_the_winners_own_gradient_outlives_its_complement_under_a_sink() -> None:
    side = evaluated([10_000.0], LogitMap(1.0, sink=0.0))
    assert side.complements().tolist() == [0.0]
    assert side.log_gradient(0, "logits")[0] == pytest.approx(-10_000, rel=1e-15)
    assert side.norms["logits"].log_trace == pytest.approx(-10_000, rel=1e-15)
    assert side.log_entropy == pytest.approx(log(10_001) - 10_000, rel=1e-15)


TINY = (
    ([744.0, 0.0], LogitMap(1.0)),
    ([740.0, 739.0, 0.0, -inf], LogitMap(1.03)),
    ([5.0, 1.0], LogitMap(1 / 32, sink=1000.0)),
    ([5000.0, 0.0, -3.0, 0.0], LogitMap(0.7, sink=2000.0)),
    ([3.0, 0.0], LogitMap(1e-310)),
    ([800.0, 0.0], LogitMap(1e10)),
    ([744.5, 744.0, -3.0], LogitMap(1.0, softcap=0.9)),
    ([1e5, 1e5 - 5.0, 0.0], LogitMap(1.0, softcap=800.0)),
    ([1e5, 2.0, 0.0], LogitMap(1.0, softcap=800.0, sink=3.0)),
)


@pytest.mark.slow
@pytest.mark.parametrize(("scores", "map"), TINY)
def test_what_float64_cannot_hold_has_a_logarithm(scores: list[float], map: LogitMap) -> None:
    side = evaluate(np.array(scores), map, Precision())
    with mpmath.workdps(4_000):
        shares = exact.shares(scores, map)
        nats = -mpmath.fsum(x * mpmath.log(x) for x in shares if x)
        assert side.log_entropy == pytest.approx(float(mpmath.log(nats)), rel=1e-13, abs=1e-12)
        log_top = float(mpmath.log(max(shares[: len(scores)])))
        assert side.log_max_weight == pytest.approx(log_top, abs=1e-12)
        assert side.entropy == pytest.approx(float(nats), rel=1e-11, abs=5e-324)
        p = shares[: len(scores)]
        slopes = {"logits": [mpmath.mpf(1)] * len(p), "scores": true_slopes(scores, map)}
        for wrt in WRT:
            keys = range(len(p))
            true = [
                [((p[i] if i == j else 0) - p[i] * p[j]) * slopes[wrt][j] for j in keys]
                for i in keys
            ]
            computed = side.norms[wrt]
            size = exact.size([x for row in true for x in row])
            unit = mpmath.matrix([[x / size for x in row] for row in true])
            with mpmath.workdps(60):
                spectral = size * mpmath.sqrt(max(mpmath.eigsy(unit.T * unit, eigvals_only=True)))
            sizes = {"frobenius": size, "spectral": spectral}
            sizes["trace"] = mpmath.fsum(true[key][key] for key in keys)
            for name, truth in sizes.items():
                near = pytest.approx(float(mpmath.log(truth)), rel=1e-13, abs=1e-12)
                assert getattr(computed, f"log_{name}") == near
                assert getattr(computed, name) == pytest.approx(float(truth), rel=1e-11, abs=5e-324)
            entries = side.jacobian(ALL, ALL, wrt)
            for i, j in np.ndindex(entries.shape):
                assert entries[i, j] == pytest.approx(float(true[i][j]), rel=1e-11, abs=5e-324)


def true_slopes(scores: list[float], map: LogitMap) -> list[exact.Big]:
    m = mpmath.mpf(map.multiplier)
    if map.softcap is None:
        return [m if score > -inf else mpmath.mpf(0) for score in scores]
    angles = [m * mpmath.mpf(s) / mpmath.mpf(map.softcap) for s in scores]
    return [m / mpmath.cosh(x) ** 2 if x > -inf else mpmath.mpf(0) for x in angles]


@pytest.mark.parametrize("format", ["float32", "float16", "bfloat16"])
def test_another_format_is_taken_at_its_word(format: str) -> None:
    side = evaluate(np.array([300.0, 0.0]), LogitMap(1.0), Precision(format))
    assert side.weights().tolist() == [1.0, 0.0]
    assert side.log_weights().tolist() == [0.0, -inf]
    assert (side.entropy, side.log_entropy, side.norms["logits"].frobenius) == (0.0, -inf, 0.0)


@pytest.mark.parametrize(("multiplier", "scores"), covering([1.0, 1 / 32], exact.SCORES))
def test_every_entry_is_right_to_13_digits(scores: tuple[float, ...], multiplier: float) -> None:
    true = [entry for row in exact.jacobian(exact.weights(scores, multiplier)) for entry in row]
    away = np.array(exact.gaps(scores, multiplier))
    distances = away[:, None] + away
    np.fill_diagonal(distances, away + (away == 0) * exact.runner_up(scores, multiplier))
    computed = evaluated(scores, LogitMap(multiplier))
    assert exact.agrees(computed.jacobian(ALL, ALL, "logits"), true, distances)
    by_scores = [multiplier * entry for entry in true]
    assert exact.agrees(computed.jacobian(ALL, ALL, "scores"), by_scores, distances)


@pytest.mark.parametrize(
    ("multiplier", "scores"),
    covering([1.0, 1 / 32, 30.0], [s for s in exact.SCORES if max(s) < 1e300]),
)
def test_logarithms_of_entries_are_right_where_products_underflow(
    scores: tuple[float, ...], multiplier: float
) -> None:
    true = exact.jacobian(exact.weights(scores, multiplier))
    logs = evaluated(scores, LogitMap(multiplier)).log_jacobian(ALL, ALL, "scores")
    for computed, entry in zip(logs.ravel(), (e for row in true for e in row), strict=True):
        if entry == 0:
            assert computed == -inf
        else:
            size = mpmath.log(abs(entry)) + log(multiplier)
            assert abs(computed - float(size)) <= 1e-13 + 4 * 2.0**-53 * abs(float(size))


@given(some_scores)
def test_rows_sum_to_0(scores: list[float]) -> None:
    entries = jacobian(softmax(scores))
    sizes = np.abs(entries).sum(axis=1)
    assert (np.abs(entries.sum(axis=1)) <= 1e-14 * sizes).all()
    np.testing.assert_array_equal(entries, entries.T)


def test_a_logarithm_beyond_float64_is_infinite() -> None:
    assert evaluated([0.0, 0.0, 1e308]).log_gradient(0, "logits").tolist() == [-1e308, -inf, -1e308]


@pytest.mark.parametrize("scores", [(100.0, 120.0, 150.0), (0.0, 300.0, 1.0), (9.0, 8.0, 7.0)])
def test_products_are_right_to_13_digits_in_saturation(scores: tuple[float, ...]) -> None:
    upstream = [3.0, 0.1, 1.7]
    true = exact.vjp(exact.weights(scores), upstream)
    assert exact.agrees(vjp(softmax(scores), upstream), true)


@pytest.mark.parametrize(("multiplier", "scores"), covering([1.0, 1 / 32], exact.SCORES))
def test_norms_and_statistics_are_right_to_13_digits(
    scores: tuple[float, ...], multiplier: float
) -> None:
    p, true = softmax(scores, multiplier), exact.weights(scores, multiplier)
    gap = exact.runner_up(scores, multiplier)
    for ours, exactly in (
        (frobenius, exact.frobenius),
        (spectral, exact.spectral),
        (trace, exact.trace),
        (entropy, exact.entropy),
    ):
        assert exact.agrees(ours(p), exactly(true), gap)
    assert exact.agrees(participation_ratio(p), 1 / mpmath.fsum(x**2 for x in true))


@pytest.mark.parametrize(
    ("behind", "crowd"),
    covering([1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 1.0], [0.0, 1e-14, 1e-10, 1e-5, 0.5, 50.0], least=12),
)
def test_the_spectral_norm_is_right_near_ties(behind: float, crowd: float) -> None:
    scores = [0.0, -behind, -behind, -behind * (1 + crowd), -behind - crowd]
    assert exact.agrees(spectral(softmax(scores)), exact.spectral(exact.weights(scores)))


@given(st.lists(st.floats(-900, 900), min_size=1, max_size=20))
def test_norms_keep_their_bounds(scores: list[float]) -> None:
    p = softmax(scores)
    computed = norms(p)
    own = jacobian(p).diagonal().max()
    slack = 1 + 1e-13
    assert own <= computed.spectral * slack
    assert computed.spectral <= min(2 * own, 0.5) * slack
    assert computed.spectral <= computed.frobenius * slack <= 0.5 * slack**2
    assert computed.trace <= entropy(p) * slack


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


@pytest.mark.parametrize("scores", [[5.0], [-inf, -inf], [-inf, 5.0], [0.0, 5000.0]])
def test_where_nothing_can_move_norms_are_0(scores: list[float]) -> None:
    computed = norms(softmax(scores))
    assert (computed.frobenius, computed.spectral, computed.trace) == (0.0, 0.0, 0.0)


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
    computed = norms(parts, slopes)
    assert computed.frobenius == pytest.approx(np.linalg.norm(dense), rel=1e-12, abs=1e-15)
    assert computed.spectral == pytest.approx(np.linalg.norm(dense, 2), rel=1e-12, abs=1e-15)
    assert computed.trace == pytest.approx(np.trace(dense), rel=1e-12, abs=1e-15)


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


@pytest.mark.parametrize("p", [[0.0, np.nan], [np.nan, np.nan], [np.nan, 0.0]])
def test_undefined_weights_have_undefined_numbers(p: list[float]) -> None:
    computed, parts = norms(np.array(p)), np.array(p)
    assert np.isnan([computed.frobenius, computed.spectral, computed.trace]).all()
    assert np.isnan([entropy(parts), participation_ratio(parts)]).all()
