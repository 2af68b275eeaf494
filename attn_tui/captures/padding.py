"""Sequences that were made equally long with zeros."""

from bisect import bisect_left
from dataclasses import replace

from attn_tui.captures.layer import Layer
from attn_tui.captures.stored import widened

_MOST = 256
"""Sequences that are looked at."""


def padding_of(layers: dict[int, Layer]) -> tuple[dict[int, Layer], tuple[str, ...]]:
    """Return layers without positions at the end whose keys are all zero, and what is said of it.

    The first layer is looked at. No key of a model is exactly zero, so where the last one is, zeros
    were put there to make sequences equally long.
    """
    first = next(iter(layers.values()))
    dims = first.readings[0].dims
    is_open = len({each.layout("q") for each in first.readings}) > 1
    if first.lengths or is_open or first.batch > _MOST:
        return layers, ()
    lengths = [
        (_length(first, batch, "q", dims.queries), _length(first, batch, "k", dims.keys))
        for batch in range(first.batch)
    ]
    padded = [batch for batch, (_, keys) in enumerate(lengths) if keys < dims.keys]
    if not padded or any(0 in each for each in lengths):
        return layers, ()
    shortest = min(lengths[batch][1] for batch in padded)
    said = (
        f"{len(padded):,} of {first.batch:,} sequences end in keys of zeros, which are left out as "
        f"padding: {shortest:,} of {dims.keys:,} positions or more are left."
    )
    shortened = {
        number: replace(layer, lengths=tuple(lengths))
        if layer.readings[0].dims == dims and not layer.lengths
        else layer
        for number, layer in layers.items()
    }
    return shortened, (said,)


def _length(layer: Layer, batch: int, part: str, most: int) -> int:
    """Return after which position all rows of a sequence are zero."""

    def is_zero(at: int) -> bool:
        row = layer.numbers(part, layer.readings[0], batch, 0, slice(at, at + 1), slice(None))
        return row is not None and not widened(row).any()

    # By halves, so that little is read.
    return bisect_left(range(most), True, key=is_zero) if is_zero(most - 1) else most
