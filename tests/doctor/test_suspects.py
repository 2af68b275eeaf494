"""What may have been captured in place of what attention was given."""

from dataclasses import replace

import numpy as np
import pytest

from attn_tui.compute.fit.simulate import Arithmetic, computed, simulate
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.doctor.suspects import mixes, rope, suspects

HOW = Arithmetic(0.25, format="float32")
HEAD = simulate(1, HOW, n_keys=96, d_k=16, rows=range(0, 96, 3), logit_std=2.0)


@pytest.mark.parametrize("halves", [True, False])
@pytest.mark.parametrize("both", [True, False])
def test_keys_that_were_captured_before_rope_are_turned(halves: bool, both: bool) -> None:
    keys = rope(HEAD.keys, np.arange(96), 1e4, halves)
    queries = rope(HEAD.queries, HEAD.rows, 1e4, halves) if both else HEAD.queries
    output = computed(replace(HEAD, keys=keys, queries=queries), HOW).output
    (first, second) = suspects(replace(HEAD, output=output), 1)
    assert (first.verdict, first.found) == ("no", "its first rows are mixtures of their values")
    which = "q and k were" if both else "k was"
    assert second.verdict == "yes"
    assert second.found.startswith(f"{which} captured before")
    assert ("halves" if halves else "neighbours") in second.found


def test_rotation_leaves_lengths_and_differences_of_positions() -> None:
    rows = np.random.default_rng(1).normal(size=(2, 16))
    products = [
        np.prod(rope(rows, np.array([at, at + 5]), 1e4, True), axis=0).sum() for at in (0, 40)
    ]
    turned = rope(rows, np.array([3, 9]), 1e4, False)
    assert np.allclose(np.linalg.norm(turned, axis=1), np.linalg.norm(rows, axis=1))
    assert products[0] == pytest.approx(products[1])


def test_an_output_after_its_projection_is_no_mixture_of_values() -> None:
    assert HEAD.output is not None
    assert mixes(HEAD)
    turned = HEAD.output @ np.random.default_rng(2).normal(size=(16, 16)).astype(np.float32)
    after = replace(HEAD, output=turned)
    assert mixes(after) is False
    told = suspects(after, 4)
    assert [each.verdict for each in told] == ["no", "may be", "not tested"]
    assert told[0].found.startswith("of 4 ways")
    assert "more than values of keys up to their own" in told[1].found


def test_where_all_rows_see_many_keys_nothing_is_said_of_mixtures() -> None:
    head = simulate(1, replace(HOW, mask=HeadMask("none")), n_keys=96, d_k=16, rows=[90, 95])
    assert mixes(head) is None
