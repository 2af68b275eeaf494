"""The recipe for llama.cpp, on tensors in the layout of its graph that a script of ours writes.

llama.cpp itself is not run: what is tried is its structures in memory, its callback, its strides.
"""

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.captures.capture import HeadId
from attn_tui.captures.recipes import recipe_text
from attn_tui.compute.scale import LogitMap
from tests.extras.recipes import far, needed, opened

needed("safetensors")


@pytest.fixture
def recipe() -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "capturing"}
    exec(compile(recipe_text("llama_cpp"), "llama_cpp.py", "exec"), space)
    return space


def tensor(recipe: dict[str, Any], name: str, array: Any, *sources: Any, m: float = 0.0) -> Any:
    """Return a ggml_tensor of an array of four axes, whose last one changes first."""
    made = recipe["GgmlTensor"]()
    made.type = {np.dtype(np.float32): 0, np.dtype(np.float16): 1}[array.dtype]
    made.ne = type(made.ne)(*array.shape[::-1])
    made.nb = type(made.nb)(*array.strides[::-1])
    made.data, made.name, made.op_params[0] = array.ctypes.data, name.encode(), m
    for at, source in enumerate(sources):
        made.src[at] = ctypes.pointer(source)
    return made


def graph(recipe: dict[str, Any], seen: Any, layer: int, max_bias: float = 0.0) -> dict[str, Any]:
    """Call back what a layer computes: 4 heads over 2, 5 tokens, and a cache of 16 keys for 9."""
    draw = np.random.default_rng(layer).standard_normal
    # Queries are [tokens, heads, dim] in memory, and so are keys; V is stored transposed.
    q = draw((1, 5, 4, 8)).astype(np.float32).transpose(0, 2, 1, 3)
    k = draw((1, 16, 2, 8)).astype(np.float16).transpose(0, 2, 1, 3)
    v = draw((1, 2, 8, 16)).astype(np.float16)
    mask = np.full((1, 1, 64, 16), -np.inf, np.float32)
    mask[0, 0, :5, :9] = np.where(np.tri(5, 9, 4) > 0, 0, -np.inf)
    logits = q @ k.repeat(2, 1).transpose(0, 1, 3, 2).astype(np.float32)
    z = 0.25 * logits + mask[:, :, :5]
    weights = np.exp(z - z.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    out = weights @ v.repeat(2, 1).transpose(0, 1, 3, 2).astype(np.float32)
    kq = tensor(recipe, f"kq-{layer}", logits, *(tensor(recipe, "", each) for each in (k, q)))
    soft = tensor(recipe, f"kq_soft_max-{layer}", weights, kq, tensor(recipe, "", mask), m=0.25)
    soft.op_params[1] = max_bias
    kqv = tensor(recipe, f"kqv-{layer}", out, tensor(recipe, "", v), soft)
    for each in (kq, soft, kqv, tensor(recipe, f"ffn_out-{layer}", out)):
        pointer = ctypes.pointer(each)
        if seen.callback(pointer, True, None):
            assert seen.callback(pointer, False, None)
    return {"q": q, "k": k, "v": v, "out": out}


def test_what_the_callback_sees_is_written(recipe: dict[str, Any], tmp_path: Path) -> None:
    seen = recipe["Seen"]()
    made = {layer: graph(recipe, seen, layer) for layer in (0, 1)}
    seen.save(tmp_path / "c.safetensors")
    capture = opened(tmp_path / "c.safetensors")
    assert capture.layers == (0, 1)
    for head in capture.heads:
        rows = capture.read(head)
        assert np.array_equal(rows.queries, made[head.layer]["q"][0, head.head])
        assert np.array_equal(rows.keys, made[head.layer]["k"][0, head.head // 2])
        assert rows.values is not None
        assert np.array_equal(rows.values, made[head.layer]["v"][0, head.head // 2].T)
        assert far(rows, LogitMap(0.25)) < 1e-6
    assert capture.shape(HeadId(0, 1, 3)).n_keys == 16
    assert capture.config["1.scale"] == 0.25


def test_alibi_and_nothing_are_refused(recipe: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="is flash attention off"):
        recipe["Seen"]().save(tmp_path / "c.safetensors")
    seen = recipe["Seen"]()
    graph(recipe, seen, 0, max_bias=8.0)
    with pytest.raises(RuntimeError, match="ALiBi"):
        seen.save(tmp_path / "c.safetensors")
