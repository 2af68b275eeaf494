"""The example, a small capture of a made-up model whose heads grow sharper with depth."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.writer import encoded
from attn_tui.compute.arrays import dtype_of, rounded
from attn_tui.compute.fit.simulate import Arithmetic, computed
from attn_tui.compute.heads.rows import HeadRows

LAYERS, HEADS, POSITIONS, D_K = 8, 8, 128, 32
FORMAT = "bfloat16"

_SAID = {"model_type": "llama", "head_dim": str(D_K), "num_attention_heads": str(HEADS)}
"""The metadata of the example."""

_GROWTH = 1.45
"""The factor by which queries grow from layer to layer."""

_FIRST = 1.9
"""The most that queries are lengthened in a head that looks at the first key."""


@cache
def example_file() -> bytes:
    """Return the bytes of the example as a .safetensors file, the same at every call."""
    return b"".join(encoded(tensors(), _SAID))


def tensors(layers: int = LAYERS) -> dict[str, NDArray[Any]]:
    """Return q, k, v and the output of each layer, shape (1, heads, positions, d_k)."""
    capture: dict[str, NDArray[Any]] = {}
    for layer in range(layers):
        heads = [_head(layer, head) for head in range(HEADS)]
        for part, arrays in zip(("q", "k", "v", "out"), zip(*heads, strict=True), strict=True):
            capture[f"{layer}.{part}"] = np.stack(arrays)[None].astype(dtype_of(FORMAT))
    return capture


def _head(layer: int, head: int) -> tuple[Any, ...]:
    """Return q, k, v and the output of a head.

    A head looks at the first key, at the one before its own, at a random one, or at none.
    """
    rng = np.random.default_rng([layer, head, 5])
    shape, positions = (POSITIONS, D_K), np.arange(POSITIONS)
    q, k, v = (rng.standard_normal(shape) for _ in range(3))
    length = 0.25 * _GROWTH**layer * np.exp(0.5 * rng.standard_normal())
    target = (
        positions,
        np.zeros(POSITIONS, int),
        np.maximum(positions - 1, 0),
        rng.integers(0, positions + 1),
    )
    if kind := rng.integers(4):
        # A head that looked only at the first key would tell nothing else.
        length = min(length, _FIRST) if kind == 1 else length
        q = 0.4 * q + k[target[kind]]
    queries, keys, values = (rounded(np.asarray(x, np.float32), FORMAT) for x in (length * q, k, v))
    head_rows = HeadRows(positions, POSITIONS, queries, keys, values)
    rows = computed(head_rows, Arithmetic(D_K**-0.5, path="flash"))
    return rows.queries, rows.keys, rows.values, rows.output
