"""A small capture on disk, and the true weights of its heads."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.capture import Capture, HeadId
from attn_tui.captures.opening import open_capture
from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.heads.head import Head
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.partial import Value
from attn_tui.engine.plan import Plan, Selection
from attn_tui.engine.survey import Survey, survey

ALL = Selection(rows=None)


def heads(
    n: int = 60, layers: int = 3, query_heads: int = 4, causal: bool = True, seed: int = 1
) -> dict[tuple[int, int], Head]:
    """Return heads by layer and head; pairs of them share keys; deeper layers are sharper."""
    draw = np.random.default_rng(seed).standard_normal
    made = {}
    model = HeadModel(0.25, mask=HeadMask("causal" if causal else "none"))
    for layer in range(layers):
        shared = [(draw((n, 16)), draw((n, 8))) for _ in range(query_heads // 2)]
        for head in range(query_heads):
            keys, values = shared[head // 2]
            queries = (layer + 1) * draw((n, 16))
            made[layer, head] = Head(queries, keys, values, model)
    return made


def write(path: Path, made: dict[tuple[int, int], Head], interleaved: bool = False) -> Path:
    """Write heads, of which neighbours share keys, or if interleaved, head h and h + half."""
    tensors: dict[str, NDArray[Any]] = {}
    for layer in {layer for layer, _ in made}:
        own = [head for (number, _), head in made.items() if number == layer]
        with_keys = own[: len(own) // 2] if interleaved else own[::2]
        parts = {
            "q": [head.queries for head in own],
            "k": [head.keys for head in with_keys],
            "v": [head.values for head in with_keys],
            "out": [head.output for head in own],
        }
        for name, arrays in parts.items():
            tensors[f"{layer}.{name}"] = np.array(arrays, np.float32)[None]
    write_safetensors(path, tensors)
    return path


def opened(path: Path, **given: Any) -> Capture:
    return open_capture([str(write(path, heads(**given)))])


def last(plan: Plan, *given: Any, **more: Any) -> Survey:
    """Return the survey of a plan once all blocks are computed."""
    return [*survey(plan, *given, **more)][-1]


def values(survey: Survey, name: str) -> dict[HeadId, Value]:
    """Return a statistic of each head in a survey."""
    return {head: partial.value(name) for head, partial in survey.heads.items()}


def unusual(
    layer: int = 0,
    window: int | None = None,
    softcap: float | None = None,
    sink: float | Sequence[float] | None = None,
    multiplier: float | Sequence[float] = 0.25,
    size: float = 4.0,
) -> tuple[dict[str, NDArray[Any]], NDArray[np.float64]]:
    """Return tensors of four causal heads that no simple mask explains, and their weights.

    Sink and multiplier are one number, or one of each head; d_k is 16, and queries have a
    standard deviation of ``size``.
    """
    draw = np.random.default_rng(layer + 1).standard_normal
    names = [f"{layer}.{name}" for name in ("q", "k", "v")]
    parts = {name: draw((1, 4, 60, 16)).astype(np.float32) for name in names}
    parts[names[0]] *= size
    q, k, v = (parts[name].astype(float) for name in names)
    logits = q @ k.swapaxes(-1, -2) * np.reshape(multiplier, (-1, 1, 1))
    if softcap is not None:
        logits = softcap * np.tanh(logits / softcap)
    ago = np.subtract.outer(np.arange(60), np.arange(60))
    logits = np.where((ago >= 0) & (ago < (window or 60)), logits, -np.inf)
    largest = logits.max(-1, keepdims=True)
    numerators = np.exp(logits - largest)
    more = 0.0 if sink is None else np.exp(np.reshape(sink, (-1, 1, 1)) - largest)
    weights = numerators / (numerators.sum(-1, keepdims=True) + more)
    return {**parts, f"{layer}.out": (weights @ v).astype(np.float32)}, np.asarray(weights)


def write_unusual(path: Path, **given: Any) -> NDArray[np.float64]:
    """Write a layer of `unusual` heads, and return their weights."""
    tensors, weights = unusual(**given)
    write_safetensors(path, tensors)
    return weights
