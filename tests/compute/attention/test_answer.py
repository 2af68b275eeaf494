"""Rows of a head, against softmax computed directly."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attn_tui.captures.source import Captured
from attn_tui.compute.attention import rows
from attn_tui.compute.attention.answer import (
    Answer,
    answer,
    compare,
    head_of,
    is_drawn,
    log_factors,
)
from attn_tui.compute.attention.rows import HIDDEN, MOST_BLOCKS, together
from attn_tui.compute.attention.settings import Settings
from attn_tui.compute.evaluation import Evaluation, evaluate
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.reconstruction import Reconstruction
from attn_tui.compute.mask import Mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Typed, Vector
from attn_tui.files.draft import Draft, parse
from tests.pairs import covering

ONE = Typed((Vector("a", np.array([1.0, 2.0])),))


def drawn(setup: Setup = Setup(), **settings: object) -> Experiment:
    return Experiment(ONE, setup.put(Settings(**settings)))  # type: ignore[arg-type]


def last(experiment: Experiment) -> Answer:
    *_, result = answer(experiment)
    return result


def direct(scores: np.ndarray, m: float) -> np.ndarray:
    z = np.where(np.isneginf(scores), -np.inf, m * scores)
    powers = np.exp(z - z.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def test_a_head_is_drawn_where_one_vector_is_asked() -> None:
    experiment = drawn(n=7, seed=3)
    assert is_drawn(experiment)
    assert head_of(experiment).source == Drawn(7, 3, 7)
    assert last(experiment).attended.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert last(drawn(n=7, causal=False)).attended.tolist() == [7] * 7


def test_the_mask_of_other_keys_is_not_that_of_a_drawn_head() -> None:
    many = Typed((Vector("a", np.arange(100.0)),))
    experiment = Experiment(many, Setup(mask=Mask(((50, 60),))).put(Settings(n=5)))
    assert last(experiment).attended.tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("rows", ["auto", "asked", "drawn"])
def test_rows_are_those_that_are_wanted(rows: str) -> None:
    two = Typed((Vector("a", np.array([1.0, 2.0])), Vector("b", np.array([3.0, 1.0]))))
    for source, several in ((ONE, False), (two, True)):
        experiment = Experiment(source, Setup().put(Settings(rows=rows)))  # type: ignore[arg-type]
        assert is_drawn(experiment) == (rows == "drawn" or (rows == "auto" and not several))


def test_one_query_with_its_keys_is_a_head_of_one_row_that_is_not_drawn_over() -> None:
    keys = parse(Draft("q: 1, 0\nK: [[1, 0], [0, 1], [2, 0]]", Setup(2)))
    assert not is_drawn(keys)
    assert last(keys).attended.tolist() == [3]


def test_weights_and_statistics_are_those_of_softmax() -> None:
    experiment = drawn(Setup(d_k=16), n=9)
    result = last(experiment)
    scores = np.array([vector.scores for vector in result.head.vectors])
    for side, m in ((result.unscaled, 1.0), (result.scaled, 0.25)):
        p = direct(scores, m)
        blocks = np.where(side.blocks == HIDDEN, 0.0, side.blocks)
        np.testing.assert_allclose(blocks, p, rtol=1e-12, atol=1e-300)
        assert (side.blocks[np.triu_indices(9, 1)] == HIDDEN).all()
        np.testing.assert_allclose(side.largest, p.max(axis=1), rtol=1e-12)
        assert side.key.tolist() == p.argmax(axis=1).tolist()
        with np.errstate(all="ignore"):
            entropy = -np.nansum(p * np.log(p), axis=1)
        np.testing.assert_allclose(side.entropy, entropy, rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(side.effective_keys, np.exp(entropy), rtol=1e-9)
        for row, weights in enumerate(p):
            jacobian = m * (np.diag(weights) - np.outer(weights, weights))
            expected = np.linalg.norm(jacobian)
            assert side.gradient[row] == pytest.approx(expected, rel=1e-6, abs=1e-15)


def test_of_many_keys_the_largest_of_each_block_is_kept() -> None:
    result = last(drawn(Setup(d_k=4), n=600, causal=False))
    assert result.block == 3
    assert result.scaled.blocks.shape == (600, 200)
    weights = result.row(17)[1].weights()
    largest = weights.reshape(200, 3).max(axis=1)
    np.testing.assert_allclose(result.scaled.blocks[17], largest, rtol=1e-6)
    assert result.scaled.blocks.shape[1] <= MOST_BLOCKS


MASKED = np.random.default_rng(5).random((70, 90)) < 0.5


WINDOW = Reconstruction(HeadModel(1.0, mask=HeadMask("window", 20, 9)), "fit")


PADDED = Reconstruction(HeadModel(1.0, mask=HeadMask("causal", 0, None, (0, 4))), "fit")


ENCODER = Reconstruction(HeadModel(1.0, mask=HeadMask(hidden=(80, 89))), "fit")


HEADS: dict[str, tuple[dict[str, Any], Setup]] = {
    "all": ({}, Setup()),
    "causal": ({}, Setup(mask=Mask(causal=True))),
    "positions": ({"positions": tuple(range(20, 90))}, Setup(mask=Mask(causal=True))),
    "window": ({"reconstruction": WINDOW, "positions": tuple(range(20, 90))}, Setup()),
    "padded": (
        {"reconstruction": PADDED, "positions": tuple(range(70))},
        Setup(),
    ),
    "encoder": ({"reconstruction": ENCODER}, Setup()),
    "captured": ({"seen": MASKED}, Setup()),
    "biased": ({"bias": np.where(MASKED, 3.0, -2.0)}, Setup()),
    "sunk": ({}, Setup(scale=Scale(sink=1.5), mask=Mask(causal=True))),
    "capped": ({}, Setup(scale=Scale("none", softcap=5.0))),
    "plain": ({}, Setup(scale=Scale("none"))),
}


@pytest.mark.parametrize(("size", "name"), covering([1.0, 40.0, 3000.0, 3e5], HEADS))
def test_rows_taken_together_are_what_each_is_alone(
    name: str, size: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, setup = HEADS[name]
    draw = np.random.default_rng(3).standard_normal
    source = Captured(size * draw((70, 8)), draw((90, 8)), **given)
    experiment = Experiment(source, replace(setup, d_k=8))
    assert together(experiment, 1)
    result = last(experiment)
    monkeypatch.setattr(rows, "together", lambda *given: None)
    alone = last(experiment)
    assert result.attended.tolist() == alone.attended.tolist()
    assert result.lengths.tolist() == alone.lengths.tolist()
    for side, other in zip(result.sides, alone.sides, strict=True):
        assert side.key.tolist() == other.key.tolist()
        for field in ("multiplier", "largest", "sink", "blocks"):
            here, there = getattr(side, field), getattr(other, field)
            np.testing.assert_allclose(here, there, rtol=1e-9, atol=1e-200)
        for field in ("entropy", "effective_keys", "gradient", "log_gradient"):
            here, there = getattr(side, field), getattr(other, field)
            np.testing.assert_allclose(here, there, rtol=1e-7, atol=1e-200)


def test_weights_are_kept_for_maps_alone_and_no_mask_for_each_key() -> None:
    queries, keys = np.random.default_rng(3).standard_normal((2, 300, 8))
    found = Reconstruction(HeadModel(1.0, mask=HeadMask("window", 0, 16, (0, 4))), "fit")
    source = Captured(queries, keys, positions=tuple(range(300)), reconstruction=found)
    assert source.seen is None
    *_, result = answer(Experiment(source), maps=False)
    assert [side.blocks.size for side in result.sides] == [0, 0]
    assert result.attended.tolist() == [min(max(row - 4, 0), 16) for row in range(300)]


@pytest.mark.slow
def test_rows_come_growing_and_end_when_stopped() -> None:
    shares = [step.progress for step in answer(drawn(n=2000))]
    assert shares[-1] == 1.0
    assert len(shares) > 1
    calls = 0

    def stop() -> bool:
        nonlocal calls
        calls += 1
        return calls > 3

    assert [*answer(drawn(n=12), stop)] == []


def test_a_rule_of_the_length_counts_what_each_query_sees() -> None:
    result = last(drawn(Setup(d_k=4, scale=Scale("ssmax")), n=4))
    expected = [0.43 * np.log(n) / 2.0 for n in (1, 2, 3, 4)]
    np.testing.assert_allclose(result.scaled.multiplier, expected)


def test_only_rows_with_a_choice_have_a_factor() -> None:
    result = last(drawn(Setup(d_k=4), n=5))
    assert result.choosing.tolist() == [1, 2, 3, 4]
    expected = result.scaled.log_gradient[1:] - result.unscaled.log_gradient[1:]
    np.testing.assert_allclose(log_factors(result), expected)
    sunk = last(drawn(Setup(d_k=4, scale=Scale(sink=0.0)), n=5))
    assert sunk.choosing.tolist() == [0, 1, 2, 3, 4]


def test_a_comparison_has_the_scaled_sides_of_both() -> None:
    first, second = (last(drawn(Setup(scale=Scale(rule)))) for rule in ("inverse", "none"))
    both = compare(first, second)
    assert both is not None
    assert both.sides == (first.scaled, second.scaled)
    assert [side.multiplier for side in both.row(3)] == [1.0 / 1024.0, 1.0]
    assert compare(first, last(drawn(n=5))) is None


def test_a_row_is_worked_on_up_to_the_last_key_it_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def counted(scores: np.ndarray, *given: Any) -> Evaluation:
        sizes.append(scores.size)
        return evaluate(scores, *given)

    monkeypatch.setattr(rows, "evaluate", counted)
    last(drawn(n=9))
    assert sizes == [size for row in range(1, 10) for size in (row, row)]
    sizes.clear()
    # The rounding of sums in other formats depends on all keys.
    last(drawn(Setup(precision=Precision("float32")), n=9))
    assert sizes == [9] * 18


def test_no_product_is_taken_with_keys_that_no_query_of_a_block_sees() -> None:
    queries, keys = np.random.default_rng(1).standard_normal((2, 200, 4))
    source = Captured(queries, keys, positions=tuple(range(200)))
    plain, causal = (source.vectors(Setup(mask=Mask(causal=on))) for on in (False, True))
    assert np.isfinite(plain.once(0).scores).all()
    for row in (0, 63, 64, 199):
        seen = (row // 64 + 1) * 64
        scores = causal.once(row).scores
        assert scores[:seen] == pytest.approx(plain.once(row).scores[:seen], rel=1e-12)
        assert (scores[seen:] == -np.inf).all()
