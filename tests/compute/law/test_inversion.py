"""The law of q·k from its characteristic function, against quadrature, closed forms, simulation."""

from math import isnan, log, sqrt
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import integrate, special, stats

from attn_tui.compute.law import variance_gamma
from attn_tui.compute.law.characteristic import characteristic, log_moments
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.law.entries import LAWS, Pair
from attn_tui.compute.law.inversion import Inversion
from attn_tui.compute.law.lattice import Lattice
from attn_tui.compute.law.names import Entries
from tests.pairs import each_once, with_rows

WAVES = (1e-3, 1.0, 5.0, 20.0)
PAIRS = [
    Pair(entries, *means, rho)
    for entries in ("normal", "uniform")
    for means, rho in (
        ((0.0, 0.0), 0.0),
        ((1.5, -0.25), 0.4),
        ((3**0.5, 3**0.5), 0.0),
        ((3**0.5, -0.3), -0.7),
        ((5.0, 3.0), -1.0),
        ((1.0, 1.0), 1.0),
    )
]
NEXT_TO_0 = [Pair("uniform", 1.7, 1.7), Pair("uniform", 1.7, -1.73, -0.4)]
"""A corner of q_i and k_i is so."""


def by_quadrature(pair: Pair, t: float) -> complex:
    """Return E[exp(it·(qk − E[qk]))], an integral over q of what is known given q."""
    a, b = pair.means
    rho, end = pair.correlation, mpmath.sqrt(3)

    def given(x: Any) -> Any:
        if pair.entries == "normal":
            size = mpmath.exp(-(x**2) / 2 - (1 - rho**2) * (t * (a + x)) ** 2 / 2)
            return mpmath.expj(t * (a + x) * (b + rho * x)) * size / mpmath.sqrt(2 * mpmath.pi)
        y = x if rho > 0 else -x
        apart = mpmath.expj(t * b * (a + x)) * mpmath.sinc(end * t * (a + x))
        return ((1 - abs(rho)) * apart + abs(rho) * mpmath.expj(t * (a + x) * (b + y))) / (2 * end)

    reach = mpmath.mpf(9) if pair.entries == "normal" else end
    panels = mpmath.linspace(-reach, reach, 4 + int(t * (abs(a) + abs(b) + 2) / 2))
    whole = mpmath.quad(given, panels, method="gauss-legendre", maxdegree=5)
    return complex(whole * mpmath.expj(-t * (a * b + rho)))


@pytest.mark.slow
@with_rows("pair", PAIRS[1::2] + NEXT_TO_0)
def test_the_characteristic_function_is_the_integral_that_defines_it(pair: Pair) -> None:
    found = characteristic(pair, np.array(WAVES))
    for t, value in zip(WAVES, found, strict=True):
        assert abs(value - by_quadrature(pair, t)) < 1e-13


@with_rows("pair", PAIRS[:6])
def test_moments_of_exponentials(pair: Pair) -> None:
    """For small s, ln E[exp(sx)] is half the variance times s²."""
    s = np.array([-1e-4, 1e-4])
    product = pair.product()
    expected = s**2 * product.variance / 2
    skew = s**3 * (product.weights @ product.values**3) / 6
    np.testing.assert_allclose(log_moments(pair, s), expected + skew, rtol=1e-6, atol=1e-15)


@with_rows(("rho", "d"), each_once([0.0, 0.5, -0.9], [1, 2, 3, 8, 64, 8192, 65536]))
def test_it_finds_the_variance_gamma_law(rho: float, d: int) -> None:
    law = Inversion.of(Pair(correlation=rho), d, sqrt(1 + rho**2))
    bound, mean = 2 * sqrt(d), rho * d
    expected = variance_gamma.coverage(bound, d, rho)
    inside = law.between(-bound - mean, bound - mean)
    assert inside == pytest.approx(expected, rel=1e-9, abs=1.1e-11)
    assert law.mean_size(mean) == pytest.approx(variance_gamma.mean_size(d, rho), rel=1e-8)
    x = np.linspace(-5, 5, 102) * sqrt(d * (1 + rho**2))
    density, found = variance_gamma.density(x + mean, d, rho), law.density(x)
    known = ~np.isnan(found)
    assert known.sum() > 100
    near = {"rtol": 1e-6, "atol": 1e-10 * density.max()}
    np.testing.assert_allclose(found[known], density[known], **near)


@with_rows(("shift", "d"), each_once([0.25, 1.5, 40.0], [1, 2, 5, 512, 8192, 65536]))
def test_q_with_itself_has_the_noncentral_chi_square_law(shift: float, d: int) -> None:
    law = DotLaw(Pair("normal", shift, shift, 1.0), d)
    expected = stats.ncx2(d, d * shift**2)
    inside = expected.cdf(2 * sqrt(d))
    assert law.coverage == (None if inside < 1e-10 else pytest.approx(inside, rel=1e-6, abs=1e-11))
    assert law.mean_size == pytest.approx(d * (1 + shift**2), rel=1e-7)
    x = law.mean + np.linspace(-2.5, 4.5, 41) * law.standard_deviation
    found = law.density(x)
    assert found is not None
    assert np.isnan(found).sum() <= 1
    peak = expected.pdf(x).max()
    known = ~np.isnan(found)
    np.testing.assert_allclose(found[known], expected.pdf(x)[known], rtol=2e-6, atol=1e-9 * peak)


def given_q(d: int, a: float, b: float, rho: float) -> tuple[float, float]:
    """Return E|q·k| and the coverage of normal entries, integrated over what q·k depends on.

    Given Σ(q_i − a)/√d = u and what of ‖q‖² is across that, w, q·k is normal.
    """
    u, weights = np.polynomial.hermite_e.hermegauss(180)
    w, others = np.zeros(1), np.ones(1)
    if d > 1:
        w = stats.chi2(d - 1).ppf((np.arange(4000) + 0.5) / 4000)
        others = np.full(4000, 1 / 4000)
    w = w[:, None]
    chances = np.outer(others, weights / weights.sum())
    mean = b * (d * a + sqrt(d) * u) + rho * (a * sqrt(d) * u + u**2 + w)
    spread = np.sqrt((1 - rho**2) * ((sqrt(d) * a + u) ** 2 + w))
    law, bound = stats.norm(mean, spread), 2 * sqrt(d)
    t = mean / spread
    sizes = spread * 2 * stats.norm.pdf(t) + mean * (1 - 2 * stats.norm.cdf(-t))
    inside = law.cdf(bound) - law.cdf(-bound)
    return float((chances * sizes).sum()), float((chances * inside).sum())


@with_rows(("means", "rho", "d"), each_once([(0.5, 0.0), (0.25, -0.5)], [0.0, -0.6], [2, 16, 1024]))
def test_shifted_normal_entries_by_quadrature(
    means: tuple[float, float], rho: float, d: int
) -> None:
    law = DotLaw(Pair("normal", *means, rho), d)
    size, inside = given_q(d, *means, rho)
    assert law.mean_size == pytest.approx(size, rel=2e-4)
    assert law.coverage == (None if inside < 1e-10 else pytest.approx(inside, rel=1e-3, abs=1e-6))


@with_rows(("a", "b", "rho"), [(0.5, 0.0, 0.0), (1.0, -2.0, 0.7), (9.0, 0.1, -0.2)])
def test_one_shifted_normal_product_by_quadrature(a: float, b: float, rho: float) -> None:
    law = DotLaw(Pair("normal", a, b, rho), 1)
    rest = sqrt(1 - rho**2)

    def inside(x: float) -> float:
        low, high = ((end / abs(a + x) - (b + rho * x)) / rest for end in (-2.0, 2.0))
        return float(stats.norm.pdf(x) * (special.ndtr(high) - special.ndtr(low)))

    expected = sum(
        integrate.quad(inside, low, high, epsabs=1e-13, epsrel=1e-11, limit=400)[0]
        for low, high in ((-9, max(-a, -9)), (max(-a, -9), 9))
    )
    assert law.coverage == pytest.approx(expected, rel=1e-7)
    x = np.array([-1.7, 0.4, 2.2])

    def density(q: float, value: float) -> float:
        k = (value / q - b - rho * (q - a)) / rest
        return float(stats.norm.pdf(q - a) * stats.norm.pdf(k) / (rest * abs(q)))

    found = law.density(x)
    assert found is not None
    for value, ours in zip(x, found, strict=True):
        pieces = [
            integrate.quad(density, *ends, (value,), epsabs=1e-13, limit=400, points=points)[0]
            for ends, points in (((-20, 0), (-1, -0.1)), ((0, 20), (0.1, 1)))
        ]
        assert ours == pytest.approx(sum(pieces), rel=1e-6)


def test_one_product_of_uniform_entries_has_a_closed_form() -> None:
    law = DotLaw(Pair("uniform"), 1)
    assert law.coverage == pytest.approx(2 / 3 - 2 / 3 * log(2 / 3), rel=1e-10)
    assert law.mean_size == pytest.approx(0.75, rel=1e-7)
    x = np.array([-3.4, -2.9, -0.02, 0.02, 1.0, 2.9, 3.4])
    found = law.density(x)
    assert found is not None
    expected = [log(3 / abs(value)) / 6 if abs(value) < 3 else 0.0 for value in x]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_two_products_of_uniform_entries_by_quadrature() -> None:
    def below(x: Any) -> Any:
        if abs(x) >= 3:
            return 1.0 if x > 0 else 0.0
        half = abs(x) * (1 + mpmath.log(3 / abs(x))) / 6 if x else 0
        return 0.5 + half if x > 0 else 0.5 - half

    bound = 2 * mpmath.sqrt(2)
    with mpmath.workdps(20):
        expected = 2 * mpmath.quad(
            lambda x: mpmath.log(3 / x) / 6 * (below(bound - x) - below(-bound - x)),
            [0, 3 - bound, bound, 3],
        )
    assert DotLaw(Pair("uniform"), 2).coverage == pytest.approx(float(expected), rel=1e-9)


@with_rows("d", [8, 512, 8192])
def test_many_products_of_uniform_entries_by_convolution(d: int) -> None:
    cells = 1500
    edges = np.linspace(0, 3, cells + 1)[1:]
    below = np.concatenate([[0.0], edges * (1 + np.log(3 / edges)) / 6])
    half = np.diff(below)
    one = Lattice(-3 + 1.5 / cells, 3 / cells, np.concatenate([half[::-1], half]))
    whole = one.summed(d)
    assert whole is not None
    law = DotLaw(Pair("uniform"), d)
    assert law.mean_size == pytest.approx(whole.weights @ abs(whole.values), rel=2e-6)
    upto = np.cumsum(whole.weights)
    ends = whole.values + whole.step / 2
    inside = np.interp(law.bound, ends, upto) - np.interp(-law.bound, ends, upto)
    assert law.coverage == pytest.approx(inside, rel=2e-6)


@with_rows(
    ("entries", "rho", "means", "sums"),
    each_once(
        ["normal", "uniform"],
        [0.0, 0.4, -1.0],
        [(0.0, 0.0), (1e6, 2e5)],
        [(64, True), (5, False), (65536, False)],
        least=9,
    ),
)
def test_a_density_has_the_moments_of_its_law(
    entries: Entries, rho: float, means: tuple[float, float], sums: tuple[int, bool]
) -> None:
    d, tied = sums
    law = DotLaw(Pair(entries, *means, rho), d, tied)
    mean, deviation = law.mean, law.standard_deviation
    step = deviation / 20
    x = np.arange(-599.63, 600.0) * step
    found = law.density(mean + x)
    assert found is not None
    chances = np.nan_to_num(found, posinf=0.0) * step
    # A density that is infinite or jumps is added up less well.
    near = 0.3 if tied else 5e-3
    assert chances.sum() == pytest.approx(1.0, abs=near)
    assert chances @ x**2 == pytest.approx(law.variance, rel=near)
    if law.mean_size is not None:
        assert chances @ abs(mean + x) == pytest.approx(law.mean_size, rel=near)


@with_rows(("entries", "tied"), each_once(LAWS, [False, True], least=6))
def test_where_there_is_a_density_everything_is_known(entries: Entries, tied: bool) -> None:
    for d in (1, 2, 7, 300, 65536):
        for means, rho in (((0.0, 0.0), 0.5), ((0.1, 0.0), 0.0), ((-2.0, 7.5), -1.0)):
            law = DotLaw(Pair(entries, *means, rho), d, tied)
            if LAWS[entries].discrete:
                assert law.chances is not None or law.unknown
                continue
            assert law.mean_size is not None
            assert law.mean_size >= abs(law.mean) * (1 - 1e-9)
            if law.coverage is None:
                assert law.unknown.startswith("it is less than 1e-10")
                assert entries == "normal" or d > 2
                continue
            assert law.unknown == ""
            assert 0.0 <= law.coverage <= 1.0


def test_what_two_cuts_do_not_agree_on_is_not_known() -> None:
    """The density of q² − 1 is infinite at −1."""
    law = Inversion.of(Pair("normal", 0.0, 1e-3, 1.0), 1, sqrt(2.0))
    tip = -1 - 1e-6 / 4
    assert isnan(law.density(np.array([tip]))[0])
    assert law.between(tip, 1.0) is None
    assert law.between(-5.0, 1.0) == pytest.approx(stats.chi2(1).cdf(2.0), rel=1e-5)
    assert law.between(3.0, 2.0) == 0.0


def test_a_mean_far_from_0_is_the_mean_size() -> None:
    law = DotLaw(Pair("uniform", 1e6, 1e6), 512)
    assert law.mean_size == law.mean
    assert law.coverage == 0.0


def test_a_small_coverage_is_not_known_where_only_decimals_of_it_are() -> None:
    for law in (DotLaw(Pair("uniform", 1.5, 1.5), 64), DotLaw(Pair("normal", 3.0, 3.0), 64)):
        assert law.coverage is None
        assert law.mean_size == pytest.approx(law.mean)
        assert law.unknown.startswith("it is less than 1e-10")
    certain = DotLaw(Pair("uniform", 1.8, 1e3), 64)
    assert (certain.coverage, certain.unknown) == (0.0, "")
