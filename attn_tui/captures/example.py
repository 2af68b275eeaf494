"""A small capture for who has none: heads of a made-up model, which grow sharper with depth."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.writer import encoded
from attn_tui.compute.arrays import dtype_of
from attn_tui.compute.fit.simulate import Arithmetic, computed, rounded_to
from attn_tui.compute.heads.rows import HeadRows

LAYERS, HEADS, POSITIONS, D_K = 8, 8, 128, 32
FORMAT = "bfloat16"

_SAID = {"model_type": "llama", "head_dim": str(D_K), "num_attention_heads": str(HEADS)}
"""What it says of itself."""

_GROWTH = 1.45
"""How much longer queries are in each layer."""

_FIRST = 1.9
"""How long queries are at most that look at the first key."""


@cache
def example_file() -> bytes:
    """Return the capture as a .safetensors file holds it: the same at every call."""
    return b"".join(encoded(tensors(), _SAID))


def tensors(layers: int = LAYERS) -> dict[str, NDArray[Any]]:
    """Return q, k, v and the output of each layer, shape (1, heads, positions, d_k)."""
    found: dict[str, NDArray[Any]] = {}
    for layer in range(layers):
        made = [_head(layer, head) for head in range(HEADS)]
        for part, arrays in zip(("q", "k", "v", "out"), zip(*made, strict=True), strict=True):
            found[f"{layer}.{part}"] = np.stack(arrays)[None].astype(dtype_of(FORMAT))
    return found


def _head(layer: int, head: int) -> tuple[Any, ...]:
    """Return q, k, v and the output of a head.

    Some heads look at the first key, some at that before their own, some at any; some nowhere.
    """
    rng = np.random.default_rng([layer, head, 5])
    shape, own = (POSITIONS, D_K), np.arange(POSITIONS)
    q, k, v = (rng.standard_normal(shape) for _ in range(3))
    length = 0.25 * _GROWTH**layer * np.exp(0.5 * rng.standard_normal())
    target = (own, np.zeros(POSITIONS, int), np.maximum(own - 1, 0), rng.integers(0, own + 1))
    if kind := rng.integers(4):
        # Of a head that only looks at the first key nothing else could be told.
        length = min(length, _FIRST) if kind == 1 else length
        q = 0.4 * q + k[target[kind]]
    queries, keys, values = (
        rounded_to(np.asarray(x, np.float32), FORMAT) for x in (length * q, k, v)
    )
    head_rows = HeadRows(own, POSITIONS, queries, keys, values)
    rows = computed(head_rows, Arithmetic(D_K**-0.5, path="flash"))
    return rows.queries, rows.keys, rows.values, rows.output
