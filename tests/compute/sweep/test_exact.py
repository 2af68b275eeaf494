from math import exp, log, pi, sqrt

import mpmath
import numpy as np
import pytest

from attn_tui.compute.scale import parse_scale
from attn_tui.compute.sweep.asymptotes import (
    condensation_d_k,
    condensation_n,
    condensation_std,
    logit_std,
    mean_largest,
)
from attn_tui.compute.sweep.draws import unit_logs, units
from attn_tui.compute.sweep.exact import (
    entropy_at,
    jacobian_square_at,
    log_sum_at,
    mean_entropy,
    mean_inverse_norm,
    mean_jacobian_square,
    mean_trace,
    median_size,
    query_norm_law,
    trace_at,
)
from attn_tui.compute.sweep.readouts import ROWS, exact
from attn_tui.compute.sweep.settings import STATISTICS
from attn_tui.compute.sweep.summary import Summary, median_ranks, summarise
from tests.pairs import with_rows


@with_rows("n", [1, 2, 3, 8, 64, 512, 100_000])
def test_the_mean_of_the_largest(n: int) -> None:
    def term(x: float) -> mpmath.mpf:
        return x * n * mpmath.npdf(x) * mpmath.ncdf(x) ** (n - 1)

    expected = mpmath.quad(term, [-12, -4, 0, 2, 4, 6, 12])
    assert mean_largest(n) == pytest.approx(float(expected), rel=1e-12, abs=1e-14)


def test_the_law_of_a_query_norm() -> None:
    for d_k in [1, 2, 3, 7, 64, 1024, 65_536]:
        r, w = query_norm_law(d_k)
        assert w.sum() == pytest.approx(1.0)
        assert w @ r**2 == pytest.approx(d_k, rel=1e-9)
        assert w @ r**4 == pytest.approx(d_k * (d_k + 2), rel=1e-9)
        if d_k > 2:
            assert w @ (1.0 / r) == pytest.approx(mean_inverse_norm(d_k), rel=1e-9)


@with_rows("std", [0.02, 0.3, 1.0, 4.0, 30.0, 400.0])
def test_two_logits_by_another_quadrature(std: float) -> None:
    def over_gaps(function: object) -> float:
        def term(x: float) -> mpmath.mpf:
            gap = mpmath.sqrt(2) * std * x
            return 2 * mpmath.npdf(x) * function(mpmath.exp(-gap), gap)  # type: ignore[operator]

        return float(mpmath.quad(term, [0, 0.1 / (std + 1), 1 / (std + 1), 8 / (std + 1), 3, 12]))

    trace = over_gaps(lambda less, gap: 2 * less / (1 + less) ** 2)
    entropy = over_gaps(lambda less, gap: mpmath.log1p(less) + gap * less / (1 + less))
    assert trace_at(2, std) == pytest.approx(trace, rel=1e-10)
    assert entropy_at(2, std) == pytest.approx(entropy, rel=1e-8)
    square = over_gaps(lambda less, gap: 4 * less**2 / (1 + less) ** 4)
    assert jacobian_square_at(2, std) == pytest.approx(square, rel=1e-10)


def test_the_stein_identity() -> None:
    for n, std in [(3, 0.5), (8, 3.0), (64, 8.0), (512, 1.0), (512, 20.0)]:
        random = np.random.default_rng(n)
        z = std * random.standard_normal((10_000, n))
        powers = np.exp(z - z.max(axis=1, keepdims=True))
        p = powers / powers.sum(axis=1, keepdims=True)
        s_2, s_3 = (np.power(p, k).sum(axis=1) for k in (2, 3))
        for sampled, expected in (
            (1.0 - np.vecdot(p, p), trace_at(n, std)),
            (np.vecdot(p, z) / std**2, trace_at(n, std)),
            (np.log(powers.sum(axis=1)) + z.max(axis=1), log_sum_at(n, std)),
            (s_2 - 2.0 * s_3 + s_2**2, jacobian_square_at(n, std)),
        ):
            error = sampled.std(ddof=1) / 100.0
            assert abs(sampled.mean() - expected) < 4.0 * error


@pytest.mark.slow
@with_rows("n", [3, 4, 64])
def test_the_mean_square_at_small_logits_joins_that_of_larger_ones(n: int) -> None:
    m = 0.02 / 65_536**0.5
    below, above = (mean_jacobian_square(n, 65_536, by * m) for by in (0.9, 1.1))
    assert below
    assert above
    assert below == pytest.approx(jacobian_square_at(n, 0.018), rel=1e-7)
    assert above == pytest.approx(jacobian_square_at(n, 0.022), rel=1e-7)


@with_rows("d_k", [1, 2, 4, 64])
def test_means_over_queries_agree_with_two_keys(d_k: int) -> None:
    for m in (1.0, d_k**-0.5, 1e-4):
        two = exact("trace", 2, d_k, m), exact("entropy", 2, d_k, m)
        assert mean_trace(2, d_k, m) == pytest.approx(two[0].mean, rel=1e-7)
        assert mean_entropy(2, d_k, m) == pytest.approx(two[1].mean, rel=1e-7)


def test_beyond_the_table_nothing_is_claimed() -> None:
    assert mean_trace(64, 64, 1e3) is None


def test_the_median_of_a_dot_product() -> None:
    assert median_size(2) == pytest.approx(log(2.0), rel=1e-12)
    assert median_size(65_536) == pytest.approx(256 * 0.6744897501960817, rel=1e-4)
    bound = median_size(1)
    below = mpmath.quad(lambda x: 2 * mpmath.besselk(0, x) / mpmath.pi, [0, 1e-6, 1e-3, bound])
    assert float(below) == pytest.approx(0.5, rel=1e-7)


def summaries(n: int, d_k: int, m: float, draws: int) -> dict[str, Summary]:
    logs = np.concatenate([unit_logs(u, d_k, m) for u in units(11, n, draws, (d_k,))], axis=1)
    found: dict[str, Summary] = {}
    for name, row in ROWS.items():
        by = {"gradient": log(m), "query_gradient": log(m), "entropy_bits": -log(log(2.0))}
        (found[name],) = summarise(logs[[row]] + by.get(name, 0.0))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("d_k", "m"), [(1, 1.0), (4, 1.0), (16, 0.25), (256, 1.0), (256, 0.0625)])
def test_draws_of_two_keys_agree_with_quadrature(d_k: int, m: float) -> None:
    found = summaries(2, d_k, m, 3200)
    for statistic in STATISTICS:
        drawn, known = found[statistic], exact(statistic, 2, d_k, m)
        assert known.mean is not None
        assert abs(drawn.mean - known.mean) < 4.0 * drawn.mean_standard_error
        if statistic == "query_gradient":
            assert known.median is None
            continue
        assert known.median is not None
        off = abs(drawn.log_median - log(known.median))
        assert off < 4.0 * drawn.log_median_standard_error


@with_rows(("n", "d_k", "m"), [(3, 2, 1.0), (64, 64, 1.0), (512, 64, 0.125)])
def test_draws_agree_with_exact_means(n: int, d_k: int, m: float) -> None:
    found = summaries(n, d_k, m, 1600)
    for statistic in ("trace", "entropy"):
        known = exact(statistic, n, d_k, m).mean
        assert known is not None
        drawn = found[statistic]
        assert abs(drawn.mean - known) < 4.0 * drawn.mean_standard_error
    assert exact("jacobian", n, d_k, m).mean is None


def test_where_logits_condense_over_d_k() -> None:
    for rule, n, d_k, side in [
        ("none", 512, 2.0 * log(512.0), "from"),
        ("inverse-sqrt", 512, None, "nowhere"),
        ("ssmax:a=1", 512, None, "everywhere"),
        ("mup:d0=64", 512, 32.0 / log(512.0), "up to"),
        ("temperature:T=4", 512, 32.0 * log(512.0), "from"),
    ]:
        at, where = condensation_d_k(parse_scale(rule), n)
        assert where == side
        assert at == (None if d_k is None else pytest.approx(d_k))


def test_where_logits_condense_over_n() -> None:
    for rule, d_k, meet, side in [
        ("inverse-sqrt", 65_536, None, "nowhere"),
        ("none", 1, None, "nowhere"),
        ("none", 16, exp(8.0), "up to"),
        ("none", 65_536, None, "everywhere"),
        ("log-length", 64, None, "nowhere"),
        # More keys condense logits that grow with their logarithm.
        ("ssmax:a=1", 1, exp(2.0), "from"),
        ("ssmax:a=0.43", 64, exp(2.0 / 0.43**2), "from"),
    ]:
        scale = parse_scale(rule)
        at, where = condensation_n(scale, d_k)
        assert where == side
        assert at == (None if meet is None else pytest.approx(meet))
        for n in (2, 7, 8, 14, 15, 49_000, 51_000, 100_000):
            condenses = {
                "from": meet is not None and n >= meet,
                "up to": meet is not None and n <= meet,
            }.get(side, side == "everywhere")
            assert (logit_std(scale, n, d_k) >= condensation_std(n)) == condenses


@with_rows("draws", [8, 101, 1000])
def test_the_interval_holds_the_median_95_times_in_100(draws: int) -> None:
    low, high = median_ranks(draws)
    assert low + high == draws - 1
    with mpmath.workdps(30):
        inside = sum(mpmath.binomial(draws, k) for k in range(low + 1, high + 1))
        share = float(inside / mpmath.mpf(2) ** draws)
    assert 0.945 < share < 0.995


def test_one_draw_has_no_standard_error_and_a_tiny_median_is_kept() -> None:
    (one,) = summarise(np.array([[-5000.0]]))
    assert np.isnan(one.mean_standard_error)
    assert np.isnan(one.median_standard_error)
    assert (one.log_median, one.median) == (-5000.0, 0.0)
    (huge,) = summarise(np.array([[5000.0, 5000.0]]))
    assert huge.median == float("inf")


@with_rows("m", [1e7, 1e10, 1e12, 1e100])
def test_two_keys_at_any_multiplier(m: float) -> None:
    # As m grows only gaps near 0 count: m·E[2p_1p_2] → ∫2p_1p_2 dz times the density of q·k's gap
    # at 0, which is E[1/‖q‖]/(√2·√(2π)) on either side.
    expected = 2.0 * mean_inverse_norm(64) / sqrt(2.0) / sqrt(2.0 * pi)
    assert exact("gradient", 2, 64, m).mean == pytest.approx(expected, rel=1e-6)
