"""Queries that are fewer than keys: where they stand is found, at the corners and between them."""

from dataclasses import replace

import numpy as np
import pytest

from attn_tui.compute.fit.diagnose import diagnose
from attn_tui.compute.fit.diagnosis import Path
from attn_tui.compute.fit.simulate import Arithmetic, computed, simulate
from attn_tui.compute.heads.mask import HeadMask


@pytest.mark.parametrize("offset", [0, 1, 13, 39, 40])
def test_causal_is_told_at_either_corner_and_between_them(offset: int) -> None:
    how = Arithmetic(0.2, mask=HeadMask("causal", offset))
    found = diagnose(simulate(4, how, n_keys=96, n_queries=56, d_k=32, rows=16))
    assert found.mask == HeadMask("causal", offset)


@pytest.mark.parametrize("std", [0.1, 2.0])
@pytest.mark.parametrize("path", ["float32", "eager"])
def test_a_chunk_whose_place_nobody_says_is_found(path: Path, std: float) -> None:
    how = Arithmetic(0.25, softcap=30.0, mask=HeadMask("causal", 700), path=path)
    head = simulate(5, how, n_keys=2048, n_queries=128, d_k=64, rows=16, logit_std=std)
    found = diagnose(head)
    assert found.mask == HeadMask("causal", 700)
    assert found.multiplier is not None
    # Neighbours are tried with it first, and those that stand elsewhere are moved.
    for near in (698, 700):
        start = replace(found, mask=HeadMask("causal", near))
        assert diagnose(head, start=start, deep=False).mask == found.mask


def test_rounding_that_would_explain_any_output_explains_none() -> None:
    # Of a window between the corners, which is not searched, at logits so large that rounding them
    # once more would make any output.
    how = Arithmetic(0.125, mask=HeadMask("window", 700, 300))
    head = simulate(5, how, n_keys=2048, n_queries=128, rows=16, logit_std=8.0)
    found = diagnose(head)
    assert (found.fits, found.culprit, found.mask) == (False, None, None)


def test_where_keys_have_no_weight_queries_may_stand_at_several() -> None:
    how = Arithmetic(0.2, mask=HeadMask("causal", 20), format="float32")
    head = simulate(4, how, n_keys=96, n_queries=56, d_k=32, rows=4)
    queries, keys = head.queries.copy(), head.keys.copy()
    queries[:, 0] = 1.0
    # The three keys behind that of each query have no weight for any.
    for own in head.rows + 20:
        keys[own + 1 : own + 4, 0] = -1e3
    found = diagnose(computed(replace(head, queries=queries, keys=keys), how))
    assert found.mask is not None
    assert found.mask.offset in range(20, 24)
    assert "Query 0 may stand at any of keys 20–23." in found.notes


def test_an_output_that_is_none_fits_wherever_queries_stand() -> None:
    how = Arithmetic(0.2, mask=HeadMask("causal", 13))
    head = simulate(4, how, n_keys=96, n_queries=56, d_k=32, rows=16)
    assert head.output is not None
    turned = head.output @ np.random.default_rng(1).standard_normal((32, 32)).astype(np.float32)
    found = diagnose(replace(head, output=turned))
    assert (found.fits, found.culprit) == (False, None)
    assert "where queries stand" in {each.name for each in found.suspects}
