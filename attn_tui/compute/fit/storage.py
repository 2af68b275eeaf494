"""Keys and values as a cache of 8 bits keeps them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from attn_tui.compute.arrays import dtype_of
from attn_tui.compute.fit.case import HeadCase
from attn_tui.compute.fit.model import FITS, Blame, Suspect, Variants
from attn_tui.compute.heads.rows import HeadRows, Reals

BLOCK = 32
"""The numbers that share a scale in q8_0."""
E4M3 = 448.0
"""The largest number of float8 (e4m3)."""
VLLM = {"k": 200.0, "v": 100.0}
"""What vLLM takes the largest key and value to, if it computes the scales of float8 itself."""
Way = tuple[Blame, str, Callable[[Reals], Reals]]
"""A format of storage, and the function that rounds to it."""


def ranges_of(heads: Sequence[HeadRows]) -> dict[str, tuple[float, float]]:
    """Return the least and the largest number of the keys, and of the values, of some heads."""
    keys = [head.keys for head in heads]
    values = [head.values for head in heads if head.values is not None]
    return {
        name: (min(float(part.min()) for part in parts), max(float(part.max()) for part in parts))
        for name, parts in (("k", keys), ("v", values))
    }


def quantised(case: HeadCase) -> Variants:
    """Yield the head with keys, values or both rounded to 8 bits."""
    head = case.head
    assert head.values is not None
    for of_keys, of_values in (*((way, way) for way in _ways(head)), *_ways_of_layer(case)):
        blame, name, quantise = of_keys
        keys, values = quantise(head.keys), of_values[2](head.values)
        for parts, changed in (
            ("keys and values", replace(head, keys=keys, values=values)),
            ("values", replace(head, values=values)),
            ("keys", replace(head, keys=keys)),
        ):
            suspect = Suspect(f"{parts} stored as {name}", FITS, blame)
            yield suspect, changed


def _ways_of_layer(case: HeadCase) -> Iterator[tuple[Way, Way]]:
    """Yield how keys and values are stored that share a scale in all heads of a layer."""
    ways: dict[str, tuple[Way, ...]] = {}
    for part, (least, most) in case.ranges.items():
        # In float32, as kernels have it: of two nearest numbers of 8 bits, they take the same.
        size = max(abs(least), abs(most), 1e-30)
        ways[part] = (
            ("float8", "float8 (e4m3)", partial(_float8, scale=size / E4M3)),
            ("float8", "float8 (e4m3)", partial(_float8, scale=size / VLLM[part])),
            ("int8", "int8", partial(_int8, most=np.float32(size))),
            ("int8", "asymmetric int8",
             partial(_uint8, least=np.float32(least), most=np.float32(most))),
        )  # fmt: skip
    yield from zip(ways.get("k", ()), ways.get("v", ()), strict=True)


def _ways(head: HeadRows) -> tuple[Way, ...]:
    """Return how keys and values may be stored, each head for itself."""
    return (
        ("float8", "float8 (e4m3)", lambda tensor: _float8(tensor, 1.0)),
        ("float8", "float8 (e4m3)", lambda tensor: _float8(tensor, _most(tensor, None) / E4M3)),
        ("float8", "float8 (e4m3)", lambda tensor: _float8(tensor, _most(tensor, 1) / E4M3)),
        ("float8", "float8 (e5m2)", lambda tensor: _float8(tensor, 1.0, "float8_e5m2")),
        ("int8", "int8", lambda tensor: _int8(tensor, _most(tensor, None))),
        ("int8", "int8", lambda tensor: _int8(tensor, _most(tensor, 1))),
        ("int8", "int8", lambda tensor: _int8(tensor, _most(tensor, 0))),
        *_blocks(head),
        ("int8", "asymmetric int8", lambda tensor: _uint8(tensor, *_ends(tensor, None))),
        ("int8", "asymmetric int8", lambda tensor: _uint8(tensor, *_ends(tensor, 1))),
        ("int8", "asymmetric int8", lambda tensor: _uint8(tensor, *_ends(tensor, 0))),
    )


def _most(values: Reals, axis: int | None) -> Reals:
    return np.asarray(np.maximum(np.abs(values).max(axis=axis, keepdims=True), 1e-30))


def _float8(values: Reals, scale: float | Reals, format: str = "float8_e4m3fn") -> Reals:
    scaled = (values / scale).astype(np.float32)
    return np.asarray(scaled.astype(dtype_of(format)).astype(values.dtype) * scale)


def _int8(values: Reals, most: Reals | np.float32) -> Reals:
    scale = most / 127.0
    return np.asarray(np.clip(np.rint(values / scale), -127, 127) * scale)


def _ends(values: Reals, axis: int | None) -> tuple[Reals, Reals]:
    return values.min(axis=axis, keepdims=True), values.max(axis=axis, keepdims=True)


def _uint8(values: Reals, least: Reals | np.float32, most: Reals | np.float32) -> Reals:
    scale = np.maximum((most - least) / 255.0, 1e-30)
    return np.asarray(np.clip(np.rint((values - least) / scale), 0, 255) * scale + least)


def _blocks(head: HeadRows) -> Iterator[Way]:
    """Yield llama.cpp's q8_0, if its blocks make up the keys and values of a head."""
    assert head.values is not None
    if head.d_k % BLOCK == head.values.shape[1] % BLOCK == 0:
        yield "int8", "q8_0", _in_blocks


def _in_blocks(values: Reals) -> Reals:
    """Return numbers rounded as llama.cpp's q8_0: blocks of 32 with a scale in float16."""
    blocks = values.reshape(-1, BLOCK)
    scale = _most(blocks, 1) / 127.0
    stored = scale.astype(np.float16).astype(values.dtype)
    return np.asarray(np.rint(blocks / scale) * stored).reshape(values.shape)
