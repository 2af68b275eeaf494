"""Attention in a few lines, for tests: what a right kernel computes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]


def drawn(
    n: int = 48,
    heads: int = 4,
    kv_heads: int | None = None,
    d_k: int = 64,
    *,
    batch: int = 2,
    queries: int | None = None,
    d_v: int | None = None,
    seed: int = 0,
) -> tuple[Numbers, Numbers, Numbers]:
    """Return q, k and v, standard normal in float32, [batch, heads, n, d]."""
    rng = np.random.default_rng(seed)
    shapes = (
        (batch, heads, queries or n, d_k),
        (batch, kv_heads or heads, n, d_k),
        (batch, kv_heads or heads, n, d_v or d_k),
    )
    q, k, v = (rng.standard_normal(shape, np.float32) for shape in shapes)
    return q, k, v


def attention(
    q: Numbers,
    k: Numbers,
    v: Numbers,
    *,
    scale: float | None = None,
    seen: Numbers | None = None,
    softcap: float | None = None,
    sink: Numbers | None = None,
    bias: Numbers | None = None,
) -> Numbers:
    """Return softmax(cap(m·QKᵀ) + bias, sink)·V in float64, in the format of q.

    A row that sees no key is 0.
    """
    group = q.shape[-3] // k.shape[-3]
    wide = [one.astype(np.float64) for one in (q, k, v)]
    keys, values = (np.repeat(one, group, axis=-3) for one in wide[1:])
    logits = (q.shape[-1] ** -0.5 if scale is None else scale) * wide[0] @ keys.swapaxes(-1, -2)
    if softcap is not None:
        logits = softcap * np.tanh(logits / softcap)
    if bias is not None:
        logits = logits + bias
    if seen is not None:
        logits = np.where(seen, logits, -np.inf)
    top = logits.max(-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    weights = np.exp(logits - top)
    total = weights.sum(-1, keepdims=True)
    if sink is not None:
        total = total + np.exp(np.asarray(sink, np.float64)[:, None, None] - top)
    shares = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    out: Numbers = (shares @ values).astype(q.dtype)
    return out


def causal(queries: int, keys: int) -> Numbers:
    """Return which keys a query sees, the last query all of them."""
    return np.tri(queries, keys, keys - queries, dtype=bool)
