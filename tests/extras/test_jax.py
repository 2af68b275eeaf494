"""The recipe for jax.nn.dot_product_attention, on calls of every kind."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.captures.capture import HeadId
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.scale import LogitMap
from tests.extras.recipes import capturing, far, needed, opened

jax = needed("jax")
needed("safetensors")
attend = jax.nn.dot_product_attention
DRAW = np.random.default_rng(1)
CALLS: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"is_causal": True},
    "scale": {"scale": 0.5},
    "mask": {"mask": np.tri(12, k=2)[None, None] > 0},
    "bias": {"bias": DRAW.standard_normal((1, 4, 12, 12)).astype(np.float32)},
    "lengths": {"key_value_seq_lengths": np.array([12, 7])},
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_a_call_is_captured_and_returns_the_same(name: str, dtype: str, tmp_path: Path) -> None:
    shapes = [(2, 12, 4, 16), (2, 12, 2, 16), (2, 12, 2, 16)]
    q, k, v = (jax.numpy.asarray(DRAW.standard_normal(shape), dtype) for shape in shapes)
    options = dict(CALLS[name])
    plain = attend(q, k, v, **options)
    with capturing("jax")(tmp_path / "c.safetensors"), jax.disable_jit():
        within = jax.nn.dot_product_attention(q, k, v, **options)
    assert jax.nn.dot_product_attention is attend
    bounds = {"float32": 1e-6, "float16": 2e-3, "bfloat16": 2e-2}
    assert np.allclose(plain, within, atol=4 * bounds[dtype])
    capture = opened(tmp_path / "c.safetensors")
    assert capture.tensors(0)["q"].format == dtype
    assert np.array_equal(capture.vectors(HeadId(1, 0, 3), "q"), np.asarray(q[1, :, 3], np.float32))
    mask = HeadMask("causal") if options.get("is_causal") else None
    heads = [each for each in capture.heads if name != "lengths" or not each.batch]
    for head in heads:
        assert far(capture.read(head), LogitMap(options.get("scale", 0.25)), mask) < bounds[dtype]
    if name == "lengths":
        assert capture.shape(HeadId(1, 0, 0)).n_keys == 7


def test_nothing_to_capture_is_said(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="nothing called jax"), capturing("jax")(tmp_path / "c"):
        pass
