"""The tensors of one layer, over all files with parts of it, and how they are read."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.layouts import MATRICES, VECTORS, Layout, is_turned, taken
from attn_tui.captures.readings import Dims, Reading, alternatives
from attn_tui.captures.stored import Index, Raw, Stored, widened
from attn_tui.compute.heads.rows import Reals

MASKED = -9_000.0
"""The most that an additive mask adds to a masked key: −10,000 rounded to bfloat16, or less."""


@dataclass(frozen=True)
class Tensor:
    """The captured tensor of one part of a layer.

    Attributes:
        pieces: One piece, or one of each rank with the same number of heads, in the order of heads;
            a single one if neighbours hold the same KV heads.
    """

    pieces: tuple[Stored, ...]

    @property
    def name(self) -> str:
        """The name of the tensor in the first file."""
        return self.pieces[0].name

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one piece."""
        return self.pieces[0].shape

    @property
    def format(self) -> str:
        """The number format, such as ``bfloat16``."""
        return self.pieces[0].format


@dataclass(frozen=True)
class Layer:
    """One layer of a capture.

    Attributes:
        number: The number of the layer in the model, counted from 0.
        tensors: The tensors by part.
        readings: Ways to read them, the likeliest first.
        aside: The layouts of mask, bias and the like by part, which follow from the others.
        lengths: How many queries and keys each sequence of a ragged batch has, or empty.
    """

    number: int
    tensors: Mapping[str, Tensor]
    readings: tuple[Reading, ...]
    aside: Mapping[str, Layout]
    lengths: tuple[tuple[int, int], ...] = ()

    @property
    def undecided(self) -> tuple[Reading, ...]:
        """The readings that nothing tells apart, neither shapes nor an output; else empty."""
        if "weights" in self.tensors or {"out", "v"} <= self.tensors.keys():
            return ()
        others = {reading.layout("q"): reading for reading in reversed(alternatives(self.readings))}
        return tuple(others.values())[::-1] if len(others) > 1 else ()

    @property
    def is_packed(self) -> bool:
        """Whether sequences stand one after another, without a batch axis."""
        return len(self.lengths) > 1 and self.readings[0].dims.batch == 1

    @property
    def batch(self) -> int:
        """How many sequences there are."""
        return len(self.lengths) or self.readings[0].dims.batch

    def spans(self, batch: int, dims: Dims) -> tuple[slice, slice]:
        """Return the slices of positions where queries and keys of a sequence stand."""
        first = self.readings[0].dims
        if not self.lengths or (dims.queries, dims.keys) != (first.queries, first.keys):
            return slice(0, dims.queries), slice(0, dims.keys)
        if not self.is_packed:
            queries, keys = self.lengths[batch]
            return slice(0, queries), slice(0, keys)
        ends = np.cumsum(self.lengths, 0)[batch]
        queries, keys = self.lengths[batch]
        return (
            slice(int(ends[0]) - queries, int(ends[0])),
            slice(int(ends[1]) - keys, int(ends[1])),
        )

    def numbers(
        self, part: str, reading: Reading, batch: int, head: int, along: Index, keys: slice
    ) -> Raw | None:
        """Return the numbers of a part for one head, in their own format; None if not captured.

        Args:
            part: The part.
            reading: How tensors are read.
            batch: The number of the sequence.
            head: The number of the query head; for k and v, of the KV head.
            along: The rows to take.
            keys: The columns to take, if these are keys.
        """
        tensor = self.tensors.get(part)
        if tensor is None:
            return None
        layout = self.aside[part] if part in self.aside else reading.layout(part)
        dims = reading.dims
        heads = dims.kv_heads if part in ("k", "v") else dims.heads
        piece, local = divmod(head, heads // len(tensor.pieces))
        batch = 0 if self.is_packed else batch
        stored = tensor.pieces[piece]
        numbers = stored.take(taken(layout, stored.shape, batch, local, along, keys))
        if (part in VECTORS or part in MATRICES) and numbers.ndim == 1:
            # One query of each sequence has no axis of positions; one row of a mask serves all.
            return numbers[np.newaxis]
        if part in VECTORS or part in MATRICES:
            return numbers.T if is_turned(layout) else numbers
        return numbers.reshape(-1)


def row_mask(numbers: Raw) -> tuple[NDArray[np.bool_], Reals | None]:
    """Return the keys that a captured mask lets rows see, and what it adds to logits or None.

    Truth values and whole numbers say which keys are seen; real numbers are added to logits.
    """
    if numbers.dtype.kind in "biu":
        return numbers != 0, None
    added = widened(numbers)
    # Written with ~ and <= so that NaN masks no key.
    seen = np.asarray(~(added <= MASKED))
    bias = np.where(seen, added, 0).astype(added.dtype)
    return seen, bias if bias.any() else None
