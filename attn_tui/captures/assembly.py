"""Tensors of files to layers: by their names, joined over ranks, with layouts that fit."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from attn_tui.captures.capture import States
from attn_tui.captures.claims import Claims, claims_of
from attn_tui.captures.collecting import Source, collected
from attn_tui.captures.disk import place_of
from attn_tui.captures.layer import Layer, Tensor
from attn_tui.captures.layouts import VECTORS, Layout, layout_text, parse_layout
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
"""Layouts of what stands beside q, k, v and out, the likeliest first."""

_LENS_LAYOUT = ("b", "n", "h", "d")
"""That of TransformerLens."""

_MOST_SEQUENCES = 100_000


def assembled(
    sources: Sequence[Source], layouts: Mapping[str, str], names: str
) -> tuple[dict[int, Layer], States, Mapping[str, Any]]:
    """Return layers by number, what says what was recognised, and what metadata claims.

    Args:
        sources: The files.
        layouts: Axes by part, as they were asked for.
        names: How tensors are called, as it was asked for.

    Raises:
        InputError: With field ``"capture"``, ``"layout"`` or ``"names"``.
    """
    claims = claims_of([source.metadata for source in sources])
    found = collected(sources, names)
    asked = {part: parse_layout(text, part) for part, text in layouts.items()}
    said = [*found.said]
    usable = {}
    for number, tensors in sorted(found.layers.items()):
        if {"q", "k"} <= tensors.keys():
            usable[number] = tensors
    if not usable:
        number = min(found.layers)
        lacks = " and ".join(sorted({"q", "k"} - found.layers[number].keys()))
        raise InputError("capture", f"layer {number} has no {lacks}", "q and k of a layer at least")
    if len(usable) < len(found.layers):
        without = layer_list(sorted(set(found.layers) - set(usable)))
        said.append(f"Without q or k, and left out: {without}.")
    declared = dict.fromkeys(VECTORS, _LENS_LAYOUT) if found.is_lens else claims.layouts
    layers = {
        number: _layer(number, tensors, asked, declared, claims)
        for number, tensors in usable.items()
    }

    def stated(chosen: Mapping[int, Reading]) -> tuple[str, ...]:
        return (*statements(layers, claims, asked, chosen), *said)

    return layers, stated, claims.config


def _layer(
    number: int,
    tensors: Mapping[str, Tensor],
    asked: Mapping[str, Layout],
    declared: Mapping[str, Layout],
    claims: Claims,
) -> Layer:
    shapes = tuple((part, tensors[part].shape) for part in VARIABLES if part in tensors)
    ranks = len(tensors["q"].pieces)
    given = tuple((part, axes) for part, axes in asked.items() if part in VARIABLES)
    # What is said of all heads says nothing of those of a rank.
    counts = claims.counts if ranks == 1 else ()
    readings = readings_of(shapes, given, tuple(declared.items()), counts)
    if not readings:
        _refuse_shapes(number, shapes, asked)
    for part in VECTORS:
        if part in tensors and len(tensors[part].pieces) != ranks:
            problem = f"layer {number} has {part} in {len(tensors[part].pieces)} files"
            raise InputError("capture", problem, f"{ranks}, as many as for q")
    joined = []
    for each in readings:
        heads, kv_heads = each.dims.heads * ranks, each.dims.kv_heads * ranks
        joined.append(replace(each, dims=replace(each.dims, heads=heads, kv_heads=kv_heads)))
    dims = joined[0].dims
    aside = {
        part: _aside(number, part, tensors[part], dims, asked) for part in _ASIDE if part in tensors
    }
    lengths = _lengths(number, tensors.get("lengths"), dims)
    every = [each for reading in joined for each in with_kv_mappings(reading)]
    return Layer(number, tensors, tuple(every), aside, lengths)


def _refuse_shapes(number: int, shapes: Shapes, asked: Mapping[str, Layout]) -> NoReturn:
    text = ", ".join(
        f"{part} {'×'.join(map(str, shape)) or 'a scalar'}"
        + (f" as {layout_text(asked[part])}" if part in asked else "")
        for part, shape in shapes
    )
    problem = f"shapes of layer {number} do not fit each other: {text}"
    expected = "[batch, heads, positions, dim], or --layout, such as out=bnhd"
    if all(len(shape) < 4 for _, shape in shapes):
        expected = "[batch, heads, positions, dim]: heads and dim are two axes"
    for parts in (("v",), ("k",), ("k", "v")):
        # llama.cpp stores V so.
        transposed = tuple((part, tuple("bhdn")) for part in parts)
        if not asked and readings_of(shapes, transposed):
            layouts = ",".join(f"{part}=bhdn" for part in parts)
            expected = f"--layout {layouts}, if {' and '.join(parts)} are stored transposed"
            break
    raise InputError("layout", problem, expected)


def _aside(
    number: int, part: str, tensor: Tensor, dims: Dims, asked: Mapping[str, Layout]
) -> Layout:
    """Return the layout of a tensor beside q, k, v and out, which follows from theirs."""
    ranks = len(tensor.pieces)
    lengths = {
        "b": dims.batch,
        "h": dims.heads // ranks,
        "n": dims.queries,
        "q": 1 if part == "sink" else dims.queries,
        "k": 1 if part == "sink" else dims.keys,
    }
    options = [layout_text(asked[part])] if part in asked else _ASIDE[part]
    for text in options:
        if len(text) == len(tensor.shape) and all(
            length == lengths[axis] or (axis in "bhq" and length == 1)
            for axis, length in zip(text, tensor.shape, strict=True)
        ):
            return tuple(text)
    shown = "×".join(map(str, tensor.shape)) or "a scalar"
    wanted = ["×".join(str(lengths[axis]) for axis in text) for text in options[:2]]
    problem, expected = f"{part} of layer {number} is {shown}", " or ".join(wanted)
    if part in asked:
        raise InputError("layout", f"{problem} as {layout_text(asked[part])}", expected)
    raise InputError("capture", problem, expected, place_of(tensor.pieces[0].path))


def _lengths(number: int, tensor: Tensor | None, dims: Dims) -> tuple[tuple[int, int], ...]:
    """Return how many queries and keys each sequence of a ragged batch has.

    Raises:
        InputError: With field ``"capture"``, if they are not those of as many sequences.
    """
    if tensor is None:
        return ()
    shape = tensor.shape
    if not (len(shape) == 1 or shape[1:] == (2,)) or shape[0] > _MOST_SEQUENCES:
        problem = f"lengths of layer {number} are {'×'.join(map(str, shape)) or 'a scalar'}"
        expected = f"[batch], or [batch, 2] of queries and keys, of {_MOST_SEQUENCES:,} at most"
        raise InputError("capture", problem, expected, place_of(tensor.pieces[0].path))
    found = tensor.pieces[0].take((slice(None),) * len(shape)).astype(np.int64)
    pairs = found if found.ndim == 2 else np.stack([found, found], 1)
    if found.ndim == 1 and dims.queries != dims.keys:
        # Lengths of keys: queries are what there is of them.
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
