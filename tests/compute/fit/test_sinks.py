"""Sinks above all logits: kernels whose maximum begins at them round the largest weight too."""

from dataclasses import replace
from math import log, log1p

import numpy as np
import pytest

from attn_tui.compute.fit.explain import Question, explain
from attn_tui.compute.fit.model import Model
from attn_tui.compute.fit.simulate import rounded_to, simulate
from attn_tui.compute.heads.rows import HeadRows


def from_the_sink(head: HeadRows, m: float, b: float) -> HeadRows:
    """Return the rows with the output of a flash kernel whose running maximum begins at b."""
    assert head.values is not None
    z = m * (head.queries @ head.keys.T)
    z = np.where(np.arange(len(head.keys)) <= head.rows[:, None], z, -np.inf)
    top = np.maximum(z.max(axis=1, keepdims=True), np.float32(b))
    p = np.exp(z - top)
    total = p.sum(axis=1, keepdims=True) + np.exp(np.float32(b) - top)
    output = rounded_to(p, "bfloat16") @ head.values / total
    return replace(head, output=rounded_to(output.astype(np.float32), "bfloat16"))


@pytest.mark.parametrize(("seed", "logit_std"), [(1, 1.0), (3, 2.0)])
def test_a_sink_is_found_in_kernels_whose_maximum_begins_at_it(seed: int, logit_std: float) -> None:
    head = simulate(seed, n_keys=256, d_k=64, logit_std=logit_std)
    # The first row tells most, and its weight is rounded up by as much as there is.
    b = 0.125 * float(head.queries[0] @ head.keys[0]) + log(2) - log1p(2**-8 * 1.02)
    known = explain(from_the_sink(head, 0.125, b), Question(Model(0.125), format="bfloat16"))
    interval = known.test.estimates["sink"].at()
    assert interval.low is not None
    assert interval.high is not None
    assert interval.low <= b <= interval.high
