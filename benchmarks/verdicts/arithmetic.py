"""Attention by NumPy and ml_dtypes alone, rounded where kernels of several kinds round."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Path = Literal["sdpa", "eager", "eager, float32 softmax"]
PATHS: tuple[Path, ...] = ("sdpa", "eager", "eager, float32 softmax")
"""Where 16-bit models round.

``sdpa``: e^(z − max) before it meets V, and the output. ``eager``: q·k, the scaled ones, the masked
ones, the weights, the output. ``eager, float32 softmax``: q·k, the weights, the output. In float32
they differ by the order of sums alone.
"""

DTYPES: dict[str, np.dtype[Any]] = {
    "float32": np.dtype(np.float32),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float16": np.dtype(np.float16),
}


def rounded(values: NDArray[Any], dtype: str) -> Array:
    """Return values rounded to a format, held in float32."""
    with np.errstate(over="ignore"):
        return np.asarray(values).astype(DTYPES[dtype]).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Attention:
    """How heads are computed.

    Attributes:
        multiplier: m.
        softcap: The cap, or None.
        sinks: The logit of each head's sink, shape (h,), or None.
        causal: Whether a query sees no later key; the last query stands at the last key.
        window: How many keys it sees at most, or None.
        chunk: The length of chunks that see none but their own keys, or None.
        value_scale: c.
        softmax_twice: Whether weights are softmaxed again.
        bias: Added to logits, shape (h, n, n), or None.
        dropout: The share of weights that are set to 0, the others divided by what is left.
        stored: What becomes of keys and values before they are used, or None.
    """

    multiplier: float
    softcap: float | None = None
    sinks: Array | None = None
    causal: bool = True
    window: int | None = None
    chunk: int | None = None
    value_scale: float = 1.0
    softmax_twice: bool = False
    bias: Array | None = None
    dropout: float = 0.0
    stored: Callable[[Array], Array] | None = None

    def seen(self, queries: int, keys: int) -> NDArray[np.bool_]:
        """Return which keys each query sees by position, shape (queries, keys)."""
        query = np.arange(keys - queries, keys)[:, None]
        key = np.arange(keys)
        seen = np.ones((queries, keys), bool)
        if self.causal:
            seen &= key <= query
        if self.window is not None:
            seen &= key > query - self.window
        if self.chunk is not None:
            seen &= key // self.chunk == query // self.chunk
        return seen


def attend(
    q: Array,
    k: Array,
    v: Array,
    how: Attention,
    dtype: str,
    path: Path,
    visible: NDArray[np.bool_] | None = None,
) -> Array:
    """Return what attention returns, shape (b, h, n_q, d_v).

    Args:
        q: Shape (b, h, n_q, d).
        k: Shape (b, h_kv, n, d); head i uses head i·h_kv/h of it.
        v: Shape (b, h_kv, n, d_v).
        how: The settings.
        dtype: Of the tensors.
        path: Where it is rounded.
        visible: Keys that are seen besides, broadcast to (b, h, n_q, n).
    """

    def step(values: Array, paths: tuple[Path, ...] = ("eager",)) -> Array:
        return rounded(values, dtype) if path in paths else values

    if how.stored is not None:
        k, v = how.stored(k), how.stored(v)
    groups = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, groups, axis=1), np.repeat(v, groups, axis=1)
    z = step(q @ k.swapaxes(-1, -2), ("eager", "eager, float32 softmax"))
    z = step(z * np.float32(how.multiplier))
    if how.softcap is not None:
        cap = np.float32(how.softcap)
        z = step(cap * step(np.tanh(step(z / cap))))
    if how.bias is not None:
        z = step(z + how.bias)
    seen = how.seen(*z.shape[-2:])
    if visible is not None:
        seen = seen & visible
    z = np.where(seen, z, np.float32(-np.inf))
    p = softmax(z, how, dtype, path)
    if how.softmax_twice:
        p = softmax(p, how, dtype, path)
    if how.dropout:
        kept = np.random.default_rng(0).random(p.shape) >= how.dropout
        p = np.where(kept, p / np.float32(1 - how.dropout), np.float32(0))
    out: Array = p @ v * np.float32(how.value_scale)
    return rounded(out, dtype)


def softmax(z: Array, how: Attention, dtype: str, path: Path) -> Array:
    """Return weights as a path rounds them; a row that sees nothing is 0."""
    sinks = None if how.sinks is None else how.sinks[:, None, None]
    top = z.max(axis=-1, keepdims=True)
    if sinks is not None:
        top = np.maximum(top, sinks)
    top = np.where(np.isfinite(top), top, np.float32(0))
    p = np.exp(z - top)
    total = p.sum(axis=-1, keepdims=True)
    if sinks is not None:
        total = total + np.exp(sinks - top)
    total = np.where(total == 0, np.float32(1), total)
    if path == "sdpa":
        return np.asarray(rounded(p, dtype) / total)
    return rounded(p / total, dtype)


def fp8(values: Array) -> Array:
    """Return numbers as a cache of float8 (e4m3) holds them, with a scale for each head."""
    scale = np.abs(values).max(axis=(-1, -2), keepdims=True) / 448
    return np.asarray((values / scale).astype(ml_dtypes.float8_e4m3fn).astype(np.float32) * scale)


def int8(values: Array) -> Array:
    """Return numbers as a cache of int8 holds them, with a scale for each token."""
    scale = np.abs(values).max(axis=-1, keepdims=True) / 127
    return np.asarray(np.rint(values / np.maximum(scale, 1e-30)) * scale)


def rotated(values: Array) -> Array:
    """Return queries or keys rotated by their position as RoPE does, halves against each other."""
    n, d = values.shape[-2:]
    angles = np.outer(np.arange(n), 10000.0 ** (-np.arange(d // 2) * 2 / d))
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    a, b = values[..., : d // 2], values[..., d // 2 :]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)
