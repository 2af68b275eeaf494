"""The script of a fault has the smallest inputs that show it."""

import re
from typing import Any

import numpy as np
import pytest

import attn_tui
from attn_tui.diagnosis.call import CallShape
from attn_tui.probing.inputs import CallInputs
from attn_tui.probing.judging import Faults
from attn_tui.probing.shrinking import smallest
from tests.probing.kernels import FAULTS, Numbers, causal, plain, writing

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


def ran(script: str, kernel: Any) -> dict[str, Any]:
    """Return the names of a script after it ran, with a kernel in place of its import."""
    code = re.sub(r"^(f = \.\.\..*|from tests.*)$", "", script, flags=re.M)
    imported = re.search(r"^from tests\S* import (\w+)$", script, re.M)
    names: dict[str, Any] = {imported[1] if imported else "f": kernel}
    with np.errstate(all="ignore"):
        exec(code.replace("print(", "shown = ("), names)
    return names


def executed(script: str, kernel: Any) -> float:
    """Return the largest difference that a script finds, of a kernel in place of its import."""
    names = ran(script, kernel)
    difference: float = names["shown"][1]
    return difference


@pytest.mark.slow
@pytest.mark.parametrize("name", SHOWN)
def test_the_script_shows_the_fault_with_few_numbers(name: str) -> None:
    fault = FAULTS[name]
    script = attn_tui.probe(fault.kernel, **fault.promise, **fault.inputs).reproduce()
    assert not executed(script, fault.kernel) < 1e-4
    # Some ten lines.
    assert len(script.splitlines()) <= 12
    sizes = re.search(r"# n = (\d+).*, (\d+) heads?.*, d_k = (\d+)$", script, re.M)
    assert sizes
    n, heads, d_k = map(int, sizes.groups())
    assert heads <= 4
    assert d_k <= 8 or name == "√n_k"
    assert n <= 33 or name in (
        "a leak only at n = 129",
        "last block dropped where n is no multiple of 64",
    )


def outlier(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    """Causal, but a last value of more than 20 changes the row before it."""
    out = causal(q, k, v)
    if k.shape[2] > 1:
        out[:, :, -2] += (np.abs(v[:, :, -1]) > 20).any(-1, keepdims=True)
    return out


def test_a_leak_that_the_output_does_not_show_shrinks_to_two_keys() -> None:
    diagnosis = attn_tui.probe(outlier, causal=True, quick=True)
    assert all(call.is_right for call in diagnosis.cases)
    script = diagnosis.reproduce()
    assert script.startswith("# a leak from the future at n = 2: row 0 changes with key 1, which")
    assert "# n = 2, 1 head, d_k = 2\n" in script
    assert len(script.splitlines()) <= 12
    assert executed(script, outlier) > 0.5
    assert executed(script, causal) == 0.0


def test_an_input_that_is_written_to_is_shown_with_one_key() -> None:
    script = attn_tui.probe(writing, quick=True).reproduce()
    assert "# n = 1, 1 head, d_k = 2\n" in script
    names = ran(script, writing)
    assert names["shown"] == ["k"]
    assert ran(script, plain)["shown"] == []


@pytest.mark.slow
def test_an_output_that_changes_by_itself_is_shown_to_change() -> None:
    calls = [0]

    def counting(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        calls[0] += 1
        return plain(q, k, v) * np.float32(1 + 5e-6 * (calls[0] % 2))

    script = attn_tui.probe(counting, dtype="float32", quick=True).reproduce()
    assert executed(script, counting) > 0.0


@pytest.mark.slow
def test_a_script_hides_what_a_configuration_hides_and_gives_no_mask_that_is_not_promised() -> None:
    config = {
        "model_type": "mistral", "hidden_size": 256, "num_attention_heads": 4,
        "num_key_value_heads": 4, "head_dim": 64, "sliding_window": 8,
    }  # fmt: skip

    def windowed(q: Numbers, k: Numbers, v: Numbers, mask: Numbers | None = None) -> Numbers:
        n = k.shape[2]
        seen = np.tri(n, dtype=bool) & ~np.tri(n, k=-8, dtype=bool)
        z = np.where(seen, q @ k.swapaxes(2, 3) / np.float32(q.shape[3] ** 0.5), -np.inf)
        p = np.exp(z - z.max(3, keepdims=True))
        return np.asarray(p / p.sum(3, keepdims=True) @ v).astype(q.dtype)

    def halved(q: Numbers, k: Numbers, v: Numbers, mask: Numbers | None = None) -> Numbers:
        return windowed(q / 2, k, v)

    script = attn_tui.probe(halved, config=config, lengths=[17]).reproduce()
    assert executed(script, halved) > 1e-3
    # With the m of the configuration, which d_k does not change.
    assert "z = 0.125 * Q" in script
    assert (
        executed(script, lambda q, k, v: windowed(q * np.float32(q.shape[3] ** 0.5 / 8), k, v))
        < 1e-5
    )
