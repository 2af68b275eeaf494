"""The law of q·k against enumeration, SciPy, the Bessel function and quadrature."""

from fractions import Fraction
from itertools import product
from math import comb, inf, isnan, nan, pi, sqrt

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import integrate, special, stats

from attn_tui.compute.law import Entries, variance_gamma
from attn_tui.compute.law.dot_law import DotLaw, Lattice
from attn_tui.compute.law.entries import LAWS, Pair
from attn_tui.compute.law.variance_gamma import mean_root, nodes, stirling_rest

VALUES: dict[str, list[int]] = {"coins": [-1, 1], "die": [1, 2, 3, 4, 5, 6]}
SPREADS = [("1", "1"), ("2", "1"), ("0.3", "0.5")]
SHIFTS = ["0", "0.5", "-3.46", "0.3", "1e-9", "1000000", "-3.500000001", "1.4142135623730951"]

discrete = st.sampled_from(["coins", "die"])
d_ks = st.integers(0, 16).map(lambda power: 2**power) | st.integers(1, 300)
correlations = st.floats(-0.99, 0.99).map(lambda rho: round(rho, 2))


def enumerated(
    pair: Pair, d_k: int, shifts: tuple[str, str], spreads: tuple[str, str]
) -> dict[Fraction, float]:
    """Return every value of q·k with its probability, by enumerating all outcomes."""
    values, middle = VALUES[pair.entries], Fraction(7, 2) if pair.entries == "die" else Fraction(0)
    sums, rho = {Fraction(0): 1.0}, pair.correlation
    of_q, of_k = map(Fraction, spreads)
    for _ in range(d_k):
        longer = dict[Fraction, float]()
        for q, k in product(values, values):
            chance = (1 - abs(rho)) / len(values) ** 2
            if rho and k - middle == (q - middle if rho > 0 else middle - q):
                chance += abs(rho) / len(values)
            spread_q, spread_k = middle + of_q * (q - middle), middle + of_k * (k - middle)
            value = (spread_q + Fraction(shifts[0])) * (spread_k + Fraction(shifts[1]))
            for before, of_before in sums.items():
                longer[before + value] = longer.get(before + value, 0.0) + of_before * chance
        sums = longer
    return sums


@pytest.mark.slow
@given(
    discrete, st.integers(1, 3), st.sampled_from(SHIFTS), st.sampled_from(SHIFTS), correlations,
    st.sampled_from(SPREADS),
)  # fmt: skip
@example("coins", 4, "0", "0", 0.0, SPREADS[0])
@example("die", 2, "0.3", "0.3", 1.0, SPREADS[0])
@example("die", 2, "0.5", "0", -0.5, SPREADS[2])
def test_a_discrete_law_is_what_enumeration_finds(
    entries: Entries, d_k: int, shift: str, other: str, rho: float, spreads: tuple[str, str]
) -> None:
    """The coverage is exact however close two values of q·k are, or it is unknown."""
    pair = Pair(entries, float(shift), float(other), rho, *map(float, spreads))
    law, sums = DotLaw(pair, d_k), enumerated(pair, d_k, (shift, other), spreads)
    mean = sum(float(value) * chance for value, chance in sums.items())
    powers = [
        sum((float(value) - mean) ** power * chance for value, chance in sums.items())
        for power in (2, 4)
    ]
    assert law.mean == pytest.approx(mean, rel=1e-9, abs=1e-9)
    assert law.variance == pytest.approx(powers[0], rel=1e-6)
    assert law.kurtosis == pytest.approx(powers[1] / powers[0] ** 2, rel=1e-5)
    if law.mean_size is None or law.coverage is None:
        assert d_k > 1
        assert law.unknown
        return
    size = sum(abs(float(value)) * chance for value, chance in sums.items())
    assert law.mean_size == pytest.approx(size, rel=1e-9)
    variance = Fraction(35, 12) if entries == "die" else Fraction(1)
    square = 4 * (Fraction(spreads[0]) * Fraction(spreads[1]) * variance) ** 2 * d_k
    inside = sum(chance for value, chance in sums.items() if value**2 <= square)
    assert law.coverage == pytest.approx(inside, rel=1e-8)


@given(d_ks, st.sampled_from([0.0, -0.25]))
def test_coins_are_binomial(d_k: int, rho: float) -> None:
    law = DotLaw(Pair("coins", correlation=rho), d_k)
    assert law.chances is not None
    values, chances = law.chances
    heads = (values + law.mean + d_k) / 2
    expected = stats.binom.pmf(np.rint(heads), d_k, (1 + rho) / 2)
    np.testing.assert_allclose(chances, expected, atol=1e-12)
    assert law.kurtosis == pytest.approx(3 + (1 / ((1 - rho**2) / 4) - 6) / d_k)


def test_dice_have_a_mean_that_swamps_their_spread_and_stay_exact() -> None:
    law = DotLaw(Pair("die"), 20_000)
    assert (law.mean, law.coverage) == (12.25 * 20_000, 0.0)
    assert law.variance / 20_000 == pytest.approx(11515 / 144)
    assert law.chances is not None
    x, p = law.chances
    assert p @ x == pytest.approx(0.0, abs=1e-6)
    assert p @ x**2 == pytest.approx(law.variance, rel=1e-9)
    assert p @ x**4 == pytest.approx(law.kurtosis * law.variance**2, rel=1e-8)
    centred = DotLaw(Pair("die", -3.5, -3.5), 64)
    assert centred.coverage == pytest.approx(0.9545, abs=2e-3)


@pytest.mark.parametrize(
    ("law", "why"),
    [
        (DotLaw(Pair("coins", 2**0.5, 3**0.5), 4), "1,048,576 steps"),
        (DotLaw(Pair("coins", correlation=0.9), 64), "less than 1e-10"),
        (DotLaw(Pair("normal", 1.0), 4), "no formula"),
        (DotLaw(Pair("uniform"), 4), "no formula"),
    ],
)
def test_what_is_not_known_says_why(law: DotLaw, why: str) -> None:
    assert law.coverage is None
    assert why in law.unknown
    if "1e-10" not in why:
        assert law.mean_size is None
        assert law.density(np.zeros(1)) is None


@given(d_ks, correlations | st.just(1.0))
def test_normal_entries_have_the_variance_gamma_law(d_k: int, rho: float) -> None:
    law = DotLaw(Pair(correlation=rho), d_k)
    assert law.mean == rho * d_k
    assert law.variance == pytest.approx(d_k * (1 + rho**2))
    kurtosis = 3 + 6 * (1 + 6 * rho**2 + rho**4) / (d_k * (1 + rho**2) ** 2)
    assert law.kurtosis == pytest.approx(kurtosis)
    assert law.mean_size == variance_gamma.mean_size(d_k, rho)
    assert law.coverage == variance_gamma.coverage(2 * sqrt(d_k), d_k, rho)
    x = np.array([-1.0, 0.5]) * d_k
    np.testing.assert_array_equal(law.density(x), variance_gamma.density(x, d_k, rho))


@given(d_ks, st.sampled_from([0.0, 0.5]), st.booleans())
def test_spread_normal_entries_have_the_law_of_a_multiple(d_k: int, rho: float, tied: bool) -> None:
    """(σ_q·x)·(σ_k·y) = σ_qσ_k·xy, so that every part of the law is that of a multiple."""
    plain, law = (
        DotLaw(Pair(correlation=rho, sigma_q=of_q, sigma_k=of_k), d_k, tied)
        for of_q, of_k in ((1.0, 1.0), (3.0, 0.5))
    )
    times = 1.5
    assert (law.mean, law.standard_deviation) == pytest.approx(
        (times * plain.mean, times * plain.standard_deviation)
    )
    assert law.bound == pytest.approx(times * plain.bound)
    assert law.mean_size == pytest.approx(times * (plain.mean_size or nan))
    assert law.coverage == pytest.approx(plain.coverage)
    x = np.array([-0.7, 2.0]) * sqrt(d_k)
    densities = law.density(times * x), plain.density(x)
    assert densities[0] is not None
    assert densities[1] is not None
    np.testing.assert_allclose(times * densities[0], densities[1])


@given(st.sampled_from(list(LAWS)), st.sampled_from([0.0, 0.5, -1.0]))
def test_one_product_has_the_moments_of_v_x_v_y_and_shifts(entries: Entries, rho: float) -> None:
    a, b = 1.5, -0.5
    pair = Pair(entries, a, b, rho)
    law, one = pair.law, pair.product()
    if rho == 0.0:
        a, b = a + law.mean, b + law.mean
        assert one.variance == pytest.approx(law.variance**2 + law.variance * (a**2 + b**2))
    assert one.weights @ one.values**2 == pytest.approx(one.variance)
    assert one.weights @ one.values == pytest.approx(0.0, abs=1e-12)
    assert law.weights @ law.deviations**4 == pytest.approx(law.fourth)


@pytest.mark.slow
def test_moments_of_a_sum_by_quadrature_and_of_chi_square() -> None:
    end, law = mpmath.sqrt(3), DotLaw(Pair("uniform", 1.0, -2.0), 1)
    for order in (2, 3, 4, 6, 8):
        moment = mpmath.quad(
            lambda x, y, order=order: ((1 + x) * (y - 2) + 2) ** order / 12,
            [-end, end],
            [-end, end],
        )
        assert law.moments[order] * law.variance ** (order / 2) == pytest.approx(float(moment))
    moments = DotLaw(Pair(correlation=1.0), 5).moments
    x = [stats.chi2.moment(r, 5) for r in range(9)]
    centred = sum(comb(8, j) * x[j] * (-5.0) ** (8 - j) for j in range(9))
    assert moments[3] == pytest.approx(stats.chi2.stats(5, moments="s"))
    assert moments[8] == pytest.approx(centred / 10.0**4)


@given(st.sampled_from(list(LAWS)))
def test_tied_components_are_d_times_one_product(entries: Entries) -> None:
    one, tied = DotLaw(Pair(entries), 1), DotLaw(Pair(entries), 6, tied=True)
    assert tied.mean == 6 * one.mean
    assert tied.variance == pytest.approx(36 * one.variance)
    assert tied.kurtosis == one.kurtosis
    if one.mean_size is not None:
        assert tied.mean_size == pytest.approx(6 * one.mean_size)
    if entries == "normal":
        assert tied.density(np.array([3.0])) == pytest.approx(variance_gamma.density(0.5, 1) / 6)


def test_a_law_without_spread_has_no_kurtosis() -> None:
    law = DotLaw(Pair("coins", correlation=-1.0), 9)
    assert (law.mean, law.variance, law.mean_size, law.coverage) == (-9.0, 0.0, 9.0, None)
    assert isnan(law.kurtosis)


def test_numbers_that_fit_no_lattice() -> None:
    values = [Fraction(0), Fraction(1), 1 + Fraction(1, 10**7), Fraction(3)]
    assert Lattice.of(values, np.full(4, 0.25)) is None
    assert Lattice(0.0, 1.0, np.full(1000, 1e-3)).summed(65536) is None


def bessel(x: float, d: int, rho: float) -> mpmath.mpf:
    """Return the density of q·k at 50 digits, through the Bessel function K."""
    nu, rest = mpmath.mpf(d - 1) / 2, 1 - mpmath.mpf(rho) ** 2
    unit = 2**nu * mpmath.sqrt(mpmath.pi * rest) * mpmath.gamma(mpmath.mpf(d) / 2)
    return abs(x) ** nu * mpmath.besselk(nu, abs(x) / rest) * mpmath.exp(rho * x / rest) / unit


@pytest.mark.slow
@given(st.integers(1, 257), correlations, st.floats(-6.0, 6.0).filter(lambda x: abs(x) > 1e-9))
def test_the_density_is_that_of_the_bessel_function(d: int, rho: float, place: float) -> None:
    x = rho * d + sqrt(d) * place
    # At 0 the formula is 0 times infinity.
    assume(x)
    with mpmath.workdps(50):
        expected = float(mpmath.log(bessel(mpmath.mpf(x), d, rho)))
    # Near full correlation, the logarithm is a small difference of two numbers near ρx/(1 − ρ²).
    rounding = 3e-11 + 4e-15 * abs(x) / (1 - rho**2)
    assert variance_gamma.log_density(x, d, rho) == pytest.approx(expected, abs=rounding)


@pytest.mark.parametrize("x", [1e-300, 0.1, 600.0])
def test_the_density_at_one_dimension_is_k_0_over_pi(x: float) -> None:
    assert variance_gamma.density(x, 1) == pytest.approx(special.k0(x) / pi, rel=1e-13)
    assert variance_gamma.density(0.0, 1) == inf
    assert variance_gamma.density(0.0, 65536) == pytest.approx(
        1 / (2 * sqrt(pi) * special.poch(65535 / 2, 0.5)), rel=1e-9
    )


@pytest.mark.parametrize(
    ("d", "expected"),
    [(1, 0.9382), (2, 0.9409), (4, 0.9451), (64, 0.9537), (65536, 0.9545)],
)
def test_coverage_of_two_roots_of_d(d: int, expected: float) -> None:
    assert round(variance_gamma.coverage(2.0 * sqrt(d), d), 4) == expected


@pytest.mark.slow
@given(d_ks, correlations)
def test_coverage_and_mean_size_are_integrals_of_the_density(d: int, rho: float) -> None:
    bound, spread = sqrt(d) + abs(rho) * d, sqrt(d * (1 + rho**2))
    near = np.geomspace(1e-14, 1e3, 69) * spread
    edges = np.concatenate([-near, [0.0], near, rho * d + spread * np.linspace(-40, 40, 81)])
    edges = np.unique(np.append(edges, [-bound, bound]))
    points, weights = special.roots_legendre(20)
    halves = np.diff(edges)[:, None] / 2
    x, weights = edges[:-1, None] + halves * (1 + points), halves * weights
    weights = weights * variance_gamma.density(x, d, rho)
    assert weights.sum() == pytest.approx(1.0, abs=1e-10)
    assert (weights * (x - rho * d) ** 2).sum() == pytest.approx(spread**2, rel=1e-9)
    assert (weights * abs(x)).sum() == pytest.approx(variance_gamma.mean_size(d, rho), rel=1e-10)
    inside = weights[abs(x) < bound].sum()
    assert variance_gamma.coverage(bound, d, rho) == pytest.approx(inside, abs=1e-10)


@pytest.mark.parametrize(
    ("d", "rho"), [(512, 0.5), (1024, -0.5), (100, 0.99), (400, 0.8), (41, 0.999999)]
)
def test_a_small_coverage_is_right_to_its_own_digits(d: int, rho: float) -> None:
    bound = 2 * sqrt(d)
    ends = bound * (1 - 0.5 ** np.arange(50.0))
    edges = np.concatenate([-ends[:0:-1], ends])
    points, weights = special.roots_legendre(20)
    halves = np.diff(edges)[:, None] / 2
    density = variance_gamma.density(edges[:-1, None] + halves * (1 + points), d, rho)
    expected = (halves * weights * density).sum()
    assert 0.0 < expected < 1e-4
    close = 1e-10 if abs(rho) < 0.9999 else 1e-8
    share = variance_gamma.coverage(bound, d, rho)
    assert share == pytest.approx(expected, rel=close, abs=0.0)


@given(st.sampled_from([1.0, -1.0]), d_ks)
def test_with_full_correlation_it_is_chi_square(rho: float, d: int) -> None:
    bound, x = d + sqrt(d), np.array([0.0, 0.5, 1.0, 1.5]) * d
    inside = stats.chi2.cdf(bound, d)
    assert variance_gamma.coverage(bound, d, rho) == pytest.approx(inside, abs=1e-13)
    assert variance_gamma.mean_size(d, rho) == d
    np.testing.assert_allclose(
        variance_gamma.density(rho * x, d, rho), stats.chi2.pdf(x, d), rtol=1e-9
    )
    assert variance_gamma.density(-rho, d, rho) == 0.0


def test_near_full_correlation_nothing_is_lost_between_nodes() -> None:
    for rho in (0.999, 0.9999999, 1.0 - 1e-15):
        share = variance_gamma.coverage(2.0 * 64, 64, rho)
        assert share == pytest.approx(stats.chi2.cdf(128, 64), abs=1e-4)


@given(d_ks)
def test_chi_square_nodes_have_its_moments_and_its_mean_root_is_a_ratio_of_gammas(d: int) -> None:
    squares, weights = nodes(d, (0.5 * d, d))
    assert weights @ squares == pytest.approx(d, rel=1e-13)
    assert weights @ np.square(squares) == pytest.approx(d * (d + 2), rel=1e-13)
    assert weights @ np.sqrt(squares) == pytest.approx(mean_root(d), rel=1e-12)
    with mpmath.workdps(40):
        ratio = mpmath.gammaprod([mpmath.mpf(d + 1) / 2], [mpmath.mpf(d) / 2])
        expected = float(2 * ratio / mpmath.sqrt(mpmath.pi))
    assert variance_gamma.mean_size(d) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("a", [0.5, 15.9, 16.0, 200.0])
def test_what_stirling_leaves(a: float) -> None:
    with mpmath.workdps(40):
        stirling = (a - mpmath.mpf(0.5)) * mpmath.log(a) - a + mpmath.log(2 * mpmath.pi) / 2
        expected = float(mpmath.loggamma(a) - stirling)
    assert stirling_rest(a) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_what_lies_outside_keeps_its_digits() -> None:
    assert variance_gamma.outside(60.0, 2) == pytest.approx(np.exp(-60.0), rel=1e-10, abs=0.0)
    beyond = integrate.quad(lambda x: float(variance_gamma.density(x, 5)), 40.0, 90.0, epsabs=0.0)[
        0
    ]
    assert variance_gamma.outside(40.0, 5) == pytest.approx(2 * beyond, rel=1e-6, abs=0.0)
