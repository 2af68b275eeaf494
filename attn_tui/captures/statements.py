"""Sentences on what was recognised in a capture."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from attn_tui.captures.layer import Layer
from attn_tui.captures.layouts import VECTORS, Layout, layout_text, layout_words
from attn_tui.captures.metadata import Metadata
from attn_tui.captures.readings import Dims, Reading, alternatives
from attn_tui.compute.text import counted, first_few, listed


def layer_list(layers: Sequence[int]) -> str:
    """Return numbers of layers in words.

    >>> layer_list([0, 1, 2, 5])
    'layers 0 to 2, 5'
    """
    runs = []
    for _, group in groupby(enumerate(layers), lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in group]
        join = " to " if len(numbers) > 2 else ", "
        runs.append(join.join(map(str, dict.fromkeys((numbers[0], numbers[-1])))))
    noun = "layers" if len(layers) > 1 else "layer"
    return f"{noun} {first_few(runs, 20)}"


def statements(
    layers: Mapping[int, Layer],
    metadata: Metadata,
    typed: Mapping[str, Layout],
    chosen: Mapping[int, Reading],
) -> Iterator[str]:
    """Yield sentences on what was recognised in layers.

    Args:
        layers: The layers by number, rising.
        metadata: What the metadata says.
        typed: The layouts that the user typed, by part.
        chosen: The readings that the output decides, by layer.
    """
    open_to = {number: layer.readings for number, layer in layers.items()}
    layers = {
        number: replace(layer, readings=(chosen.get(number, layer.readings[0]),))
        for number, layer in layers.items()
    }
    alike: dict[tuple[Dims, str, frozenset[str]], list[int]] = {}
    for number, layer in layers.items():
        key = (layer.readings[0].dims, layer.tensors["q"].format, frozenset(layer.tensors))
        alike.setdefault(key, []).append(number)
    for (dims, form, parts), numbers in [*alike.items()][:5]:
        yield f"{layer_list(numbers).capitalize()}: {_dims(dims)}, in {form}."
        if not parts & {"out", "weights"}:
            yield f"No output was captured of {layer_list(numbers)}: nothing tells the scale."
    if len(alike) > 5:
        yield f"{counted(len(alike) - 5, 'more structure')} of layers."
    first = next(iter(layers.values()))
    is_chosen = first.number in chosen
    yield from _layouts(first, typed, open_to[first.number], is_chosen)
    yield from _declared(first, metadata)
    yield from _aligned(first)
    yield from metadata.remarks


def _dims(dims: Dims) -> str:
    sequences = f"{dims.batch:,} sequences, " if dims.batch > 1 else ""
    heads = counted(dims.heads, "head")
    if dims.kv_heads < dims.heads:
        heads += f" over {dims.kv_heads:,} of keys and values"
    d_v = f", d_v = {dims.d_v:,}" if dims.d_v not in (0, dims.d_k) else ""
    positions = counted(dims.keys, "position")
    if dims.queries != dims.keys:
        queries = counted(dims.queries, "query", "queries")
        positions = f"{queries} and {counted(dims.keys, 'key')}"
    return f"{sequences}{heads}, {positions}, d_k = {dims.d_k:,}{d_v}"


def _layouts(
    layer: Layer,
    typed: Mapping[str, Layout],
    readings: Sequence[Reading],
    is_chosen: bool,
) -> Iterator[str]:
    """Yield sentences on how a layer is read, and on what shapes leave open.

    Args:
        layer: The layer, with the reading that is taken.
        typed: The layouts that the user typed, by part.
        readings: All readings that the layer may have.
        is_chosen: Whether the output decided between them.
    """
    taken = layer.readings[0]
    by_layout: dict[Layout, list[str]] = {}
    for part in VECTORS:
        if part in layer.tensors:
            by_layout.setdefault(taken.layout(part), []).append(part)
    phrases = [f"{listed(parts)} {layout_words(layout)}" for layout, parts in by_layout.items()]
    others = alternatives(readings)
    origin, doubt = " as given" if typed else "", ""
    if len(others) > 1 and is_chosen:
        origin = " as the output says"
    elif len(others) > 1:
        doubt = ", if --layout or the output says nothing else: shapes leave open whether it is "
        doubt += readings_text(others)
    yield f"Layout{origin}: {'; '.join(phrases)}{doubt}."
    dims = taken.dims
    if any(reading.kv_mapping == "interleaved" for reading in readings):
        grouped, mod = f"h // {dims.heads // dims.kv_heads}", f"h mod {dims.kv_heads}"
        by = f"{grouped}, unless the output says {mod}"
        if is_chosen:
            by = f"{grouped if taken.kv_mapping == 'grouped' else mod}, as the output says"
        yield f"Head h has keys and values {by}."


def readings_text(readings: Sequence[Reading]) -> str:
    """Return the layouts in which readings differ, as they are typed."""
    first, *others = readings
    differ = [
        part for part, layout in first.layouts if any(layout != o.layout(part) for o in others)
    ]
    return " or ".join(
        ",".join(f"{part}={layout_text(reading.layout(part))}" for part in differ)
        for reading in readings[:4]
    )


def _declared(layer: Layer, metadata: Metadata) -> Iterator[str]:
    dims = layer.readings[0].dims
    for name, (called, value) in metadata.numbers.items():
        length = getattr(dims, name)
        if length and value != length:
            yield f"The metadata says {called} {value:,}, but shapes say {length:,}."
    for part, layout in metadata.layouts.items():
        if part in layer.tensors and layer.readings[0].layout(part) != layout:
            yield f"The metadata says {part} is {layout_text(layout)}, which shapes deny."


def _aligned(layer: Layer) -> Iterator[str]:
    """Yield a sentence on the keys that queries stand at, if it is in doubt."""
    dims = layer.readings[0].dims
    keys, queries = counted(dims.keys, "key"), counted(dims.queries, "query", "queries")
    if "positions" in layer.tensors:
        stored = layer.tensors["positions"].pieces[0]
        *before, length = stored.shape
        last = int(stored.take((*[0] * len(before), slice(length - 1, length)))[0])
        if last >= dims.keys:
            yield f"The last query stands at {last:,}, beyond {keys}: K lacks the prefix."
    elif dims.queries > dims.keys:
        yield f"{queries} have {keys}: K lacks the prefix, or this is cross attention."
    elif dims.queries < dims.keys and "mask" not in layer.tensors:
        yield f"Nothing but the output may say at which of {keys} {queries} may stand."
