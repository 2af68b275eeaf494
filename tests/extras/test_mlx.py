"""The recipe for mx.fast.scaled_dot_product_attention, on calls of every kind."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.captures.capture import HeadId
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.scale import LogitMap
from tests.extras.recipes import capturing, far, needed, opened

mx = needed("mlx.core")
CALLS: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"mask": "causal"},
    "seen": {"mask": np.tri(12, k=2) > 0},
    "added": {"mask": np.where(np.tri(12) > 0, 0.5, -np.inf).astype(np.float32)},
    "sinks": {"sinks": np.array([0.5, 1.0, -1.0, 2.0], np.float32)},
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_a_call_is_captured_and_returns_the_same(name: str, dtype: str, tmp_path: Path) -> None:
    draw = np.random.default_rng(1).standard_normal
    shapes = [(2, 4, 12, 16), (2, 2, 12, 16), (2, 2, 12, 16)]
    q, k, v = (mx.array(draw(shape).astype(np.float32)).astype(getattr(mx, dtype))
               for shape in shapes)  # fmt: skip
    options = {
        key: mx.array(value) if isinstance(value, np.ndarray) else value
        for key, value in CALLS[name].items()
    }
    for key, each in options.items():
        if isinstance(each, mx.array) and each.dtype == mx.float32:
            options[key] = each.astype(getattr(mx, dtype))
    own = mx.fast.scaled_dot_product_attention
    plain = own(q, k, v, scale=0.5, **options)
    with capturing("mlx")(tmp_path / "c.safetensors"):
        within = mx.fast.scaled_dot_product_attention(q, k, v, scale=0.5, **options)
        mx.eval(within)
    assert mx.fast.scaled_dot_product_attention is own
    assert mx.array_equal(plain, within)
    capture = opened(tmp_path / "c.safetensors")
    assert capture.tensors(0)["q"].format == dtype
    bounds = {"float32": 1e-6, "float16": 2e-3, "bfloat16": 2e-2}
    for head in capture.heads:
        rows = capture.read(head)
        mask = HeadMask("causal") if name == "causal" else None
        assert far(rows, LogitMap(0.5, None, rows.sink), mask) < bounds[dtype]
    assert capture.config["0.scale"] == 0.5
    assert capture.config["0.is_causal"] == str(name == "causal")
    assert capture.shape(HeadId(1, 0, 3)).kv_head == 1


def test_nothing_to_capture_is_said(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="nothing called mx"), capturing("mlx")(tmp_path / "c"):
        pass
