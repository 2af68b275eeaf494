"""Two captures of one small model, for tests: what a port may get wrong."""

from typing import Any

import numpy as np

from tests.diagnosis.heads import Numbers, attention, causal

N, D_K = 32, 16
SEEN = causal(N, N)


def captured(
    layers: int = 3,
    *,
    heads: int = 2,
    kv_heads: int = 1,
    batch: int = 1,
    dtype: Any = np.float32,
    seen: Numbers = SEEN,
    noise: float = 0.0,
    **wrong: dict[str, Any],
) -> dict[str, Numbers]:
    """Return q, k, v and out of layers by name, ``0.q``, [batch, heads, n, d].

    Args:
        layers: How many layers there are.
        heads: The query heads of each.
        kv_heads: The heads of keys and values.
        batch: The sequences.
        dtype: The format of the tensors, whose numbers attention is computed of.
        seen: Which keys a query sees.
        noise: What the inputs of layer 1 are off by, as a share of themselves.
        wrong: How a layer computes attention otherwise: ``layer_1={"scale": 0.5}``.
    """
    tensors: dict[str, Numbers] = {}
    for layer in range(layers):
        rng = np.random.default_rng(layer)
        sizes = {"q": heads, "k": kv_heads, "v": kv_heads}
        parts = {
            part: 2 * rng.standard_normal((batch, count, N, D_K)) for part, count in sizes.items()
        }
        if layer == 1:
            parts = {part: one + noise * one**2 for part, one in parts.items()}
        made = {part: one.astype(dtype) for part, one in parts.items()}
        how = {"seen": seen, **wrong.get(f"layer_{layer}", {})}
        made["out"] = attention(made["q"], made["k"], made["v"], **how)
        tensors |= {f"{layer}.{part}": one for part, one in made.items()}
    return tensors
