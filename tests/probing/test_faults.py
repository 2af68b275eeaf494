"""Forty faults of attention: each is named. Those of the backward pass are in tests/extras."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from attn_tui.probing.asking import probe
from attn_tui.report.schema import schema
from attn_tui.testing import assert_attention
from tests.contract.shapes import faults
from tests.probing.kernels import FAULTS, FIRST, Kernel, KernelFault


def right_kernels(faults: Mapping[str, KernelFault]) -> Iterator[Any]:
    """Yield each kernel that is right where these are wrong, with what is promised of it."""
    seen: list[object] = []
    for fault in faults.values():
        key = (fault.right, {**fault.promise, **fault.inputs}.keys(), fault.promise.get("mask"))
        if key not in seen:
            seen.append(key)
            given = {**fault.promise, **fault.inputs}
            yield pytest.param(fault.right, given, id=f"{fault.right.__name__} {[*given]}")


@pytest.mark.parametrize(
    "name",
    [name if number < 1 else pytest.param(name, marks=pytest.mark.slow)
     for number, name in enumerate(FIRST)],
)  # fmt: skip
def test_assert_attention_names_what_is_wrong(name: str) -> None:
    fault = FIRST[name]
    with pytest.raises(AssertionError) as error:
        assert_attention(fault.kernel, **fault.promise, **fault.inputs, quick=True)
    assert fault.says in str(error.value)


@pytest.mark.parametrize(("kernel", "given"), right_kernels(FIRST))
def test_assert_attention_lets_pass_what_is_right(kernel: Kernel, given: dict[str, Any]) -> None:
    assert_attention(kernel, **given, quick=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_whole_probe_names_what_is_wrong(name: str) -> None:
    fault: KernelFault = FAULTS[name]
    diagnosis = probe(fault.kernel, **fault.promise, **fault.inputs)
    assert diagnosis.verdict == "differs"
    assert fault.says in diagnosis.line
    defs = schema("probe")["$defs"]
    assert [*faults(diagnosis.to_dict(), defs["probe"], defs)] == []


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "given"), right_kernels(FAULTS))
def test_a_whole_probe_lets_pass_what_is_right(kernel: Kernel, given: dict[str, Any]) -> None:
    diagnosis = probe(kernel, **given)
    assert diagnosis.verdict == "agrees", diagnosis
    assert all(call.is_right for call in diagnosis.cases)
