"""Claims about whole heads and layers: rank, singular values, the first row."""

import numpy as np
import pytest

from attn_tui.claims.claim import Trial
from attn_tui.claims.layers import (
    check_size,
    clip,
    largest_logit,
    normals,
    projected,
    residuals,
    singular_values,
)
from attn_tui.compute.errors import InputError
from attn_tui.compute.head import row_weights
from attn_tui.compute.scale import Scale
from tests.claims.breaking import Broken

BROKEN: dict[str, Broken] = {
    "L-9": Broken("layers:clip", lambda clip: lambda largest, cap: 1.0),
    "L-12": Broken("layers:singular_values", lambda values: lambda matrix: np.ones(len(matrix))),
    "L-13": Broken("layers:Head.output", lambda output: property(lambda head: head.values)),
    "L-14": Broken("layers:row_weights", lambda weights: lambda z: weights(1.2 * z)),
    "L-21": Broken(
        "layers:Head.gradients",
        lambda whole: (
            lambda head, upstream: [g / head.map.multiplier for g in whole(head, upstream)]
        ),
    ),
    "L-27": Broken(
        "layers:Head.weights", lambda weights: property(lambda head: row_weights(head.logits))
    ),
}


def test_singular_values_are_those_of_a_decomposition() -> None:
    matrix = row_weights(normals(Trial(), 0, 50, 50))
    true = np.linalg.svd(matrix, compute_uv=False)
    assert singular_values(matrix) == pytest.approx(true, rel=1e-9)


def test_even_weights_leave_nothing_of_the_differences_between_tokens() -> None:
    even = Scale("fixed", (("a", 1e300),))
    found = residuals(Trial(d_k=8, draws=3), even, n_keys=5, layers=2)
    assert found.shape == (3, 3)
    assert (found[0] > 0.5).all()
    assert (found[1:] < 1e-12).all()


def test_the_largest_logit_is_that_of_all_pairs() -> None:
    trial = Trial(d_k=4)
    tokens, of_q, of_k = normals(trial, 0, 6, 4), projected(trial, 1), projected(trial, 2, 3.0)
    pairs = [float(i @ of_q @ of_k.T @ j) / 2.0 for i in tokens for j in tokens]
    assert largest_logit(tokens, of_q, of_k) == pytest.approx(max(pairs))
    # Two vectors whose entries have a root mean square of g have a product of 4·g² at most.
    assert largest_logit(tokens, of_q, of_q, norm_gain=3.0) == pytest.approx(2.0 * 9.0)
    assert clip(50.0, 100.0) == 1.0


def test_what_takes_too_much_memory_is_refused() -> None:
    with pytest.raises(InputError, match="n: 4,096 will not do for this claim; expected 2 to 512"):
        check_size(Trial(n=4096), n=512)
