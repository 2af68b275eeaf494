from math import inf, pi, sqrt

import mpmath
import numpy as np
import pytest
from scipy import integrate, special, stats

from attn_tui.compute.arrays import Floats
from attn_tui.compute.law import chi_square, variance_gamma
from tests.pairs import each_once, with_rows


def exact(x: float, d: int, rho: float = 0.0) -> mpmath.mpf:
    """Return the density of q·k at 50 digits, through the Bessel function K."""
    with mpmath.workdps(50):
        x, rho = mpmath.mpf(x), mpmath.mpf(rho)
        nu, rest = mpmath.mpf(d - 1) / 2, 1 - rho**2
        bessel = abs(x) ** nu * mpmath.besselk(nu, abs(x) / rest)
        unit = 2**nu * mpmath.sqrt(mpmath.pi * rest) * mpmath.gamma(mpmath.mpf(d) / 2)
        return bessel * mpmath.exp(rho * x / rest) / unit


@with_rows(("d", "rho"), each_once([1, 2, 3, 4, 7, 64, 257], [0.0, 0.5, -0.9], least=6))
def test_the_density_is_that_of_the_bessel_function(d: int, rho: float) -> None:
    x = [rho * d + sqrt(d) * place for place in (-6.0, -1.1, -0.01, 0.3, 2.0, 6.0)]
    logs = variance_gamma.log_density(x, d, rho)
    for place, log in zip(x, logs.tolist(), strict=True):
        assert log == pytest.approx(float(mpmath.log(exact(place, d, rho))), abs=1e-12)


@with_rows("x", [1e-300, 1e-12, 0.1, 2.0, 600.0])
def test_the_density_at_one_dimension_is_k_0_over_pi(x: float) -> None:
    assert variance_gamma.density(x, 1) == pytest.approx(special.k0(x) / pi, rel=1e-13)


def test_at_two_dimensions_it_is_laplace() -> None:
    x = np.linspace(-40.0, 40.0, 81)
    np.testing.assert_allclose(variance_gamma.density(x, 2), np.exp(-abs(x)) / 2, rtol=1e-13)


@with_rows("d", [3, 65, 65536])
def test_the_density_at_zero_is_a_ratio_of_gammas(d: int) -> None:
    ratio = special.poch((d - 1) / 2, 0.5)
    assert variance_gamma.density(0.0, d) == pytest.approx(1 / (2 * sqrt(pi) * ratio), rel=1e-9)


def test_at_one_dimension_it_is_infinite_at_zero() -> None:
    assert variance_gamma.density(0.0, 1) == inf
    assert np.isfinite(variance_gamma.density(5e-324, 1))


def panels(middle: float, spread: float, bound: float = inf) -> tuple[Floats, Floats]:
    """Return nodes and weights of integrals from −bound to bound, with ever closer ones at 0."""
    near = np.geomspace(1e-14, 1e3, 69) * spread
    edges = np.concatenate([-near, [0.0], near, middle + spread * np.linspace(-40, 40, 81)])
    if bound < inf:
        edges = np.append(edges[abs(edges) < bound], [-bound, bound])
    edges = np.unique(edges)
    nodes, weights = special.roots_legendre(20)
    halves = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + halves * (1 + nodes)).ravel(), (halves * weights).ravel()


@with_rows(
    ("d", "rho"), each_once([1, 2, 3, 4, 5, 16, 64, 512, 1024, 8192, 65536], [0.0, 0.7], least=6)
)
def test_the_density_integrates_to_1_and_has_the_law_s_moments(d: int, rho: float) -> None:
    spread = sqrt(d * (1 + rho**2))
    x, weights = panels(rho * d, spread)
    weights = weights * variance_gamma.density(x, d, rho)
    assert weights.sum() == pytest.approx(1.0, abs=1e-10)
    assert weights @ x == pytest.approx(rho * d, abs=1e-8 * spread)
    deviations = (x - rho * d) / spread
    assert weights @ deviations**2 == pytest.approx(1.0, rel=1e-10)
    if rho == 0.0:
        assert weights @ deviations**4 == pytest.approx(3.0 + 6.0 / d, rel=1e-10)
    assert weights @ abs(x) == pytest.approx(variance_gamma.mean_size(d, rho), rel=1e-10)


def test_an_adaptive_rule_agrees_that_it_integrates_to_1() -> None:
    half = integrate.quad(lambda x: float(variance_gamma.density(x, 3)), 0.0, 60.0)[0]
    assert half == pytest.approx(0.5, abs=1e-9)


@with_rows(
    ("d", "expected"),
    [(1, 0.9382), (2, 0.9409), (4, 0.9451), (64, 0.9537), (65536, 0.9545)],
)
def test_coverage_of_two_roots_of_d(d: int, expected: float) -> None:
    assert round(variance_gamma.coverage(2.0 * sqrt(d), d), 4) == expected


@with_rows(("d", "rho"), each_once([1, 2, 5, 64, 4096], [0.0, 0.3, -0.99]))
def test_coverage_is_the_integral_of_the_density(d: int, rho: float) -> None:
    bound = sqrt(d) + abs(rho) * d
    x, weights = panels(rho * d, sqrt(d), bound)
    expected = weights @ variance_gamma.density(x, d, rho)
    assert variance_gamma.coverage(bound, d, rho) == pytest.approx(expected, abs=1e-10)


@with_rows(
    ("d", "rho"),
    [(512, 0.5), (1024, -0.5), (100, 0.99), (100, -0.9), (1024, 0.2), (41, 0.999999)],
)
def test_a_small_coverage_is_right_to_its_own_digits(d: int, rho: float) -> None:
    bound = 2 * sqrt(d)
    ends = bound * (1 - 0.5 ** np.arange(50.0))
    edges = np.concatenate([-ends[:0:-1], ends])
    nodes, weights = special.roots_legendre(20)
    halves = np.diff(edges)[:, None] / 2
    density = variance_gamma.density(edges[:-1, None] + halves * (1 + nodes), d, rho)
    expected = (halves * weights * density).sum()
    assert 0.0 < expected < 1e-4
    near = 1e-11 if abs(rho) < 0.9999 else 1e-8
    assert variance_gamma.coverage(bound, d, rho) == pytest.approx(expected, rel=near)


@with_rows(("rho", "d"), each_once([1.0, -1.0], [1, 2, 3, 64, 65536], least=6))
def test_with_full_correlation_it_is_chi_square(d: int, rho: float) -> None:
    bound = d + sqrt(d)
    x = np.array([0.0, 0.5, 1.0, 1.5]) * d
    assert variance_gamma.coverage(bound, d, rho) == pytest.approx(
        stats.chi2.cdf(bound, d), abs=1e-13
    )
    assert variance_gamma.mean_size(d, rho) == d
    np.testing.assert_allclose(
        variance_gamma.density(rho * x, d, rho), stats.chi2.pdf(x, d), rtol=1e-9
    )
    assert variance_gamma.density(-rho, d, rho) == 0.0


def test_near_full_correlation_nothing_is_lost_between_nodes() -> None:
    for rho in (0.999, 0.9999999, 1.0 - 1e-15):
        found = variance_gamma.coverage(2.0 * 64, 64, rho)
        assert found == pytest.approx(stats.chi2.cdf(128, 64), abs=1e-4)


@with_rows("d", [1, 2, 32, 33, 65536])
def test_mean_size_is_a_ratio_of_gammas(d: int) -> None:
    with mpmath.workdps(40):
        half = mpmath.mpf(d) / 2
        expected = 2 * mpmath.gammaprod([half + 0.5], [half]) / mpmath.sqrt(mpmath.pi)
    assert variance_gamma.mean_size(d) == pytest.approx(float(expected), rel=1e-13)


def test_mean_size_goes_on_smoothly_from_no_correlation() -> None:
    assert variance_gamma.mean_size(7, 1e-9) == pytest.approx(variance_gamma.mean_size(7))
    assert variance_gamma.mean_size(7, 1 - 1e-12) == pytest.approx(7.0)


def test_the_coverage_of_two_products_is_that_of_an_exponential_law() -> None:
    assert variance_gamma.coverage(1.0, 2) == pytest.approx(1 - np.exp(-1.0))


def test_any_shape_is_answered_in_that_shape() -> None:
    assert variance_gamma.density(np.ones((2, 3)), 5).shape == (2, 3)
    assert variance_gamma.density([], 5).shape == (0,)
    assert variance_gamma.density(1.0, 5).shape == ()


@with_rows("d", [1, 2, 9, 1024, 65536])
def test_chi_square_nodes_have_its_moments(d: int) -> None:
    squares, weights = chi_square.nodes(d, (0.5 * d, d))
    assert weights @ squares == pytest.approx(d, rel=1e-13)
    assert weights @ np.square(squares) == pytest.approx(d * (d + 2), rel=1e-13)
    assert weights @ np.sqrt(squares) == pytest.approx(chi_square.mean_root(d), rel=1e-12)


@with_rows("a", [0.5, 1.0, 15.9, 16.0, 200.0])
def test_what_stirling_leaves(a: float) -> None:
    with mpmath.workdps(40):
        stirling = (a - mpmath.mpf(0.5)) * mpmath.log(a) - a + mpmath.log(2 * mpmath.pi) / 2
        expected = float(mpmath.loggamma(a) - stirling)
    assert chi_square.stirling_rest(a) == pytest.approx(expected, rel=1e-12, abs=1e-15)
