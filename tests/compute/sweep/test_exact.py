"""Exact means and medians against mpmath, simulation and draws; where logits condense."""

from math import exp, log, pi, sqrt

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from attn_tui.compute.scale import parse_scale
from attn_tui.compute.setup import Spread
from attn_tui.compute.sweep.draws import unit_logs, units
from attn_tui.compute.sweep.exact import (
    Where,
    condensation_d_k,
    condensation_n,
    condensation_std,
    entropy_at,
    log_sum_at,
    logit_std,
    mean_entropy,
    mean_largest,
    mean_trace,
    median_size,
    query_norm_law,
    trace_at,
)
from attn_tui.compute.sweep.points import Summary, median_ranks, summarise
from attn_tui.compute.sweep.readouts import READOUTS, ROWS, exact
from attn_tui.compute.sweep.settings import STATISTICS, SweepStatistic


@pytest.mark.parametrize("n", [1, 3, 512, 100_000])
def test_the_mean_of_the_largest(n: int) -> None:
    def term(x: float) -> mpmath.mpf:
        return x * n * mpmath.npdf(x) * mpmath.ncdf(x) ** (n - 1)

    expected = mpmath.quad(term, [-12, -4, 0, 2, 4, 6, 12])
    assert mean_largest(n) == pytest.approx(float(expected), rel=1e-12, abs=1e-14)


@given(st.integers(0, 16).map(lambda power: 2**power))
def test_the_law_of_a_query_norm(d_k: int) -> None:
    r, w = query_norm_law(d_k)
    assert w.sum() == pytest.approx(1.0)
    assert w @ r**2 == pytest.approx(d_k, rel=1e-9)
    assert w @ r**4 == pytest.approx(d_k * (d_k + 2), rel=1e-9)


@pytest.mark.parametrize("std", [0.02, 1.0, 30.0])
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


@pytest.mark.parametrize(("n", "std"), [(3, 0.5), (64, 8.0), (512, 20.0)])
def test_many_logits_by_simulation_and_the_stein_identity(n: int, std: float) -> None:
    z = std * np.random.default_rng(n).standard_normal((10_000, n))
    powers = np.exp(z - z.max(axis=1, keepdims=True))
    p = powers / powers.sum(axis=1, keepdims=True)
    for sampled, expected in (
        (1.0 - np.vecdot(p, p), trace_at(n, std)),
        (np.vecdot(p, z) / std**2, trace_at(n, std)),
        (np.log(powers.sum(axis=1)) + z.max(axis=1), log_sum_at(n, std)),
    ):
        assert abs(sampled.mean() - expected) < 4.0 * sampled.std(ddof=1) / 100.0


@pytest.mark.slow
@given(st.integers(0, 8).map(lambda power: 2**power), st.sampled_from([1.0, 0.25, 1e-4]))
def test_means_over_queries_agree_with_two_keys(d_k: int, m: float) -> None:
    assert mean_trace(2, d_k, m) == pytest.approx(exact("trace", 2, d_k, m).mean, rel=1e-7)
    assert mean_entropy(2, d_k, m) == pytest.approx(exact("entropy", 2, d_k, m).mean, rel=1e-7)
    assert mean_trace(64, 64, 1e3) is None


def test_the_median_of_a_dot_product() -> None:
    assert median_size(2) == pytest.approx(log(2.0), rel=1e-12)
    assert median_size(65_536) == pytest.approx(256 * 0.6744897501960817, rel=1e-4)
    bound = median_size(1)
    below = mpmath.quad(lambda x: 2 * mpmath.besselk(0, x) / mpmath.pi, [0, 1e-6, 1e-3, bound])
    assert float(below) == pytest.approx(0.5, rel=1e-7)


@pytest.mark.parametrize("m", [1e7, 1e100])
def test_two_keys_at_any_multiplier(m: float) -> None:
    # As m grows, only gaps near 0 count: m·E[2p_1p_2] → ∫2p_1p_2 dz times the density of the gap of
    # q·k at 0, which is E[1/‖q‖]/(√2·√(2π)) on either side.
    r, w = query_norm_law(64)
    expected = 2.0 * (w @ (1.0 / r)) / sqrt(2.0) / sqrt(2.0 * pi)
    assert exact("gradient", 2, 64, m).mean == pytest.approx(expected, rel=1e-6)


def summaries(n: int, d_k: int, m: float, draws: int) -> dict[str, Summary]:
    logs = np.concatenate([unit_logs(u, d_k, m) for u in units(11, n, draws, (d_k,))], axis=1)
    rows = summarise(logs)
    return {name: rows[row].times(READOUTS[name].factor(m, 1.0)) for name, row in ROWS.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "d_k", "m"),
    [(2, 1, 1.0), (2, 16, 0.25), (2, 256, 1.0), (3, 2, 1.0), (64, 64, 1.0), (512, 64, 0.125)],
)
def test_draws_agree_with_what_is_exact(n: int, d_k: int, m: float) -> None:
    computed, known = summaries(n, d_k, m, 1600), 0
    for statistic in STATISTICS:
        drawn, quadrature = computed[statistic], exact(statistic, n, d_k, m)
        if quadrature.mean is not None:
            known += 1
            assert abs(drawn.mean - quadrature.mean) < 4.0 * drawn.mean_standard_error
        if quadrature.median is not None:
            known += 1
            off = abs(drawn.log_median - log(quadrature.median))
            assert off < 4.0 * drawn.log_median_standard_error
    # One of them is the weight of key 0, an n-th on average.
    assert known == (18 if n == 2 else 5)


@pytest.mark.parametrize("statistic", ["query_gradient", "gradient", "entropy"])
def test_spread_as_in_a_direct_simulation(statistic: SweepStatistic) -> None:
    """Weights see m·σ_qσ_k, ∂p/∂s carries m, and ∂L/∂q carries m·σ_k."""
    m, spread, random = 0.2, Spread(0.75, 2.0), np.random.default_rng(5)
    q = spread.q * random.standard_normal((40_000, 16))
    k = spread.k * random.standard_normal((40_000, 2, 16))
    v = random.standard_normal((40_000, 2))
    p = special.softmax(m * np.einsum("rd,rnd->rn", q, k), axis=1)
    # J v for two keys, and ∂p/∂s = m·J, whose four entries have the same size.
    both = p[:, 0] * p[:, 1]
    of_keys = np.linalg.norm(k[:, 0] - k[:, 1], axis=1)
    values = {
        "query_gradient": m * both * np.abs(v[:, 0] - v[:, 1]) * of_keys,
        "gradient": 2.0 * m * both,
        "entropy": special.entr(p).sum(axis=1),
    }[statistic]
    expected = exact(statistic, 2, 16, m, spread).mean
    assert expected is not None
    assert abs(values.mean() - expected) < 4.0 * values.std(ddof=1) / 200.0


@pytest.mark.parametrize(
    ("rule", "n", "d_k", "side"),
    [
        ("none", 512, 2.0 * log(512.0), "from"),
        ("inverse-sqrt", 512, None, "nowhere"),
        ("ssmax:a=1", 512, None, "everywhere"),
        ("mup:d0=64", 512, 32.0 / log(512.0), "up to"),
    ],
)
def test_where_logits_condense_over_d_k(rule: str, n: int, d_k: float | None, side: Where) -> None:
    place, where = condensation_d_k(parse_scale(rule), n)
    assert where == side
    assert place == (None if d_k is None else pytest.approx(d_k))


@pytest.mark.parametrize(
    ("rule", "d_k", "meet", "side"),
    [
        ("inverse-sqrt", 65_536, None, "nowhere"),
        ("none", 16, exp(8.0), "up to"),
        ("none", 65_536, None, "everywhere"),
        # More keys condense logits if the logits grow with ln n.
        ("ssmax:a=0.43", 64, exp(2.0 / 0.43**2), "from"),
    ],
)
def test_where_logits_condense_over_n(rule: str, d_k: int, meet: float | None, side: Where) -> None:
    scale = parse_scale(rule)
    place, where = condensation_n(scale, d_k)
    assert where == side
    assert place == (None if meet is None else pytest.approx(meet))
    for n in (2, 100, 100_000):
        condenses = side == "everywhere"
        if meet is not None:
            condenses = n >= meet if side == "from" else n <= meet
        assert (logit_std(scale, n, d_k) >= condensation_std(n)) == condenses


@pytest.mark.parametrize("draws", [8, 101, 1000])
def test_the_interval_holds_the_median_95_times_in_100(draws: int) -> None:
    low, high = median_ranks(draws)
    assert low + high == draws - 1
    with mpmath.workdps(30):
        inside = sum(mpmath.binomial(draws, k) for k in range(low + 1, high + 1))
        share = float(inside / mpmath.mpf(2) ** draws)
    assert 0.945 < share < 0.995


@given(st.floats(-5000.0, 400.0), st.sampled_from([0.0, -720.0, 300.0]))
def test_summaries_and_their_errors_outlive_the_numbers_of_float64(first: float, by: float) -> None:
    draws = np.array([0.5, 1.0, 2.0, 0.25])
    (summary,) = summarise(np.log(draws)[None] + first)
    for _ in range(8):
        summary = summary.times(exp(by / 8))
    with mpmath.workdps(50):
        values = [mpmath.mpf(x) * mpmath.exp(mpmath.mpf(first) + by) for x in draws.tolist()]
        mean = mpmath.fsum(values) / 4
        error = mpmath.sqrt(mpmath.fsum((x - mean) ** 2 for x in values) / 3 / 4)
    assert summary.mean == pytest.approx(float(mean), rel=1e-11, abs=5e-324)
    assert summary.mean_standard_error == pytest.approx(float(error), rel=1e-11, abs=5e-324)
    assert summary.log_mean == pytest.approx(float(mpmath.log(mean)), rel=1e-13, abs=1e-13)
    assert summary.log_mean_standard_error == pytest.approx(
        float(mpmath.log(error)), rel=1e-13, abs=1e-13
    )


def test_rows_of_any_size_stand_beside_each_other() -> None:
    logs = np.array([[0.0, log(3.0)], [-900.0, -900.0], [-np.inf, -np.inf], [np.nan, np.nan]])
    usual, tiny, none, unknown = summarise(logs)
    assert (usual.mean, usual.mean_standard_error) == pytest.approx((2.0, 1.0))
    assert (tiny.mean, tiny.log_mean, tiny.mean_standard_error) == (0.0, -900.0, 0.0)
    assert (none.mean, none.log_mean) == (0.0, -np.inf)
    assert np.isnan([unknown.mean, unknown.log_mean, unknown.mean_standard_error]).all()
    (one,) = summarise(np.array([[-5000.0]]))
    assert np.isnan([one.mean_standard_error, one.median_standard_error]).all()
    assert (one.log_median, one.median) == (-5000.0, 0.0)
