"""Captures of simulated heads."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.opening import open_capture
from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.arrays import dtype_of
from attn_tui.compute.fit.simulate import Arithmetic, simulate


def write(
    path: Path,
    how: Arithmetic | Callable[[int, int], Arithmetic],
    *,
    layers: int = 1,
    heads: int = 2,
    metadata: dict[str, str] | None = None,
    extra: dict[str, NDArray[Any]] | None = None,
    **given: Any,
) -> str:
    """Write a capture of heads with this arithmetic, with all rows, and return its path."""
    tensors: dict[str, NDArray[Any]] = {}
    for layer in range(layers):
        made = []
        for head in range(heads):
            chosen = how(layer, head) if callable(how) else how
            n = given.get("n_queries") or given.get("n_keys", 64)
            options: dict[str, Any] = {"n_keys": 64, "d_k": 16, "rows": range(n)} | given
            made.append((chosen, simulate(layer * 100 + head, chosen, **options)))
        dtype = dtype_of(made[0][0].format)
        for part, name in (("q", "queries"), ("k", "keys"), ("v", "values"), ("out", "output")):
            stack = np.stack([np.asarray(getattr(rows, name)) for _, rows in made])[None]
            tensors[f"{layer}.{part}"] = stack.astype(dtype)
    write_safetensors(path, tensors | (extra or {}), metadata)
    return str(path)


def without(how: Arithmetic, **changes: Any) -> Arithmetic:
    return replace(how, **changes)


def tensors(path: str) -> dict[str, Any]:
    """Return the tensors of layer 0 of a capture, in float32."""
    capture = open_capture([path])
    heads = [capture.read(place) for place in capture.heads]
    parts = {"q": "queries", "k": "keys", "v": "values", "out": "output"}
    return {part: np.stack([getattr(h, name) for h in heads])[None] for part, name in parts.items()}


def save(path: Path, **parts: Any) -> str:
    np.savez(path, allow_pickle=False, **parts)
    return str(path)
