"""Partials: those of blocks merge into that of the head, and those of samples know their error."""

from dataclasses import replace
from math import inf, isnan

import numpy as np
import pytest

from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.partial import Partial, merge, statistics
from attn_tui.compute.heads.row_statistics import Places, row_statistics
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.compute.scale import LogitMap
from tests.compute.heads.test_row_statistics import drawn

CAUSAL = HeadModel.of(LogitMap(0.5, sink=0.5), HeadMask("causal", offset=-1))


def part(head: HeadRows, rows: Places) -> HeadRows:
    return replace(head, rows=head.rows[rows], queries=head.queries[rows])


def blocks(head: HeadRows, starts: list[int]) -> list[Partial]:
    pieces = np.split(np.arange(len(head.rows)), starts)
    return [
        statistics(part(head, rows), CAUSAL, not index, None if index else head.queries)
        for index, rows in enumerate(pieces)
    ]


def test_a_head_is_what_its_rows_say() -> None:
    head = drawn(64, 64)
    partial, rows = statistics(head, CAUSAL), row_statistics(head, CAUSAL)
    sees = rows.seen > 0
    assert partial.masked == 1
    assert partial.rows == 64
    for name in ("entropy", "effective_keys", "first_key_mass", "sink_mass", "cosine"):
        value = partial.value(name)
        assert value.value == pytest.approx(getattr(rows, name)[sees].mean(), rel=1e-12)
        assert value.error == 0.0
    gradients = rows.gradient_norm[sees]
    assert partial.value("gradient_norm").value == pytest.approx(gradients.mean(), rel=1e-12)
    assert partial.value("dead_gradient_share").value == (gradients / 0.5 < 1e-3).mean()
    assert partial.value("saturated_share").value == (rows.max_weight[sees] >= 0.9995).mean()
    assert partial.value("max_weight").value == pytest.approx(rows.max_weight[sees].mean())
    assert partial.value("query_norm").value == pytest.approx(rows.query_norm.mean())
    assert partial.value("key_norm").value == pytest.approx(
        np.linalg.norm(head.keys, axis=1).mean()
    )

    scores = np.where(CAUSAL.mask.seen(head), head.queries @ head.keys.T, 0.0)
    largest = partial.value("largest_score")
    assert largest.value == pytest.approx(np.abs(scores).max())
    assert largest.row is not None
    assert largest.key is not None
    place = (largest.row, largest.key)
    assert np.abs(scores).argmax() == np.ravel_multi_index(place, scores.shape)
    logit = partial.value("max_logit")
    assert logit.value == pytest.approx(0.5 * scores.max())
    assert partial.value("float16_margin").value == pytest.approx(65504 / np.abs(scores).max())
    assert largest.value <= partial.score_bound


@pytest.mark.parametrize(
    ("logit", "spacing"), [(100.0, 0.5), (1.0, 2.0**-7), (150.0, 1.0), (-100.0, 0.5)]
)
def test_what_follows_from_the_largest_logit(logit: float, spacing: float) -> None:
    head = HeadRows(np.arange(1), 1, np.ones((1, 1)), np.array([[logit], [logit - 5.0]]))
    partial = statistics(head, HeadModel.of(LogitMap(1.0)))
    assert partial.value("bfloat16_spacing").value == spacing
    assert partial.value("qk_clip").value == (100 / 150 if logit == 150.0 else 1.0)


def test_blocks_merge_to_the_whole_whatever_they_are() -> None:
    head = drawn(300, 64)
    whole = statistics(head, CAUSAL)
    for starts in ([150], [1, 2, 299], [*range(7, 300, 7)]):
        merged = merge(blocks(head, starts))
        assert merged.rows == whole.rows
        assert {*merged.tallies} == {*whole.tallies}
        for name, other in whole.tallies.items():
            one = merged.tallies[name]
            assert one.count == other.count
            assert one.mean == pytest.approx(other.mean, rel=1e-12)
            assert one.spread == pytest.approx(other.spread, rel=1e-9, abs=1e-15)
            assert (one.most.row, one.least.row) == (other.most.row, other.least.row)
    assert whole.tallies["entropy"].count == 299


def edged() -> HeadRows:
    """Return a head that sees keys around its own; the rows at the ends differ from all others."""
    angles = np.arange(1000)[:, None] * np.random.default_rng(4).standard_normal(16) / 4.0
    waves = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
    return HeadRows(np.arange(1000), 1000, 5.0 * waves, waves)


@pytest.mark.slow
@pytest.mark.parametrize("head", [drawn(1000, 1000), edged()])
@pytest.mark.parametrize("rows", [16, 100])
def test_errors_of_sampled_rows_cover_the_truth(head: HeadRows, rows: int) -> None:
    names = (
        *("entropy", "effective_keys", "first_key_mass", "max_weight", "gradient_norm", "cosine"),
        *("dead_gradient_share", "saturated_share"),
    )
    # In a causal head the first rows carry the weight of key 0, and few samples contain them.
    model = HeadModel.of(LogitMap(0.35), HeadMask("causal"))
    truth, inside = statistics(head, model), dict.fromkeys(names, 0)
    for seed in range(200):
        chosen = np.sort(np.random.default_rng(seed).choice(1000, rows, replace=False))
        sampled = statistics(part(head, chosen), model)
        for name in names:
            estimate = sampled.value(name)
            assert estimate.error
            inside[name] += abs(estimate.value - truth.value(name).value) < 1.96 * estimate.error
    assert min(inside.values()) >= 186, inside
    assert sampled.value("max_logit").error is None
    assert sampled.value("key_norm").error == 0.0


@pytest.mark.parametrize("size", [0.5, 5.0, 50.0])
def test_in_float32_as_many_digits_are_told_as_hold(size: float) -> None:
    head = drawn(300, 300)
    q, k = (array.astype(np.float32) for array in (size * head.queries, head.keys))
    head = replace(head, queries=q, keys=k)
    short, full = (
        statistics(head, CAUSAL, computed_in=array) for array in ("float32", "float64")
    )  # fmt: skip
    assert full.digits is None
    assert short.digits
    for name in ("max_logit", "entropy", "first_key_mass", "gradient_norm", "max_weight"):
        apart = abs(short.value(name).value / full.value(name).value - 1.0)
        assert 0.0 < apart < 10.0 ** (1 - short.digits)


def test_practically_all_weight_is_from_where_the_headlines_say_so() -> None:
    gaps = np.array([7.7, 7.5, 30.0, 0.0])
    head = HeadRows(np.arange(4), 4, gaps[:, None], np.array([[1.0], [0.0]]))
    # 1/(1 + e^−7.7) = .99955 and 1/(1 + e^−7.5) = .99945.
    assert statistics(head, HeadModel.of(LogitMap(1.0))).value("saturated_share").value == 0.5


def test_no_dead_row_among_a_few_leaves_a_doubt() -> None:
    head = drawn(2000, 64)
    partial = statistics(part(head, np.arange(20)), HeadModel.of(LogitMap(0.3)))
    value = partial.value("dead_gradient_share")
    assert value.value == 0.0
    assert value.error
    assert 0.02 < value.error < 0.1


def test_a_row_with_one_key_says_nothing_of_gradients() -> None:
    partial = statistics(drawn(1, 5), HeadModel.of(LogitMap(1.0), HeadMask("causal")))
    assert isnan(partial.value("dead_gradient_share").value)
    assert isnan(partial.value("saturated_share").value)
    assert partial.value("first_key_mass").value == 1.0


def test_nan_and_infinity_are_counted_placed_and_left_out() -> None:
    head = drawn(6, 9)
    head.queries[4, 2] = np.nan
    head.queries[1, 0] = inf
    partial = statistics(head, HeadModel.of(LogitMap(1.0)))
    assert (partial.not_finite, partial.first_not_finite) == (2, 1)
    without = statistics(part(head, np.array([0, 2, 3, 5])), HeadModel.of(LogitMap(1.0)))
    for name in STATISTICS:
        assert partial.value(name).value == pytest.approx(without.value(name).value)
