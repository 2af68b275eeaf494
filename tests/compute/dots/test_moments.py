from dataclasses import astuple
from math import isnan

import numpy as np
import pytest
from scipy import stats

from attn_tui.compute.dots.draws import Draws, Streams
from attn_tui.compute.dots.moments import Readouts, Sums, read
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.law.entries import Pair
from attn_tui.compute.law.names import Entries
from tests.pairs import with_rows

NAMES = ("mean", "variance", "standard_deviation", "mean_size", "kurtosis", "coverage")


def sampled(law: DotLaw, count: int, seed: int = 1) -> tuple[np.ndarray, Readouts]:
    deviations = Draws(law, Streams(seed)).take(count)
    return deviations + law.mean, read(Sums.of(deviations, law), law)


@with_rows("entries", ["normal", "die"])
@with_rows("count", [2, 3, 5000])
def test_readouts_are_those_of_the_sample(entries: Entries, count: int) -> None:
    law = DotLaw(Pair(entries, 0.5, 0.0), 3)
    x, found = sampled(law, count)
    assert found.mean.value == pytest.approx(x.mean())
    assert found.variance.value == pytest.approx(x.var(ddof=1))
    assert found.standard_deviation.value == pytest.approx(x.std(ddof=1))
    assert found.mean_size.value == pytest.approx(abs(x).mean())
    assert found.kurtosis.value == pytest.approx(stats.kurtosis(x, fisher=False))
    assert found.coverage.value == pytest.approx((abs(x) <= found.bound).mean())


def test_sums_of_parts_are_the_sums_of_the_whole() -> None:
    law = DotLaw(Pair(), 4)
    deviations = Draws(law, Streams(1)).take(1000)
    parts = Sums.of(deviations[:300], law) + Sums.of(deviations[300:], law)
    whole = Sums.of(deviations, law)
    assert parts.count == whole.count == 1000
    assert astuple(parts) == pytest.approx(astuple(whole))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pair", "d_k"), [(Pair(), 1), (Pair(), 64), (Pair("die"), 2), (Pair("coins"), 8)]
)
def test_standard_errors_are_the_spread_of_the_readouts(pair: Pair, d_k: int) -> None:
    law, runs, count = DotLaw(pair, d_k), 400, 2000
    draws = Draws(law, Streams(2))
    found = [read(Sums.of(draws.take(count), law), law) for _ in range(runs)]
    for name in NAMES:
        if name == "kurtosis" and d_k == 1:
            continue  # Of K₀'s heavy tails 2,000 numbers are too few for the first order.
        values = np.array([getattr(each, name).value for each in found])
        error = getattr(found[0], name).standard_error
        assert error == pytest.approx(values.std(), rel=0.2, abs=1e-12), name
        assert isnan(error) or len({getattr(each, name).standard_error for each in found}) == 1


def test_a_law_without_spread_has_no_errors_but_of_its_kurtosis() -> None:
    _, found = sampled(DotLaw(Pair("coins", correlation=1.0), 9), 50)
    assert found.mean.value == 9.0
    assert found.variance.value == found.variance.standard_error == 0.0
    assert found.mean_size.standard_error == found.standard_deviation.standard_error == 0.0
    assert isnan(found.kurtosis.value)


@with_rows("tied", [False, True])
@with_rows("rho", [0.3, -0.7])
def test_what_every_draw_agrees_on_has_no_error(rho: float, tied: bool) -> None:
    """|q·k| of coins that are one product, or d_k times one, is always the same."""
    law = DotLaw(Pair("coins", correlation=rho), 3 if tied else 1, tied)
    found = read(Sums.of(Draws(law, Streams(1)).take(100), law), law)
    assert found.mean_size.standard_error == found.coverage.standard_error == 0.0
    assert found.mean.standard_error > 0.05


def test_a_coverage_nobody_knows_still_has_an_error() -> None:
    _, found = sampled(DotLaw(Pair("coins", 2**0.5, 3**0.5), 2), 10)
    assert found.coverage.exact is None
    assert found.coverage.standard_error > 0.0


def test_scaling_multiplies_each_readout_by_its_power_of_m() -> None:
    x, found = sampled(DotLaw(Pair(), 16), 500)
    scaled = found.scaled(0.25)
    z = x * 0.25
    assert scaled.variance.value == pytest.approx(z.var(ddof=1))
    assert scaled.variance.exact == pytest.approx(1.0)
    assert scaled.variance.standard_error == pytest.approx(found.variance.standard_error / 16)
    assert scaled.standard_deviation.value == pytest.approx(z.std(ddof=1))
    assert scaled.mean.value == pytest.approx(z.mean())
    assert scaled.mean_size.value == pytest.approx(abs(z).mean())
    assert scaled.bound == 2.0
    assert scaled.coverage.value == (abs(z) <= 2.0).mean()
    assert scaled.kurtosis == found.kurtosis
