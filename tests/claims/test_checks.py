"""The parts of checks, each compared with another way to compute the same number."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import integrate, special, stats

from attn_tui.claims.checks.assumptions import initial_queries, mean_square
from attn_tui.claims.checks.crossover import turning_point
from attn_tui.claims.checks.heads import clip, largest_logit
from attn_tui.claims.checks.laws import sum_law
from attn_tui.claims.checks.layers import (
    check_size,
    normals,
    norms,
    projected,
    residuals,
    singular_values,
)
from attn_tui.claims.checks.learned import by_multiplier, xavier
from attn_tui.claims.checks.length import least_entropy, searched, within_range
from attn_tui.claims.checks.listings import as_listed
from attn_tui.claims.checks.models import power
from attn_tui.claims.checks.placed import additive_spreads
from attn_tui.claims.checks.precision import halves
from attn_tui.claims.checks.rows import ahead, dropped, with_dropout
from attn_tui.claims.checks.rules import one_above, one_ahead
from attn_tui.claims.checks.samples import (
    above,
    check_cost,
    logs_at_stds,
    mean,
    over,
    rows_of_scores,
    sampled,
    variance_of,
)
from attn_tui.claims.checks.saturation import gradients_by_length
from attn_tui.claims.checks.softmax import central_differences, leading
from attn_tui.claims.trial import Trial
from attn_tui.compute.errors import InputError
from attn_tui.compute.heads.head import row_weights
from attn_tui.compute.law import Entries
from attn_tui.compute.law.variance_gamma import outside
from attn_tui.compute.models import MODELS
from attn_tui.compute.sample import Number
from attn_tui.compute.scale import Scale
from attn_tui.compute.sweep.exact import trace_at
from attn_tui.compute.sweep.readouts import ROWS
from attn_tui.library import dot_law, jacobian, softmax, statistics

# q·k


def test_rows_share_their_query_and_nothing_else() -> None:
    rows = rows_of_scores(4, 3, Trial(draws=200_000))
    assert np.cov(rows.T) == pytest.approx(4.0 * np.eye(3), abs=0.08)
    squares = np.corrcoef(np.square(rows[:, 0]), np.square(rows[:, 1]))
    assert squares[0, 1] == pytest.approx(1.0 / 7.0, abs=0.02)
    one, two = (sampled(dot_law(d_k), Trial(draws=2)) for d_k in (100, 101))
    assert one.mean.value != pytest.approx(two.mean.value, rel=0.05)


def test_errors_are_how_numbers_scatter() -> None:
    rng = np.random.default_rng(2)
    variances = [variance_of(rng.standard_normal(50) * 3.0, 3.0, 9.0) for _ in range(4000)]
    scatter = np.std([variance.value for variance in variances])
    assert scatter == pytest.approx(variances[0].standard_error, rel=0.05)
    one, two = Number(8.0, 0.1, 8.0), Number(2.0, 0.05, 2.0)
    eights, twos = rng.normal(8.0, 0.1, 100_000), rng.normal(2.0, 0.05, 100_000)
    ratio, rise = over("", one, two), above("", one, two)
    assert (ratio.value, ratio.exact, rise.value, rise.exact) == (4.0, 4.0, 6.0, 6.0)
    assert ratio.standard_error == pytest.approx(np.std(eights / twos), rel=0.02)
    assert rise.standard_error == pytest.approx(np.std(eights - twos), rel=0.02)


@pytest.mark.parametrize(("rho", "tied"), [(0.0, True), (0.5, False)])
def test_the_mean_square_against_entries_drawn_one_by_one(rho: float, tied: bool) -> None:
    d_k, rng = 4, np.random.default_rng(3)
    x, y = rng.standard_normal((2, 400_000, 1 if tied else d_k))
    dots = (x * (rho * x + np.sqrt(1.0 - rho**2) * y)).sum(axis=1) * (d_k if tied else 1)
    squares = np.square(dots)
    square = mean_square(dot_law(d_k, correlation=rho, tied=tied), Trial(draws=100_000))
    assert square.exact == pytest.approx(squares.mean(), rel=0.03)
    assert square.value == pytest.approx(square.exact, abs=5 * square.standard_error)
    assert square.standard_error == pytest.approx(squares.std() / np.sqrt(100_000), rel=0.06)


def test_initial_queries_are_rows_of_weights_times_a_normalised_input() -> None:
    entries = initial_queries(1, 256, 0.02, 9000)
    assert entries.mean() == pytest.approx(0.0, abs=0.02)
    assert entries.var() == pytest.approx(256 * 0.02**2, rel=0.06)
    assert not np.array_equal(entries, initial_queries(2, 256, 0.02, 9000))


@pytest.mark.slow
@pytest.mark.parametrize(("bound", "d_k"), [(2.5, 1), (10.0, 2), (50.0, 64), (150.0, 1024)])
def test_tails_against_a_normal_law_mixed_over_query_lengths(bound: float, d_k: int) -> None:
    def conditional(square: float) -> float:
        return 2.0 * float(stats.norm.sf(bound / np.sqrt(square)) * stats.chi2.pdf(square, d_k))

    middle = max(float(d_k), bound)
    ends = [middle * 2.0**step for step in range(-8, 5)]
    parts = zip([0.0, *ends], [*ends, np.inf], strict=True)
    exact = sum(integrate.quad(conditional, *part, epsabs=0.0, epsrel=1e-11)[0] for part in parts)
    assert outside(bound, d_k) == pytest.approx(exact, rel=1e-7)


@pytest.mark.parametrize(("entries", "faces"), [("die", [1, 2, 3, 4, 5, 6]), ("coins", [-1, 1])])
def test_sums_against_every_outcome(entries: Entries, faces: list[int]) -> None:
    sums = [sum(roll) for roll in product(faces, repeat=4)]
    values, counts = np.unique(sums, return_counts=True)
    law = sum_law(entries, 4)
    assert np.array_equal(law.values, values)
    assert law.weights == pytest.approx(counts / len(sums), rel=1e-12)


# Rows of weights


def test_central_differences_are_of_softmax() -> None:
    logits = np.array([-1.0, 0.5, 0.0, 2.0])
    whole = jacobian(logits, wrt="logits")
    np.testing.assert_allclose(central_differences(logits, [0, 3]), whole[:, [0, 3]], atol=1e-10)


@pytest.mark.parametrize("n_keys", [2, 64, 100_000])
def test_a_key_leads_all_the_others_together(n_keys: int) -> None:
    weights = softmax(leading(n_keys, 3.0))
    assert weights[0] == pytest.approx(np.exp(3.0) * weights[1:].sum())
    largest, rest = one_ahead(softmax(one_above(0.5, n_keys)), 0.5)
    assert largest.value == pytest.approx(largest.exact, rel=1e-12)
    assert rest.value == pytest.approx(rest.exact, rel=1e-12)


def test_rows_of_one_standard_deviation_have_the_exact_mean_trace() -> None:
    logs = logs_at_stds(Trial(n=16, draws=4000), (2.0,))[2.0]
    assert mean("tr J", logs[ROWS["trace"]]).is_close(trace_at(16, 2.0))


def test_even_weights_have_the_gradient_of_even_weights() -> None:
    by_length, _, ln_share = gradients_by_length(Trial(d_k=64, n=256, draws=50))
    # Here ‖J‖_F = √(n − 1)/n, which is multiplied by 1/Σ‖k‖.
    expected = np.sqrt(255.0) / 256.0 / (256.0 * np.sqrt(63.5))
    np.testing.assert_allclose(np.exp(by_length), expected, rtol=0.05)
    np.testing.assert_allclose(ln_share, 0.0, atol=1e-3)


@pytest.mark.parametrize(("n_keys", "size"), [(2, 1.0), (128, 4.0), (128, 10.0)])
def test_one_key_above_all_others_has_the_least_entropy(n_keys: int, size: float) -> None:
    z = np.full(n_keys, -1.0 / n_keys)
    z[0] += 1.0
    bound = least_entropy(n_keys, size)
    assert statistics(z * size / np.linalg.norm(z)).entropy == pytest.approx(bound, rel=1e-12)
    assert searched(Trial(n=n_keys), size) == pytest.approx(bound, rel=1e-4)


def test_seven_of_128_on_top_have_the_least_entropy_within_a_range() -> None:
    keys, entropy = within_range(128, 4.0)
    assert keys == 7
    for on_top, near in ((7, True), (6, False), (8, False)):
        own_entropy = statistics([4.0] * on_top + [0.0] * (128 - on_top)).entropy
        assert (own_entropy == pytest.approx(entropy, rel=1e-12)) == near
        assert own_entropy >= entropy * (1.0 - 1e-12)


# Square matrices of weights, and heads


@pytest.mark.parametrize("logit_std", [0.1, 1.0, 8.0])
def test_singular_values_are_those_of_a_decomposition(logit_std: float) -> None:
    matrix = row_weights(logit_std * normals(Trial(), 0, 50, 50))
    true = np.linalg.svd(matrix, compute_uv=False)
    assert singular_values(matrix) == pytest.approx(true, rel=1e-9, abs=1e-7)
    by_logits = [statistics(np.log(row), wrt="logits").frobenius for row in matrix]
    assert norms(matrix) == pytest.approx((true[0], np.mean(by_logits)), rel=1e-8)


def test_even_weights_leave_nothing_of_the_differences_between_tokens() -> None:
    even = Scale("fixed", (("a", 1e300),))
    shares = residuals(Trial(d_k=8, draws=3), even, n_keys=5, layers=2)
    assert shares.shape == (3, 3)
    assert (shares[0] > 0.5).all()
    assert (shares[1:] < 1e-12).all()


def test_the_largest_logit_is_that_of_all_pairs() -> None:
    trial = Trial(d_k=4)
    tokens, of_q, of_k = normals(trial, 0, 6, 4), projected(trial, 1), projected(trial, 2, 3.0)
    pairs = [float(i @ of_q @ of_k.T @ j) / 2.0 for i in tokens for j in tokens]
    assert largest_logit(tokens, of_q, of_k) == pytest.approx(max(pairs))
    # Vectors of 4 entries whose root mean square is g have a product of at most 4·g².
    assert largest_logit(tokens, of_q, of_q, norm_gain=3.0) == pytest.approx(2.0 * 9.0)
    assert clip(50.0, 100.0) == 1.0


# Printed numbers, number formats, models


def test_a_listing_may_be_off_by_a_few_units_in_the_last_place() -> None:
    printed, exact = {"p_0": 0.1, "p_1": 0.9}, np.array([0.1, 0.9])
    for units, holds in ((3, True), (8, False)):
        single = exact * (1.0 + units * 2.0**-23)
        assert as_listed("somewhere", "p", single, exact, printed).holds is holds


def test_a_product_is_that_of_half_precision() -> None:
    logits = halves(Trial(d_k=1, draws=50))
    np.testing.assert_array_equal(logits.after, logits.exact.astype(np.float16))
    # Division by the fourth root of 256 is exact.
    logits = halves(Trial(d_k=256, draws=200))
    np.testing.assert_array_equal(logits.before, logits.after)


def test_the_power_is_that_of_a_line_on_logarithmic_axes() -> None:
    sizes, d_ks = zip(*((model.d_model, model.d_k) for model in MODELS.values()), strict=True)
    line = np.polyfit(np.log(sizes), np.log(d_ks), 1)
    assert power(sizes, d_ks) == pytest.approx(line[0], rel=1e-9)
    assert power([4096, 8192], [128, 128]) == 0.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: check_cost(100_000, 1000, 100), r"1,000 rows of 100,000 keys .* at most \d\d$"),
        (lambda: check_size(Trial(n=4096), n=512), r"n: 4,096 will not do .* 2 to 512"),
        (lambda: turning_point(2, "query_gradient", 10, 1), "draws: 10 rows of 2 keys do not tell"),
        (lambda: halves(Trial(d_k=65_536, draws=513)), "at most 512"),
    ],
)
def test_what_takes_too_long_is_refused(check: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check()


# What people ask about


@pytest.mark.parametrize(("width", "size"), [(16, 0.25), (130, 1.0)])
def test_additive_scores_of_a_query_spread_as_their_law_says(width: int, size: float) -> None:
    spreads = additive_spreads(Trial(draws=20_000), width, size)
    # Across the keys b varies and a stays: by quadrature, the variance of tanh(a + b) over b.
    places, shares = np.polynomial.hermite_e.hermegauss(80)
    shares = shares / shares.sum()
    terms = np.tanh(places[:, None] + places)
    variance = shares @ (terms**2 @ shares - (terms @ shares) ** 2)
    assert spreads.std() == pytest.approx(size * (width * variance) ** 0.5, rel=0.03)


def test_the_gradient_of_a_multiplier_against_central_differences() -> None:
    rng = np.random.default_rng(4)
    scores, upstream = rng.standard_normal((2, 5, 8))
    there, back = (
        (row_weights((0.7 + step) * scores) * upstream).sum(axis=1) for step in (1e-6, -1e-6)
    )
    expected = np.abs(there - back) / 2e-6
    np.testing.assert_allclose(by_multiplier(scores, upstream, 0.7), expected, rtol=1e-6)


def test_dropout_leaves_what_it_keeps_larger() -> None:
    kept = dropped(np.tile([0.25, 0.75], (20_000, 1)), Trial())
    assert np.unique(kept[:, 0]).tolist() == [0.0, pytest.approx(0.25 / 0.9)]
    assert kept.mean(axis=0) == pytest.approx([0.25, 0.75], rel=0.02)


def test_dropout_is_told_of_typical_rows_and_not_of_one() -> None:
    """The same of q and keys drawn one by one: of a single row it could be twice as much."""
    random = np.random.default_rng(3)
    q, k = random.standard_normal((1500, 64)), random.standard_normal((1500, 64, 64))
    p = special.softmax(np.einsum("rd,rnd->rn", q, k) / 8.0, axis=1)
    typical = float(np.median(np.sqrt((p**2).sum(axis=1) / 9.0)))
    _, each = with_dropout(Trial(n=64, d_k=64, draws=10_000, seed=2), {})
    assert each.evidence[1].value == pytest.approx(typical, rel=0.05)


def test_xavier_counts_all_rows_of_a_packed_matrix() -> None:
    entries = initial_queries(3, 256, xavier(256, 768) ** 0.5, 9000)
    assert entries.var() == pytest.approx(0.5, rel=0.06)
    assert ahead(5.0, 64) == pytest.approx(float(np.exp(5.0) / (np.exp(5.0) + 63.0)))


def test_q_alone_divided_first_is_the_same_product_in_half_precision() -> None:
    logits = halves(Trial(d_k=64, draws=200))
    # Division by 8 is exact.
    np.testing.assert_array_equal(logits.first, logits.after)
