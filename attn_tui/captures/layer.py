"""The tensors of one layer, over all files that hold some of it, and how they are read."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.layouts import MATRICES, VECTORS, Layout, is_turned, taken
from attn_tui.captures.readings import Dims, Reading, alternatives
from attn_tui.captures.stored import Index, Raw, Stored, widened
from attn_tui.compute.heads.rows import Reals

MASKED = -9_000.0
"""What an additive mask adds at most to a masked key: −10,000 as bfloat16 has it, or less."""


@dataclass(frozen=True)
class Tensor:
    """What was captured of one part of a layer.

    Attributes:
        pieces: One, or those of several ranks, each with as many heads, in the order of heads; once
            where neighbours hold the same KV heads.
    """

    pieces: tuple[Stored, ...]

    @property
    def name(self) -> str:
        """What the first file calls it."""
        return self.pieces[0].name

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of one piece."""
        return self.pieces[0].shape

    @property
    def format(self) -> str:
        """The number format."""
        return self.pieces[0].format


@dataclass(frozen=True)
class Layer:
    """One layer.

    Attributes:
        number: Of the model, counted from 0.
        tensors: By part.
        readings: Ways to read them, the likeliest first.
        aside: Layouts of mask, bias and the like, which follow from the others.
        lengths: Positions of queries and of keys of each element of a ragged batch, or empty.
    """

    number: int
    tensors: Mapping[str, Tensor]
    readings: tuple[Reading, ...]
    aside: Mapping[str, Layout]
    lengths: tuple[tuple[int, int], ...] = ()

    @property
    def undecided(self) -> tuple[Reading, ...]:
        """The readings that shapes leave open, if nothing else tells; none where one is known."""
        if "weights" in self.tensors or {"out", "v"} <= self.tensors.keys():
            return ()
        others = {each.layout("q"): each for each in reversed(alternatives(self.readings))}
        return tuple(others.values())[::-1] if len(others) > 1 else ()

    @property
    def is_packed(self) -> bool:
        """Whether sequences stand behind each other, without an axis of batch."""
        return len(self.lengths) > 1 and self.readings[0].dims.batch == 1

    @property
    def batch(self) -> int:
        """How many sequences there are."""
        return len(self.lengths) or self.readings[0].dims.batch

    def spans(self, batch: int, dims: Dims) -> tuple[slice, slice]:
        """Return where queries and keys of a sequence stand."""
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
        """Return what was captured of a part for one head, in its own format, or None.

        Args:
            part: Which.
            reading: How tensors are read.
            batch: Which sequence.
            head: Of the queries, or of the keys where the part has those.
            along: Rows of it.
            keys: Columns of it, where these are keys.
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
        if part in VECTORS and numbers.ndim == 1:
            return numbers[np.newaxis]
        if part in VECTORS or part in MATRICES:
            return numbers.T if is_turned(layout) else numbers
        return numbers.reshape(-1)


def row_mask(numbers: Raw) -> tuple[NDArray[np.bool_], Reals | None]:
    """Return what a captured mask lets rows see, and what it adds beside.

    Truth and whole numbers say what is seen; real numbers are added to logits.
    """
    if numbers.dtype.kind in "biu":
        return numbers != 0, None
    added = widened(numbers)
    # NaN hides nothing.
    seen = np.asarray(~(added <= MASKED))
    beside = np.where(seen, added, 0).astype(added.dtype)
    return seen, beside if beside.any() else None
