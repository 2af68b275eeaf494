"""The recipe for PyTorch's scaled_dot_product_attention, on calls of every kind."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.captures.capture import HeadId
from tests.extras.recipes import attention, capturing, needed, opened

torch = needed("torch")
needed("safetensors")
F = torch.nn.functional


def drawn(*shape: int, seed: int = 1, dtype: Any = torch.float32) -> Any:
    return torch.randn(*shape, generator=torch.manual_seed(seed)).to(dtype)


CALLS: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"is_causal": True},
    "scale": {"scale": 0.5},
    "seen": {"attn_mask": torch.ones(12, 12, dtype=torch.bool).tril(2)},
    "added": {"attn_mask": torch.zeros(2, 1, 12, 12).masked_fill(torch.eye(12) > 0, -torch.inf)},
    "grouped": {"enable_gqa": True},
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_a_call_is_captured_and_returns_the_same(name: str, dtype: Any, tmp_path: Path) -> None:
    options = dict(CALLS[name])
    if name == "added":
        options["attn_mask"] = options["attn_mask"].to(dtype)
    kv_heads = 2 if name == "grouped" else 4
    q = drawn(2, 4, 12, 16, dtype=dtype)
    k, v = (drawn(2, kv_heads, 12, 16, seed=seed, dtype=dtype) for seed in (2, 3))
    plain = F.scaled_dot_product_attention(q, k, v, **options)
    with capturing("sdpa")(tmp_path / "c.safetensors"):
        captured = F.scaled_dot_product_attention(q, k, v, **options)
    assert torch.equal(plain, captured)
    capture = opened(tmp_path / "c.safetensors")
    assert capture.tensors(0)["q"].format == str(dtype).removeprefix("torch.")
    rows = capture.read(HeadId(1, 0, 3))
    pairs = ((rows.queries, q[1, 3]), (rows.keys, k[1, -1]), (rows.output, plain[1, 3]))
    for found, given in pairs:
        assert found is not None
        assert np.array_equal(found, given.float().numpy())
    if name != "causal":
        expected, out = attention(capture, 0, options.get("scale", 0.25), batch=1, head=3)
        assert out == pytest.approx(expected, abs=1e-6 if dtype == torch.float32 else 0.02)


def test_calls_are_layers_in_their_order_wherever_the_function_was_imported(tmp_path: Path) -> None:
    layer = torch.nn.MultiheadAttention(32, 4, batch_first=True, dropout=0.0)
    x = drawn(2, 5, 32)
    plain, _ = layer(x, x, x, need_weights=False)
    with capturing("sdpa")(tmp_path / "c.safetensors"):
        F.scaled_dot_product_attention(query=x, key=x, value=x)
        captured, _ = layer(x, x, x, need_weights=False)
    assert torch.equal(plain, captured)
    capture = opened(tmp_path / "c.safetensors", layouts=dict.fromkeys("qkv", "bhnd"))
    assert capture.layers == (0, 1)
    assert capture.shape(HeadId(0, 0, 0)).d_k == 32
    assert capture.shape(HeadId(1, 1, 3)).d_k == 8


def test_nothing_is_left_changed_and_nothing_to_capture_is_said(tmp_path: Path) -> None:
    own = F.scaled_dot_product_attention
    with pytest.raises(ZeroDivisionError), capturing("sdpa")(tmp_path / "c.safetensors"):
        _ = 1 / 0
    assert F.scaled_dot_product_attention is own
    with pytest.raises(RuntimeError, match="nothing called"), capturing("sdpa")(tmp_path / "c"):
        pass
    assert not [*tmp_path.iterdir()]
