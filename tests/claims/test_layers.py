"""Claims about layers of attention, and about square matrices of weights."""

from dataclasses import replace

import numpy as np
import pytest

from attn_tui.claims.checks.layers import (
    check_size,
    normals,
    residuals,
    singular_values,
    spectral_norm,
)
from attn_tui.claims.claim import try_claim
from attn_tui.claims.ledger import find
from attn_tui.claims.opening import opened
from attn_tui.claims.trial import Trial
from attn_tui.compute.attention import answer as attention
from attn_tui.compute.errors import InputError
from attn_tui.compute.head import row_weights
from attn_tui.compute.scale import Scale
from tests.claims.breaking import Broken
from tests.pairs import with_rows

BROKEN: dict[str, Broken] = {
    "L-12": Broken("layers:spectral_norm", lambda norm: lambda weights: 1.0),
    "L-13": Broken("layers:Head.output", lambda output: property(lambda head: head.values)),
    "L-14": Broken("layers:row_weights", lambda weights: lambda z: weights(1.2 * z)),
}


@with_rows("logit_std", [0.1, 1.0, 4.0, 16.0])
def test_singular_values_are_those_of_a_decomposition(logit_std: float) -> None:
    matrix = row_weights(logit_std * normals(Trial(), 0, 50, 50))
    true = np.linalg.svd(matrix, compute_uv=False)
    assert singular_values(matrix) == pytest.approx(true, rel=1e-9, abs=1e-7)
    assert spectral_norm(matrix) == pytest.approx(true[0], rel=1e-8)


def test_even_weights_leave_nothing_of_the_differences_between_tokens() -> None:
    even = Scale("fixed", (("a", 1e300),))
    found = residuals(Trial(d_k=8, draws=3), even, n_keys=5, layers=2)
    assert found.shape == (3, 3)
    assert (found[0] > 0.5).all()
    assert (found[1:] < 1e-12).all()


def test_what_takes_too_much_memory_is_refused() -> None:
    with pytest.raises(InputError, match="n: 4,096 will not do for this claim; expected 2 to 512"):
        check_size(Trial(n=4096), n=512)


@with_rows("id", ["L-12", "L-13", "L-14"])
def test_a_square_of_weights_is_opened_as_a_head(id: str) -> None:
    claim = find(id)
    shown = opened(claim, claim.trial)
    assert shown
    instrument, experiment = shown
    assert instrument.name == "attention"
    *_, found = attention.answer(experiment)
    assert (found.n_queries, found.n_keys) == (claim.trial.n,) * 2
    # Each token copies another, or all of them evenly: which is why the scale decides.
    assert (found.attended == claim.trial.n).all()
    assert np.median(found.unscaled.effective_keys) < 3.0
    assert np.median(found.scaled.effective_keys) > 0.5 * claim.trial.n


def test_tokens_that_become_one_have_no_difference_left() -> None:
    claim = find("L-13")
    found = try_claim(claim, replace(claim.trial, n=2))
    last = found.cases[1].evidence[0]
    assert (last.value, last.standard_error) == (0.0, None)
    # What was worked out for 32 tokens does not stand over 2.
    assert ".85" in try_claim(claim).right
    assert ".85" not in found.right
