"""Tensors of files to layers: by their names, joined over ranks, with layouts that fit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attn_tui.captures.layer import Layer, Tensor
from attn_tui.captures.layouts import Layout, layout_text, parse_layout
from attn_tui.captures.names import mapped, matcher, meaning_of, nearest
from attn_tui.captures.readings import VARIABLES, Dims, choices, readings_of
from attn_tui.captures.readings import mapped as with_mappings
from attn_tui.captures.stored import Stored
from attn_tui.compute.errors import InputError


@dataclass(frozen=True)
class Source:
    """A file and what it says it holds."""

    path: str
    tensors: tuple[Stored, ...]
    metadata: Mapping[str, object]


def assembled(
    sources: Sequence[Source], layouts: Mapping[str, str], names: str | None
) -> tuple[dict[int, Layer], tuple[str, ...], dict[str, Any]]:
    """Return layers by number, what was recognised, and what metadata claims.

    Raises:
        InputError: With field ``"capture"``, ``"layout"`` or ``"names"``.
    """
    parts = _named(sources, names)
    config: dict[str, Any] = {}
    stated: list[str] = []
    layers = {}
    for number in sorted(parts):
        if not {"q", "k"} <= parts[number].keys():
            continue
        layers[number] = _layer(number, parts[number], layouts)
    if not layers:
        raise InputError("capture", "no layer has both q and k", "0.q and 0.k")
    return layers, tuple(stated), config


def _named(sources: Sequence[Source], names: str | None) -> dict[int, dict[str, Tensor]]:
    pattern = matcher(names) if names else None
    found: dict[int, dict[str, list[Stored]]] = {}
    for source in sources:
        for stored in source.tensors:
            meaning = mapped(stored.name, pattern) if pattern else None
            meaning = meaning or meaning_of(stored.name)
            if meaning:
                found.setdefault(meaning.layer, {}).setdefault(meaning.part, []).append(stored)
    if not found:
        every = tuple(stored.name for source in sources for stored in source.tensors)
        near = f", not {nearest(every)}" if every else ""
        raise InputError("names", f"no tensor is called as one of ours{near}", "0.q, or --names")
    return {
        number: {part: Tensor(tuple(pieces)) for part, pieces in parts.items()}
        for number, parts in found.items()
    }


def _layer(number: int, tensors: Mapping[str, Tensor], layouts: Mapping[str, str]) -> Layer:
    given = []
    for part in VARIABLES:
        if part in tensors:
            shape = tensors[part].shape
            options = choices(part, len(shape))
            if part in layouts:
                options = [(parse_layout(layouts[part], part), 0)]
            given.append((part, shape, tuple(options)))
    readings = readings_of(tuple(given))
    if not readings:
        shapes = ", ".join(f"{part} {'×'.join(map(str, shape))}" for part, shape, _ in given)
        problem = f"shapes of layer {number} do not fit each other: {shapes}"
        raise InputError("layout", problem, "[batch, heads, positions, dim], or --layout")
    dims = readings[0].dims
    aside = {
        part: _aside(number, part, tensors[part], dims, layouts)
        for part in ("mask", "bias", "sink", "positions")
        if part in tensors
    }
    every = tuple(each for reading in readings for each in with_mappings(reading))
    return Layer(number, tensors, every, aside)


_ASIDE: Mapping[str, tuple[str, ...]] = {
    "mask": ("bhqk", "bqk", "hqk", "qk", "bk"),
    "bias": ("bhqk", "bqk", "hqk", "qk", "bk"),
    "sink": ("h", "bh", "bhqk"),
    "positions": ("n", "bn", "bhn"),
}


def _aside(
    number: int, part: str, tensor: Tensor, dims: Dims, layouts: Mapping[str, str]
) -> Layout:
    """Return the layout of a tensor beside q, k, v and out, which follows from theirs."""
    lengths = {"b": dims.batch, "h": dims.heads, "q": dims.queries, "n": dims.queries}
    lengths["k"] = 1 if part == "sink" else dims.keys
    lengths["q"] = 1 if part == "sink" else dims.queries
    texts = [layout_text(parse_layout(layouts[part], part))] if part in layouts else _ASIDE[part]
    for text in texts:
        if len(text) == len(tensor.shape) and all(
            length in ((lengths[axis], 1) if axis in "bhq" else (lengths[axis],))
            for axis, length in zip(text, tensor.shape, strict=True)
        ):
            return tuple(text)
    shown = "×".join(map(str, tensor.shape)) or "a scalar"
    problem = f"{part} of layer {number} is {shown}"
    wanted = " or ".join("×".join(str(lengths[axis]) for axis in text) for text in list(texts)[:2])
    raise InputError("layout", problem, wanted)
