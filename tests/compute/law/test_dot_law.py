from fractions import Fraction
from itertools import product
from math import comb, isnan, nan, sqrt

import mpmath
import numpy as np
import pytest
from scipy import stats

from attn_tui.compute.law import variance_gamma
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.law.entries import LAWS, Pair
from attn_tui.compute.law.lattice import Lattice
from attn_tui.compute.law.names import Entries
from tests.pairs import each_once, with_rows

IRRATIONAL = (2**0.5, 3**0.5)
VALUES: dict[str, list[float]] = {"coins": [-1, 1], "die": [1, 2, 3, 4, 5, 6]}


def enumerated(pair: Pair, d_k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return every value of q·k and its probability, one outcome after the other."""
    middle = 3.5 if pair.entries == "die" else 0.0
    values, rho = VALUES[pair.entries], pair.correlation
    one: dict[float, float] = {}
    for q, k in product(values, values):
        chance = (1 - abs(rho)) / len(values) ** 2
        same = k - middle == (q - middle if rho > 0 else middle - q)
        chance += abs(rho) / len(values) if same else 0.0
        value = (q + pair.mean_q) * (k + pair.mean_k)
        one[value] = one.get(value, 0.0) + chance
    outcomes = [(0.0, 1.0)]
    for _ in range(d_k):
        outcomes = [(x + y, p * r) for x, p in outcomes for y, r in one.items() if r]
    return np.array([x for x, _ in outcomes]), np.array([p for _, p in outcomes])


@with_rows(
    ("entries", "rho", "means", "d_k"),
    each_once(
        ["coins", "die"],
        [0.0, 0.5, -0.5, 1.0],
        [(0.0, 0.0), (0.5, -2.0), (0.3, 0.3), (0.01, 0.12), IRRATIONAL],
        [1, 2, 3],
        least=15,
    ),
)
def test_a_discrete_law_is_what_enumeration_finds(
    entries: Entries, rho: float, means: tuple[float, float], d_k: int
) -> None:
    pair = Pair(entries, *means, rho)
    law = DotLaw(pair, d_k)
    values, chances = enumerated(pair, d_k)
    mean = chances @ values
    variance = chances @ (values - mean) ** 2
    assert law.mean == pytest.approx(mean)
    assert law.variance == pytest.approx(variance, abs=1e-12)
    if law.variance:
        assert law.kurtosis == pytest.approx(chances @ (values - mean) ** 4 / variance**2)
    else:
        assert isnan(law.kurtosis)
    if law.chances is not None:
        assert law.mean_size == pytest.approx(chances @ abs(values))
        inside = abs(values) <= law.bound + 1e-12
        assert law.coverage == pytest.approx(chances[inside].sum())
    else:
        assert means == IRRATIONAL
        assert d_k > 1


SHIFTS = [
    *("0", "0.5", "-3.46", "0.12345", "1e-9", "1000000", "0.6666666667"),
    *("-3.500000001", "1.4142135623730951"),
]


@with_rows(
    ("of", "shift", "other"),
    each_once(
        [("coins", 1), ("coins", 4), ("die", 1), ("die", 2)],
        SHIFTS,
        ["0", "0.6666666667", "-3.5", "-1"],
    ),
)
def test_what_is_exact_is_what_rational_numbers_say(
    of: tuple[Entries, int], shift: str, other: str
) -> None:
    """However near two values of q·k come to each other; or it is not said to be known."""
    entries, d_k = of
    law = DotLaw(Pair(entries, float(shift), float(other)), d_k)
    sums = {Fraction(0): Fraction(1)}
    for _ in range(d_k):
        longer = dict[Fraction, Fraction]()
        for q, k in product(VALUES[entries], VALUES[entries]):
            value = (Fraction(shift) + int(q)) * (Fraction(other) + int(k))
            for before, chance in sums.items():
                longer[before + value] = longer.get(before + value, Fraction(0)) + chance
        sums = {value: chance / len(VALUES[entries]) ** 2 for value, chance in longer.items()}
    if law.mean_size is None or law.coverage is None:
        assert d_k > 1
        assert law.unknown
        return
    size = sum(abs(value) * chance for value, chance in sums.items())
    assert law.mean_size == pytest.approx(float(size), rel=1e-12)
    square = 4 * (Fraction(35, 12) if entries == "die" else 1) ** 2 * d_k
    inside = sum(chance for value, chance in sums.items() if value**2 <= square)
    assert law.coverage == pytest.approx(float(inside), rel=1e-9)


@with_rows(("d_k", "rho"), each_once([1, 2, 16, 1024, 65536], [0.0, -0.25], least=6))
def test_coins_are_binomial(d_k: int, rho: float) -> None:
    law = DotLaw(Pair("coins", correlation=rho), d_k)
    assert law.chances is not None
    values, chances = law.chances
    heads = (values + law.mean + d_k) / 2
    expected = stats.binom.pmf(np.rint(heads), d_k, (1 + rho) / 2)
    np.testing.assert_allclose(chances, expected, atol=1e-12)
    assert expected.sum() == pytest.approx(1.0, abs=1e-12)
    assert law.kurtosis == pytest.approx(3 + (1 / ((1 - rho**2) / 4) - 6) / d_k)


def test_the_ends_of_the_range_count_as_inside() -> None:
    assert DotLaw(Pair("coins"), 4).coverage == 1.0
    assert DotLaw(Pair("coins"), 16).coverage == pytest.approx(
        sum(comb(16, heads) for heads in range(4, 13)) / 2**16
    )


def test_dice_have_a_mean_that_swamps_their_spread() -> None:
    law = DotLaw(Pair("die"), 64)
    assert law.mean == 12.25 * 64
    assert law.variance / 64 == pytest.approx(11515 / 144)
    assert law.coverage == 0.0
    centred = DotLaw(Pair("die", -3.5, -3.5), 64)
    assert centred.variance / 64 == pytest.approx((35 / 12) ** 2)
    assert centred.coverage == pytest.approx(0.9545, abs=2e-3)


def test_what_q_k_cannot_be_has_no_probability() -> None:
    assert DotLaw(Pair("die"), 35).coverage == 0.0
    assert DotLaw(Pair("die", 1e6, 2**0.5), 4).coverage == 0.0
    assert DotLaw(Pair("die", -1e6, 2**0.5), 4).coverage == 0.0


@with_rows("d_k", [8, 512, 20_000])
def test_a_die_stays_exact_where_its_tails_are_left_out(d_k: int) -> None:
    law = DotLaw(Pair("die"), d_k)
    assert law.chances is not None
    x, p = law.chances
    assert p @ x == pytest.approx(0.0, abs=1e-6)
    assert p @ x**2 == pytest.approx(law.variance, rel=1e-9)
    assert p @ x**4 == pytest.approx(law.kurtosis * law.variance**2, rel=1e-8)


@with_rows(("rho", "d_k"), each_once([0.0, 0.6, -1.0], [1, 2, 512], least=6))
def test_normal_entries_have_the_variance_gamma_law(rho: float, d_k: int) -> None:
    law = DotLaw(Pair(correlation=rho), d_k)
    assert law.mean == rho * d_k
    assert law.variance == pytest.approx(d_k * (1 + rho**2))
    kurtosis = 3 + 6 * (1 + 6 * rho**2 + rho**4) / (d_k * (1 + rho**2) ** 2)
    assert law.kurtosis == pytest.approx(kurtosis)
    assert law.mean_size == variance_gamma.mean_size(d_k, rho)
    assert law.coverage == variance_gamma.coverage(2 * sqrt(d_k), d_k, rho)


def test_exact_means_exact_where_it_can() -> None:
    for d_k in (2, 4, 512, 1024, 65536):
        assert DotLaw(Pair(), d_k).variance == d_k
        assert DotLaw(Pair("uniform"), d_k).variance == d_k
        assert DotLaw(Pair("coins"), d_k).variance == d_k


@with_rows(("entries", "rho"), each_once(LAWS, [0.0, 0.5], least=6))
def test_the_variance_of_one_product_is_v_x_v_y_and_shifts(entries: Entries, rho: float) -> None:
    a, b = 1.5, -0.5
    pair = Pair(entries, a, b, rho)
    law, one = pair.law, pair.product()
    if rho == 0.0:
        a, b = a + law.mean, b + law.mean
        expected = law.variance**2 + law.variance * (a**2 + b**2)
        assert one.variance == pytest.approx(expected)
    assert one.weights @ one.values**2 == pytest.approx(one.variance)
    assert one.weights @ one.values == pytest.approx(0.0, abs=1e-12)
    assert law.weights @ law.deviations**4 == pytest.approx(law.fourth)


def test_products_of_uniform_entries_by_quadrature() -> None:
    end = mpmath.sqrt(3)

    def moment(order: int) -> float:
        return float(
            mpmath.quad(
                lambda x, y: ((1 + x) * (y - 2) + 2) ** order / 12, [-end, end], [-end, end]
            )
        )

    law = DotLaw(Pair("uniform", 1.0, -2.0), 1)
    assert moment(1) == pytest.approx(0.0, abs=1e-12)
    assert law.variance == pytest.approx(moment(2))
    for order in (3, 4, 6, 8):
        found = law.moments[order] * law.variance ** (order / 2)
        assert found == pytest.approx(moment(order))


@pytest.mark.parametrize(
    "law", [DotLaw(Pair("coins", 2**0.5, 3**0.5), 4), DotLaw(Pair("die", -3.46, 0.0), 65536)]
)
def test_a_law_that_nobody_adds_up_says_why(law: DotLaw) -> None:
    assert (law.coverage, law.mean_size, law.density(np.zeros(1))) == (None, None, None)
    assert "1,048,576 steps" in law.unknown


def test_a_coverage_below_what_is_known_says_so() -> None:
    law = DotLaw(Pair("coins", correlation=0.9), 64)
    assert law.coverage is None
    assert "less than 1e-10" in law.unknown


def test_tied_products_need_no_even_spacing() -> None:
    law = DotLaw(Pair("die", *IRRATIONAL, 0.4), 5, tied=True)
    values, chances = enumerated(law.pair, 1)
    assert law.mean_size == pytest.approx(5 * (chances @ abs(values)))
    assert law.coverage == pytest.approx(chances[5 * abs(values) <= law.bound].sum())
    assert law.unknown == ""


def test_moments_of_a_sum_are_those_of_a_normal_number_in_the_limit() -> None:
    moments = DotLaw(Pair(), 65536).moments
    assert moments == pytest.approx((1, 0, 1, 0, 3, 0, 15, 0, 105), rel=3e-3, abs=1e-9)


def test_moments_of_chi_square() -> None:
    found = DotLaw(Pair(correlation=1.0), 5).moments
    skew, excess = stats.chi2.stats(5, moments="sk")
    assert found[3] == pytest.approx(skew)
    assert found[4] == pytest.approx(3 + excess)
    x = np.array([stats.chi2.moment(order, 5) for order in range(9)])
    centred = sum(comb(8, j) * x[j] * (-5.0) ** (8 - j) for j in range(9))
    assert found[8] == pytest.approx(centred / 10.0**4)


@with_rows("entries", LAWS)
def test_tied_components_are_d_times_one_product(entries: Entries) -> None:
    one, tied = DotLaw(Pair(entries), 1), DotLaw(Pair(entries), 6, tied=True)
    assert tied.mean == 6 * one.mean
    assert tied.variance == pytest.approx(36 * one.variance)
    assert tied.kurtosis == one.kurtosis
    if entries == "normal":
        assert tied.mean_size == pytest.approx(6 * 2 / np.pi)
        density = tied.density(np.array([3.0]))
        assert density == pytest.approx(variance_gamma.density(0.5, 1) / 6)


def test_a_law_without_spread_has_no_kurtosis() -> None:
    law = DotLaw(Pair("coins", correlation=-1.0), 9)
    assert (law.mean, law.variance, law.mean_size, law.coverage) == (-9.0, 0.0, 9.0, None)
    assert isnan(law.kurtosis)


def test_numbers_that_fit_no_lattice() -> None:
    values = [Fraction(0), Fraction(1), 1 + Fraction(1, 10**7), Fraction(3)]
    assert Lattice.of(values, np.full(4, 0.25)) is None
    wide = Lattice(0.0, 1.0, np.full(1000, 1e-3))
    assert wide.summed(65536) is None


def test_a_lattice_of_one_value() -> None:
    one = Lattice.of([Fraction(2)], np.ones(1))
    assert one is not None
    law = one.summed(5)
    assert law is not None
    assert (law.values.tolist(), law.weights.tolist()) == ([10.0], [1.0])


def test_the_normal_density_has_the_law_s_mean_and_variance() -> None:
    law = DotLaw(Pair("die"), 3)
    x = np.array([30.0, law.mean])
    expected = stats.norm.pdf(x, law.mean, law.standard_deviation)
    np.testing.assert_allclose(law.normal_density(x), expected)
    assert nan not in law.normal_density(x)


def test_the_mean_size_of_a_tied_shifted_product_has_a_closed_form() -> None:
    law = DotLaw(Pair("normal", 0.5, 0.5), 64, tied=True)
    # E|x| of a normal x of mean 1/2 is √(2/π)e^(−1/8) + erf(1/√8)/2, and x and y are independent.
    size = mpmath.sqrt(2 / mpmath.pi) * mpmath.exp(-0.125) + mpmath.erf(1 / mpmath.sqrt(8)) / 2
    assert law.mean_size == pytest.approx(float(64 * size**2), rel=1e-8)


@with_rows(
    ("entries", "rho", "means"),
    each_once(
        ["normal", "uniform"],
        [0.0, 0.3, -0.8, 0.999999, 1.0, -1.0],
        [(0.5, 0.2), (-1.0, 0.0), (3.0, -2.0), (40.0, 1e-3)],
    ),
)
def test_the_mean_size_of_one_product(
    entries: Entries, rho: float, means: tuple[float, float]
) -> None:
    found = DotLaw(Pair(entries, *means, rho), 1).mean_size
    random = np.random.default_rng(7)
    a, b = means
    x = random.standard_normal(400_000)
    other = random.standard_normal(400_000)
    y = rho * x + np.sqrt(1.0 - rho**2) * other
    if entries == "uniform":
        x, other = (np.sqrt(3.0) * random.uniform(-1.0, 1.0, 400_000) for _ in range(2))
        y = np.where(random.random(400_000) < abs(rho), np.copysign(1.0, rho) * x, other)
    sizes = np.abs((a + x) * (b + y))
    assert found is not None
    assert abs(found - sizes.mean()) < 4.0 * sizes.std() / 400_000**0.5 + 1e-6
