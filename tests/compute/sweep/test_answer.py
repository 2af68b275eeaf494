"""Sweeps: which draws are made where and in which order, their statistics, and refused input."""

import gc
import tracemalloc
import weakref
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.sample import stream
from attn_tui.compute.scale import NONE, Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep import draws as drawing
from attn_tui.compute.sweep.answer import (
    Answer,
    answer,
    at_place,
    crossovers_wanted,
    row_crossovers,
)
from attn_tui.compute.sweep.crossover import crossings, crossover
from attn_tui.compute.sweep.draws import unit_logs, unit_rows, units
from attn_tui.compute.sweep.points import check_vectors, log_grid, median_error, places, summarise
from attn_tui.compute.sweep.readouts import ROWS
from attn_tui.compute.sweep.settings import (
    STATISTICS,
    Settings,
    SweepStatistic,
    View,
    compared,
    draws_at,
)

SMALL = Settings(n=16, d_k_range=(1, 1024), points=6, draws=160, crossovers=False)
AUTO = Settings(
    view="map", n_range=(4, 256), d_k_range=(2, 8), map_points=3, n=4, crossovers=False
)  # fmt: skip


def ask(settings: Settings, **setup: Any) -> Experiment:
    return Experiment(Drawn(4), Setup(**setup).put(settings))


def last(settings: Settings, **setup: Any) -> Answer:
    return list(answer(ask(settings, **setup)))[-1]


def draws(result: Answer) -> dict[int, int]:
    return {point.n: point.draws for point in result.points}


@pytest.mark.slow
def test_answers_grow_from_coarse_to_fine() -> None:
    answers = list(answer(ask(replace(SMALL, points=27, draws=1000, crossovers=True))))
    progress = [step.progress for step in answers]
    assert progress == sorted(progress)
    assert [p == 1.0 for p in progress] == [False] * (len(progress) - 1) + [True]
    sizes = [len(step.points) for step in answers]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
    first, final = answers[0], answers[-1]
    assert all(point.draws < 1000 for point in first.points)
    assert all(point.draws == 1000 for point in final.points)
    readouts = ["gradient", "jacobian", "query_gradient", "trace"]
    assert (first.crossovers, [name for _, name, _ in final.crossovers]) == ({}, readouts)


@pytest.mark.parametrize("view", ["map", "curves"])
def test_every_place_is_known_after_a_hundredth_of_the_work(view: View) -> None:
    first, second = islice(answer(ask(Settings(view=view, ratio=True), d_k=1024)), 2)
    assert len(first.points) == 2
    wanted, rest = places(second.settings, 1024)
    assert len(second.points.places) == len(wanted) + len(rest)
    assert {point.draws for point in second.points} == {32}
    assert 0.0 < second.progress < 0.02


@pytest.mark.parametrize(("view", "n"), [("map", 64), ("curves", 60)])
def test_the_place_nearest_to_what_is_asked_is_drawn_first(view: View, n: int) -> None:
    result = next(iter(answer(ask(Settings(view=view, n=60, draws=1000), d_k=900))))
    assert {(point.n, point.d_k) for point in result.points} == {(n, 1024)}


def test_points_go_with_the_answer() -> None:
    result = last(SMALL, scale=Scale("inverse"))
    point = next(point for point in result.points if point.rule == "inverse")
    assert result.points.ratio(*point.place, Scale("inverse"), "gradient")
    gone = weakref.ref(point)
    del result, point
    gc.collect()
    assert gone() is None


def test_an_answer_does_not_depend_on_what_was_asked_before_and_is_not_drawn_again() -> None:
    result = last(SMALL)
    misses = unit_logs.cache_info().misses
    last(replace(SMALL, statistic="trace"))
    assert unit_logs.cache_info().misses == misses
    unit_logs.cache_clear()
    again = last(replace(SMALL, statistic="entropy", rules=("none", "inverse-sqrt", "inverse")))
    for point in result.points:
        same = again.points.at(point.n, point.d_k, point.scale)
        assert same is not None
        assert same.statistics == point.statistics


def test_n_and_d_k_are_independent() -> None:
    over_d_k = last(SMALL, d_k=77)
    assert over_d_k.points.ns == (16,)
    assert over_d_k.points.d_ks == (1, 4, 16, 64, 256, 1024)
    over_n = last(replace(SMALL, over="n", n_range=(2, 64)), d_k=77)
    assert over_n.points.d_ks == (77,)
    assert list(over_n.points.ns) == log_grid((2, 64), 6)


def test_rules_are_none_and_the_setups_own_unless_they_are_named() -> None:
    scale = Scale("temperature", (("T", 4.0),))
    assert last(SMALL, scale=scale).rules == (NONE, scale)
    assert last(SMALL, scale=Scale("none")).rules == (NONE,)
    named = replace(SMALL, rules=("inverse",))
    assert last(named).rules == (Scale("inverse"),)
    assert last(replace(named, ratio=True)).rules == (NONE, Scale("inverse"))


def test_points_lie_on_exact_means() -> None:
    known = ("trace", "entropy", "entropy_bits", "logit_std", "lead_weight")
    for point in last(replace(SMALL, draws=1000)).points:
        for statistic in STATISTICS:
            drawn, exact = point.statistics[statistic], point.exact(statistic).mean
            assert (exact is not None) == (statistic in known)
            if exact is not None:
                assert abs(drawn.mean - exact) < 4.0 * drawn.mean_standard_error


def test_spread_does_to_weights_what_the_multiplier_does_and_not_to_gradients() -> None:
    """σ_qσ_k = 1/8 does to weights what dividing by √64 does; ∂p/∂s is 8 times as large."""
    settings = replace(SMALL, d_k_range=(64, 64), rules=("none", "inverse-sqrt"))
    unscaled, _ = last(settings, d_k=64, sigma_q=0.5, sigma_k=0.25).points
    _, scaled = last(settings, d_k=64).points
    factors: dict[SweepStatistic, float] = {
        "entropy": 1.0, "logit_std": 1.0, "jacobian": 1.0, "gradient": 8.0, "query_gradient": 2.0,
    }  # fmt: skip
    for statistic, times in factors.items():
        ours, theirs = unscaled.statistics[statistic], scaled.statistics[statistic]
        assert ours.median == pytest.approx(times * theirs.median)
        assert ours.mean == pytest.approx(times * theirs.mean)
    (none, *_) = last(replace(SMALL, n=512), sigma_q=0.5).condensation
    assert none.d_k == pytest.approx(4.0 * 12.4766, abs=1e-3)


@pytest.mark.slow
def test_crossovers_heed_the_spread() -> None:
    """Where σ_q is half as large, it takes a larger d_k until logits are as far apart."""

    def crossing(sigma_q: float) -> float:
        result = last(replace(SMALL, n=8, draws=400, crossovers=True), sigma_q=sigma_q)
        found = result.crossing(Scale(), "gradient", 8)
        assert found is not None
        assert found.at is not None
        return found.at

    assert crossing(0.5) > 1.5 * crossing(1.0)


def test_where_logits_condense_is_marked() -> None:
    marks = {mark.rule: mark for mark in last(replace(SMALL, n=512)).condensation}
    assert marks["none"].d_k == pytest.approx(12.4766, abs=1e-4)
    assert (marks["none"].where, marks["inverse-sqrt"].d_k) == ("from", None)
    (over_n, _) = last(replace(SMALL, over="n"), d_k=8).condensation
    assert (over_n.d_k, over_n.where) == (8, "up to")
    assert over_n.n == pytest.approx(np.exp(4.0))
    assert len(last(replace(AUTO, draws=64)).condensation) == 6


def test_removing_the_scale_does_what_theory_says() -> None:
    many = replace(SMALL, n=512, d_k_range=(32, 64), points=2, draws=1000)
    ratio = last(many).points.ratio(512, 64, Scale(), "gradient")
    assert ratio is not None
    assert np.exp(ratio.log_mean) == pytest.approx(27.0, rel=0.1)
    few = replace(SMALL, n=8, d_k_range=(512, 1024), points=2, draws=1000)
    ratio = last(few).points.ratio(8, 1024, Scale(), "gradient")
    assert ratio is not None
    assert ratio.log_mean > 2.0 * ratio.log_mean_error
    assert -4.6 < ratio.log_median / np.log(10.0) < -3.4
    assert ratio.log_median_error < 1.0


def test_medians_cross_once_over_n() -> None:
    result = last(replace(SMALL, over="n", n_range=(2, 512), points=9, draws=400), d_k=128)
    (crossing,) = crossings(result.points, Scale(), "gradient")
    assert crossing.at is not None
    assert crossing.low is not None
    assert crossing.high is not None
    assert crossing.low < crossing.at < crossing.high
    # The median is smaller without the rule where keys are few, so that d*(n) is below 128.
    assert crossing.direction == "rises"
    assert result.crossing(Scale(), "gradient", 16) == crossing


def test_medians_outlive_float64() -> None:
    settings = replace(
        SMALL, n=2, d_k_range=(1, 65_536), points=2, rules=("temperature:0.01",), draws=64
    )
    (_, point) = last(settings).points
    size = point.statistics["gradient"]
    assert size.median == 0.0
    assert -4e4 < size.log_median < -1e4


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["temperature:1e-308", "temperature:1e307"])
def test_no_multiplier_overflows(rule: str) -> None:
    settings = replace(SMALL, n=2, d_k_range=(1, 65_536), points=2, draws=32, rules=("none", rule))
    for point in last(settings).points:
        for statistic in STATISTICS:
            summary = point.statistics[statistic]
            assert np.isfinite([summary.mean, summary.log_median]).all()
            point.exact(statistic)


def test_a_summary_is_of_the_first_draws() -> None:
    point = last(replace(SMALL, draws=100)).points.at(16, 64, NONE)
    assert point is not None
    logs = np.concatenate([unit_logs(u, 64, 1.0) for u in units(1, 16, 100, (64,))], axis=1)
    assert point.statistics["entropy"] == summarise(logs)[ROWS["entropy"]]


def test_it_stops() -> None:
    assert list(answer(ask(SMALL), stop=lambda: True)) == []
    looks = iter(range(5))
    stopped = list(answer(ask(replace(SMALL, seed=77)), lambda: next(looks, None) is None))
    assert all(step.progress < 1.0 for step in stopped)


def test_drawing_rests_after_each_step_if_wanted_and_draws_the_same() -> None:
    asked = ask(replace(SMALL, seed=78))
    usual, resting = list(answer(asked)), list(answer(asked, rest=lambda: True))
    assert len(resting) > len(usual)
    assert [step.progress for step in resting] == sorted(step.progress for step in resting)
    # A number that is not one equals nothing, not even itself.
    assert repr([*resting[-1].points]) == repr([*usual[-1].points])


@pytest.mark.slow
def test_memory_does_not_grow_with_what_was_drawn() -> None:
    settings = Settings(n=50_000, points=3, d_k_range=(1, 4096), draws=64, seed=5)
    unit_logs.cache_clear()
    tracemalloc.start()
    try:
        for _ in islice(answer(ask(settings)), 4):
            pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 80e6


@pytest.mark.slow
def test_errors_of_ratios_are_those_of_paired_draws() -> None:
    """Compared with the spread of 60 sweeps with other seeds."""
    rules = ("none", "inverse-sqrt", "inverse")
    settings = replace(SMALL, d_k_range=(64, 64), draws=256, rules=rules)
    sweeps = [last(replace(settings, seed=seed)).points for seed in range(60)]
    for name in ("entropy", "gradient", "max_weight"):
        ratios = [points.ratio(16, 64, Scale(), name) for points in sweeps]
        for value in ("log_mean", "log_median"):
            spread = np.std([getattr(one, value) for one in ratios], ddof=1)
            told = np.median([getattr(one, f"{value}_error") for one in ratios])
            assert told == pytest.approx(spread, rel=0.35)
    told, apart = [], []
    for points in sweeps:
        one, other = (points.at(16, 64, parse_scale(rule)) for rule in rules[1:])
        assert one
        assert other
        medians = [point.statistics["gradient"].log_median for point in (one, other)]
        apart.append(medians[0] - medians[1])
        told.append(median_error(one, other, "gradient"))
    assert np.median(told) == pytest.approx(np.std(apart, ddof=1), rel=0.35)
    same = sweeps[0].ratio(16, 64, NONE, "entropy")
    assert same is not None
    assert (same.log_mean_error, same.log_median_error) == (0.0, 0.0)


@pytest.mark.slow
def test_a_map_and_curves_name_the_crossover_that_is_searched_for() -> None:
    """The same n, seed and draws give the same answer."""
    searched = crossover(8, draws=300, seed=5)
    assert searched is not None
    curves = replace(SMALL, n=8, n_range=(2, 32), draws=300, seed=5, crossovers=True)
    for settings in (curves, replace(curves, view="map", map_points=5)):
        assert last(settings).crossing(Scale(), "gradient", 8) == searched
        # Other rows of a map are not searched.
        assert last(settings).crossing(Scale(), "gradient", 32) is None


@pytest.mark.slow
def test_a_thousand_come_first_and_ten_times_as_many_follow_where_keys_are_few() -> None:
    answers = [*answer(ask(AUTO, d_k=8))]
    first = next(step for step in answers if set(draws(step).values()) == {1000})
    assert draws(answers[-1]) == {4: 10_000, 32: 10_000, 256: 1000}
    # They depend on the seed alone: the first thousand are the same, and n changes no number.
    for given in (replace(AUTO, draws=10_000), replace(AUTO, draws=1000), replace(AUTO, n=32)):
        points = first.points if given.draws == 1000 else answers[-1].points
        for point, same in zip(points, last(given, d_k=8).points, strict=True):
            assert (point.statistics == same.statistics) == (point.draws == same.draws)


def test_how_many_are_drawn_follows_from_the_question() -> None:
    assert {n: draws_at(AUTO, n) for n in (100, 101)} == {100: 10_000, 101: 1000}
    assert set(draws(last(replace(AUTO, draws=64))).values()) == {64}
    one = replace(AUTO, n_range=(4, 4), d_k_range=(2, 2))
    assert draws(last(one, scale=Scale(qk_norm=True))) == {4: 1000}
    for n, d_k, expected in ((4, 8, 10_000), (256, 8, 1000), (4, 16_000, 1048), (4, 65_536, 1000)):
        place = at_place(ask(AUTO, d_k=8), n, d_k)
        assert place.setup.get(Settings).draws == expected
    # Few draws are few there, too.
    assert at_place(ask(replace(AUTO, draws=20), d_k=8), 5, 8).setup.get(Settings).draws == 20


@pytest.mark.slow
def test_a_rule_that_normalises_leaves_the_others_as_they_are() -> None:
    rules = ("none", "inverse-sqrt", "cosine:g=8")
    mixed = last(replace(SMALL, rules=rules, d_k_range=(64, 64), draws=None, n=200))
    plain = last(replace(SMALL, rules=rules[:2], d_k_range=(64, 64), draws=1000, n=200))
    normal = last(
        replace(SMALL, rules=rules[:2], d_k_range=(64, 64), draws=1000, n=200),
        scale=Scale(qk_norm=True),
    )
    for rule, result, same in (
        ("none", plain, "none"), ("inverse-sqrt", plain, "inverse-sqrt"),
        ("cosine:g=8", normal, "inverse-sqrt"),
    ):  # fmt: skip
        point = mixed.points.at(200, 64, parse_scale(rule))
        other = result.points.at(200, 64, parse_scale(same))
        assert point is not None
        assert other is not None
        for statistic in ("gradient", "entropy", "max_weight"):
            assert point.statistics[statistic] == other.statistics[statistic]
        assert point.qk_norm == other.qk_norm
        assert point.exact("entropy") == other.exact("entropy")
        assert np.isnan(point.statistics["query_gradient"].mean) == point.qk_norm
    assert [mark.rule for mark in mixed.condensation] == ["none", "inverse-sqrt"]
    # With few keys, all rules have the same draws, so that they can be compared.
    few = last(replace(SMALL, rules=rules, d_k_range=(64, 64), draws=None, n=4))
    assert {point.draws for point in few.points} == {1000}
    crossed = ask(replace(SMALL, rules=rules, crossovers=True))
    assert crossovers_wanted(crossed) == [(16, Scale())]


@pytest.mark.parametrize("qk_norm", [False, True])
def test_a_table_of_128_keys_and_256_dimensions(qk_norm: bool) -> None:
    """Compared with 400 queries of 128 keys each, drawn in full and multiplied."""
    random = np.random.default_rng(3)
    q, k = random.standard_normal((400, 256)), random.standard_normal((400, 128, 256))
    if qk_norm:
        q, k = (x / np.sqrt(np.square(x).mean(axis=-1, keepdims=True)) for x in (q, k))
    s = np.einsum("bd,bnd->bn", q, k)
    settings = Settings(n=128, d_k_range=(256, 256), draws=1000, crossovers=False)
    result = last(settings, scale=Scale(qk_norm=qk_norm))
    for rule, m in (("none", 1.0), ("inverse-sqrt", 1 / 16)):
        powers = np.exp(m * (s - s.max(axis=1, keepdims=True)))
        p = powers / powers.sum(axis=1, keepdims=True)
        point = result.points.at(128, 256, Scale(rule))
        assert point is not None
        sampled: dict[SweepStatistic, NDArray[np.float64]] = {
            "entropy_bits": -(p * np.log2(p + 1e-300)).sum(axis=1),
            "max_weight": p.max(axis=1),
            "logit_std": (m * s).std(axis=1),
        }
        for name, drawn in sampled.items():
            one = point.statistics[name]
            error = np.hypot(drawn.std() / 20.0, one.mean_standard_error)
            assert abs(one.mean - drawn.mean()) < 4.0 * error
        assert np.isnan(point.statistics["query_gradient"].mean) == qk_norm
    assert bool(result.condensation) != qk_norm


def test_bad_settings_are_named() -> None:
    refused: list[tuple[str, dict[str, Any]]] = [
        ("over", {"over": "seed"}), ("n", {"n": 1}), ("d_k_range", {"d_k_range": (64, 2)}),
        ("d_k_range", {"d_k_range": (1, 2, 3)}), ("rule", {"rules": ("sqrt",)}),
        ("rules", {"rules": ("none", "none")}), ("rules", {"rules": ("none",), "ratio": True}),
        ("draws", {"draws": 1}), ("seed", {"seed": True}), ("points", {"points": 1}),
    ]  # fmt: skip
    for field, given in refused:
        with pytest.raises(InputError) as caught:
            Settings(**given)
        assert caught.value.field == field


@pytest.mark.parametrize(
    ("settings", "most"),
    [
        # The limit of 2^20 vectors over the number of places and rules; at least two rules count.
        # Two of the 27 places, near 1 and 2, coincide.
        (Settings(), 2**20 // (26 * 2)),
        (Settings(view="map"), 2**20 // (12 * 14 * 2)),
        (Settings(rules=("inverse", "ssmax"), points=14, ratio=True), 2**20 // (14 * 3)),
    ],
)
def test_vectors_are_counted_where_they_are_drawn(settings: Settings, most: int) -> None:
    every = {place for part in places(settings, 64) for place in part}
    assert len(every) * len(compared(settings, Scale())) * most <= 2**20
    check_vectors(replace(settings, draws=most))
    with pytest.raises(InputError, match=f"at most {most:,}"):
        next(answer(ask(replace(settings, draws=most + 1))))
    rules = tuple(f"temperature:T={t}" for t in range(1, 50))
    with pytest.raises(InputError, match="fewer places or rules"):
        check_vectors(Settings(view="map", map_points=200, rules=rules, draws=2))
    # Even the default number of draws can be too large.
    with pytest.raises(InputError, match="1,000 at 29,040 × 2 places"):
        check_vectors(replace(AUTO, n_range=(2, 99_999), d_k_range=(1, 65_535), map_points=200))


def test_drawing_rests_between_few_vectors_so_that_a_key_does_not_wait_for_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    streams, between = 0, []

    def counted(*key: int) -> np.random.Generator:
        nonlocal streams
        streams += 1
        return stream(*key)

    def rest() -> bool:
        nonlocal streams
        between.append(streams)
        streams = 0
        return False

    monkeypatch.setattr(drawing, "stream", counted)
    # A seed that nothing else draws with, as drawn vectors are cached.
    question = ask(replace(SMALL, d_k_range=(1, 16), draws=300, seed=4_107))
    for _ in answer(question, rest=rest):
        pass
    # Of each of 32 vectors, g and v are drawn together; q, and what lies across it, one by one.
    assert max(between) == 64
    between.clear()
    for _ in row_crossovers(ask(replace(SMALL, crossovers=True, draws=300, seed=4_108)), rest):
        pass
    assert 0 < max(between) <= 64


@pytest.mark.slow
def test_no_rows_are_kept_once_a_sweep_is_done_or_dropped() -> None:
    # Of 100,000 keys they would take 51 MB.
    question = Experiment(Drawn(), Setup(64).put(Settings(n=8, draws=40, points=3)))
    for _ in answer(question):
        pass
    assert not unit_rows.cache_info().currsize
    unfinished = answer(question)
    next(unfinished)
    del unfinished
    assert not unit_rows.cache_info().currsize
