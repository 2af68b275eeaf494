from itertools import product
from math import copysign, isnan, sqrt

import numpy as np
import pytest
from scipy import stats

from attn_tui.compute.arrays import Floats
from attn_tui.compute.dots.draws import Draws, Streams, draw_entries
from attn_tui.compute.dots.moments import Sums, read
from attn_tui.compute.law import variance_gamma
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.law.entries import LAWS, Pair
from attn_tui.compute.law.names import Entries
from tests.pairs import each_once, everyday, with_rows

N = 4000


def drawn(law: DotLaw, count: int, seed: int = 7, at_once: int | None = None) -> Floats:
    """Return so many q·k."""
    draws, parts = Draws(law, Streams(seed)), []
    while count:
        parts.append(draws.take(min(count, at_once or draws.at_once)))
        count -= parts[-1].size
    return np.concatenate(parts) + law.mean


def directly(law: DotLaw, count: int) -> Floats:
    """Return so many q·k, the way the formula reads, from another generator."""
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
    q, k = (np.broadcast_to(each + middle, (count, law.d_k)) for each in (q, k))
    products: Floats = (q + pair.mean_q) * (k + pair.mean_k)
    return np.asarray(products.sum(axis=1))


@pytest.mark.parametrize(
    ("entries", "d_k", "how"),
    each_once(
        LAWS,
        [1, 2, 64, 600],
        [
            (0.0, (0.0, 0.0), False),
            (0.6, (0.0, 0.0), False),
            (-0.3, (1.5, -0.25), False),
            (0.0, (2.0, 0.0), False),
            (-1.0, (0.0, 0.5), False),
            (0.5, (0.0, 0.0), True),
        ],
        least=16,
    ),
)
def test_draws_have_the_law_of_direct_simulation(
    entries: Entries, d_k: int, how: tuple[float, tuple[float, float], bool]
) -> None:
    rho, means, tied = how
    law = DotLaw(Pair(entries, *means, rho), d_k, tied)
    # Rounded, so that values a discrete law has are equal on both sides.
    ours, theirs = (np.round(x, 6) for x in (drawn(law, N), directly(law, N)))
    assert stats.ks_2samp(ours, theirs, method="asymp").pvalue > 1e-3


@pytest.mark.parametrize(("d_k", "rho"), each_once([1, 2, 3, 64, 8192, 65536], [0.0, 1.0]))
def test_normal_draws_have_the_exact_law(d_k: int, rho: float) -> None:
    sample = drawn(DotLaw(Pair(correlation=rho), d_k), N)
    if rho:
        assert stats.kstest(sample, stats.chi2(d_k).cdf).pvalue > 1e-3
    else:
        cdf = np.vectorize(lambda x: 0.5 + copysign(variance_gamma.coverage(abs(x), d_k), x) / 2.0)
        assert stats.kstest(sample[:1000], cdf).pvalue > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("entries", everyday(2, LAWS))
def test_readouts_are_within_4_standard_errors(entries: Entries) -> None:
    for d_k, tied, rho, means in product(
        (1, 2, 64), (False, True), (0.0, 0.4, -1.0), ((0.0, 0.0), (1.5, -0.5))
    ):
        law = DotLaw(Pair(entries, *means, rho), d_k, tied)
        sample = drawn(law, 20_000, seed=3)
        found = read(Sums.of(sample - law.mean, law), law)
        for name in ("mean", "variance", "standard_deviation", "mean_size", "coverage"):
            number = getattr(found, name)
            if number.exact is not None:
                off = abs(number.value - number.exact)
                assert off <= 4 * number.standard_error + 1e-9, (name, law)
        off = abs(found.kurtosis.value - law.kurtosis)
        assert isnan(off) == (law.variance == 0.0)
        assert not off > 4 * found.kurtosis.standard_error + 1e-9, law


def test_a_longer_draw_begins_as_a_shorter_one_whatever_the_blocks() -> None:
    for entries, tied in each_once(LAWS, [False, True], least=6):
        law = DotLaw(Pair(entries, 0.5, 0.0, 0.3), 5, tied)
        long = drawn(law, 1000, at_once=7)
        assert long.tolist() == drawn(law, 1000).tolist()
        assert long[:300].tolist() == drawn(law, 300).tolist()
        assert long.tolist() != drawn(law, 1000, seed=8).tolist()


@with_rows(("entries", "rho"), each_once(LAWS, [0.0, 0.5, -1.0]))
def test_entries_have_the_correlation_asked_for(entries: Entries, rho: float) -> None:
    pair = Pair(entries, correlation=rho)
    x, y = draw_entries(pair, Streams(5), (20_000,))
    variance = pair.law.variance
    for entry in (x, y):
        assert entry.mean() == pytest.approx(0.0, abs=4 * sqrt(variance / 20_000))
        assert entry.var() == pytest.approx(variance, rel=0.05)
    assert np.corrcoef(x, y)[0, 1] == pytest.approx(rho, abs=0.03)


def test_different_purposes_have_different_numbers() -> None:
    streams = [Streams(1, 0, 0), Streams(1, 1, 0), Streams(1, 0), Streams(2, 0, 0)]
    assert len({stream[0].random() for stream in streams}) == 4


def test_large_means_take_no_digits_from_the_spread() -> None:
    law = DotLaw(Pair("normal", 1e6, 1e6), 4)
    sums = Sums.of(Draws(law, Streams(1)).take(20_000), law)
    found = read(sums, law)
    assert found.variance.value == pytest.approx(law.variance, rel=0.04)
    off = abs(found.mean_size.value - law.mean)
    assert off <= 4 * found.mean_size.standard_error
