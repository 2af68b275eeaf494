from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.formats import rounded
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products, Typed, normalised
from tests.pairs import with_rows


def products(queries: Any, keys: Any, values: Any = None) -> Products:
    return Products(queries, keys, values)


def test_a_question_needs_scores() -> None:
    with pytest.raises(InputError, match="scores: there are none"):
        Typed(())


@given(st.integers(1, 300), st.integers(0, 2**63 - 1), st.integers(1, 3), st.integers(1, 300))
@settings(deadline=None, max_examples=30)
def test_a_draw_is_the_length_of_q_times_normal_numbers(
    n_keys: int, seed: int, count: int, d_k: int
) -> None:
    """The documented generator, by hand: PCG64 seeded for each vector, for q and for the rest."""
    draw = Drawn(n_keys, seed, count)
    for index, vector in enumerate(draw.vectors(Setup(d_k))):
        query, noise = (
            np.random.Generator(
                np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(index, part)))
            ).standard_normal(size)
            for part, size in ((0, d_k), (1, n_keys))
        )
        length = float(mpmath.sqrt(mpmath.fsum(mpmath.mpf(x) ** 2 for x in query)))
        assert draw.query_norm(d_k, index) == pytest.approx(length, rel=1e-14)
        assert vector.scores == pytest.approx(length * noise, rel=1e-13)


def test_draws_are_recorded() -> None:
    """Numbers of NumPy 2 on x86-64, so that another generator or law shows."""
    (vector,) = Drawn(3, 7).vectors(Setup(64))
    expected = [11.216993552401009, 8.770873357991723, -13.704392012090613]
    assert vector.scores == pytest.approx(expected, rel=1e-12)


def test_draws_are_coupled() -> None:
    draw = Drawn(50, 3)
    few, many = (Drawn(n, 3).vectors(Setup(64))[0].scores for n in (20, 50))
    assert few.tolist() == many[:20].tolist()
    at = {d_k: draw.vectors(Setup(d_k))[0].scores for d_k in (1, 64, 65)}
    assert at[64] / at[1] == pytest.approx(np.full(50, at[64][0] / at[1][0]))
    lengths = [draw.query_norm(d_k, 0) for d_k in range(1, 200)]
    assert all(left < right for left, right in pairwise(lengths))


def test_each_vector_and_each_seed_is_a_draw_of_its_own() -> None:
    first, second = Drawn(5, 1, 2).vectors(Setup(8))
    (other,) = Drawn(5, 2).vectors(Setup(8))
    assert [first.name, second.name, other.name] == ["draw 0", "draw 1", "draw"]
    assert len({first.scores[0], second.scores[0], other.scores[0]}) == 3
    assert Drawn(5, 1).vectors(Setup(8))[0].scores.tolist() == first.scores.tolist()


def test_scores_have_the_variance_d_k() -> None:
    d_k, count = 64, 4_000
    scores = np.array([v.scores for v in Drawn(2, 1, count).vectors(Setup(d_k))])
    # The standard error of the variance is Var·√((2 + 6/d)/N).
    error = d_k * np.sqrt((2 + 6 / d_k) / count)
    for key in (0, 1):
        assert abs(np.square(scores[:, key]).mean() - d_k) < 4 * error
        assert abs(scores[:, key].mean()) < 4 * np.sqrt(d_k / count)
    assert abs((scores[:, 0] * scores[:, 1]).mean()) < 4 * d_k * np.sqrt((1 + 2 / d_k) / count)


NORMALISED = Scale(qk_norm=True)


def normalised_draw(d_k: int, n_keys: int, seed: int = 5) -> Any:
    (vector,) = Drawn(n_keys, seed).vectors(Setup(d_k, NORMALISED))
    return vector.scores


def test_normalised_draws_have_the_law_of_normalised_q_and_k() -> None:
    for d_k in [2, 3, 4, 16, 64]:
        n = 20_000
        rng = np.random.default_rng(d_k)
        queries, keys = (normalised(rng.standard_normal((n, d_k))) for _ in "qk")
        direct = np.sort((queries * keys).sum(axis=1))
        found = np.sort(normalised_draw(d_k, n))
        both = np.concatenate((direct, found))
        shares = (np.searchsorted(each, both, side="right") / n for each in (direct, found))
        distance = np.abs(np.subtract(*shares)).max()
        # Kolmogorov and Smirnov: √(n/2) times it exceeds 1.95 in one of a thousand.
        assert distance * np.sqrt(n / 2) < 1.95
        assert np.abs(found).max() <= d_k
        assert np.square(found).mean() == pytest.approx(d_k, rel=5 * np.sqrt(2 / n))


def test_normalised_scores_stay_within_d_k() -> None:
    for seed in range(5):
        for d_k in (1, 2, 3, 5, 65_536):
            scores = normalised_draw(d_k, 50_000, seed)
            assert np.isfinite(scores).all()
            assert np.abs(scores).max() <= d_k


def test_normalised_draws_are_coupled() -> None:
    assert normalised_draw(64, 20).tolist() == normalised_draw(64, 50)[:20].tolist()
    at = {d_k: normalised_draw(d_k, 2_000) / np.sqrt(d_k) for d_k in (64, 65, 65_536)}
    assert np.median(np.abs(at[65] / at[64] - 1)) < 0.002
    plain = Drawn(2_000, 5).vectors(Setup(64))[0].scores
    assert np.corrcoef(at[65_536], plain)[0, 1] > 0.9999
    assert (np.sign(at[64]) == np.sign(plain)).all()


@with_rows(
    ("arguments", "problem"),
    [
        ((0,), "n = '0'"),
        ((1_000_001,), "n = '1000001'"),
        ((2.0,), "n = '2.0'"),
        ((True,), "n = 'True'"),
        ((5, -1), "seed = '-1'"),
        ((5, 2**63), "seed = '9223372036854775808'"),
        ((5, 1.5), "seed = '1.5'"),
        ((5, 1, 0), "vectors = '0'"),
        ((1_000_000, 1, 5), "vectors = '5'"),
    ],
)
def test_a_draw_that_cannot_be_is_refused(arguments: tuple[Any, ...], problem: str) -> None:
    with pytest.raises(InputError) as caught:
        Drawn(*arguments)
    assert caught.value.field == "draw"
    assert problem in caught.value.problem


Q = [[0.5, -1.0], [2.0, 3.0]]
K = [[1.0, 2.0], [-0.25, 0.5], [4.0, 0.0]]


def test_scores_are_the_products_of_queries_and_keys() -> None:
    source = products(Q, K)
    vectors = source.vectors(Setup())
    assert [v.name for v in vectors] == ["q0", "q1"]
    assert [v.scores.tolist() for v in vectors] == [[-1.5, -0.625, 2.0], [8.0, 1.0, 8.0]]
    assert products(Q[:1], K).vectors(Setup())[0].name == "q"
    assert source.vectors(Setup()) is source.vectors(Setup(d_k=7))
    assert Experiment(source, Setup(d_k=64)).setup.d_k == 2


def test_qk_norm_makes_the_root_mean_square_1() -> None:
    rows = normalised(np.array([[3.0, 4.0], [1e200, 1e200], [5e-324, 0.0], [0.0, 0.0]]))
    assert rows[0] == pytest.approx(np.array([3.0, 4.0]) / np.sqrt(12.5), rel=1e-15)
    assert rows[1] == pytest.approx([1.0, 1.0])
    assert rows[2] == pytest.approx([np.sqrt(2.0), 0.0])
    assert rows[3].tolist() == [0.0, 0.0]
    scale = Scale(qk_norm=True)
    (vector,) = products([[3.0, 4.0]], [[6.0, 8.0], [-4.0, 3.0]]).vectors(Setup(scale=scale))
    assert vector.scores == pytest.approx([2.0, 0.0], abs=1e-15)


@with_rows("format", ["float32", "float16", "bfloat16"])
@with_rows("qk_norm", [False, True])
def test_queries_and_keys_are_rounded_before_their_product(format: str, qk_norm: bool) -> None:
    queries, keys = (np.random.default_rng(s).standard_normal((3, 8)) for s in (1, 2))
    setup = Setup(scale=Scale(qk_norm=qk_norm), precision=Precision(vectors=format))
    found = np.array([v.scores for v in products(queries, keys).vectors(setup)])
    q, k = (rounded(normalised(x) if qk_norm else x, format) for x in (queries, keys))
    exact = np.array([[float(mpmath.fdot(a, b)) for b in k] for a in q])
    assert found == pytest.approx(exact, rel=1e-13, abs=1e-14)
    plain = np.array([v.scores for v in products(queries, keys).vectors(Setup())])
    assert np.abs(found - plain).max() > 1e-9


def test_queries_and_keys_that_do_not_fit_are_refused() -> None:
    for arguments, field, problem in [
        (([], K), "query", "its shape is"),
        (([[]], K), "query", "its shape is"),
        (([[[1.0]]], K), "query", "its shape is"),
        (([[1.0, 2.0], [3.0]], K), "query", "rows that differ in length"),
        (([["x"]], K), "query", "these are no numbers"),
        ((Q, [[1.0, 2.0], [3.0]]), "keys", "rows that differ in length"),
        ((Q, [[1.0]]), "keys", "a row of K has 1 number and q has 2"),
        ((Q, [[1.0, np.nan]]), "keys", "row 0 has NaN or an infinity"),
        (([[1.0, -np.inf]], K), "query", "row 0 has NaN or an infinity"),
        ((Q, K, [[1.0], [2.0], [np.inf]]), "values", "row 2 has NaN or an infinity"),
        ((Q, K, [[1.0]]), "values", "V has 1 row and K has 3"),
        ((np.zeros((1, 65_537)), np.zeros((1, 65_537))), "query", "q has 65,537 numbers"),
        ((np.zeros((2_001, 1)), np.zeros((2_000, 1))), "query", "make 4,002,000 scores"),
    ]:
        with pytest.raises(InputError) as caught:
            products(*arguments)
        assert caught.value.field == field
        assert problem in caught.value.problem


def test_a_product_that_overflows_is_refused() -> None:
    with pytest.raises(InputError, match="query: the product of q 1 and key 0 overflows"):
        Experiment(products([[1.0], [1e200]], [[1e200]]))
    rounding = Setup(precision=Precision(vectors="float16"))
    with pytest.raises(InputError, match="overflows"):
        Experiment(products([[1e5]], [[1.0]]), rounding)


def test_arrays_that_cannot_change_are_shared_and_others_copied() -> None:
    fixed, loose = np.ones((2, 2)), np.ones((2, 2))
    fixed.setflags(write=False)
    source = products(fixed, loose)
    loose[0, 0] = 9.0
    assert source.queries is fixed
    assert source.keys.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert not source.keys.flags.writeable
