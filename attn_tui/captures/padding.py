"""Sequences that were made equally long with zeros."""

from collections.abc import Callable
from dataclasses import replace

from attn_tui.captures.layer import Layer
from attn_tui.captures.stored import widened
from attn_tui.compute.counted import counted

_MOST = 256
"""Sequences that are looked at."""


def padding_of(layers: dict[int, Layer]) -> tuple[dict[int, Layer], tuple[str, ...]]:
    """Return layers without positions at the end whose keys are all zero, and what is said of it.

    The first layer is looked at, by halves, so that little is read. No key of a model is exactly
    zero, so where the last one is, zeros were put there to make sequences equally long.
    """
    first = next(iter(layers.values()))
    dims = first.readings[0].dims
    is_open = len({each.layout("q") for each in first.readings}) > 1
    if first.lengths or is_open or first.batch > _MOST:
        return layers, ()
    lengths, said = [], []
    for batch in range(first.batch):
        keys = _length(first, batch, "k", dims.keys)
        queries = _length(first, batch, "q", dims.queries)
        lengths.append((queries, keys))
        if keys < dims.keys and keys:
            said.append(
                f"Sequence {batch}: the last {dims.keys - keys:,} of {dims.keys:,} keys are zero, "
                "and left out as padding."
            )
    if not said or any(0 in each for each in lengths):
        return layers, ()
    more = (
        [f"{counted(len(said) - 3, 'more sequence')} padded with zeros."] if len(said) > 4 else []
    )
    return {
        number: replace(layer, lengths=tuple(lengths))
        if layer.readings[0].dims == dims and not layer.lengths
        else layer
        for number, layer in layers.items()
    }, tuple(said[:3] + more if more else said)


def _length(layer: Layer, batch: int, part: str, most: int) -> int:
    """Return after which position all rows are zero."""
    reading = layer.readings[0]

    def is_zero(at: int) -> bool:
        row = layer.numbers(part, reading, batch, 0, slice(at, at + 1), slice(None))
        return row is not None and not (widened(row) != 0).any()

    return _first(is_zero, most) if most and is_zero(most - 1) else most


def _first(is_so: Callable[[int], bool], most: int) -> int:
    """Return the first place from which on it is so; it is so at the last."""
    low, high = 0, most - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_so(middle) else (middle + 1, high)
    return low
