"""Claims about one head: what is done to W_q and W_k, and its first row."""

from types import SimpleNamespace

import pytest

from attn_tui.claims.checks.heads import clip, folded_over_divided, largest_logit
from attn_tui.claims.checks.layers import normals, projected
from attn_tui.claims.trial import Trial
from attn_tui.compute.head import row_weights
from tests.claims.breaking import Broken

BROKEN: dict[str, Broken] = {
    "L-9": Broken("heads:clip", lambda clip: lambda largest, cap: 1.0),
    "L-21": Broken(
        "heads:gradients",
        lambda whole: (
            lambda rows, weighing, upstream: SimpleNamespace(
                queries=whole(rows, weighing, upstream).queries / weighing.map.multiplier
            )
        ),
    ),
    "L-27": Broken(
        "heads:Head.weights", lambda weights: property(lambda head: row_weights(head.logits))
    ),
}


def test_a_scale_folded_at_one_dimension_changes_nothing() -> None:
    assert folded_over_divided(Trial(d_k=1, n=5)) == pytest.approx((0.0, 1.0, 1.0))


def test_the_largest_logit_is_that_of_all_pairs() -> None:
    trial = Trial(d_k=4)
    tokens, of_q, of_k = normals(trial, 0, 6, 4), projected(trial, 1), projected(trial, 2, 3.0)
    pairs = [float(i @ of_q @ of_k.T @ j) / 2.0 for i in tokens for j in tokens]
    assert largest_logit(tokens, of_q, of_k) == pytest.approx(max(pairs))
    # Two vectors whose entries have a root mean square of g have a product of 4·g² at most.
    assert largest_logit(tokens, of_q, of_q, norm_gain=3.0) == pytest.approx(2.0 * 9.0)
    assert clip(50.0, 100.0) == 1.0
