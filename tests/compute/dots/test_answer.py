import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from math import isnan, nan, sqrt
from typing import Any

import numpy as np
import pytest

from attn_tui.compute.arrays import Floats
from attn_tui.compute.dots.answer import Answer, Run, answer
from attn_tui.compute.dots.draws import Draws
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.law.entries import LAWS
from attn_tui.compute.law.names import Entries
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.vector import Vector
from tests.asking import asking
from tests.pairs import each_once, with_rows

READOUTS = ("mean", "variance", "standard_deviation", "mean_size", "kurtosis", "coverage")


def question(d_k: int = 64, scale: Scale | None = None, **settings: Any) -> Experiment:
    setup = Setup(d_k=d_k, scale=scale or Scale()).put(Settings(**settings))
    return asking(Vector("a", np.array([1.0, 2.0])), setup=setup)


def last(experiment: Experiment) -> Answer:
    *_, found = answer(experiment)
    return found


@pytest.mark.parametrize(("entries", "tied"), each_once(LAWS, [False, True], least=6))
def test_every_number_is_within_4_standard_errors_of_the_exact_one(
    entries: Entries, tied: bool
) -> None:
    for rho, mean_q in ((0.0, 0.0), (0.5, 1.0)):
        found = last(
            question(32, entries=entries, tied=tied, correlation=rho, mean_q=mean_q, samples=50_000)
        )
        numbers = [getattr(side, n) for side in (found.unscaled, found.scaled) for n in READOUTS]
        numbers += found.derivation.values()
        numbers += [number for row in found.table for number in (row.variance, row.coverage)]
        for number in numbers:
            assert number.standard_error >= 0.0
            if number.exact is not None:
                assert abs(number.value - number.exact) <= 4 * number.standard_error + 1e-9


def test_the_variance_is_d_k_and_dividing_by_its_root_makes_it_1() -> None:
    for d_k in (1, 64, 1024, 8192):
        found = last(question(d_k, samples=1))
        assert found.unscaled.mean.exact == found.scaled.mean.exact == 0.0
        assert found.unscaled.variance.exact == d_k
        assert found.unscaled.bound == 2 * sqrt(d_k)
        assert found.scaled.variance.exact == pytest.approx(1.0)
        assert found.scaled.bound == pytest.approx(2.0)


@with_rows(("rule", "variance"), [("none", 1024.0), ("inverse-sqrt", 1.0), ("inverse", 1 / 1024)])
def test_the_scaled_side_follows_the_rule(rule: str, variance: float) -> None:
    found = last(question(1024, Scale(rule), samples=100))
    assert found.scaled.variance.exact == variance
    assert found.derivation["scaled"] == found.scaled.variance
    assert found.multiplier == Scale(rule).multiplier(1024, 2)


def test_a_soft_cap_plays_no_part() -> None:
    found = last(question(scale=Scale(softcap=1.0, sink=0.0), samples=100))
    assert found.scaled.variance.exact == pytest.approx(1.0)


def test_answers_grow_to_what_was_asked() -> None:
    answers = list(answer(question(samples=600_000)))
    drawn = [found.drawn for found in answers]
    assert drawn == sorted(drawn)
    assert drawn[0] <= 10_000
    assert drawn[-1] == 600_000
    assert [found.complete for found in answers] == [False] * (len(answers) - 1) + [True]
    for found in answers:
        assert found.histogram.count == found.drawn
        assert found.pairs == min(found.drawn, 2**20)
        assert found.settings.samples == 600_000


@pytest.mark.parametrize(("samples", "entries"), [(10**8, "normal"), (10**8, "uniform")])
def test_the_largest_sample_begins_at_once_and_stops_when_told(
    samples: int, entries: Entries
) -> None:
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 60

    *_, found = answer(question(8192, entries=entries, samples=samples), stop)
    assert len(asked) == 61
    assert 0 < found.drawn < samples
    assert found.histogram.count == found.drawn
    assert not found.complete


def test_stopped_at_once_it_says_nothing() -> None:
    assert list(answer(question(), lambda: True)) == []


def test_what_was_drawn_before_a_stop_is_kept() -> None:
    stopped = False
    answers = answer(question(entries="die", samples=10**8), lambda: stopped)
    *_, before = islice(answers, 4)
    stopped = True
    assert list(answers) == []
    whole = last(question(entries="die", samples=before.drawn))
    assert whole.drawn == before.drawn
    assert whole.histogram.counts.tolist() == before.histogram.counts.tolist()


@pytest.mark.parametrize("asks", [1, 20, 50])
def test_a_stop_between_two_answers_loses_no_draw(
    asks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, taken, take = [], [], Draws.take

    def stop() -> bool:
        asked.append(1)
        return len(asked) > asks

    def counting(draws: Draws, count: int) -> Floats:
        taken.append(count)
        return take(draws, count)

    monkeypatch.setattr(Draws, "take", counting)
    experiment = question(8192, entries="uniform", samples=10**8, d_ks=())
    drawn = [found.drawn for found in answer(experiment, stop)]
    assert drawn[-1] == sum(taken)
    assert len(set(drawn)) == len(drawn)


@pytest.mark.parametrize("entries", LAWS)
def test_the_same_seed_draws_the_same(entries: Entries) -> None:
    first, again, other = (
        last(question(entries=entries, samples=5000, seed=seed)) for seed in (7, 7, 8)
    )
    assert first.unscaled == again.unscaled != other.unscaled
    assert first.derivation == again.derivation != other.derivation
    assert first.generator == again.generator
    assert first.generator.startswith("NumPy PCG64, ")


@pytest.mark.slow
@pytest.mark.parametrize("entries", ["normal", "uniform"])
def test_memory_does_not_grow_with_the_sample(entries: Entries) -> None:
    samples = 10_000_000 if entries == "normal" else 100_000
    experiment = question(1024 if entries == "normal" else 256, entries=entries, samples=samples)
    tracemalloc.start()
    try:
        found = last(experiment)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.drawn == samples
    assert peak < 24 * 2**20


def test_one_sample_has_a_mean_and_no_errors() -> None:
    found = last(question(samples=1))
    assert found.drawn == found.pairs == 1
    assert isnan(found.unscaled.mean.standard_error)
    assert isnan(found.unscaled.variance.value)
    assert all(isnan(number.standard_error) for number in found.derivation.values())


def test_the_derivation_adds_up() -> None:
    steps = last(question(64)).derivation
    assert steps["sum"].value == pytest.approx(64 * steps["variance"].value)
    assert steps["total"].value == pytest.approx(steps["sum"].value + steps["cross"].value)
    assert steps["size"].value ** 2 == pytest.approx(steps["total"].value)
    assert steps["scaled"].value == pytest.approx(steps["total"].value / 64)
    errors = steps["sum"].standard_error, steps["total"].standard_error
    assert steps["cross"].standard_error == pytest.approx(sqrt(sum(e**2 for e in errors)))
    assert steps["sum"].exact == steps["total"].exact == 64.0
    assert steps["cross"].exact == 0.0


def test_tied_components_leave_the_cross_terms() -> None:
    found = last(question(64, tied=True))
    steps = found.derivation
    assert steps["cross"].exact == 64**2 - 64
    assert steps["cross"].value == pytest.approx(64 * 63, rel=0.1)
    assert found.unscaled.variance.exact == 64**2
    assert [line.slope for line in found.growth] == [1.0, 0.5, 0.0]


def test_the_table_has_a_row_for_each_d_k() -> None:
    found = last(question(samples=100, d_ks=(2, 4, 512, 1024, 3)))
    rows = {row.d_k: row for row in found.table}
    assert list(rows) == [2, 4, 512, 1024, 3]
    assert [row.variance.exact for row in found.table] == [2.0, 4.0, 512.0, 1024.0, 3.0]
    assert rows[2].bound == pytest.approx(2 * sqrt(2))
    assert round(rows[2].coverage.exact or nan, 4) == 0.9409
    assert all(row.draws == row.asked == 100 for row in found.table)


@pytest.mark.parametrize(
    ("entries", "most"), [("normal", (30_000, 30_000)), ("uniform", (30_000, 2**24 // 16_384))]
)
def test_rows_grow_with_the_answer_as_far_as_that_is_cheap(
    entries: Entries, most: tuple[int, int]
) -> None:
    answers = list(answer(question(entries=entries, samples=30_000, d_ks=(1, 8192))))
    assert len(answers) > 3
    for found in answers:
        for row in found.table:
            assert row.draws / row.asked == pytest.approx(found.drawn / 30_000, abs=0.01)
    assert [found.complete for found in answers] == [False] * (len(answers) - 1) + [True]
    assert tuple(row.draws for row in answers[-1].table) == most


def test_a_row_is_what_it_would_be_alone() -> None:
    many = last(question(samples=5000, d_ks=(2, 3, 700))).table
    (alone,) = last(question(8, samples=5000, d_ks=(3,))).table
    assert many[1] == alone


def test_no_rows_are_no_trouble() -> None:
    found = last(question(samples=10, d_ks=()))
    assert found.table == ()
    assert found.complete


@with_rows("entries", LAWS)
def test_the_standard_deviation_grows_with_exact_slopes(entries: Entries) -> None:
    found = last(question(entries=entries, samples=10, d_ks=()))
    assert [line.rule for line in found.growth] == ["none", "inverse-sqrt", "inverse"]
    assert [line.slope for line in found.growth] == [0.5, 0.0, -0.5]
    for line in found.growth:
        assert line.d_k.tolist() == list(D_K.stops)
        slopes = np.diff(np.log(line.standard_deviation)) / np.diff(np.log(line.d_k))
        np.testing.assert_allclose(slopes, line.slope, atol=1e-12)


def test_bad_settings_are_refused_by_name() -> None:
    refused: list[tuple[str, Any]] = [
        ("samples", 0), ("samples", 10**8 + 1), ("samples", 2.0), ("seed", -1), ("seed", 2**63),
        ("correlation", 1.0000001), ("correlation", nan), ("correlation", "0"), ("mean_q", 1e7),
        ("mean_k", -float("inf")), ("entries", "cauchy"), ("tied", 1), ("d_ks", (65_537,)),
        ("d_ks", [2]), ("d_ks", (2,) * 65),
    ]  # fmt: skip
    for field, value in refused:
        with pytest.raises(InputError, match="will not do; expected") as caught:
            replace(Settings(), **{field: value})
        assert caught.value.field == field


def test_the_ends_of_what_is_allowed_will_do() -> None:
    for rho in [-1, 1, -1.0, 1.0]:
        for entries in LAWS:
            for d_k in (1, 512):
                found = last(question(d_k, entries=entries, correlation=rho, samples=2, d_ks=(1,)))
                assert found.drawn == 2


def counted(limit: int) -> Callable[[], bool]:
    """A stop that is true from the time after so many looks on."""
    looks = iter(range(limit))
    return lambda: next(looks, None) is None


def test_a_stopped_run_goes_on_and_ends_where_it_would_have() -> None:
    asked = question(samples=300_000)
    run = Run(asked.setup.get(Settings), 64)
    (*_, stopped) = run.answers(asked, counted(4))
    assert 0 < stopped.drawn < 300_000
    first, *_, last = run.answers(asked)
    assert first.drawn == stopped.drawn
    (*_, whole) = answer(asked)
    assert last.complete
    assert last.drawn == whole.drawn
    assert last.histogram.counts.tolist() == whole.histogram.counts.tolist()
    assert last.unscaled.variance.value == pytest.approx(whole.unscaled.variance.value, rel=1e-12)


def test_another_scale_keeps_what_was_drawn() -> None:
    asked = question(samples=1000)
    run = Run(asked.setup.get(Settings), 64)
    (*_, before) = run.answers(asked)
    (after,) = run.answers(question(64, Scale("inverse"), samples=1000))
    assert (after.drawn, after.multiplier) == (1000, 1 / 64)
    assert after.unscaled == before.unscaled
    assert after.table == before.table
