"""Sources: draws, products, masks, vectors made on demand, and refused input."""

import dataclasses
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf, nan
from typing import Any, ClassVar

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.arrays import rounded
from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import answer, answer_vector, over_d_k
from attn_tui.compute.explore.attention import attention
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.mask import Mask, parse_mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products, Source, Typed, Vector, Vectors, normalised


def products(queries: Any, keys: Any, values: Any = None) -> Products:
    return Products(queries, keys, values)


@given(st.integers(1, 300), st.integers(0, 2**63 - 1), st.integers(1, 3), st.integers(1, 300))
@settings(deadline=None, max_examples=30)
def test_a_draw_is_the_length_of_q_times_normal_numbers(
    n_keys: int, seed: int, count: int, d_k: int
) -> None:
    """Check the documented generator by hand: PCG64 seeded for each vector, for q and the rest."""
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
    """Numbers of NumPy 2 on x86-64, so that a change of the generator or the law is noticed."""
    (vector,) = Drawn(3, 7).vectors(Setup(64))
    expected = [11.216993552401009, 8.770873357991723, -13.704392012090613]
    assert vector.scores == pytest.approx(expected, rel=1e-12)


def test_draws_are_coupled() -> None:
    draw = Drawn(50, 3)
    few, many = (Drawn(n, 3).vectors(Setup(64))[0].scores for n in (20, 50))
    assert few.tolist() == many[:20].tolist()
    scores = {d_k: draw.vectors(Setup(d_k))[0].scores for d_k in (1, 64, 65)}
    assert scores[64] / scores[1] == pytest.approx(np.full(50, scores[64][0] / scores[1][0]))
    lengths = [draw.query_norm(d_k, 0) for d_k in range(1, 200)]
    assert all(left < right for left, right in pairwise(lengths))


def test_spread_multiplies_scores_and_cancels_under_qk_norm() -> None:
    plain, spread = Setup(64), Setup(64, sigma_q=2.0, sigma_k=0.25)
    scores = Drawn(50, 3).vectors(plain)[0].scores
    assert Drawn(50, 3).vectors(spread)[0].scores.tolist() == (scores / 2.0).tolist()
    at_128 = Drawn(50, 3).vectors(replace(spread, d_k=128))[0].scores
    assert Drawn(50, 3).scores_at(scores / 2.0, 0, spread, 128) == pytest.approx(at_128)
    normalised = [
        Drawn(50, 3).vectors(replace(setup, scale=Scale(qk_norm=True)))[0].scores.tolist()
        for setup in (plain, spread)
    ]
    assert normalised[0] == normalised[1]


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
        drawn = np.sort(normalised_draw(d_k, n))
        both = np.concatenate((direct, drawn))
        shares = (np.searchsorted(values, both, side="right") / n for values in (direct, drawn))
        distance = np.abs(np.subtract(*shares)).max()
        # Kolmogorov and Smirnov: √(n/2) times the distance exceeds 1.95 once in a thousand cases.
        assert distance * np.sqrt(n / 2) < 1.95
        assert np.abs(drawn).max() <= d_k
        assert np.square(drawn).mean() == pytest.approx(d_k, rel=5 * np.sqrt(2 / n))


def test_normalised_draws_are_coupled() -> None:
    assert normalised_draw(64, 20).tolist() == normalised_draw(64, 50)[:20].tolist()
    cosines = {d_k: normalised_draw(d_k, 2_000) / np.sqrt(d_k) for d_k in (64, 65, 65_536)}
    assert np.median(np.abs(cosines[65] / cosines[64] - 1)) < 0.002
    plain = Drawn(2_000, 5).vectors(Setup(64))[0].scores
    assert np.corrcoef(cosines[65_536], plain)[0, 1] > 0.9999
    assert (np.sign(cosines[64]) == np.sign(plain)).all()


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


@pytest.mark.parametrize("gain", [1.0, 8.0])
def test_the_rule_cosine_makes_logits_of_cosines_of_q_and_k(gain: float) -> None:
    random = np.random.default_rng(5)
    q, keys = random.standard_normal(24), random.standard_normal((7, 24)) * 3.0
    setup = Setup(24, Scale("cosine", (("g", gain),)))
    experiment = Experiment(Products(q[None], keys), setup)
    side = answer_vector(experiment, 0).scaled
    cosines = keys @ q / np.linalg.norm(keys, axis=1) / np.linalg.norm(q)
    powers = np.exp(gain * cosines)
    assert side.weights() == pytest.approx(powers / powers.sum(), rel=1e-13)
    drawn = Experiment(Drawn(50, 3), replace(setup, d_k=64))
    plain = Setup(64, Scale("temperature", (("T", 64 / gain),), qk_norm=True))
    assert (drawn.vectors[0].scores == Drawn(50, 3).vectors(plain)[0].scores).all()


def test_typed_scores_refuse_the_rule_cosine() -> None:
    typed = Typed((Vector("a", np.array([1.0, 2.0])),))
    with pytest.raises(InputError, match="cosine normalises q and k, and typed scores") as caught:
        Experiment(typed, Setup(scale=Scale("cosine")))
    assert caught.value.field == "rule"


@pytest.mark.parametrize("format", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("qk_norm", [False, True])
def test_queries_and_keys_are_rounded_before_their_product(format: str, qk_norm: bool) -> None:
    queries, keys = (np.random.default_rng(s).standard_normal((3, 8)) for s in (1, 2))
    setup = Setup(scale=Scale(qk_norm=qk_norm), precision=Precision(vectors=format))
    scores = np.array([v.scores for v in products(queries, keys).vectors(setup)])
    q, k = (rounded(normalised(x) if qk_norm else x, format) for x in (queries, keys))
    exact = np.array([[float(mpmath.fdot(a, b)) for b in k] for a in q])
    assert scores == pytest.approx(exact, rel=1e-13, abs=1e-14)
    plain = np.array([v.scores for v in products(queries, keys).vectors(Setup())])
    assert np.abs(scores - plain).max() > 1e-9


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


N = 12
"""Keys of the vectors masked here."""


starts = st.integers(0, N - 1)


@st.composite
def ranges(draw: st.DrawFn) -> tuple[int, int | None]:
    start = draw(starts)
    return start, draw(st.none() | st.integers(start + 1, N))


masks = st.builds(lambda parts: Mask(tuple(parts)), st.lists(ranges(), max_size=5))


def keys(mask: Mask) -> set[int]:
    return {key for key in range(N) if mask.hides(key)}


def span(start: int, stop: int | None) -> set[int]:
    return set(range(start, N if stop is None else stop))


@given(st.lists(ranges(), max_size=5))
def test_a_mask_hides_the_keys_of_its_ranges(parts: list[tuple[int, int | None]]) -> None:
    mask = Mask(tuple(parts))
    assert keys(mask) == set().union(*(span(*ends) for ends in parts))
    masked = Experiment(Typed((Vector("v", np.zeros(N)),)), Setup(mask=mask)).vectors[0]
    assert set(np.flatnonzero(masked.scores == -inf)) == keys(mask)
    stops = [stop for _, stop in mask.ranges[:-1]]
    assert None not in stops
    assert all(
        stop < start for stop, (start, _) in zip(stops, mask.ranges[1:], strict=True) if stop
    )


@given(masks, st.booleans())
def test_a_mask_reads_back_from_its_text(mask: Mask, causal: bool) -> None:
    mask = Mask(mask.ranges, causal)
    assert parse_mask(str(mask)) == mask
    assert bool(mask) == (str(mask) != "")


@given(masks, ranges())
def test_toggling_hides_a_range_or_shows_it(mask: Mask, hidden: tuple[int, int | None]) -> None:
    toggled = keys(mask.toggled(*hidden))
    if hidden[0] in keys(mask):
        assert toggled == keys(mask) - span(*hidden)
    else:
        assert toggled == keys(mask) | span(*hidden)


def test_a_mask_that_is_not_understood_names_the_token() -> None:
    for text, token in [
        ("x", "'x'"), ("1,-2", "'-2'"), (":3", "':3'"), ("1:2:3", "'1:2:3'"),
        ("5:2", "5:2 is empty"), ("9" * 20, "'99999"), ("Causal\x1b", r"'Causal\x1b'"),
    ]:  # fmt: skip
        with pytest.raises(InputError) as caught:
            parse_mask(text)
        assert caught.value.field == "mask"
        assert token in caught.value.problem
        assert str(caught.value).isprintable()


def masked(mask: Mask, *sizes: int) -> list[list[float]]:
    vectors = tuple(Vector(f"{size}", np.arange(float(size))) for size in sizes)
    experiment = Experiment(Typed(vectors), Setup(mask=mask))
    return [vector.scores.tolist() for vector in experiment.vectors]


def test_a_causal_mask_is_the_lower_triangle() -> None:
    assert masked(parse_mask("5:8 1, 0:2 1"), 9)[0][:3] == [-inf, -inf, 2]
    assert masked(Mask(causal=True), 3, 3, 3, 3) == [
        [0, -inf, -inf],
        [0, 1, -inf],
        [0, 1, 2],
        [0, 1, 2],
    ]
    assert masked(Mask(((0, 1),), True), 2, 2) == [[-inf, -inf], [-inf, 1]]


@pytest.mark.parametrize(
    ("mask", "key"), [(Mask(((3, 4),)), 3), (Mask(((0, 5),)), 3), (Mask(((7, None),)), 7)]
)
def test_a_mask_past_the_end_of_the_longest_vector_is_refused(mask: Mask, key: int) -> None:
    with pytest.raises(InputError, match=f"mask: there is no key {key}; expected keys from 0 to 2"):
        masked(mask, 2, 3)


def test_the_same_vectors_and_mask_give_the_same_objects() -> None:
    source = Typed((Vector("a", np.arange(3.0)),))
    setup = Setup(mask=Mask(((0, 1),)))
    assert Experiment(source, setup).vectors[0] is Experiment(source, setup).vectors[0]
    assert Experiment(source).vectors[0] is source.scores[0]


@dataclass(frozen=True)
class Other:
    """Settings of another instrument."""

    number: int = 1


def test_settings_of_each_instrument_are_kept_apart() -> None:
    setup = Setup().put(Settings(of=2)).put(Other(7)).put(Settings(of=3))
    assert setup.get(Settings) == Settings(of=3)
    assert setup.get(Other) == Other(7)
    assert len(setup.settings) == 2


def test_a_vector_owns_its_scores_in_float64() -> None:
    given = np.array([1, 2], dtype=np.int32)
    vector = Vector("a", given)  # type: ignore[arg-type]
    given[0] = 9
    assert vector.scores.tolist() == [1.0, 2.0]
    assert vector.scores.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        vector.scores[0] = 3.0


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([1.0, nan], "NaN at key 1; expected finite scores"),
        ([inf, 1.0], "∞ at key 0"),
        ([], r"shape \(0,\); expected at least one score"),
        ([[1.0]], r"shape \(1, 1\)"),
    ],
)
def test_scores_that_softmax_cannot_take_are_refused(scores: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        Vector("a", np.array(scores))
    assert caught.value.field == "scores"


def test_an_error_says_where_what_and_what_was_expected() -> None:
    error = InputError("scores", "'x' is not a number", "a number", "line 2", 2)
    assert str(error) == "scores, line 2: 'x' is not a number; expected a number"
    assert str(InputError("d_k", "no", "yes")) == "d_k: no; expected yes"


@dataclass(frozen=True, eq=False)
class Capture(Source):
    """A million vectors of ten keys, which record their accesses."""

    kind: ClassVar = "capture"
    read: list[int] = dataclasses.field(default_factory=list)

    def vectors(self, setup: Setup) -> Vectors:
        return Vectors(10**6, 10, self.vector)

    def vector(self, index: int) -> Vector:
        self.read.append(index)
        return Vector(f"row {index}", np.arange(10.0) + index)


SETUP = Setup(64, mask=Mask(((0, 2),), causal=True))


def test_one_vector_is_read_once_for_all_that_is_asked_of_it() -> None:
    capture = Capture()
    experiment = Experiment(capture, SETUP)
    assert capture.read == []
    assert len(experiment.vectors) == 10**6
    row = answer_vector(experiment, 5)
    assert row.scaled.weights() == pytest.approx(
        [0, 0, *np.exp(np.arange(4) / 8) / np.exp(np.arange(4) / 8).sum(), 0, 0, 0, 0]
    )
    assert over_d_k(experiment, 5, [1, 4]) is not None
    assert attention(experiment, 5) is None
    assert capture.read == [5]
    assert experiment.vectors[5] is row.vector
    assert experiment.vectors[-1].name == "row 999999"
    with pytest.raises(IndexError):
        experiment.vectors[10**6]


def test_an_answer_about_all_reads_them_as_it_comes_to_them() -> None:
    capture = Capture()
    stops = iter([False, False, True])
    assert list(answer(Experiment(capture, SETUP), lambda: next(stops))) == []
    assert capture.read == [0, 1]


def test_what_no_vector_can_be_asked_is_refused_before_any_is_read() -> None:
    capture = Capture()
    with pytest.raises(InputError, match="mask: there is no key 10"):
        Experiment(capture, replace(SETUP, mask=Mask(((3, 11),))))
    assert capture.read == []


def test_a_multiplier_that_overflows_for_many_keys_is_asked_of_those_there_are() -> None:
    # ln 512 times the factor is finite, ln 10**6 times is not.
    scale = Scale("ssmax", (("a", 2e307),))
    scores = np.zeros(10**6)
    scores[2:] = -np.inf

    @dataclass(frozen=True, eq=False)
    class One(Source):
        attended: int
        kind: ClassVar = "one"

        def vectors(self, setup: Setup) -> Vectors:
            made = Vector("a", scores if self.attended == 2 else np.zeros(10**6))
            return Vectors(1, 10**6, lambda index: made)

    assert Experiment(One(2), Setup(1, scale)).vectors[0].n_attended == 2
    with pytest.raises(InputError, match=r"rule: .* makes the multiplier ∞"):
        Experiment(One(10**6), Setup(1, scale))


def test_what_cannot_be_drawn_or_asked_is_refused_by_name() -> None:
    refused: list[tuple[str, Any]] = [
        ("draw", lambda: Drawn(0)),
        ("draw", lambda: Drawn(True)),
        ("draw", lambda: Drawn(5, 2**63)),
        ("draw", lambda: Drawn(1_000_000, 1, 5)),
        ("scores", lambda: Typed(())),
        ("d_k", lambda: Setup(d_k=65_537)),
        ("d_k", lambda: Setup(d_k=2.5)),  # type: ignore[arg-type]
        ("precision", lambda: Precision("float8")),
    ]
    for field, make in refused:
        with pytest.raises(InputError) as caught:
            make()
        assert caught.value.field == field
