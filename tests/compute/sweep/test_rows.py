"""Many drawn vectors at once against single ones, 50 digits, and q and K drawn in full."""

from math import log, sqrt

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from attn_tui.compute.evaluation import evaluate
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import LogitMap
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.draws import ACROSS, QUERY, Unit, unit_logs, unit_size, units
from attn_tui.compute.sweep.readouts import ROWS, log_statistics
from attn_tui.compute.sweep.rows import rows
from tests.compute import exact


def logs_of(g: np.ndarray, std: float, v: np.ndarray, across: float) -> dict[str, np.ndarray]:
    count = len(g)
    logs = log_statistics(rows(g, v), np.full(count, std), np.full(count, across))
    return {name: logs[row] for name, row in ROWS.items()}


@given(st.sampled_from([2, 3, 17, 64, 300, 9000]), st.floats(0.0, 64.0))
def test_many_vectors_at_once_are_what_each_is_alone(n: int, std: float) -> None:
    random = np.random.default_rng(n)
    g, v = random.standard_normal((2, 3, n))
    statistics = {name: np.exp(logs) for name, logs in logs_of(g, std, v, 3.0).items()}
    for index in range(3):
        one = evaluate(g[index], LogitMap(std), Precision())
        p = one.weights()
        u = p * (v[index] - p @ v[index])
        through = sqrt((u @ g[index]) ** 2 + (u @ u) * 3.0)
        expected = {
            "max_weight": one.max_weight,
            "entropy": one.entropy,
            "effective_keys": one.effective_keys,
            "jacobian": one.norms["logits"].frobenius,
            "trace": one.norms["logits"].trace,
            "logit_std": std * g[index].std(),
        }
        for name, value in expected.items():
            assert statistics[name][index] == pytest.approx(value, rel=1e-12), name
        # This one cancels in the naive form.
        assert statistics["query_gradient"][index] == pytest.approx(through, rel=1e-5, abs=1e-12)


def test_rows_leave_what_they_are_given_unless_they_are_put_there() -> None:
    given = np.random.default_rng(4).standard_normal((2, 5, 30))
    before, std = given.copy(), np.full(5, 20.0)
    with np.errstate():
        np.setbufsize(4096)
        apart = log_statistics(rows(given[0], given[1]), std, std)
        assert np.getbufsize() == 4096
    assert (given == before).all()
    assert (log_statistics(rows(given[0], given[1], given), std, std) == apart).all()


@pytest.mark.parametrize("std", [3.0, 50.0, 2000.0, 1e6])
def test_saturated_vectors_keep_their_digits(std: float) -> None:
    g, v = [0.3, -1.2, 1.7, 1.5, 0.0], [1.0, -0.5, 0.25, 2.0, 0.7]
    statistics = logs_of(np.array([g]), std, np.array([v]), 7.5)
    with mpmath.workdps(50):
        p = exact.weights(g, std)
        u = exact.vjp(p, v)
        # The complement of the winner is a sum, and p·v is taken relative to it.
        c = exact.complements(p)
        pull = mpmath.fsum(x * (b - v[2]) for x, b in zip(p, v, strict=True))
        u[2] = -p[2] * pull
        along = mpmath.fsum(x * b for x, b in zip(u, g, strict=True))
        size = along**2 + mpmath.fsum(x * x for x in u) * 7.5
        expected = {
            "entropy": mpmath.log(exact.entropy(p)),
            "jacobian": mpmath.log(exact.frobenius(p)),
            "trace": mpmath.log(exact.trace(p)),
            "max_weight": mpmath.log1p(-c[2]),
            "query_gradient": mpmath.log(size) / 2,
        }
    for name, value in expected.items():
        rel = 1e-9 if name == "query_gradient" else 1e-12
        assert statistics[name][0] == pytest.approx(float(value), rel=rel, abs=1e-300), name


def test_ties_never_vanish() -> None:
    tied = np.array([[1.0, 1.0, 0.0]])
    statistics = logs_of(tied, 1e5, np.array([[1.0, 0.0, 0.0]]), 1.0)
    assert np.exp(statistics["jacobian"][0]) == pytest.approx(0.5)
    assert np.exp(statistics["entropy"][0]) == pytest.approx(log(2.0))


@pytest.mark.parametrize("n", [40, 1100])
def test_vectors_are_those_that_are_drawn_elsewhere(n: int) -> None:
    count = unit_size(n) + 40
    draw = Drawn(n_keys=n, seed=5, count=count)
    vectors, every = draw.vectors(Setup(d_k=48)), list(units(5, n, count, (7, 48)))
    logs = np.concatenate([unit_logs(unit, 48, 0.25) for unit in every], axis=1)
    norms = np.concatenate([np.sqrt(unit.chi_square(QUERY, 48)) for unit in every])
    for index in (0, 33, unit_size(n) + 1, count - 1):
        one = evaluate(vectors[index].scores, LogitMap(0.25), Precision())
        entropy = np.exp(logs[ROWS["entropy"], index])
        assert entropy == pytest.approx(one.entropy, rel=1e-11)
        assert norms[index] == pytest.approx(draw.query_norm(48, index))
    assert logs.shape[1] == norms.size == count


def test_draws_are_coupled_and_do_not_depend_on_what_was_asked_before() -> None:
    near, far = Unit(3, 50, 32, 40), Unit(3, 50, 32, 40, (1, 20, 1000))
    for part in (QUERY, ACROSS):
        assert (near.chi_square(part, 20) == far.chi_square(part, 20)).all()
        assert (near.chi_square(part, 21) > far.chi_square(part, 20)).all()
    assert (far.chi_square(ACROSS, 1) == 0.0).all()
    # Across q there is one degree of freedom less.
    many = Unit(3, 2, 0, 4000)
    assert many.chi_square(ACROSS, 9).mean() == pytest.approx(8.0, abs=4.0 * sqrt(16.0 / 4000))
    assert near == far != Unit(4, 50, 32, 40)


def test_the_gradient_through_the_query_needs_no_key() -> None:
    n, d_k, count = 6, 5, 4000
    random = np.random.default_rng(2)
    q, keys = random.standard_normal((count, d_k)), random.standard_normal((count, n, d_k))
    v = random.standard_normal((count, n))
    s = np.einsum("bd,bnd->bn", q, keys)
    p = np.exp(0.7 * (s - s.max(axis=1, keepdims=True)))
    p /= p.sum(axis=1, keepdims=True)
    u = p * (v - np.vecdot(p, v)[:, None])
    direct = np.log(0.7 * np.linalg.norm(np.einsum("bn,bnd->bd", u, keys), axis=1))
    logs = [unit_logs(unit, d_k, 0.7) for unit in units(1, n, count, (d_k,))]
    drawn = log(0.7) + np.concatenate(logs, axis=1)[ROWS["query_gradient"]]
    assert stats.ks_2samp(direct, drawn, method="asymp").pvalue > 1e-3


def test_the_mean_norm_rises_before_it_falls() -> None:
    g = np.random.default_rng(0).standard_normal((20_000, 64))
    means = [
        float(np.exp(logs_of(g, std, np.zeros_like(g), 1.0)["jacobian"]).mean())
        for std in (0.0, 2.5, 3.0, 3.5, 8.0)
    ]
    assert means[0] == pytest.approx(0.124, abs=5e-4)
    assert max(means) == pytest.approx(0.308, abs=2e-3)
    assert means[-1] < means[2]
