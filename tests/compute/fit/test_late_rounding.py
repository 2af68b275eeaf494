"""Queries, keys and values that were rounded after attention: named, and nothing else by it."""

from dataclasses import replace

import numpy as np
import pytest

from attn_tui.compute.arrays import rounded
from attn_tui.compute.fit.explain import Reference, explain
from attn_tui.compute.fit.simulate import Arithmetic, simulate
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from tests.compute.fit.heads import HEAD_LEVEL, STATED
from tests.pairs import slow_after

CAUSAL = HeadMask("causal")
NAMED = "q, k and v were rounded to {format} after attention used them: save them unrounded"


def saved(multiplier: float, format: str, seed: int = 1) -> HeadRows:
    """Return a head that was computed in float32 and saved in another format."""
    how = Arithmetic(multiplier, format="float32", path="float32", mask=CAUSAL)
    head = simulate(seed, how, n_keys=64, rows=range(64), logit_std=3.0)
    assert head.values is not None
    assert head.output is not None
    return replace(
        head, queries=rounded(head.queries, format), keys=rounded(head.keys, format),
        values=rounded(head.values, format), output=rounded(head.output, format),
        formats=dict.fromkeys(("q", "k", "v", "out"), format),
    )  # fmt: skip


def name_of(head: HeadRows, format: str) -> str:
    model = HeadModel(0.125, mask=CAUSAL)
    fit = explain(head, Reference(model, STATED, HEAD_LEVEL, format=format))
    assert not fit.passes
    return fit.suspect.name if fit.suspect else ""


@pytest.mark.parametrize("format", ["float16", "bfloat16"])
def test_late_rounding_is_named(format: str) -> None:
    assert name_of(saved(0.125, format), format) == NAMED.format(format=format)


@pytest.mark.slow
@pytest.mark.parametrize("format", slow_after(1, ["float16", "bfloat16"]))
def test_a_fault_beside_late_rounding_is_not_called_that(format: str) -> None:
    assert name_of(saved(0.13, format), format) == ""
    odd = saved(0.125, format)
    assert odd.output is not None
    output = odd.output.copy()
    output[40] *= 1.1
    assert name_of(replace(odd, output=output), format) == ""


@pytest.mark.slow
def test_noise_that_no_rounding_leaves_is_not_called_that() -> None:
    head = simulate(1, Arithmetic(0.125, format="float16", path="flash", mask=CAUSAL))
    assert head.output is not None
    noise = 0.01 * np.random.default_rng(1).standard_normal(head.output.shape)
    odd = rounded((head.output + noise).astype(np.float32), "float16")
    assert name_of(replace(head, output=odd), "float16") == ""
