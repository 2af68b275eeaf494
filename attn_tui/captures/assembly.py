"""Assemble layers from tensors: by name, joined over ranks, with layouts that fit."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from attn_tui.captures.capture import States
from attn_tui.captures.collecting import TensorFile, collected
from attn_tui.captures.disk import place_of
from attn_tui.captures.layer import Layer, Tensor
from attn_tui.captures.layouts import VECTORS, Layout, layout_text, parse_layout
from attn_tui.captures.metadata import Metadata, metadata_of
from attn_tui.captures.readings import (
    VARIABLES,
    Dims,
    Reading,
    Shapes,
    readings_of,
    with_kv_mappings,
)
from attn_tui.captures.statements import layer_list, statements
from attn_tui.compute.errors import InputError

_ASIDE: Mapping[str, tuple[str, ...]] = {
    "mask": ("bhqk", "bqk", "hqk", "qk", "bk"),
    "bias": ("bhqk", "bqk", "hqk", "qk", "bk"),
    "sink": ("h", "bh", "bhqk"),
    "positions": ("n", "bn", "bhn"),
}
"""The layouts of the tensors beside q, k, v and out, the likeliest first."""

_LENS_LAYOUT = ("b", "n", "h", "d")
"""The layout of TransformerLens."""

_MOST_SEQUENCES = 100_000


def assembled(
    sources: Sequence[TensorFile], layouts: Mapping[str, str], names: str
) -> tuple[dict[int, Layer], States, Mapping[str, Any]]:
    """Return layers by number, a function that states what was recognised, and the metadata.

    Args:
        sources: The files.
        layouts: The axes by part, as typed.
        names: What tensors are called, as typed.

    Raises:
        InputError: With field ``"capture"``, ``"layout"`` or ``"names"``.
    """
    metadata = metadata_of([source.metadata for source in sources])
    collection = collected(sources, names)
    typed = {part: parse_layout(text, part) for part, text in layouts.items()}
    remarks = [*collection.remarks]
    usable = {}
    for number, tensors in sorted(collection.layers.items()):
        if {"q", "k"} <= tensors.keys():
            usable[number] = tensors
    if not usable:
        number = min(collection.layers)
        lacks = " and ".join(sorted({"q", "k"} - collection.layers[number].keys()))
        raise InputError("capture", f"layer {number} has no {lacks}", "q and k of a layer at least")
    if len(usable) < len(collection.layers):
        without = layer_list(sorted(set(collection.layers) - set(usable)))
        remarks.append(f"Without q or k, and left out: {without}.")
    declared = dict.fromkeys(VECTORS, _LENS_LAYOUT) if collection.is_lens else metadata.layouts
    layers = {
        number: _layer(number, tensors, typed, declared, metadata)
        for number, tensors in usable.items()
    }

    def stated(chosen: Mapping[int, Reading]) -> tuple[str, ...]:
        return (*statements(layers, metadata, typed, chosen), *remarks)

    return layers, stated, metadata.config


def _layer(
    number: int,
    tensors: Mapping[str, Tensor],
    typed: Mapping[str, Layout],
    declared: Mapping[str, Layout],
    metadata: Metadata,
) -> Layer:
    shapes = tuple((part, tensors[part].shape) for part in VARIABLES if part in tensors)
    ranks = len(tensors["q"].pieces)
    typed_layouts = tuple((part, axes) for part, axes in typed.items() if part in VARIABLES)
    # The metadata counts all heads, not those of one rank.
    counts = metadata.counts if ranks == 1 else ()
    readings = readings_of(shapes, typed_layouts, tuple(declared.items()), counts)
    if not readings:
        _refuse_shapes(number, shapes, typed)
    for part in VECTORS:
        if part in tensors and len(tensors[part].pieces) != ranks:
            problem = f"layer {number} has {part} in {len(tensors[part].pieces)} files"
            raise InputError("capture", problem, f"{ranks}, as many as for q")
    joined = []
    for reading in readings:
        heads, kv_heads = reading.dims.heads * ranks, reading.dims.kv_heads * ranks
        joined.append(replace(reading, dims=replace(reading.dims, heads=heads, kv_heads=kv_heads)))

    def aside_of(dims: Dims) -> dict[str, Layout]:
        there = (part for part in _ASIDE if part in tensors)
        return {part: _aside(number, part, tensors[part], dims, typed) for part in there}

    def fits(reading: Reading) -> bool:
        try:
            aside_of(reading.dims)
        except InputError:
            return False
        return True

    # A sink for each head says how many there are.
    joined = [reading for reading in joined if fits(reading)] or joined
    aside = aside_of(joined[0].dims)
    lengths = _lengths(number, tensors.get("lengths"), joined[0].dims)
    every = [way for reading in joined for way in with_kv_mappings(reading)]
    return Layer(number, tensors, tuple(every), aside, lengths)


def _refuse_shapes(number: int, shapes: Shapes, typed: Mapping[str, Layout]) -> NoReturn:
    text = ", ".join(
        f"{part} {'×'.join(map(str, shape)) or 'a scalar'}"
        + (f" as {layout_text(typed[part])}" if part in typed else "")
        for part, shape in shapes
    )
    problem = f"shapes of layer {number} do not fit each other: {text}"
    expected = "[batch, heads, positions, dim], or --layout, such as out=bnhd"
    if all(len(shape) < 4 for _, shape in shapes):
        expected = "[batch, heads, positions, dim]: heads and dim are two axes"
    for parts in (("v",), ("k",), ("k", "v")):
        # llama.cpp stores V transposed.
        transposed = tuple((part, tuple("bhdn")) for part in parts)
        if not typed and readings_of(shapes, transposed):
            layouts = ",".join(f"{part}=bhdn" for part in parts)
            expected = f"--layout {layouts}, if {' and '.join(parts)} are stored transposed"
            break
    raise InputError("layout", problem, expected)


def _aside(
    number: int, part: str, tensor: Tensor, dims: Dims, typed: Mapping[str, Layout]
) -> Layout:
    """Return the layout of a tensor beside q, k, v and out, which follows from their dims."""
    ranks = len(tensor.pieces)
    lengths = {
        "b": dims.batch,
        "h": dims.heads // ranks,
        "n": dims.queries,
        "q": 1 if part == "sink" else dims.queries,
        "k": 1 if part == "sink" else dims.keys,
    }
    options = [layout_text(typed[part])] if part in typed else _ASIDE[part]
    for text in options:
        if len(text) == len(tensor.shape) and all(
            length == lengths[axis] or (axis in "bhq" and length == 1)
            for axis, length in zip(text, tensor.shape, strict=True)
        ):
            return tuple(text)
    size = "×".join(map(str, tensor.shape)) or "a scalar"
    wanted = ["×".join(str(lengths[axis]) for axis in text) for text in options[:2]]
    problem, expected = f"{part} of layer {number} is {size}", " or ".join(wanted)
    if part in typed:
        raise InputError("layout", f"{problem} as {layout_text(typed[part])}", expected)
    raise InputError("capture", problem, expected, place_of(tensor.pieces[0].path))


def _lengths(number: int, tensor: Tensor | None, dims: Dims) -> tuple[tuple[int, int], ...]:
    """Return how many queries and keys each sequence of a ragged batch has; empty if it is none.

    Raises:
        InputError: With field ``"capture"``, if the lengths do not fit the batch.
    """
    if tensor is None:
        return ()
    shape = tensor.shape
    if not (len(shape) == 1 or shape[1:] == (2,)) or shape[0] > _MOST_SEQUENCES:
        problem = f"lengths of layer {number} are {'×'.join(map(str, shape)) or 'a scalar'}"
        expected = f"[batch], or [batch, 2] of queries and keys, of {_MOST_SEQUENCES:,} at most"
        raise InputError("capture", problem, expected, place_of(tensor.pieces[0].path))
    counts = tensor.pieces[0].take((slice(None),) * len(shape)).astype(np.int64)
    pairs = counts if counts.ndim == 2 else np.stack([counts, counts], 1)
    if counts.ndim == 1 and dims.queries != dims.keys:
        # These are lengths of keys; each sequence has all the queries.
        pairs[:, 0] = dims.queries
    most = np.array([dims.queries, dims.keys])
    is_packed = dims.batch == 1 and len(pairs) > 1
    fits = (pairs > 0).all() and (pairs <= most).all()
    if not fits or not (is_packed or len(pairs) == dims.batch):
        problem = f"{len(pairs)} lengths of layer {number} are {pairs.min():,} to {pairs.max():,}"
        expected = f"{dims.batch} of them, from 1 to {dims.keys:,}"
        raise InputError("capture", problem, expected, place_of(tensor.pieces[0].path))
    if is_packed and not (pairs.sum(axis=0) == most).all():
        problem = f"lengths of layer {number} are {pairs.sum(axis=0)[-1]:,} together"
        expected = f"{dims.keys:,}, the positions there are"
        raise InputError("capture", problem, expected, place_of(tensor.pieces[0].path))
    return tuple((int(queries), int(keys)) for queries, keys in pairs)
