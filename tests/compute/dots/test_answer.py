"""Draws of q·k: their law, their statistics, how they grow and stop, and refused input."""

import tracemalloc
from dataclasses import astuple, replace
from itertools import islice
from math import copysign, isnan, nan, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from attn_tui.compute.arrays import Floats
from attn_tui.compute.dots.answer import Answer, SampleRun, answer
from attn_tui.compute.dots.draws import Draws, Streams, draw_entries
from attn_tui.compute.dots.moments import (
    BINS,
    REACH,
    Bins,
    PowerSums,
    Readouts,
    curves,
    histogram,
    read,
)
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.law import Entries, variance_gamma
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.law.entries import LAWS, Pair
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Vector
from tests.asking import asking
from tests.pairs import covering

READOUTS = ("mean", "variance", "standard_deviation", "mean_size", "kurtosis", "coverage")
N = 4000

every_entries = st.sampled_from(list(LAWS))


def question(d_k: int = 64, scale: Scale | None = None, **settings: Any) -> Experiment:
    setup = Setup(d_k=d_k, scale=scale or Scale()).put(Settings(**settings))
    return asking(Vector("a", np.array([1.0, 2.0])), setup=setup)


def last(experiment: Experiment) -> Answer:
    *_, result = answer(experiment)
    return result


def drawn(law: DotLaw, count: int, seed: int = 7, at_once: int | None = None) -> Floats:
    """Return a number of q·k less their mean."""
    draws, parts = Draws(law, Streams(seed)), []
    while count:
        parts.append(draws.take(min(count, at_once or draws.at_once)))
        count -= parts[-1].size
    return np.concatenate(parts)


def sampled(law: DotLaw, count: int) -> tuple[Floats, Readouts]:
    deviations = drawn(law, count)
    return deviations + law.mean, read(PowerSums.of(deviations, law), law)


def directly(law: DotLaw, count: int) -> Floats:
    """Return a number of q·k, computed directly from the formula, from another generator."""
    generator = np.random.Generator(np.random.Philox(11))
    pair, shape = law.pair, (count, 1 if law.tied else law.d_k)

    def entries() -> Floats:
        if pair.entries == "normal":
            return generator.normal(size=shape)
        if pair.entries == "uniform":
            return generator.uniform(-sqrt(3), sqrt(3), shape)
        if pair.entries == "coins":
            return generator.choice([-1.0, 1.0], shape)
        return generator.integers(1, 7, shape).astype(np.float64) - 3.5

    rho, q = pair.correlation, entries()
    if pair.entries == "normal":
        k = rho * q + sqrt(1 - rho**2) * entries()
    else:
        k = np.where(generator.uniform(size=shape) < abs(rho), np.sign(rho) * q, entries())
    middle = 3.5 if pair.entries == "die" else 0.0
    q, k = (np.broadcast_to(side + middle, (count, law.d_k)) for side in (q, k))
    q, k = middle + pair.sigma_q * (q - middle), middle + pair.sigma_k * (k - middle)
    products: Floats = (q + pair.mean_q) * (k + pair.mean_k)
    return np.asarray(products.sum(axis=1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entries", "d_k", "how"),
    covering(
        LAWS,
        [1, 2, 64, 600],
        [
            (0.0, (0.0, 0.0), (1.0, 1.0), False),
            (0.6, (0.0, 0.0), (0.5, 1.0), False),
            (-0.3, (1.5, -0.25), (2.0, 0.25), False),
            (0.0, (2.0, 0.0), (1.0, 1.0), False),
            (-1.0, (0.0, 0.5), (1.0, 3.0), False),
            (0.5, (0.0, 0.0), (1.0, 2.0), True),
        ],
        least=16,
    ),
)
def test_draws_have_the_law_of_direct_simulation(
    entries: Entries, d_k: int,
    how: tuple[float, tuple[float, float], tuple[float, float], bool],
) -> None:  # fmt: skip
    rho, means, spreads, tied = how
    law = DotLaw(Pair(entries, *means, rho, *spreads), d_k, tied)
    # Rounded, so that equal values of a discrete law compare equal.
    ours, theirs = (np.round(x, 6) for x in (drawn(law, N) + law.mean, directly(law, N)))
    assert stats.ks_2samp(ours, theirs, method="asymp").pvalue > 1e-3


@pytest.mark.parametrize(("d_k", "rho"), [(1, 0.0), (3, 1.0), (8192, 0.0), (65536, 1.0)])
def test_normal_draws_have_the_exact_law(d_k: int, rho: float) -> None:
    sample = drawn(DotLaw(Pair(correlation=rho), d_k), N) + rho * d_k
    if rho:
        assert stats.kstest(sample, stats.chi2(d_k).cdf).pvalue > 1e-3
    else:
        cdf = np.vectorize(lambda x: 0.5 + copysign(variance_gamma.coverage(abs(x), d_k), x) / 2.0)
        assert stats.kstest(sample[:1000], cdf).pvalue > 1e-3


@given(every_entries, st.sampled_from([0.0, 0.5, -1.0]))
def test_entries_have_the_correlation_asked_for(entries: Entries, rho: float) -> None:
    pair = Pair(entries, correlation=rho)
    x, y = draw_entries(pair, Streams(5), (20_000,))
    variance = pair.law.variance
    for entry in (x, y):
        assert entry.mean() == pytest.approx(0.0, abs=4 * sqrt(variance / 20_000))
        assert entry.var() == pytest.approx(variance, rel=0.05)
    assert np.corrcoef(x, y)[0, 1] == pytest.approx(rho, abs=0.03)


@given(every_entries, st.booleans())
def test_a_longer_draw_begins_as_a_shorter_one_whatever_the_blocks(
    entries: Entries, tied: bool
) -> None:
    law = DotLaw(Pair(entries, 0.5, 0.0, 0.3), 5, tied)
    long = drawn(law, 1000, at_once=7)
    assert long.tolist() == drawn(law, 1000).tolist()
    assert long[:300].tolist() == drawn(law, 300).tolist()
    assert long.tolist() != drawn(law, 1000, seed=8).tolist()
    streams = [Streams(1, 0, 0), Streams(1, 1, 0), Streams(1, 0), Streams(2, 0, 0)]
    assert len({stream[0].random() for stream in streams}) == 4


@given(st.sampled_from(["normal", "die"]), st.sampled_from([2, 3, 5000]))
def test_readouts_are_those_of_the_sample(entries: Entries, count: int) -> None:
    law = DotLaw(Pair(entries, 0.5, 0.0), 3)
    x, readouts = sampled(law, count)
    m = readouts.scaled(0.25)
    for factor, side in ((1.0, readouts), (0.25, m)):
        values = x * factor
        assert side.mean.value == pytest.approx(values.mean())
        assert side.variance.value == pytest.approx(values.var(ddof=1))
        assert side.variance.exact == pytest.approx(law.variance * factor**2)
        assert side.standard_deviation.value == pytest.approx(values.std(ddof=1))
        assert side.mean_size.value == pytest.approx(abs(values).mean())
        assert side.kurtosis.value == pytest.approx(stats.kurtosis(x, fisher=False))
        assert side.coverage.value == pytest.approx((abs(values) <= side.bound).mean())
    deviations = drawn(law, count)
    parts = PowerSums.of(deviations[:1], law) + PowerSums.of(deviations[1:], law)
    assert astuple(parts) == pytest.approx(astuple(PowerSums.of(deviations, law)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pair", "d_k"), [(Pair(), 1), (Pair(), 64), (Pair("die"), 2), (Pair("coins"), 8)]
)
def test_standard_errors_are_the_spread_of_the_readouts(pair: Pair, d_k: int) -> None:
    law, runs, count = DotLaw(pair, d_k), 400, 2000
    draws = Draws(law, Streams(2))
    samples = [read(PowerSums.of(draws.take(count), law), law) for _ in range(runs)]
    for name in READOUTS:
        if name == "kurtosis" and d_k == 1:
            continue  # With the heavy tails of K₀, 2,000 numbers are too few for the first order.
        values = np.array([getattr(run, name).value for run in samples])
        error = getattr(samples[0], name).standard_error
        assert error == pytest.approx(values.std(), rel=0.2, abs=1e-12), name


def test_laws_without_spread_and_sizes_that_never_differ_have_no_errors() -> None:
    _, readouts = sampled(DotLaw(Pair("coins", correlation=1.0), 9), 50)
    assert readouts.mean.value == 9.0
    assert readouts.variance.value == readouts.variance.standard_error == 0.0
    assert readouts.mean_size.standard_error == readouts.standard_deviation.standard_error == 0.0
    assert isnan(readouts.kurtosis.value)
    _, readouts = sampled(DotLaw(Pair("coins", correlation=0.3), 1), 100)
    assert readouts.mean_size.standard_error == readouts.coverage.standard_error == 0.0
    assert readouts.mean.standard_error > 0.05


def test_what_nobody_knows_still_has_an_error() -> None:
    _, readouts = sampled(DotLaw(Pair("coins", 2**0.5, 3**0.5), 2), 10)
    assert readouts.coverage.exact is None
    assert readouts.coverage.standard_error > 0.0
    law = DotLaw(Pair("normal", 1e6, 1e6), 4)
    _, readouts = sampled(law, 20_000)
    assert readouts.variance.value == pytest.approx(law.variance, rel=0.04)
    assert abs(readouts.mean_size.value - law.mean) <= 4 * readouts.mean_size.standard_error


@pytest.mark.parametrize(("entries", "tied"), covering(LAWS, [False, True], least=6))
def test_every_number_is_within_4_standard_errors_of_the_exact_one(
    entries: Entries, tied: bool
) -> None:
    for rho, mean_q in ((0.0, 0.0), (0.5, 1.0)):
        given: dict[str, Any] = {"entries": entries, "tied": tied, "correlation": rho}
        result = last(question(32, mean_q=mean_q, samples=20_000, d_ks=(2, 512), **given))
        numbers = [getattr(side, n) for side in (result.unscaled, result.scaled) for n in READOUTS]
        numbers += result.derivation.values()
        numbers += [number for row in result.table for number in (row.variance, row.coverage)]
        for number in numbers:
            assert number.standard_error >= 0.0
            if number.exact is not None:
                assert abs(number.value - number.exact) <= 4 * number.standard_error + 1e-9


@given(every_entries, st.integers(0, 10).map(lambda power: 2**power), st.booleans())
def test_the_histogram_counts_every_number_once(entries: Entries, d_k: int, tied: bool) -> None:
    law = DotLaw(Pair(entries, 0.25, 0.0, 0.3), d_k, tied)
    deviations, bins = drawn(law, 2000), Bins.of(law)
    binned, x = histogram(law, bins, bins.count(deviations)), deviations + law.mean
    assert binned.count == 2000
    assert binned.below == (x < binned.edges[0]).sum()
    assert binned.above == (x >= binned.edges[-1]).sum()
    assert binned.counts.tolist() == np.histogram(x, binned.edges)[0].tolist()
    assert binned.counts.size <= BINS + 1
    assert binned.edges[-1] - law.mean >= (REACH - 0.1) * law.standard_deviation
    if law.grid is not None:
        value, step = law.grid
        np.testing.assert_allclose((bins.edges - value) / step % 1.0, 0.5, atol=1e-6)


@pytest.mark.parametrize(
    "law",
    [
        DotLaw(Pair(), 1),
        DotLaw(Pair(correlation=0.7), 64),
        DotLaw(Pair(correlation=-1.0), 8),
        DotLaw(Pair(), 1024, tied=True),
        DotLaw(Pair("coins", 0.5, 0.0), 7),
        DotLaw(Pair("die", correlation=0.2), 300),
    ],
)
def test_the_histogram_tends_to_the_exact_curve(law: DotLaw) -> None:
    bins = Bins.of(law)
    binned, curve = histogram(law, bins, bins.count(drawn(law, 20_000))), curves(law)
    assert curve.exact is not None
    per_bin = curve.exact.reshape(binned.counts.size, -1)
    expected = per_bin.mean(axis=1) * np.diff(binned.edges) * binned.count
    # The density of q·k at d_k = 1 and of chi-square rises too steeply for four places a bin.
    smooth = per_bin.max(axis=1) < 1.5 * np.maximum(per_bin.min(axis=1), 1e-12)
    off = np.abs(binned.counts - expected)[smooth]
    assert smooth.sum() >= 2
    assert (off <= 4.5 * np.sqrt(expected[smooth] + 1)).all()
    scaled = binned.scaled(0.25)
    np.testing.assert_allclose(scaled.density, binned.density * 4)
    np.testing.assert_allclose(curve.scaled(0.25).normal, curve.normal * 4)
    np.testing.assert_allclose(
        curve.normal, stats.norm.pdf(curve.x, law.mean, law.standard_deviation)
    )


def test_the_scaled_side_and_the_derivation_follow_the_rule() -> None:
    for rule, variance in (("none", 1024.0), ("inverse-sqrt", 1.0), ("inverse", 1 / 1024)):
        result = last(question(1024, Scale(rule, softcap=1.0, sink=0.0), samples=100, d_ks=()))
        assert result.unscaled.variance.exact == 1024
        assert result.unscaled.bound == 64.0
        assert result.scaled.variance.exact == variance
        steps = result.derivation
        assert steps["scaled"] == result.scaled.variance
        assert steps["sum"].value == pytest.approx(1024 * steps["variance"].value)
        assert steps["total"].value == pytest.approx(steps["sum"].value + steps["cross"].value)
        errors = steps["sum"].standard_error, steps["total"].standard_error
        assert steps["cross"].standard_error == pytest.approx(sqrt(sum(e**2 for e in errors)))
        assert (steps["sum"].exact, steps["cross"].exact) == (1024.0, 0.0)


def test_tied_components_leave_the_cross_terms() -> None:
    result = last(question(64, tied=True))
    assert result.derivation["cross"].exact == 64**2 - 64
    assert result.derivation["cross"].value == pytest.approx(64 * 63, rel=0.1)
    assert [line.slope for line in result.growth] == [1.0, 0.5, 0.0]
    for line in result.growth:
        assert line.d_k.tolist() == list(D_K.stops)
        slopes = np.diff(np.log(line.standard_deviation)) / np.diff(np.log(line.d_k))
        np.testing.assert_allclose(slopes, line.slope, atol=1e-12)


@pytest.mark.parametrize(
    ("entries", "most"), [("normal", (30_000, 30_000)), ("uniform", (30_000, 2**24 // 16_384))]
)
def test_answers_and_rows_grow_to_what_was_asked_as_far_as_that_is_cheap(
    entries: Entries, most: tuple[int, int]
) -> None:
    answers = list(answer(question(entries=entries, samples=30_000, d_ks=(1, 8192))))
    assert len(answers) > 3
    assert answers[0].drawn < 10_000
    for step in answers:
        assert step.histogram.count == step.pairs == step.drawn
        for row in step.table:
            assert row.draws / row.asked == pytest.approx(step.drawn / 30_000, abs=0.01)
    assert [step.complete for step in answers] == [False] * (len(answers) - 1) + [True]
    assert tuple(row.draws for row in answers[-1].table) == most


def test_a_row_is_what_it_would_be_alone() -> None:
    many = last(question(samples=5000, d_ks=(2, 3, 700))).table
    (alone,) = last(question(8, samples=5000, d_ks=(3,))).table
    assert many[1] == alone
    assert round(many[0].coverage.exact or nan, 4) == 0.9409


def test_the_largest_sample_begins_at_once_and_what_was_drawn_before_a_stop_is_kept() -> None:
    stopped = False
    answers = answer(question(entries="die", samples=10**8), lambda: stopped)
    *_, before = islice(answers, 4)
    assert 0 < before.drawn < 10**8
    stopped = True
    assert list(answers) == []
    whole = last(question(entries="die", samples=before.drawn))
    assert whole.histogram.counts.tolist() == before.histogram.counts.tolist()
    assert list(answer(question(), lambda: True)) == []


@pytest.mark.parametrize("asks", [1, 20])
def test_a_stop_between_two_answers_loses_no_draw(
    asks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, taken, take = iter(range(asks)), [], Draws.take

    def counting(draws: Draws, count: int) -> Floats:
        taken.append(count)
        return take(draws, count)

    monkeypatch.setattr(Draws, "take", counting)
    experiment = question(8192, entries="uniform", samples=10**8, d_ks=())
    counts = [step.drawn for step in answer(experiment, lambda: next(looks, None) is None)]
    assert counts[-1] == sum(taken)
    assert len(set(counts)) == len(counts)


def test_a_stopped_run_goes_on_and_ends_where_it_would_have() -> None:
    experiment, looks = question(samples=300_000), iter(range(4))
    run = SampleRun(experiment.setup.get(Settings), 64)
    (*_, stopped) = run.answers(experiment, lambda: next(looks, None) is None)
    assert 0 < stopped.drawn < 300_000
    first, *_, ended = run.answers(experiment)
    assert first.drawn == stopped.drawn
    whole = last(experiment)
    assert ended.histogram.counts.tolist() == whole.histogram.counts.tolist()
    assert ended.unscaled.variance.value == pytest.approx(whole.unscaled.variance.value, rel=1e-12)
    (after,) = run.answers(question(64, Scale("inverse"), samples=300_000))
    assert (after.drawn, after.multiplier) == (300_000, 1 / 64)
    assert (after.unscaled, after.table) == (ended.unscaled, ended.table)


def test_the_same_seed_draws_the_same() -> None:
    first, again, other = (last(question(samples=5000, seed=seed)) for seed in (7, 7, 8))
    assert first.unscaled == again.unscaled != other.unscaled
    assert first.derivation == again.derivation != other.derivation
    assert first.generator.startswith("NumPy PCG64, ")


@pytest.mark.slow
@pytest.mark.parametrize(("entries", "samples"), [("normal", 10_000_000), ("uniform", 100_000)])
def test_memory_does_not_grow_with_the_sample(entries: Entries, samples: int) -> None:
    tracemalloc.start()
    try:
        result = last(question(256, entries=entries, samples=samples))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert result.drawn == samples
    assert peak < 24 * 2**20


def test_one_sample_has_a_mean_and_no_errors() -> None:
    result = last(question(samples=1, d_ks=()))
    assert (result.drawn, result.pairs, result.table) == (1, 1, ())
    assert isnan(result.unscaled.mean.standard_error)
    assert isnan(result.unscaled.variance.value)
    assert all(isnan(number.standard_error) for number in result.derivation.values())


def test_bad_settings_are_refused_by_name() -> None:
    refused: list[tuple[str, Any]] = [
        ("samples", 0), ("samples", 2.0), ("seed", 2**63), ("correlation", 1.0000001),
        ("correlation", nan), ("mean_q", 1e7), ("mean_k", -float("inf")), ("entries", "cauchy"),
        ("tied", 1), ("d_ks", (65_537,)), ("d_ks", [2]), ("d_ks", (2,) * 65),
    ]  # fmt: skip
    for field, value in refused:
        with pytest.raises(InputError, match="will not do; expected") as caught:
            replace(Settings(), **{field: value})
        assert caught.value.field == field


def test_the_rows_of_other_d_k_are_drawn_once_for_all_d_k(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    take = Draws.take

    def counted(draws: Draws, count: int) -> Floats:
        drawn.append(count)
        return take(draws, count)

    monkeypatch.setattr(Draws, "take", counted)
    # A seed that nothing else draws with, as the rows are kept.
    first = last(question(64, samples=500, d_ks=(2, 8, 32), seed=4_109))
    assert sum(drawn) == 4 * 500
    drawn.clear()
    second = last(question(80, samples=500, d_ks=(2, 8, 32), seed=4_109))
    assert sum(drawn) == 500
    assert first.table == second.table
