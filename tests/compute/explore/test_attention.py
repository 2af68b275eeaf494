"""Attention of one query: gradients by q and by keys against mpmath."""

from collections.abc import Sequence
from typing import Any

import mpmath
import numpy as np
import pytest

from attn_tui.compute.arrays import rounded
from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import answer_vector
from attn_tui.compute.explore.attention import Attention, attention
from attn_tui.compute.mask import Mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products
from tests.pairs import covering

Q = [0.3, -1.2, 2.0]


K = [[1.1, 0.8, -0.5], [0.2, -0.4, 1.3], [-2.0, 0.7, 0.9], [0.5, 0.5, 0.5]]


V = [[1.0, 0.0], [0.0, 1.0], [2.0, -1.0], [0.5, 0.25]]


SETUPS = [
    Setup(),
    Setup(scale=Scale("none")),
    Setup(scale=Scale(softcap=1.5)),
    Setup(scale=Scale(sink=0.3)),
    Setup(scale=Scale(qk_norm=True)),
    Setup(scale=Scale(softcap=1.5, sink=0.3, qk_norm=True)),
    Setup(scale=Scale(sink=-0.2), mask=Mask(((1, 2),))),
]


def case(
    setup: Setup, queries: Sequence[Any] = (Q,), keys: Any = K, values: Any = V
) -> tuple[Attention, Evaluation, Evaluation]:
    experiment = Experiment(Products(queries, keys, values), setup)  # type: ignore[arg-type]
    index = len(queries) - 1
    head = attention(experiment, index)
    assert head is not None
    answer = answer_vector(experiment, index)
    return head, answer.unscaled, answer.scaled


def exact_weight(
    q: Sequence[Any], k: Sequence[Sequence[Any]], of: int, setup: Setup, plain: bool
) -> Any:
    """Return the weight of a key at 50 digits, from the definitions."""
    scale = setup.scale
    d = len(q)
    if scale.qk_norm:
        q, *k = (
            [x / mpmath.sqrt(mpmath.fsum(y * y for y in row) / d) for x in row] for row in (q, *k)
        )
    scores = [mpmath.fsum(a * b for a, b in zip(q, row, strict=True)) for row in k]
    logits = scores
    if not plain:
        logits = [mpmath.mpf(scale.multiplier(d, 1)) * s for s in scores]
        if scale.softcap is not None:
            logits = [scale.softcap * mpmath.tanh(z / scale.softcap) for z in logits]
    powers = [
        mpmath.mpf(0) if setup.mask.hides(key) else mpmath.exp(z) for key, z in enumerate(logits)
    ]
    sink = mpmath.exp(scale.sink) if scale.sink is not None and not plain else mpmath.mpf(0)
    return powers[of] / (mpmath.fsum(powers) + sink)


def exact_gradient(of: int, setup: Setup, plain: bool, row: int | None) -> list[float]:
    """Return the derivative by q, or by a key, at 50 digits."""
    with mpmath.workdps(50):
        q = [mpmath.mpf(x) for x in Q]
        k = [[mpmath.mpf(x) for x in key] for key in K]

        def moved(place: int, x: Any) -> Any:
            if row is None:
                return exact_weight([*q[:place], x, *q[place + 1 :]], k, of, setup, plain)
            changed = [*k[row][:place], x, *k[row][place + 1 :]]
            return exact_weight(q, [*k[:row], changed, *k[row + 1 :]], of, setup, plain)

        vector = q if row is None else k[row]
        return [
            float(mpmath.diff(lambda x, place=place: moved(place, x), vector[place]))
            for place in range(len(q))
        ]


def test_gradients_are_those_of_the_definition() -> None:
    for setup, of in covering(SETUPS, [0, 2]):
        head, *sides = case(setup)
        for side, plain in zip(sides, (True, False), strict=True):
            assert head.query_gradient(side, of) == pytest.approx(
                exact_gradient(of, setup, plain, None), rel=1e-12, abs=1e-17
            )
            norms = head.key_gradient_norms(side, of)
            for key in range(len(K)):
                expected = exact_gradient(of, setup, plain, key)
                assert head.key_gradients(side, of, np.array([key]))[0] == pytest.approx(
                    expected, rel=1e-12, abs=1e-17
                )
                assert norms[key] == pytest.approx(
                    np.sqrt(np.square(expected).sum()), rel=1e-12, abs=1e-17
                )


def test_the_worked_example_by_hand() -> None:
    setup = Setup(scale=Scale("none"))
    head, _, side = case(setup, ([1.0, 0.0],), [[1.0, 0.0], [0.0, 1.0]], [[2.0], [4.0]])
    p = 1 / (1 + np.exp(-1.0))
    slope = p * (1 - p)
    assert head.output(side) == pytest.approx([2 * p + 4 * (1 - p)], rel=1e-15)
    assert head.query_gradient(side, 0) == pytest.approx([slope, -slope], rel=1e-15)
    assert head.key_gradients(side, 0, np.array([0]))[0] == pytest.approx([slope, 0.0], rel=1e-15)
    assert head.key_gradients(side, 0, np.array([1]))[0] == pytest.approx([-slope, 0.0], rel=1e-15)
    assert head.key_gradient_norms(side, 0, np.array([1])) == pytest.approx([slope], rel=1e-15)


def test_without_values_there_is_no_output_and_without_queries_nothing() -> None:
    head, _, side = case(Setup(), values=None)
    assert head.output(side) is None
    assert attention(Experiment(Drawn(3)), 0) is None


def test_rounding_is_taken_as_the_identity() -> None:
    here = Setup(precision=Precision(vectors="bfloat16"))
    head, _, side = case(here)
    q, k = (rounded(np.array(rows), "bfloat16").tolist() for rows in (Q, K))
    assert (q, k) != (Q, K)
    there, _, other = case(Setup(), (q,), k)
    assert head.query_gradient(side, 0).tolist() == there.query_gradient(other, 0).tolist()
    assert (
        head.key_gradients(side, 0, np.array([2]))[0].tolist()
        == there.key_gradients(other, 0, np.array([2]))[0].tolist()
    )


def test_what_all_keys_share_does_not_cancel() -> None:
    offset = 2.0**30
    near = case(Setup(), ([1.0, 0.0],), [[1.0, 0.0], [0.5, 0.25]], None)
    far = case(Setup(), ([1.0, 0.0],), [[1.0, offset], [0.5, 0.25 + offset]], None)
    assert far[0].query_gradient(far[2], 0) == pytest.approx(
        near[0].query_gradient(near[2], 0), rel=1e-14
    )


def test_a_masked_key_neither_gives_nor_takes() -> None:
    head, _, side = case(Setup(mask=Mask(((1, 3),))))
    assert head.key_gradients(side, 0, np.array([1]))[0].tolist() == [0.0] * 3
    assert head.key_gradient_norms(side, 1).tolist() == [0.0] * 4
    assert head.query_gradient(side, 1).tolist() == [0.0] * 3
    head, _, side = case(Setup(mask=Mask(((0, None),))))
    assert head.query_gradient(side, 0).tolist() == [0.0] * 3
    assert head.output(side) == pytest.approx([0.0, 0.0])


def test_a_vector_of_0_has_no_direction() -> None:
    setup = Setup(scale=Scale(qk_norm=True))
    head, _, side = case(setup, ([0.0, 0.0],), [[1.0, 2.0], [0.0, 0.0]], None)
    assert np.isnan(head.query_gradient(side, 0)).all()
    assert np.isnan(head.key_gradients(side, 0, np.array([1]))[0]).all()
    assert head.key_gradients(side, 0, np.array([0]))[0].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("size", [1e-200, 1e150])
def test_sizes_whose_squares_overflow_or_vanish(size: float) -> None:
    setup = Setup(scale=Scale(qk_norm=True))
    plain = case(setup)
    scaled = case(setup, ((np.array(Q) * size).tolist(),), (np.array(K) * size).tolist())
    assert scaled[0].query_gradient(scaled[2], 0) * size == pytest.approx(
        plain[0].query_gradient(plain[2], 0), rel=1e-12
    )
    assert scaled[0].key_gradient_norms(scaled[2], 0) * size == pytest.approx(
        plain[0].key_gradient_norms(plain[2], 0), rel=1e-12
    )


def test_an_overflow_stays_what_it_is() -> None:
    naive = Precision("float32", naive=True)
    head, side, _ = case(Setup(precision=naive), ([200.0],), [[1.0], [2.0]], [[1.0], [1.0]])
    output = head.output(side)
    assert output is not None
    assert np.isnan(output).all()
    assert np.isnan(head.query_gradient(side, 0)).all()
