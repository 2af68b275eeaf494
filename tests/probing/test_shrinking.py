"""The script of a fault has the smallest inputs that show it."""

import re
from typing import Any

import numpy as np
import pytest

import attn_tui
from attn_tui.diagnosis.call import CallShape
from attn_tui.probing.inputs import CallInputs
from attn_tui.probing.shrinking import Faults, smallest
from tests.probing.kernels import FAULTS, Numbers, plain

SHOWN = (
    "1/d_k", "√d_v", "√n_k", "cap missing", "sink missing", "top left for bottom right",
    "window one longer", "KV heads tiled", "batches mixed", "a leak only at n = 129",
    "last block dropped where n is no multiple of 64", "running maximum without rescaling the sum",
    "strides ignored", "d_v ≠ d_k wrong",
)  # fmt: skip
"""Faults of every kind, but what no single call shows."""


def test_every_size_shrinks_as_long_as_the_fault_is_the_same() -> None:
    inputs = CallInputs(CallShape(3, 8, 4, 129, 129, 64, 64), 5, is_strided=True)

    def faults_of(one: CallInputs) -> Faults:
        shape = one.shape
        if shape.d_k < 8:
            return frozenset({"another"})
        is_wrong = shape.keys > 40 and shape.kv_heads > 1 and shape.heads > shape.kv_heads
        return frozenset({"fault"} if is_wrong else {})

    found = smallest(inputs, faults_of, lambda shape: True)
    assert found.shape == CallShape(1, 4, 2, 41, 41, 8, 8)
    assert not found.is_strided
    # A function that takes no other d_k is not taken for one with this fault.
    kept = smallest(inputs, faults_of, lambda shape: shape.d_k == 64)
    assert kept.shape == CallShape(1, 4, 2, 41, 41, 64, 64)


def test_a_call_that_raises_is_the_one_that_is_shown() -> None:
    def refusing(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        if q.shape[2] > 16:
            raise NotImplementedError("blocks of 16")
        return plain(q, k, v)

    diagnosis = attn_tui.probe(refusing, quick=True)
    script = diagnosis.reproduce()
    assert "# n = 17, 1 head, d_k = 2\n" in script
    with pytest.raises(NotImplementedError):
        executed(script, refusing)


def executed(script: str, kernel: Any) -> float:
    """Return the largest difference that a script finds, of a kernel in place of its import."""
    code = re.sub(r"^(f = \.\.\..*|from tests.*)$", "", script, flags=re.M)
    name = re.search(r"^out = (\w+)\(", code, re.M)
    assert name
    names: dict[str, Any] = {name[1]: kernel}
    with np.errstate(all="ignore"):
        exec(code.replace("print(", "shown = ("), names)
    difference: float = names["shown"][1]
    return difference


@pytest.mark.slow
@pytest.mark.parametrize("name", SHOWN)
def test_the_script_shows_the_fault_with_few_numbers(name: str) -> None:
    fault = FAULTS[name]
    script = attn_tui.probe(fault.kernel, **fault.promise, **fault.inputs).reproduce()
    assert not executed(script, fault.kernel) < 1e-4
    # Some ten lines.
    assert len(script.splitlines()) <= 18
    sizes = re.search(r"# n = (\d+).*, (\d+) heads?.*, d_k = (\d+)$", script, re.M)
    assert sizes
    n, heads, d_k = map(int, sizes.groups())
    assert heads <= 4
    assert d_k <= 8 or name == "√n_k"
    assert n <= 33 or name in (
        "a leak only at n = 129",
        "last block dropped where n is no multiple of 64",
    )
