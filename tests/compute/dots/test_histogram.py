import numpy as np
import pytest

from attn_tui.compute.dots.draws import Draws, Streams
from attn_tui.compute.dots.histogram import BINS, REACH, Bins, Histogram, curves, histogram
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.law.entries import LAWS, Pair
from attn_tui.compute.law.names import Entries
from tests.pairs import each_once, with_rows


def sampled(law: DotLaw, count: int = 20_000) -> tuple[np.ndarray, Histogram]:
    bins, deviations = Bins.of(law), Draws(law, Streams(4)).take(count)
    return deviations + law.mean, histogram(law, bins, bins.count(deviations))


@with_rows(("entries", "d_k", "tied"), each_once(LAWS, [1, 3, 64, 1024], [False, True]))
def test_every_number_is_counted_once(entries: Entries, d_k: int, tied: bool) -> None:
    law = DotLaw(Pair(entries, 0.25, 0.0, 0.3), d_k, tied)
    x, found = sampled(law, 5000)
    assert found.count == 5000
    assert found.below == (x < found.edges[0]).sum()
    assert found.above == (x >= found.edges[-1]).sum()
    assert found.counts.tolist() == np.histogram(x, found.edges)[0].tolist()
    assert found.counts.size <= BINS + 1


def test_the_range_follows_from_the_exact_law() -> None:
    law = DotLaw(Pair(correlation=0.5), 64)
    _, found = sampled(law)
    ends = law.mean + REACH * law.standard_deviation * np.array([-1, 1])
    np.testing.assert_allclose(found.edges[[0, -1]], ends)
    assert (np.diff(found.edges) > 0).all()


def test_bins_hold_equally_many_values_of_a_lattice() -> None:
    for entries, d_k in each_once(["coins", "die"], [1, 2, 64, 500, 1024], least=6):
        law = DotLaw(Pair(entries), d_k)
        bins, (value, step) = Bins.of(law), law.grid or (0.0, 0.0)
        assert bins.width / step == pytest.approx(round(bins.width / step))
        edges = (bins.edges - value) / step
        np.testing.assert_allclose(edges % 1.0, 0.5, atol=1e-6)


def test_the_histogram_tends_to_the_exact_curve() -> None:
    for law in [
        DotLaw(Pair(), 1),
        DotLaw(Pair(), 2),
        DotLaw(Pair(correlation=0.7), 64),
        DotLaw(Pair(correlation=-1.0), 8),
        DotLaw(Pair(), 1024, tied=True),
        DotLaw(Pair("coins"), 64),
        DotLaw(Pair("coins", 0.5, 0.0), 7),
        DotLaw(Pair("die", correlation=0.2), 300),
        DotLaw(Pair("die"), 4, tied=True),
    ]:
        _, found = sampled(law)
        curve = curves(law, Bins.of(law))
        assert curve.exact is not None
        per_bin = curve.exact.reshape(found.counts.size, -1)
        assert np.isfinite(per_bin).all()
        expected = per_bin.mean(axis=1) * np.diff(found.edges) * found.count
        # The density of q·k at d_k = 1 and of chi-square rises too steeply for four places a bin.
        smooth = per_bin.max(axis=1) < 1.5 * np.maximum(per_bin.min(axis=1), 1e-12)
        off = np.abs(found.counts - expected)[smooth]
        assert smooth.sum() >= 2
        assert (off <= 4.5 * np.sqrt(expected[smooth] + 1)).all()
        assert curve.x.shape == curve.exact.shape == curve.normal.shape
        assert curve.discrete == law.product.discrete


@with_rows("entries", LAWS)
def test_a_density_integrates_to_the_share_inside(entries: Entries) -> None:
    law = DotLaw(Pair(entries), 16)
    _, found = sampled(law)
    inside = 1 - (found.below + found.above) / found.count
    assert (found.density * np.diff(found.edges)).sum() == pytest.approx(inside)


def test_scaling_stretches_the_axis_and_keeps_the_counts() -> None:
    law = DotLaw(Pair(), 16)
    _, found = sampled(law)
    scaled, curve = found.scaled(0.25), curves(law, Bins.of(law))
    np.testing.assert_allclose(scaled.edges, found.edges / 4)
    np.testing.assert_allclose(scaled.density, found.density * 4)
    np.testing.assert_allclose(curve.scaled(0.25).normal, curve.normal * 4)
    assert scaled.counts is found.counts


def test_what_nobody_works_out_is_left_out() -> None:
    for pair in (Pair("coins", 2**0.5, 3**0.5), Pair("die", 2**0.5)):
        law = DotLaw(pair, 4)
        curve = curves(law, Bins.of(law))
        assert curve.exact is None
        assert np.isfinite(curve.normal).all()
    assert curve.scaled(2.0).exact is None


@with_rows(
    "law",
    [
        DotLaw(Pair("uniform", correlation=1.0), 1),
        DotLaw(Pair("uniform", 1.0, 0.0, 0.5), 2),
        DotLaw(Pair("normal", 0.5, 1.0, -1.0), 64, tied=True),
    ],
)
def test_places_at_which_the_density_is_not_known_are_left_out(law: DotLaw) -> None:
    bins = Bins.of(law)
    curve = curves(law, bins)
    assert curve.exact is not None
    assert not np.isnan(curve.exact).any()
    assert 4 * bins.number - 5 < curve.x.size < 4 * bins.number
    assert (np.diff(curve.x) > 0.0).all()
    assert curve.normal.shape == curve.exact.shape == curve.x.shape


def test_a_law_of_one_value_has_a_bin_for_it() -> None:
    law = DotLaw(Pair("coins", correlation=1.0), 9)
    x, found = sampled(law, 10)
    assert set(x) == {9.0}
    assert found.counts.sum() == 10
